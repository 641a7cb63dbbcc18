//! What was promoted into the medulla, and what became of each copy.

use super::names::NamesOnRecord;
use crate::act::{Act, ActVerb, ClaimRef, Deed, Mention, VersionRef};
use brainstem_base::Timestamp;

/// A promotion, as its act has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromotionAct {
    /// The copy.
    pub copy: VersionRef,
    /// The witness.
    pub origin: ClaimRef,
    /// When the witness was born.
    pub origin_created: Option<Timestamp>,
}

impl PromotionAct {
    /// The promotions on record; an imported one counts if its importer could have done it.
    pub fn all(acts: &[Act]) -> Vec<Self> {
        let promoted = |act: &Act| match act.deed() {
            Deed::Promote { upon, origin: Some(origin), origin_created, .. } if act.counts() => Some(Self {
                copy: upon.version()?.clone(),
                origin: origin.clone(),
                origin_created: *origin_created,
            }),
            _ => None,
        };
        acts.iter().filter_map(promoted).collect()
    }
}

/// How an act ends a copy in the medulla.
enum CopyEnd<'a> {
    /// The copy left, and perhaps another version replaced it.
    Left { copy: &'a Mention, successor: Option<&'a Mention> },
    /// The copy of another promotion replaced it.
    Replaced { copy: &'a Mention, successor: &'a Mention },
}

fn ends(deed: &Deed) -> Option<CopyEnd<'_>> {
    match deed {
        Deed::Retract { upon, by: Some(ActVerb::Promote), successor, .. } => {
            Some(CopyEnd::Left { copy: upon, successor: successor.as_ref() })
        }
        Deed::Retract { upon, .. } | Deed::Demote { upon, .. } => {
            Some(CopyEnd::Left { copy: upon, successor: None })
        }
        Deed::Promote { upon, replaces: Some(replaces), .. } => {
            Some(CopyEnd::Replaced { copy: replaces, successor: upon })
        }
        Deed::Promote { replaces: None, .. }
        | Deed::Bootstrap { .. }
        | Deed::Affirm { .. }
        | Deed::Doctrine { .. }
        | Deed::Learn { .. }
        | Deed::Propose { .. }
        | Deed::Decline { .. }
        | Deed::Withdraw { .. }
        | Deed::Import { .. }
        | Deed::Rename { .. }
        | Deed::Forget { .. }
        | Deed::Resolve { .. }
        | Deed::MigrateBegin { .. }
        | Deed::MigrateEnd { .. }
        | Deed::MigrateRollback { .. }
        | Deed::Migrate { .. }
        | Deed::MigrateIn { .. }
        | Deed::MigrateBack { .. }
        | Deed::SweepRoot { .. }
        | Deed::UnsweepRoot { .. }
        | Deed::TakeUp { .. }
        | Deed::SetAside { .. }
        | Deed::BootSet { .. }
        | Deed::BootDelete { .. }
        | Deed::Delegate { .. }
        | Deed::Debrief { .. }
        | Deed::Debriefed { .. }
        | Deed::Violation { .. }
        | Deed::Unknown { .. } => None,
    }
}

/// What the acts of the medulla say of its copies.
pub struct MedullaCopies<'a> {
    acts: &'a [Act],
    names: &'a NamesOnRecord,
}

impl<'a> MedullaCopies<'a> {
    /// Of these acts, with the names in them.
    pub fn of(acts: &'a [Act], names: &'a NamesOnRecord) -> Self {
        Self { acts, names }
    }

    fn is(&self, mention: &Mention, copy: &VersionRef) -> bool {
        mention.version().is_some_and(|version| self.names.are_one(copy, version))
    }

    /// Whether an earlier act records the same promotion: an older program wrote another after the copy was renamed.
    pub fn is_repeated(&self, act: &Act) -> bool {
        let Deed::Promote { upon, .. } = act.deed() else { return false };
        let Some(copy) = upon.version() else { return false };
        let is_it = |other: &&Act| match other.deed() {
            Deed::Promote { upon, .. } => self.is(upon, copy),
            _ => false,
        };
        self.acts.iter().find(is_it).is_some_and(|first| first.id() != act.id())
    }

