//! Which versions of a store an act explains: how each came to be live there.

use super::names::NamesOnRecord;
use crate::act::{Act, ActTime, Deed, DeedKind, VersionRef};
use crate::fence::value;
use crate::promotion::on;
use crate::{Claim, ClaimSlug};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The acts after which a version may be live in the medulla.
pub const EXPLAINING_ACTS: &[DeedKind] =
    &[DeedKind::Doctrine, DeedKind::Promote, DeedKind::Import, DeedKind::Affirm, DeedKind::Resolve];

/// The versions of one store that an act explains.
#[derive(Debug, Default)]
pub struct ExplainedVersions {
    names: Arc<NamesOnRecord>,
    /// By the key of each version ([`NamesOnRecord::key`]), as the next two.
    explained: HashSet<VersionRef>,
    promoted: HashSet<VersionRef>,
    /// The importers of versions.
    brought: HashMap<VersionRef, Importer>,
}

/// An agent that imported a version.
#[derive(Debug)]
struct Importer {
    agent: String,
    at: ActTime,
    /// Only the repository's log says so.
    is_foreign: bool,
}

/// What an act explains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Explains {
    /// That a version is live in the medulla.
    ThatItIsThere,
    /// The same, and that it is a promoted copy if its header says so. An agent that imports a file is on record for
    /// the import, not for the header.
    ItsPromotionToo,
    /// Nothing.
    Nothing,
}

impl ExplainedVersions {
    /// Folds acts; a version that was renamed is explained under each of its names.
    pub fn of(acts: &[Act], names: &Arc<NamesOnRecord>) -> Self {
        let mut accounts = Self { names: names.clone(), ..Self::default() };
        for act in acts {
            // A decision between versions names all of them.
            let upon = match act.deed() {
                Deed::Resolve { upon, .. } => upon.iter().filter_map(|side| side.version()).collect(),
                other => Vec::from_iter(other.upon().and_then(|upon| upon.version())),
            };
            let upon: Vec<VersionRef> = upon.into_iter().map(|version| names.key(version).clone()).collect();
            if let Deed::Import { .. } = act.deed() {
                for version in &upon {
                    let (agent, at, is_foreign) =
                        (act.agent().to_owned(), act.at().clone(), act.is_foreign());
                    let importer = Importer { agent, at, is_foreign };
                    match accounts.brought.entry(version.clone()) {
                        // A record of this home comes before one that only the repository's log has.
                        Entry::Occupied(mut first) if first.get().is_foreign && !is_foreign => {
                            first.insert(importer);
                        }
                        Entry::Occupied(_) => {}
                        Entry::Vacant(none) => drop(none.insert(importer)),
                    }
                }
            }
            match explains(act.deed()) {
                _ if !act.counts() => {}
                Explains::ThatItIsThere => accounts.explained.extend(upon),
                Explains::ItsPromotionToo => {
                    accounts.promoted.extend(upon.iter().cloned());
                    accounts.explained.extend(upon);
                }
                Explains::Nothing => {}
            }
        }
        accounts
    }

    /// The importer of a version, in words; `None` if its author imported it.
    pub fn brought(&self, id: &str, claim: &Claim) -> Option<String> {
        let Importer { agent, at, is_foreign } = self.brought.get(self.names.key(&named(id, claim)?))?;
        let is_other = claim.source_agent.as_ref() != Some(agent);
        let hearsay = if *is_foreign { " (only the repository's log says so)" } else { "" };
        is_other.then(|| format!("imported by {} {}{hearsay}", value(agent), on(at.time())))
    }

    /// Whether an act says that a version is a promoted copy.
    pub fn has_copy(&self, version: &VersionRef) -> bool {
        self.promoted.contains(self.names.key(version))
    }

    /// Whether an act explains a version, and the promotion in its header.
    pub fn explain(&self, id: &str, claim: &Claim) -> bool {
        let versions = if claim.origin_claim.is_some() { &self.promoted } else { &self.explained };
        named(id, claim).is_some_and(|version| versions.contains(self.names.key(&version)))
    }
}

/// The version of a live file; `None` if its name is not a slug.
fn named(id: &str, claim: &Claim) -> Option<VersionRef> {
    Some(VersionRef::of(&ClaimSlug::parse(id)?, claim))
}

