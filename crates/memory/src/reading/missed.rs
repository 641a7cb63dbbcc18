//! What was written into a store in a repository and is not in the checkout, looked for again only when something changed.

use brainstem_base::disk::FileStamp;
use brainstem_base::{Disk, Timestamp};
use brainstem_claims::act::{Act, DeedKind};
use brainstem_index::Snapshot;
use brainstem_vault::kept_copies::KeptLabel;
use brainstem_vault::missing_from_checkout::{Missing, NotInCheckout};
use brainstem_vault::{Store, StoreError};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A folder that changed less than this before it was looked at may change again within the same tick of
/// its clock, unseen.
const TICK_NS: i64 = 2_000_000_000;

/// Of how many labels it is looked whether a version is missing, before one answer. Of a label that others have written
/// since, two files are read.
const LOOKED_MAX: usize = 5_000;

/// What is missing from stores, by the folder of their claims.
#[derive(Default)]
pub(crate) struct Missed(Mutex<HashMap<PathBuf, Looked>>);

struct Looked {
    prints: Vec<Option<FileStamp>>,
    /// The live claims as they were.
    snapshot: Arc<Snapshot>,
    missing: Arc<FoundMissing>,
}

/// What was written here and is not in the checkout.
#[derive(Default)]
pub(super) struct FoundMissing {
    pub(super) labels: Vec<Missing>,
    /// The labels of versions that another clone forgot, as only the repository's log says.
    pub(super) forgotten: BTreeSet<String>,
    /// Acts that were recorded here and are not in the checkout.
    pub(super) acts_away: Vec<Act>,
    /// Copies that cannot be read.
    pub(super) unreadable: Vec<PathBuf>,
    /// How many labels were not looked at.
    pub(super) unlooked: usize,
    /// A claim that the snapshot does not have is there by now.
    pub(super) is_behind: bool,
}

impl Missed {
    /// What was written into a store and is not in its checkout, where the snapshot tells what is. On an unchanged store
    /// this costs a look at a few folders, whatever the number of claims.
    pub(super) fn of(
        &self,
        disk: &dyn Disk,
        now: Timestamp,
        store: &Store,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Arc<FoundMissing>, StoreError> {
        let paths = store.paths();
        let folders = paths.kept.iter().chain([&paths.history]);
        // Before anything is read: what is written meanwhile changes a print.
        let mut prints: Vec<Option<FileStamp>> = folders.map(|path| disk.stamp(path).ok()).collect();
        prints.extend(store.logs().iter().map(|log| log.stamp()));
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(looked) = known().get(&paths.claims)
            && looked.prints == prints
            && Arc::ptr_eq(&looked.snapshot, snapshot)
        {
            return Ok(looked.missing.clone());
        }
        let mut labels = store.kept_labels()?;
        labels.retain(|label| !label.is_only(snapshot.born(label.slug.as_str())));
        let unheld: Vec<_> =
            labels.iter().filter(|label| !snapshot.holds(label.slug.as_str())).cloned().collect();
        let mut missing = missing_among(store, labels)?;
        let is_there = |label: &KeptLabel| disk.stat(&store.live_path(&label.slug)).is_ok();
        missing.is_behind = unheld.iter().take(LOOKED_MAX).any(is_there);
        let missing = Arc::new(missing);
        if missing.is_behind {
            return Ok(missing);
        }
        let settled_ns = now.ms().saturating_mul(1_000_000).saturating_sub(TICK_NS);
        if prints.iter().flatten().all(|print| print.changed_ns < settled_ns) {
            let looked = Looked { prints, snapshot: snapshot.clone(), missing: missing.clone() };
            known().insert(paths.claims.clone(), looked);
        }
        Ok(missing)
    }
}

pub(super) fn missing_among(store: &Store, mut labels: Vec<KeptLabel>) -> Result<FoundMissing, StoreError> {
    let unlooked = labels.len().saturating_sub(LOOKED_MAX);
    if unlooked > 0 {
        // The labels that were written last are the likeliest to be wanted.
        labels.sort_by_key(|label| std::cmp::Reverse(label.youngest_ms()));
        labels.truncate(LOOKED_MAX);
    }
    let NotInCheckout { missing, forgotten, unreadable } = store.not_in_checkout_among(&labels)?;
    Ok(FoundMissing {
        unreadable,
        labels: missing,
        forgotten: forgotten.into_iter().map(|copy| copy.claim.label).collect(),
        acts_away: acts_taken(store)?,
        unlooked,
        is_behind: false,
    })
}

/// The acts that were recorded here and are not in the checkout. The act that made the brain is left out: the brain itself says so.
pub(crate) fn acts_taken(store: &Store) -> Result<Vec<Act>, StoreError> {
    let mut acts = store.acts().taken_away()?;
    acts.retain(|act| act.kind() != Some(DeedKind::Bootstrap));
    Ok(acts)
}
