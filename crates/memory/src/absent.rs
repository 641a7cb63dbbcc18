//! What a reader of a repository's store should know besides: claims that lie elsewhere. What was
//! written here and is not in the checkout is looked for again only when something changed.

use crate::Gap;
use crate::service::Memory;
use brainstem_base::disk::Print;
use brainstem_base::{Coded as _, DiskFault};
use brainstem_index::Snapshot;
use brainstem_vault::brain::MANIFEST;
use brainstem_vault::kept::Absent;
use brainstem_vault::repo;
use brainstem_vault::{Brain, BrainManifest, Store, StoreError, StorePlace};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The gap that tells of claims which are not in the checkout.
const ABSENT_HERE: &str = "absent_here";
const MANIFEST_LEN_MAX: u64 = 64 * 1024;

/// A folder that changed less than this before it was looked at may change again within the same tick of
/// its clock, unseen.
const TICK_NS: i64 = 2_000_000_000;

/// What is absent from stores, by the folder of their claims.
#[derive(Default)]
pub(crate) struct Missed(Mutex<HashMap<PathBuf, Looked>>);

struct Looked {
    prints: Vec<Option<Print>>,
    /// The live claims as they were.
    snapshot: Arc<Snapshot>,
    absent: Arc<[Absent]>,
}

impl Memory {
    /// What a reader of a repository's store should know: claims that still lie under the home, and
    /// claims that were written here and are not in this checkout.
    pub(crate) fn repository_gaps(
        &self,
        brain: &Brain,
        store: &Store,
        snapshot: Option<&Arc<Snapshot>>,
    ) -> Vec<Gap> {
        if brain.place != StorePlace::Repo {
            return Vec::new();
        }
        let mut gaps = Vec::new();
        let left = self.home.store_at(brain, StorePlace::Owner).count().unwrap_or(0);
        if left > 0 {
            let claims = counted(left, "claim");
            let detail = format!(
                "{claims} of this project still under the home and not shown here; brainstem init merges"
            );
            gaps.push(Gap::new("owner_side_claims", detail));
        }
        gaps.extend(self.absent_gap(store, snapshot));
        gaps.extend(self.manifest_gap(brain, gaps.iter().any(|gap| gap.name == ABSENT_HERE)));
        gaps
    }

    /// Says that the manifest of a repository cannot be read, or that this checkout has none of its memory.
    fn manifest_gap(&self, brain: &Brain, is_told: bool) -> Option<Gap> {
        let folder = repo::folder(&brain.root);
        match self.disk.read(&folder.join(MANIFEST), MANIFEST_LEN_MAX) {
            Ok(bytes) if BrainManifest::parse(&bytes).is_some() => None,
            Ok(_) => {
                let detail = format!(
                    "`{}` does not read as a manifest: other clones cannot read this memory; brainstem init writes it anew",
                    folder.join(MANIFEST).display()
                );
                Some(Gap::new("manifest_damaged", detail))
            }
            // A clone that was only read has no copies that could be named.
            Err(error)
                if error.fault() == DiskFault::NotFound
                    && !is_told
                    && self.disk.stat(&brain.root).is_ok() =>
            {
                let detail = "this checkout has none of the project's memory, which is kept in its repository: check out a \
                              branch that has .brainstem";
                Some(Gap::new(ABSENT_HERE, detail))
            }
            Err(_) => None,
        }
    }

    /// The claims that were written here and are not in this checkout, or why nobody can say.
    pub(crate) fn absent_gap(&self, store: &Store, snapshot: Option<&Arc<Snapshot>>) -> Option<Gap> {
        let absent = match snapshot {
            Some(snapshot) => self.absent(store, snapshot),
            None => store.absent().map(Arc::from),
        };
        match absent {
            Ok(absent) if absent.is_empty() => None,
            Ok(absent) => {
                let labels: Vec<_> =
                    absent.iter().take(3).map(|absent| format!("{:?}", absent.claim.label)).collect();
                let more = if absent.len() > labels.len() { ", …" } else { "" };
                let detail = format!(
                    "{} written here but not in this checkout ({}{more}): on another branch, or cleaned away; \
                     brainstem init brings back what is gone",
                    counted(absent.len(), "claim"),
                    labels.join(", ")
                );
                Some(Gap::new(ABSENT_HERE, detail))
            }
            Err(error) => Some(Gap::new("kept_unreadable", format!("{error} [{}]", error.code().name()))),
        }
    }

    /// Says that no claim of a store is live although history has versions that no act took away: files that were
    /// deleted are no empty store.
    pub(crate) fn gone_gap(&self, whose: &str, store: &Store, files: usize) -> Option<Gap> {
        // Of a repository's store what is absent is told by its copies.
        if files > 0 || store.paths().kept.is_some() {
            return None;
        }
        let gone = store.vanished().ok()?;
        let labels: Vec<_> = gone.iter().take(3).map(|label| format!("{:?}", label.as_str())).collect();
        let more = if gone.len() > labels.len() { ", …" } else { "" };
        let whose = if whose == "medulla" { "the medulla" } else { whose };
        let detail = format!(
            "no claim of {whose} is live, and history has versions of {} that nothing took back ({}{more}): their files were \
             deleted; restore `{}` from a backup, or memorize what still holds",
            counted(gone.len(), "claim"),
            labels.join(", "),
            store.paths().claims.display()
        );
        (!gone.is_empty()).then(|| Gap::new("claims_gone", detail))
    }

    /// The claims that were written into a store and are not live there, where the snapshot tells what is.
    /// On an unchanged store this costs a look at a few folders, whatever the number of claims.
    fn absent(&self, store: &Store, snapshot: &Arc<Snapshot>) -> Result<Arc<[Absent]>, StoreError> {
        let paths = store.paths();
        let folders = paths.kept.iter().chain([&paths.history]);
        // Before anything is read: what is written meanwhile changes a print.
        let mut prints: Vec<Option<Print>> = folders.map(|path| self.disk.print(path).ok()).collect();
        prints.extend(store.logs().iter().map(|log| log.print()));
        let known = || self.missed.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(looked) = known().get(&paths.claims)
            && looked.prints == prints
            && Arc::ptr_eq(&looked.snapshot, snapshot)
        {
            return Ok(looked.absent.clone());
        }
        let mut gone = store.kept_slugs()?;
        gone.retain(|slug| !snapshot.holds(slug.as_str()));
        let absent: Arc<[Absent]> = store.absent_among(&gone)?.into();
        let settled_ns = self.clock.now().ms().saturating_mul(1_000_000).saturating_sub(TICK_NS);
        if prints.iter().flatten().all(|print| print.changed_ns < settled_ns) {
            let looked = Looked { prints, snapshot: snapshot.clone(), absent: absent.clone() };
            known().insert(paths.claims.clone(), looked);
        }
        Ok(absent)
    }
}

/// `1 claim`, `3 claims`.
fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
