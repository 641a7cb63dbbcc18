//! What went into the medulla and out of it: promotions, demotions, and breaches of etiquette.

use super::promotions::MedullaCopies;
use crate::act::{Act, ActVerb, Deed, Mention};
use brainstem_base::Timestamp;

/// One act by which a claim went into the medulla or out of it, or was to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// What was done.
    pub what: CrossingKind,
    /// When.
    pub at: Option<Timestamp>,
    /// The agent that did it.
    pub agent: String,
    /// The version it was done to, as `<slug>@<ms>`.
    pub version: String,
    /// Its label, if the act has it.
    pub label: Option<String>,
    /// The project's claim: of a promotion its witness, of a proposal the claim itself.
    pub origin_claim: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// On what ground.
    pub ground: Option<String>,
    /// Of a demotion: the verb that did it. Of a violation: the verb it was done with.
    pub by: Option<String>,
    /// The version of the medulla that it replaced.
    pub replaces: Option<String>,
    /// The version that replaced it.
    pub replaced_by: Option<String>,
    /// What became of it.
    pub standing: Option<CrossingOutcome>,
    /// Of a proposal that was declined or withdrawn: the agent, the time and the reason.
    pub settled: Option<String>,
    /// Of a violation: the rule that was broken.
    pub rule: Option<String>,
    /// The agent that imported the record of it, if it was imported.
    pub brought_by: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingKind {
    /// A claim was copied into the medulla.
    Promotion,
    /// An agent proposed that.
    Proposal,
    /// A claim was taken out of the medulla.
    Demotion,
    /// An agent that may not take a claim out of the medulla called it wrong.
    Dispute,
    /// An agent did something that etiquette leaves to others.
    Violation,
}

impl CrossingKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Promotion => "promotion",
            Self::Proposal => "proposal",
            Self::Demotion => "demotion",
            Self::Dispute => "dispute",
            Self::Violation => "violation",
        }
    }
}

/// What became of a promotion or a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingOutcome {
    /// The copy is in the medulla.
    Shared,
    /// The file under the name of the copy cannot be read.
    Unreadable,
    /// Another promotion replaced the copy.
    Replaced,
    /// The copy is no longer in the medulla.
    Unshared,
    /// It waits for a decision.
    Open,
    /// The version was promoted since.
    Promoted,
    /// An agent that may decide was against it.
    Declined,
    /// The agent that proposed it took it back.
    Withdrawn,
    /// The project took the claim back.
    Retracted,
    /// The project or the medulla has another version by now.
    Outdated,
    /// The claim was written here and is not in this checkout.
    Absent,
    /// An agent that may decide about doctrine says that it holds.
    Upheld,
}

impl CrossingOutcome {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Unreadable => "unreadable",
            Self::Replaced => "replaced",
            Self::Unshared => "unshared",
            Self::Open => "open",
            Self::Promoted => "promoted",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Retracted => "retracted",
            Self::Outdated => "outdated",
            Self::Absent => "absent",
            Self::Upheld => "upheld",
        }
    }
}

/// What a search for a version under one of its names found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopySearch {
    /// It is not there.
    Absent,
    /// The file there cannot be read.
    Unreadable,
    /// It is there, with this label.
    Live(String),
}

impl CopySearch {
    /// How certain the result is: of several searches, the most certain counts.
    pub fn sureness(&self) -> u8 {
        match self {
            Self::Absent => 0,
            Self::Unreadable => 1,
            Self::Live(_) => 2,
        }
    }
}

