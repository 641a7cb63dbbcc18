//! How the copy of a witness left the medulla.

use super::names::NamesOnRecord;
use super::promotions::MedullaCopies;
use crate::act::{Act, ClaimRef, Deed, VersionRef};
use brainstem_base::Timestamp;

/// A copy is no longer in the medulla.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unshared {
    /// When; `None` if no act says it.
    pub at: Option<Timestamp>,
    /// The agent that took it out.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl Unshared {
    /// What the acts of the medulla say about a copy that is not there. `own` is the witness in the form of a
    /// promotion: a promotion by its own brain that the witness does not name came from a clone.
    pub fn of(acts: &[Act], copy: &VersionRef, own: Option<&ClaimRef>) -> Self {
        let names = NamesOnRecord::of(acts);
        let left = MedullaCopies::of(acts, &names).end_of(copy);
        let reason = |act: &Act| match act.deed() {
            Deed::Promote { origin, .. } => origin.as_ref().map(|origin| {
                let clone = if Some(origin) == own { " from another clone of this project" } else { "" };
                format!("a promotion of {origin}{clone} took its place")
            }),
            other => other.reason().map(str::to_owned),
        };
        Self {
            at: left.and_then(Act::time),
            by: left.map(|act| act.agent().to_owned()),
            reason: left.and_then(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{act, renamed, version};
    use super::*;
    use crate::act::Mention;

    #[test] // spec: MEM-35
    fn a_copy_that_left_is_told_with_when_by_whom_and_why() {
        let promoted = |copy: &str, replaces: &str| Deed::Promote {
            upon: version(copy).into(),
            label: None,
            origin: Some(ClaimRef::read("plum@0a1b2c3d#a")),
            origin_created: None,
            reason: Some("better".into()),
            ground: None,
            replaces: Some(Mention::read(replaces)),
        };
        let acts = [
            renamed("a@1", "b", 1),
            act(2, Deed::retract(version("b@1"), "it was wrong")),
            act(3, promoted("c@3", "c@2")),
        ];
        let own = ClaimRef::read("plum@0a1b2c3d#a");
        let reason = |copy: &str, own| Unshared::of(&acts, &version(copy), own).reason;
        assert_eq!(reason("a@1", None).as_deref(), Some("it was wrong"));
        let taken = "a promotion of plum@0a1b2c3d#a took its place";
        assert_eq!(reason("c@2", None).as_deref(), Some(taken));
        let taken = "a promotion of plum@0a1b2c3d#a from another clone of this project took its place";
        assert_eq!(reason("c@2", Some(&own)).as_deref(), Some(taken));
        let nothing = Unshared { at: None, by: None, reason: None };
        assert_eq!(Unshared::of(&acts, &version("d@9"), None), nothing);
        let left = Unshared::of(&acts, &version("a@1"), None);
        assert_eq!((left.at, left.by.as_deref()), (Some(Timestamp::from_ms(2)), Some("human:ana")));
    }
}
