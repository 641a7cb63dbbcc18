//! What an import would do, found out without doing it.

use super::answer::{ImportRow, Imported};
use super::known::{is_away, is_here, is_past};
use super::parcel::{At, ImportFile, Rule, undecided};
use crate::service::Transfer;
use brainstem_base::{Fault, codes};
use brainstem_claims::act::{Act, ActId};
use brainstem_claims::decide::{self, Decision};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_memory::MemoryError;
use brainstem_memory::store_work::Target;
use brainstem_vault::history::parse_version_name;
use brainstem_vault::{LiveFile, Store};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// The claims that would be live by now, by the folder of their store and their slug: two files of one import may
/// want the same name.
pub(super) type Weighed = HashMap<(PathBuf, ClaimSlug), Claim>;

impl Transfer {
    /// The rule of an import, asked and not followed. Answers the label of a claim that would go into history because a
    /// later version is live here.
    pub(super) fn weigh_item(
        &self,
        target: &Target,
        item: &ImportFile,
        rule: Rule,
        weighed: &mut Weighed,
        imported: &mut Imported,
    ) -> Result<Option<String>, MemoryError> {
        if let Some((slug, versions)) = undecided(item) {
            return self.weigh_undecided(target, item, &slug, &versions, imported).map(|()| None);
        }
        let (mut earlier, mut alike) = (None, None);
        let store = &target.store;
        let claim = Claim::parse(&item.bytes).map_err(|fault| {
            Fault::new(codes::CLAIM_UNREADABLE, format!("it is no readable claim: {fault}")).rule("MEM-6")
        })?;
        self.floor().check_claim(&claim)?;
        let of_label = || Label::parse(&claim.label).map(|label| ClaimSlug::of(&label));
        let outcome = match item.at {
            At::Past(_) => {
                let named = parse_version_name(&item.name).map(|(slug, _)| slug);
                let slug = named.map_or_else(of_label, Ok)?;
                if is_here(store, &slug, &claim) { "unchanged" } else { "version" }
            }
            At::Live => {
                let slug = of_label()?;
                let place = (store.paths().claims.clone(), slug.clone());
                let live = match (weighed.get(&place), store.live(&slug)) {
                    (Some(before), _) => Some(before.clone()),
                    (None, LiveFile::Claim(live)) => Some(*live),
                    (None, LiveFile::Absent) => None,
                    (None, LiveFile::Unreadable(bad)) => return Err(MemoryError::Unreadable(bad)),
                };
                if is_past(store, &slug, &claim)? || is_away(store, &slug, &claim)? {
                    "unchanged"
                } else if live.as_ref().is_some_and(|live| rule.keeps(live, &claim)) {
                    earlier = Some(claim.label.clone());
                    "version"
                } else {
                    let decision = decide::take_in(live.as_ref(), &claim, &slug)?;
                    if decision != Decision::Unchanged {
                        weighed.insert(place, claim.clone());
                    }
                    match decision {
                        Decision::Unchanged => {
                            alike = live;
                            "unchanged"
                        }
                        Decision::Birth(_) => "born",
                        Decision::Supersede { .. } | Decision::Stamp { .. } => "superseded",
                    }
                }
            }
        };
        match (outcome, item.at) {
            // It would be kept, and is no version of its own.
            ("version", _) if item.is_stamp => return Ok(None),
            ("born", _) => imported.born += 1,
            ("superseded", _) => imported.superseded += 1,
            ("version", _) => imported.versions += 1,
            (_, At::Live) => imported.leave(alike.as_ref(), &claim),
            // It is in history already, and nothing would become of it.
            (_, At::Past(_)) => return Ok(None),
        }
        let (name, to) = (item.name.clone(), target.origin.clone());
        imported.rows.push(ImportRow { name, label: Some(claim.label), to, root: None, outcome });
        Ok(earlier)
    }

    /// How many of the acts are not on record.
    pub(super) fn unknown_acts(&self, store: &Store, acts: &[Act]) -> Result<usize, MemoryError> {
        if acts.is_empty() {
            return Ok(0);
        }
        let read = store.acts().read()?.acts;
        let known: HashSet<&ActId> = read.iter().map(Act::id).collect();
        Ok(acts.iter().filter(|act| !known.contains(act.id())).count())
    }
}