/// What a deed explains. A migration brings nothing into the medulla: a claim that came back by a rollback is explained
/// as it was before.
fn explains(deed: &Deed) -> Explains {
    match deed {
        Deed::Doctrine { .. } | Deed::Import { .. } | Deed::Affirm { .. } => Explains::ThatItIsThere,
        Deed::Promote { .. } | Deed::Resolve { .. } => Explains::ItsPromotionToo,
        Deed::Bootstrap { .. }
        | Deed::Retract { .. }
        | Deed::Learn { .. }
        | Deed::Propose { .. }
        | Deed::Decline { .. }
        | Deed::Withdraw { .. }
        | Deed::Demote { .. }
        | Deed::Rename { .. }
        | Deed::Forget { .. }
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
        | Deed::Unknown { .. } => Explains::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{act, renamed, version};
    use super::*;
    use crate::act::{Judgement, Mention};
    use brainstem_base::{AgentId, Timestamp};

    fn claim(created: Option<i64>, header: &str) -> Claim {
        let created = created.map(|ms| format!("Created: {ms}\n")).unwrap_or_default();
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: x\nState: authored\n{created}{header}---\n\n# x\n\nText.\n"
        );
        Claim::parse(text.as_bytes()).unwrap()
    }

    fn promoted(text: &str) -> Deed {
        Deed::Promote {
            upon: version(text).into(),
            label: None,
            origin: None,
            origin_created: None,
            reason: None,
            ground: None,
            replaces: None,
        }
    }

    #[test] // spec: MEM-35, MEM-3a
    fn a_version_is_explained_by_its_act_under_every_name_it_had() {
        let acts = [
            act(9, Deed::Doctrine { upon: version("cache@5").into(), said_by: None }),
            renamed("cache@5", "store", 9),
            act(9, promoted("retry@7")),
            act(9, Deed::Import { upon: version("file@8").into() }),
            act(9, Deed::Affirm { upon: version("again@9").into(), said_by: None }),
            act(
                9,
                Deed::Resolve {
                    upon: ["port@1", "port@2"].map(Mention::read).into(),
                    took: None,
                    ours: None,
                    theirs: None,
                    sides: None,
                },
            ),
            act(
                9,
                Deed::Learn {
                    upon: Mention::read("queue@3 by:human:ana:4"),
                    verdict: Some(Judgement::read("correct")),
                    note: None,
                },
            ),
            act(9, Deed::Doctrine { upon: Mention::read("odd thing"), said_by: None }),
        ];
        let accounts = ExplainedVersions::of(&acts, &Arc::new(NamesOnRecord::of(&acts)));
        let copy = "Origin-Claim: cherry@0a1b2c3d#x\n";
        // Slug and birth; whether it is explained as it is, and as a copy.
        let table = [
            ("cache", Some(5), true, false),
            ("store", Some(5), true, false),
            ("cache", Some(6), false, false),
            ("cache", None, false, false),
            ("retry", Some(7), true, true),
            ("retry", Some(5), false, false),
            ("file", Some(8), true, false),
            ("again", Some(9), true, false),
            ("port", Some(1), true, true),
            ("port", Some(2), true, true),
            ("queue", Some(3), false, false),
            ("odd thing", None, false, false),
        ];
        for (id, created, is_explained, is_promoted) in table {
            let found =
                (accounts.explain(id, &claim(created, "")), accounts.explain(id, &claim(created, copy)));
            assert_eq!(found, (is_explained, is_promoted), "{id} {created:?}");
        }
        assert!(accounts.has_copy(&version("port@2")) && !accounts.has_copy(&version("cache@5")));
    }

    #[test] // spec: MEM-47
    fn an_imported_act_counts_where_its_importer_may_write_doctrine() {
        let agent = |text: &str| AgentId::parse(text).unwrap();
        for (importers, expected) in [
            (vec![], true),
            (vec!["human:bo"], true),
            (vec!["codex:maker"], false),
            (vec!["human:bo", "codex:maker"], false),
            (vec!["codex:maker", "human:bo"], true),
        ] {
            let act = act(9, Deed::Doctrine { upon: version("cache@5").into(), said_by: None });
            let act = importers.iter().fold(act, |act, by| act.imported(&agent(by), Timestamp::from_ms(10)));
            let accounts = ExplainedVersions::of(&[act], &Arc::default());
            assert_eq!(accounts.explain("cache", &claim(Some(5), "")), expected, "{importers:?}");
        }
    }

    #[test] // spec: MEM-47
    fn the_first_importer_of_a_version_is_named_unless_it_is_the_author() {
        let acts = [act(0, Deed::Import { upon: version("cache@5").into() })];
        let accounts = ExplainedVersions::of(&acts, &Arc::default());
        let words = accounts.brought("cache", &claim(Some(5), ""));
        assert_eq!(words.as_deref(), Some("imported by human:ana on 1970-01-01"));
        assert_eq!(accounts.brought("cache", &claim(Some(5), "Source-Agent: human:ana\n")), None);
        assert_eq!(accounts.brought("cache", &claim(Some(6), "")), None);
        // An act that only the repository's log has is shown with that note, unless this home recorded the same.
        let mut pulled = Act::new(
            Deed::Import { upon: version("cache@5").into() },
            &AgentId::parse("human:boss").unwrap(),
            Timestamp::from_ms(0),
        );
        pulled.set_foreign();
        let words = |acts: &[Act]| {
            ExplainedVersions::of(acts, &Arc::default()).brought("cache", &claim(Some(5), "")).unwrap()
        };
        let told = "imported by human:boss on 1970-01-01 (only the repository's log says so)";
        assert_eq!(words(std::slice::from_ref(&pulled)), told);
        assert_eq!(words(&[pulled, acts[0].clone()]), "imported by human:ana on 1970-01-01");
    }
}