impl Crossing {
    /// The crossing that an act records; `None` for other acts. `copy` searches a copy under each of its names.
    pub fn of(act: &Act, copy: &dyn Fn(&Mention) -> CopySearch, copies: &MedullaCopies<'_>) -> Option<Self> {
        let entry = |what, version: &str| Self {
            what,
            at: act.time(),
            agent: act.agent().to_owned(),
            version: version.to_owned(),
            label: None,
            origin_claim: None,
            reason: None,
            ground: None,
            by: None,
            replaces: None,
            replaced_by: None,
            standing: None,
            settled: None,
            rule: None,
            brought_by: act.brought_by().map(str::to_owned),
            is_foreign: act.is_foreign(),
        };
        match act.deed() {
            Deed::Promote { upon, label, origin, reason, ground, replaces, .. } => {
                let copy = copy(upon);
                let replaced_by = upon.version().and_then(|version| copies.replaced_by(version));
                let replaced_by = replaced_by.filter(|_| !matches!(copy, CopySearch::Live(_)));
                let has_left = || upon.version().is_some_and(|version| copies.has_left(version));
                let (label, standing) = match (copy, replaced_by) {
                    (CopySearch::Live(label), _) => (Some(label), CrossingOutcome::Shared),
                    (_, Some(_)) => (label.clone(), CrossingOutcome::Replaced),
                    (CopySearch::Unreadable, None) if !has_left() => {
                        (label.clone(), CrossingOutcome::Unreadable)
                    }
                    (CopySearch::Unreadable | CopySearch::Absent, None) => {
                        (label.clone(), CrossingOutcome::Unshared)
                    }
                };
                Some(Self {
                    label,
                    origin_claim: origin.as_ref().map(ToString::to_string),
                    reason: reason.clone(),
                    ground: ground.clone(),
                    replaces: replaces.as_ref().map(ToString::to_string),
                    replaced_by: replaced_by.map(ToString::to_string),
                    standing: Some(standing),
                    ..entry(CrossingKind::Promotion, upon.as_str())
                })
            }
            Deed::Retract { upon, reason, by, .. } | Deed::Demote { upon, reason, by, .. } => Some(Self {
                reason: reason.clone(),
                by: Some(by.as_ref().unwrap_or(&ActVerb::Retract).to_string()),
                ..entry(CrossingKind::Demotion, upon.as_str())
            }),
            Deed::Violation { verb, upon, rule, label, .. } => Some(Self {
                label: label.clone(),
                by: Some(verb.as_ref().unwrap_or(&ActVerb::Memorize).to_string()),
                reason: Some("by etiquette that is for orchestrators and people".into()),
                rule: rule.clone(),
                // An act upon a proposal names its agent, too.
                ..entry(CrossingKind::Violation, upon.first_word())
            }),
            Deed::Bootstrap { .. }
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
            | Deed::Unknown { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::NamesOnRecord;
    use super::super::names::tests::{act, renamed, version};
    use super::*;
    use crate::act::ClaimRef;

    fn promoted(copy: &str, replaces: Option<&str>) -> Deed {
        Deed::Promote {
            upon: Mention::read(copy),
            label: Some("Old".into()),
            origin: Some(ClaimRef::read("cherry@0a1b2c3d#a")),
            origin_created: None,
            reason: Some("all need it".into()),
            ground: None,
            replaces: replaces.map(Mention::read),
        }
    }

    #[test] // spec: MEM-35
    fn a_promotion_stands_as_its_copy_and_the_acts_upon_it_say() {
        let acts = [
            act(1, promoted("a@1", None)),
            act(2, promoted("b@2", None)),
            act(3, Deed::retract(version("b@2"), "no")),
            act(4, promoted("c@4", None)),
            renamed("c@4", "d", 5),
            act(6, promoted("e@6", Some("d@4"))),
            act(7, promoted("What?", None)),
        ];
        let names = NamesOnRecord::of(&acts);
        let copies = MedullaCopies::of(&acts, &names);
        let live = || CopySearch::Live("New".into());
        // The act, what is in the medulla, the standing, the label, and what replaced it.
        let table = [
            (0, live(), CrossingOutcome::Shared, "New", None),
            (0, CopySearch::Absent, CrossingOutcome::Unshared, "Old", None),
            (0, CopySearch::Unreadable, CrossingOutcome::Unreadable, "Old", None),
            (1, CopySearch::Unreadable, CrossingOutcome::Unshared, "Old", None),
            (3, CopySearch::Absent, CrossingOutcome::Replaced, "Old", Some("e@6")),
            (3, live(), CrossingOutcome::Shared, "New", None),
            (3, CopySearch::Unreadable, CrossingOutcome::Replaced, "Old", Some("e@6")),
            (6, CopySearch::Absent, CrossingOutcome::Unshared, "Old", None),
        ];
        for (at, copy, standing, label, replaced_by) in table {
            let found = Crossing::of(&acts[at], &|_| copy.clone(), &copies).unwrap();
            assert_eq!(found.what, CrossingKind::Promotion);
            assert_eq!(found.version, acts[at].deed().subject());
            let got = (found.standing, found.label.as_deref(), found.replaced_by.as_deref());
            assert_eq!(got, (Some(standing), Some(label), replaced_by), "{at}");
        }
    }

    #[test] // spec: MEM-35, MEM-33
    fn what_left_the_medulla_and_what_was_done_against_etiquette_name_the_verb() {
        let retracted = |by| {
            let (upon, reason) = (version("a@1").into(), Some("no".into()));
            Deed::Retract { upon, reason, by, kind: None, successor: None, covers: None }
        };
        let demoted = Deed::Demote {
            upon: version("a@1").into(),
            reason: None,
            by: Some(ActVerb::Memorize),
            successor: None,
        };
        let declined = Deed::violation(ActVerb::Decline, Mention::read("a@1 by:human:ana:3"), "MEM-35");
        let memorized = Deed::Violation {
            verb: None,
            upon: version("a@1").into(),
            rule: Some("MEM-10".into()),
            label: None,
            said_by: None,
        };
        let table = [
            (retracted(None), CrossingKind::Demotion, "retract", None),
            (retracted(Some(ActVerb::Learn)), CrossingKind::Demotion, "learn", None),
            (retracted(Some(ActVerb::Other("sing".into()))), CrossingKind::Demotion, "sing", None),
            (demoted, CrossingKind::Demotion, "memorize", None),
            (declined, CrossingKind::Violation, "decline", Some("MEM-35")),
            (memorized, CrossingKind::Violation, "memorize", Some("MEM-10")),
        ];
        let names = NamesOnRecord::default();
        let copies = MedullaCopies::of(&[], &names);
        for (deed, what, by, rule) in table {
            let found = Crossing::of(&act(1, deed), &|_| CopySearch::Absent, &copies).unwrap();
            assert_eq!((found.what, found.by.as_deref(), found.rule.as_deref()), (what, Some(by), rule));
            assert_eq!(found.version, "a@1");
        }
        let affirmed = act(1, Deed::Affirm { upon: version("a@1").into(), said_by: None });
        assert_eq!(Crossing::of(&affirmed, &|_| CopySearch::Absent, &copies), None);
    }
}
