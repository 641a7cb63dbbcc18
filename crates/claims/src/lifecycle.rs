//! The lifecycle of a version: derived from where its file is and what its header says.

use crate::Claim;

/// Where a version's file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePlace {
    /// Live in a project's store.
    Project,
    /// Live in the medulla's store.
    Medulla,
    /// Live in the medulla's store, and no recorded act explains it.
    Unaccounted,
    /// In history, replaced by a later version.
    HistorySuperseded,
    /// In history, taken back.
    HistoryRetracted,
    /// In history, because it went to another store.
    HistoryMoved,
}

/// The one state a version is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifecycle {
    /// Live in a project, visible to that project alone.
    ProjectPrivate,
    /// A medulla copy; its project's original is the witness.
    Promoted,
    /// Born in the medulla.
    Doctrine,
    /// Replaced by a later version.
    Superseded,
    /// Taken back with a reason.
    Retracted,
    /// Live in another store, where it belongs.
    Moved,
    /// Written in a repository and no longer in its checkout: git took it away, and nothing replaced it.
    Missing,
    /// A file in the medulla that no record explains.
    Unknown,
}

impl Lifecycle {
    /// Returns the state; every version has exactly one.
    pub fn of(place: FilePlace, claim: &Claim) -> Self {
        match place {
            FilePlace::Project => Self::ProjectPrivate,
            FilePlace::Medulla if claim.origin_claim.is_some() => Self::Promoted,
            FilePlace::Medulla if claim.origin_brain.as_deref() == Some(MEDULLA) => Self::Doctrine,
            FilePlace::Medulla | FilePlace::Unaccounted => Self::Unknown,
            FilePlace::HistorySuperseded => Self::Superseded,
            FilePlace::HistoryRetracted => Self::Retracted,
            FilePlace::HistoryMoved => Self::Moved,
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProjectPrivate => "project_private",
            Self::Promoted => "promoted",
            Self::Doctrine => "doctrine",
            Self::Superseded => "superseded",
            Self::Retracted => "retracted",
            Self::Moved => "moved",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }
}

/// The `Origin-Brain` of a claim that was born in the medulla.
pub const MEDULLA: &str = "medulla";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use crate::light::keys;
    use brainstem_base::Timestamp;

    #[test] // spec: MEM-3, MEM-3a, MEM-3b
    fn lifecycle_follows_from_place_and_header() {
        let file = draft("a", "b").file(&author(), Timestamp::from_ms(1), None);
        let project = Claim::from(file.clone());
        let set = |key, value| {
            let mut file = file.clone();
            file.set(key, value);
            Claim::from(file)
        };
        let doctrine = set(keys::ORIGIN_BRAIN, "medulla");
        let witness = set(keys::PROMOTED_TO, "medulla@a@1");
        let copy = set(keys::ORIGIN_CLAIM, "cherry@0a1b2c3d#a");
        let table = [
            (FilePlace::Project, &project, "project_private"),
            (FilePlace::Project, &doctrine, "project_private"),
            (FilePlace::Project, &witness, "project_private"),
            (FilePlace::Medulla, &project, "unknown"),
            (FilePlace::Medulla, &doctrine, "doctrine"),
            (FilePlace::Medulla, &copy, "promoted"),
            (FilePlace::Unaccounted, &project, "unknown"),
            (FilePlace::Unaccounted, &doctrine, "unknown"),
            (FilePlace::Unaccounted, &copy, "unknown"),
            (FilePlace::HistorySuperseded, &copy, "superseded"),
            (FilePlace::HistoryRetracted, &project, "retracted"),
            (FilePlace::HistoryMoved, &project, "moved"),
        ];
        for (place, claim, expected) in table {
            assert_eq!(Lifecycle::of(place, claim).as_str(), expected);
        }
    }
}
