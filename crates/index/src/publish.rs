//! Work that can wait until a question is answered: sharing what this process read, and computing better vectors.

use crate::document::{document_of, hash_of};
use crate::snapshot::{BetterVectors, Snapshot};
use crate::store_index::StoreIndex;
use brainstem_base::disk::LockGuard;
use brainstem_base::{DiskError, DiskFault};
use brainstem_recall::document::{ClaimForm, ReadStamp};
use brainstem_vault::scan::{self, CLAIM_SUFFIX, ClaimFileContent};
use std::path::Path;
use std::time::Duration;

/// From this many unshared documents on, or from this share of the store on, the file is written: reading them again
/// would cost more than writing the whole file.
const UNSHARED_MAX: usize = 256;
const UNSHARED_SHARE: usize = 64;
/// How many better vectors are computed before they are shared.
const BATCH: usize = 1_000;
/// How many are computed between two progress reports.
const REPORT_EVERY: usize = 32;

/// How long forgetting waits for a process that is writing the file.
const PURGE_WAIT: Duration = Duration::from_secs(10);

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishUntil {
    /// Share what was read, if it is worth it.
    Shared,
    /// Compute better vectors too, until none is missing, beside other work.
    Encoded,
    /// The same with all processors: the caller waits.
    EncodedSoon,
}

/// Called again and again; returns whether to go on.
pub type KeepGoing<'a> = dyn Fn() -> bool + Sync + 'a;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublishReport {
    /// How many better vectors were computed.
    pub encoded: usize,
    /// How many are missing.
    pub left: usize,
}

impl StoreIndex {
    /// Whether there is anything to publish.
    pub fn has_unpublished(&self) -> bool {
        // The holder of the lock is reading the store, perhaps for long: nothing is known yet.
        let snapshot = self.live_now().and_then(|live| Some(live.as_ref()?.snapshot.clone()));
        snapshot.is_some_and(|snapshot| {
            is_worth_sharing(&snapshot) || (self.parts.embedder.has_better() && snapshot.unencoded() > 0)
        })
    }

    /// Whether this process has read documents that are worth sharing and not shared yet.
    pub fn is_unwritten(&self) -> bool {
        let snapshot = self.live().as_ref().map(|live| live.snapshot.clone());
        snapshot.is_some_and(|snapshot| is_worth_sharing(&snapshot))
    }

    /// Does the work that can wait. No failure here fails a question: what cannot be done now is done at the next one.
    /// `keep_on` is called before each vector, and `report` gets the number that is left.
    pub fn publish(
        &self,
        until: PublishUntil,
        keep_on: &KeepGoing<'_>,
        report: &dyn Fn(usize),
    ) -> PublishReport {
        let mut settled = PublishReport::default();
        let is_shared = self.share_if_worth().is_ok();
        if until == PublishUntil::Shared || !self.parts.embedder.has_better() {
            return settled;
        }
        settled.left = self.refresh().map_or(0, |snapshot| snapshot.unencoded());
        if !is_shared {
            return settled;
        }
        // One process of many computes them, and no other waits for it: it may be stopped.
        let Ok(_encoding) = self.lock("encoding", Duration::ZERO) else { return settled };
        let Ok(snapshot) = self.refresh() else { return settled };
        let mut waiting = snapshot.waiting();
        waiting.sort();
        settled.left = waiting.len();
        let threads = match until {
            PublishUntil::EncodedSoon => std::thread::available_parallelism().map_or(1, usize::from),
            PublishUntil::Encoded | PublishUntil::Shared => 1,
        };
        for batch in waiting.chunks(BATCH) {
            let mut better = BetterVectors::new();
            for few in batch.chunks(REPORT_EVERY) {
                let share = few.len().div_ceil(threads).max(1);
                let part = |keys: &[String]| -> BetterVectors {
                    let keys = keys.iter().take_while(|_| keep_on());
                    keys.filter_map(|key| Some((key.clone(), self.encoded(key)?))).collect()
                };
                std::thread::scope(|scope| {
                    let parts: Vec<_> =
                        few.chunks(share).map(|keys| scope.spawn(move || part(keys))).collect();
                    better.extend(parts.into_iter().filter_map(|part| part.join().ok()).flatten());
                });
                report(settled.left.saturating_sub(better.len()));
            }
            if better.is_empty() || self.share(&better).is_err() {
                break;
            }
            // Vectors that could not be saved are still missing.
            settled.encoded += better.len();
            settled.left -= better.len();
            if !keep_on() {
                break;
            }
        }
        settled
    }