    /// The version that replaced a copy by a promotion, under the same name or another.
    pub fn replaced_by(&self, copy: &VersionRef) -> Option<&'a Mention> {
        self.acts.iter().find_map(|act| match ends(act.deed())? {
            CopyEnd::Left { copy: left, successor } => successor.filter(|_| self.is(left, copy)),
            CopyEnd::Replaced { copy: left, successor } => self.is(left, copy).then_some(successor),
        })
    }

    /// Whether a copy was taken out.
    pub fn has_left(&self, copy: &VersionRef) -> bool {
        self.acts.iter().any(|act| match ends(act.deed()) {
            Some(CopyEnd::Left { copy: left, .. }) => self.is(left, copy),
            Some(CopyEnd::Replaced { .. }) | None => false,
        })
    }

    /// The act by which a copy left, whether it was taken out or replaced.
    pub fn end_of(&self, copy: &VersionRef) -> Option<&'a Act> {
        self.acts.iter().find(|act| match ends(act.deed()) {
            Some(CopyEnd::Left { copy: left, .. } | CopyEnd::Replaced { copy: left, .. }) => {
                self.is(left, copy)
            }
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{act, renamed, version};
    use super::*;

    fn promoted(copy: &str, origin: Option<&str>, replaces: Option<&str>) -> Deed {
        Deed::Promote {
            upon: Mention::read(copy),
            label: None,
            origin: origin.map(ClaimRef::read),
            origin_created: Some(Timestamp::from_ms(1)),
            reason: None,
            ground: None,
            replaces: replaces.map(Mention::read),
        }
    }

    fn retracted(copy: &str, by: Option<ActVerb>, successor: Option<&str>) -> Deed {
        let mut deed = Deed::retract(version(copy), "no");
        if let Deed::Retract { by: verb, successor: next, .. } = &mut deed {
            (*verb, *next) = (by, successor.map(Mention::read));
        }
        deed
    }

    #[test] // spec: MEM-35
    fn what_became_of_a_copy_is_told_by_the_acts_upon_it_under_every_name() {
        let acts = [
            act(1, promoted("a@1", Some("cherry@0a1b2c3d#a"), None)),
            act(2, promoted("a@2", Some("cherry@0a1b2c3d#a"), Some("a@1"))),
            renamed("a@2", "b", 3),
            act(4, promoted("b@2", Some("cherry@0a1b2c3d#a"), Some("a@1"))),
            act(5, retracted("b@2", Some(ActVerb::Promote), Some("c@5"))),
            act(6, promoted("d@6", None, None)),
            act(7, retracted("d@6", Some(ActVerb::Learn), None)),
            act(8, Deed::Demote { upon: version("e@8").into(), reason: None, by: None, successor: None }),
            act(9, promoted("Not a version", Some("cherry@0a1b2c3d#a"), Some("nor this"))),
        ];
        let names = NamesOnRecord::of(&acts);
        let copies = MedullaCopies::of(&acts, &names);
        // The copy; its replacement, whether it was taken out, and the index of the act by which it left.
        let table = [
            ("a@1", Some("a@2"), false, Some(1)),
            ("a@2", Some("c@5"), true, Some(4)),
            ("b@2", Some("c@5"), true, Some(4)),
            ("d@6", None, true, Some(6)),
            ("e@8", None, true, Some(7)),
            ("c@5", None, false, None),
        ];
        for (copy, replaced_by, has_left, end) in table {
            let copy = version(copy);
            assert_eq!(copies.replaced_by(&copy).map(Mention::as_str), replaced_by, "{copy}");
            assert_eq!(copies.has_left(&copy), has_left, "{copy}");
            assert_eq!(copies.end_of(&copy).map(Act::id), end.map(|at: usize| acts[at].id()), "{copy}");
        }
        let repeated: Vec<usize> = (0..acts.len()).filter(|at| copies.is_repeated(&acts[*at])).collect();
        assert_eq!(repeated, [3], "recorded again under the new name of the copy");
        let all: Vec<String> =
            PromotionAct::all(&acts).iter().map(|promoted| promoted.copy.to_string()).collect();
        assert_eq!(all, ["a@1", "a@2", "b@2"], "those that name a witness and a copy");
    }
}
