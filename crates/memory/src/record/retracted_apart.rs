//! A claim that was retracted in one clone and rewritten in another: git keeps the rewritten file, and the retraction is in
//! the log alone.

use crate::reading::facts::hearsay;
use crate::reading::row::{Row, reason_of};
use brainstem_base::Timestamp;
use brainstem_claims::act::{Act, Deed, VersionRef};
use brainstem_claims::fence::value;
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::promotion::on;
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::Store;
use std::collections::HashMap;
use std::sync::Arc;

/// The retractions of a store, by the ids of the claims. Those of one version are kept once, whatever names it had.
#[derive(Debug, Default)]
pub(crate) struct Retractions(HashMap<ClaimSlug, Vec<Arc<Vec<RetractedVersion>>>>);

#[derive(Debug)]
struct RetractedVersion {
    /// The birth of the version that was retracted.
    born: Timestamp,
    at: Timestamp,
    words: String,
}

impl Retractions {
    pub(crate) fn of(acts: &[Act], names: &NamesOnRecord) -> Self {
        let mut of_version: HashMap<VersionRef, Vec<RetractedVersion>> = HashMap::new();
        for act in acts {
            let Deed::Retract { upon, .. } = act.deed() else { continue };
            let (Some(version), Some(at)) = (upon.version(), act.time()) else { continue };
            let Some(born) = version.created else { continue };
            let (by, reason, hearsay) = (value(act.agent()), reason_of(act), hearsay(act.is_foreign()));
            let words = format!("{by} retracted the version before it {}: {reason}{hearsay}", on(Some(at)));
            let retracted = RetractedVersion { born, at, words };
            of_version.entry(names.key(version).clone()).or_default().push(retracted);
        }
        let mut by_id: HashMap<ClaimSlug, Vec<_>> = HashMap::new();
        for (version, retracted) in of_version {
            let retracted = Arc::new(retracted);
            for name in names.of_version(&version) {
                by_id.entry(name).or_default().push(retracted.clone());
            }
        }
        Self(by_id)
    }

    /// The retraction, in words, of a version that this live one was written over by a writer that did not see it: the
    /// rewriting came first, or was made over the version itself in another clone.
    pub(crate) fn apart_from(&self, store: &Store, slug: &ClaimSlug, live: &Claim) -> Option<&str> {
        let created = live.created?;
        let is_over = |retraction: &&RetractedVersion| {
            let before = live.supersedes.as_deref().and_then(VersionRef::parse);
            let is_next = before.and_then(|before| before.created) == Some(retraction.born);
            let is_later = retraction.at > created && live.lineage().covers_birth(retraction.born);
            retraction.born != created && (is_next || is_later)
        };
        let all = self.0.get(slug)?.iter().flat_map(|retracted| retracted.iter());
        let found = all.filter(is_over).max_by_key(|retraction| retraction.at)?;
        (!store.rewrote_retracted(slug, found.born)).then_some(found.words.as_str())
    }
}

impl Row {
    /// Marks the row of a live claim that was rewritten in one clone and retracted in another.
    pub(crate) fn mark_retracted_apart(
        &mut self,
        retractions: &Retractions,
        store: &Store,
        slug: &ClaimSlug,
    ) {
        if !self.resurrected {
            self.retracted_apart = retractions.apart_from(store, slug, &self.claim).map(str::to_owned);
            self.resurrected = self.retracted_apart.is_some();
        }
    }
}