    /// Removes the file, so that no forgotten word is left in it; the next question reads the remaining claims.
    pub fn purge(&self) -> Result<(), DiskError> {
        let disk = &self.parts.disk;
        let lock = self.file.with_extension("lock");
        let is_absent = |path| match disk.stat(path) {
            Err(error) if error.fault() == DiskFault::NotFound => Ok(true),
            // A file that cannot be looked at may be there.
            found => found.map(|_| false),
        };
        if is_absent(&self.file)? && is_absent(&lock)? {
            // The file was never written.
            *self.live() = None;
            return Ok(());
        }
        // Waits for a process that began to write before: it would create the file again.
        let _writing = disk.lock(&lock, PURGE_WAIT);
        self.clear_leftovers();
        let unlinked = match self.parts.disk.unlink(&self.file) {
            Err(error) if error.fault() == DiskFault::NotFound => Ok(()),
            // The removal must be durable, or a power cut brings the file back.
            unlinked => unlinked.and_then(|()| self.parts.disk.sync_dir(&self.parts.folder)),
        };
        *self.live() = None;
        unlinked
    }

    fn lock(&self, kind: &str, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        let disk = &self.parts.disk;
        match disk.make_dir(&self.parts.folder) {
            Err(error) if error.fault() != DiskFault::Exists => return Err(error),
            _ => {}
        }
        disk.lock(&self.file.with_extension(kind), wait)
    }

    fn share_if_worth(&self) -> Result<(), DiskError> {
        let is_worth = self.live().as_ref().is_some_and(|live| is_worth_sharing(&live.snapshot));
        if is_worth { self.share(&BetterVectors::new()) } else { Ok(()) }
    }

    /// Writes the store as it is now into the file that processes share, and starts anew from it without blocking
    /// questions meanwhile.
    fn share(&self, better: &BetterVectors) -> Result<(), DiskError> {
        let disk = &self.parts.disk;
        let _writing = self.lock("lock", Duration::ZERO)?;
        self.clear_leftovers();
        let snapshot = self.refresh()?;
        let id = self.parts.ids.uuid_v7(self.parts.clock.now());
        let temp = self.file.with_extension(format!("{id}.tmp"));
        disk.write_new(&temp, &snapshot.merged(self.space, better))?;
        disk.rename(&temp, &self.file).inspect_err(|_| {
            // Best effort: a leftover of a derived file is harmless.
            let _ = disk.unlink(&temp);
        })?;
        let fresh = self.load()?;
        *self.live() = Some(fresh);
        Ok(())
    }

    /// Removes leftovers of processes that were killed while they wrote; the caller holds the lock. Best effort: what
    /// cannot be removed now is removed next time.
    fn clear_leftovers(&self) {
        let disk = &self.parts.disk;
        for entry in disk.list(&self.parts.folder).unwrap_or_default() {
            let path = self.parts.folder.join(&entry.name);
            let is_temp = path.extension().is_some_and(|kind| kind == "tmp");
            if is_temp && is_of(&path, &self.file) {
                let _ = disk.unlink(&path);
            }
        }
    }

    /// The better vector of a document, from its file as it is now.
    fn encoded(&self, key: &str) -> Option<(u64, crate::QuantisedVector)> {
        let path = self.claims.join(format!("{key}{CLAIM_SUFFIX}"));
        let ClaimFileContent::Claim(claim) = scan::read_content(&*self.parts.disk, &path) else {
            return None;
        };
        let text = document_of(key, ReadStamp::default(), ClaimForm::Claim, &claim, &[]).meaning();
        Some((hash_of(&text), self.parts.embedder.embed_encoded(&text)?))
    }
}

/// Whether a file of the index folder belongs to the same store as this one: its name begins the same.
pub(crate) fn is_of(path: &Path, file: &Path) -> bool {
    let (name, stem) = (path.file_name().unwrap_or_default(), file.file_stem().unwrap_or_default());
    name.as_encoded_bytes().starts_with(stem.as_encoded_bytes())
}

fn is_worth_sharing(snapshot: &Snapshot) -> bool {
    let unshared = snapshot.unshared();
    unshared > 0 && (snapshot.shared.is_none() || is_much(unshared, snapshot.files))
}

/// Whether so many changes of a store of this size are worth a new file.
pub(crate) fn is_much(changed: usize, files: usize) -> bool {
    changed > UNSHARED_MAX.max(files / UNSHARED_SHARE)
}
