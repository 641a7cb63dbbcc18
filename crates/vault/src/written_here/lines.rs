//! The lines of the list, as one store reads them.

use crate::header_source::HeaderSource;
use crate::layout::{ASIDE, SWEPT};
use brainstem_claims::{Claim, State};
use std::collections::HashMap;
use std::fmt;
use uuid::Uuid;

/// The word for the medulla in a line.
const MEDULLA: &str = "medulla";

/// The brain that a line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineBrain {
    /// The medulla.
    Medulla,
    /// A project's brain.
    Brain {
        /// Its id.
        id: Uuid,
        /// The name of its folder under the home.
        folder: String,
    },
}

impl LineBrain {
    /// The brain in a folder, whose name stays the same while it is set aside.
    pub(super) fn brain(id: Uuid, folder: &str) -> Self {
        let name = [SWEPT, ASIDE].into_iter().find_map(|prefix| folder.strip_prefix(prefix));
        Self::Brain { id, folder: name.unwrap_or(folder).to_owned() }
    }
}

impl fmt::Display for LineBrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Medulla => f.write_str(MEDULLA),
            Self::Brain { id, folder } => write!(f, "{id} {folder}"),
        }
    }
}

/// The brain of a line, as a store sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineOrigin {
    /// The brain of this store.
    Own,
    /// The line has no brain: an older program wrote it.
    Old,
    /// A brain of the same id in another folder, by its number in [`VersionLines`].
    Clone(usize),
    /// Another brain.
    Other,
}

impl LineOrigin {
    pub(super) fn is_own_or_old(self) -> bool {
        match self {
            Self::Own | Self::Old => true,
            Self::Clone(_) | Self::Other => false,
        }
    }

    pub(super) fn clone_folder(self) -> Option<usize> {
        match self {
            Self::Clone(folder) => Some(folder),
            Self::Own | Self::Old | Self::Other => None,
        }
    }
}

/// One line about a version.
#[derive(Clone, Debug)]
pub(super) struct VersionLine {
    state: String,
    pub(super) source: HeaderSource,
    pub(super) by: LineOrigin,
}

impl VersionLine {
    pub(super) fn is_in_state(&self, claim: &Claim) -> bool {
        self.state == state_of(claim)
    }
}

/// The lines about versions, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct VersionLines {
    by_hash: HashMap<String, Vec<VersionLine>>,
    /// The other folders with the id of this brain.
    folders: Vec<String>,
}

impl VersionLines {
    /// Reads the lines that are wanted, by the sha256 of their version and their brain. An incomplete line is skipped.
    pub(super) fn parse(bytes: &[u8], own: &LineBrain, is_wanted: impl Fn(&str, LineOrigin) -> bool) -> Self {
        let mut lines = Self::default();
        let own_id = match own {
            LineBrain::Medulla => String::new(),
            LineBrain::Brain { id, .. } => id.to_string(),
        };
        for line in String::from_utf8_lossy(bytes).lines() {
            let mut words = line.split(' ');
            let source = match words.next() {
                Some("here") => HeaderSource::ThisHome,
                Some("file") => HeaderSource::File,
                Some(_) | None => continue,
            };
            let (Some(hash), Some(state)) = (words.next(), words.next()) else { continue };
            let by = match (words.next(), words.next(), own) {
                (None, _, _) => LineOrigin::Old,
                (Some(MEDULLA), _, LineBrain::Medulla) => LineOrigin::Own,
                (Some(_), Some(name), LineBrain::Brain { folder, .. }) if name == folder => LineOrigin::Own,
                (Some(id), Some(name), LineBrain::Brain { .. }) if id == own_id => lines.clone_in(name),
                (Some(MEDULLA), _, _) | (Some(_), Some(_), _) => LineOrigin::Other,
                (Some(_), None, _) => continue,
            };
            if is_wanted(hash, by) {
                let line = VersionLine { state: state.to_owned(), source, by };
                lines.by_hash.entry(hash.to_owned()).or_default().push(line);
            }
        }
        lines
    }

    fn clone_in(&mut self, folder: &str) -> LineOrigin {
        let known = self.folders.iter().position(|name| name == folder);
        LineOrigin::Clone(known.unwrap_or_else(|| {
            self.folders.push(folder.to_owned());
            self.folders.len() - 1
        }))
    }

    /// The lines about a version, in any state.
    pub(super) fn about(&self, claim: &Claim) -> &[VersionLine] {
        // Most lists are empty, and a hash costs more than this check.
        if self.by_hash.is_empty() {
            return &[];
        }
        self.by_hash.get(&claim.content_hash()).map_or(&[], Vec::as_slice)
    }

    /// The name of another folder with the id of this brain.
    pub(super) fn folder(&self, number: usize) -> &str {
        &self.folders[number]
    }
}

/// The word for a claim's state in a line.
pub(super) fn state_of(claim: &Claim) -> &'static str {
    claim.state.map_or("unknown", State::as_str)
}
