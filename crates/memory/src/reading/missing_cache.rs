//! A cache of what was written into a store in a repository and is not in the checkout. A store is looked at again
//! only after it changed.

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

/// A folder that changed less than this before it was looked at may change again within the same tick of its clock,
/// and its stamp would not show it.
const TICK_NS: i64 = 2_000_000_000;

/// For how many labels one answer checks whether a version is missing. For a label that another clone has written
/// since, two files are read.
const LABELS_LOOKED_AT_MAX: usize = 5_000;

/// What is missing from each store, by the folder of its claims.
#[derive(Default)]
pub(crate) struct MissingCache(Mutex<HashMap<PathBuf, CachedLook>>);

struct CachedLook {
    stamps: Vec<Option<FileStamp>>,
    /// The live claims as they were.
    snapshot: Arc<Snapshot>,
    missing: Arc<MissingWork>,
}

/// What was written here and is not in the checkout.
#[derive(Default)]
pub(super) struct MissingWork {
    pub(super) labels: Vec<Missing>,
    /// The labels of versions that another clone forgot, if only the repository's log says so.
    pub(super) forgotten: BTreeSet<String>,
    /// Acts that were recorded here and are not in the checkout.
    pub(super) acts_away: Vec<Act>,
    /// Copies that cannot be read.
    pub(super) unreadable: Vec<PathBuf>,
    /// How many labels were not looked at.
    pub(super) unlooked: usize,
    /// A claim that the snapshot does not have is in the checkout by now.
    pub(super) is_behind: bool,
}

impl MissingCache {
    /// Returns what was written into a store and is not in its checkout; the snapshot says what the checkout has. On
    /// an unchanged store this costs a look at a few folders, whatever the number of claims.
    pub(super) fn missing_work(
        &self,
        disk: &dyn Disk,
        now: Timestamp,
        store: &Store,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Arc<MissingWork>, StoreError> {
        let paths = store.paths();
        let folders = paths.kept.iter().chain([&paths.history]);
        // Before anything is read: a write in the meantime changes a stamp.
        let mut stamps: Vec<Option<FileStamp>> = folders.map(|path| disk.stamp(path).ok()).collect();
        stamps.extend(store.logs().iter().map(|log| log.stamp()));
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = known().get(&paths.claims)
            && cached.stamps == stamps
            && Arc::ptr_eq(&cached.snapshot, snapshot)
        {
            return Ok(cached.missing.clone());
        }
        let mut labels = store.kept_labels()?;
        labels.retain(|label| !label.is_only(snapshot.born(label.slug.as_str())));
        let unheld: Vec<_> =
            labels.iter().filter(|label| !snapshot.holds(label.slug.as_str())).cloned().collect();
        let mut missing = missing_among(store, labels)?;
        let is_there = |label: &KeptLabel| disk.stat(&store.live_path(&label.slug)).is_ok();
        missing.is_behind = unheld.iter().take(LABELS_LOOKED_AT_MAX).any(is_there);
        let missing = Arc::new(missing);
        if missing.is_behind {
            return Ok(missing);
        }
        let settled_ns = now.ms().saturating_mul(1_000_000).saturating_sub(TICK_NS);
        if stamps.iter().flatten().all(|stamp| stamp.changed_ns < settled_ns) {
            let cached = CachedLook { stamps, snapshot: snapshot.clone(), missing: missing.clone() };
            known().insert(paths.claims.clone(), cached);
        }
        Ok(missing)
    }
}

pub(super) fn missing_among(store: &Store, mut labels: Vec<KeptLabel>) -> Result<MissingWork, StoreError> {
    let unlooked = labels.len().saturating_sub(LABELS_LOOKED_AT_MAX);
    if unlooked > 0 {
        // The labels that were written last are the likeliest to be wanted.
        labels.sort_by_key(|label| std::cmp::Reverse(label.youngest_ms()));
        labels.truncate(LABELS_LOOKED_AT_MAX);
    }
    let NotInCheckout { missing, forgotten, unreadable } = store.not_in_checkout_among(&labels)?;
    Ok(MissingWork {
        unreadable,
        labels: missing,
        forgotten: forgotten.into_iter().map(|copy| copy.claim.label).collect(),
        acts_away: acts_missing_from_checkout(store)?,
        unlooked,
        is_behind: false,
    })
}

/// Returns the acts that were recorded here and are not in the checkout. The act that made the brain is left out,
/// because the brain itself is the proof of it.
pub(crate) fn acts_missing_from_checkout(store: &Store) -> Result<Vec<Act>, StoreError> {
    let mut acts = store.acts().taken_away()?;
    acts.retain(|act| act.kind() != Some(DeedKind::Bootstrap));
    Ok(acts)
}
