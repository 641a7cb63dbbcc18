//! The locks of a store: the writer of a label holds one of them.

use super::Store;
use crate::StoreError;
use crate::brain::RootRecord;
use brainstem_base::disk::LockGuard;
use brainstem_base::{DiskFault, hash};
use brainstem_claims::ClaimSlug;
use std::time::Duration;

/// How many lock files the labels of a store share.
pub const STRIPES: u8 = 64;
/// How long to wait for another process that writes a label of the same stripe.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// The lock file of the boot keys.
const BOOT: &str = "boot";
/// The largest record of a root that is read.
const RECORD_LEN_MAX: u64 = 64 * 1024;

/// Every lock of a store, until dropped.
pub struct AllLocks {
    _guards: Vec<Box<dyn LockGuard>>,
}

impl Store {
    /// Takes the label's lock, and makes sure that the store has not moved meanwhile.
    pub(crate) fn lock(&self, slug: &ClaimSlug) -> Result<Box<dyn LockGuard>, StoreError> {
        self.check_writable()?;
        self.check_not_exposed()?;
        let guard = self.lock_stripe(stripe(slug))?;
        if let Some(placed) = &self.paths.placed {
            let record = match self.disk.read(&placed.record, RECORD_LEN_MAX) {
                Err(error) if error.fault() == DiskFault::NotFound => return Err(StoreError::Moved),
                record => record.ok(),
            };
            let now = record.and_then(|bytes| serde_json::from_slice::<RootRecord>(&bytes).ok());
            if now.is_some_and(|now| now.place() != placed.place) {
                return Err(StoreError::Moved);
            }
        }
        Ok(guard)
    }

    /// Takes every lock of the store: no process writes a claim or a boot key while its folders move.
    pub fn lock_all(&self) -> Result<AllLocks, StoreError> {
        self.check_real_folders()?;
        let stripes = (0..STRIPES).map(|stripe| self.lock_stripe(stripe));
        let guards =
            stripes.chain(std::iter::once_with(|| self.lock_file(BOOT))).collect::<Result<_, _>>()?;
        self.check_not_aside()?;
        Ok(AllLocks { _guards: guards })
    }

    /// Takes the lock of the boot keys, and makes sure that the brain was not set aside meanwhile.
    pub(crate) fn lock_boot_keys(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let guard = self.lock_file(BOOT)?;
        self.check_not_aside()?;
        Ok(guard)
    }

    /// The locks of several labels, always in the same order.
    pub(crate) fn lock_each(&self, slugs: &[ClaimSlug]) -> Result<Vec<Box<dyn LockGuard>>, StoreError> {
        let mut slugs: Vec<&ClaimSlug> = slugs.iter().collect();
        slugs.sort_by_key(|slug| stripe(slug));
        slugs.dedup_by_key(|slug| stripe(slug));
        slugs.into_iter().map(|slug| self.lock(slug)).collect()
    }

    fn lock_stripe(&self, stripe: u8) -> Result<Box<dyn LockGuard>, StoreError> {
        self.lock_file(&format!("{stripe:02}"))
    }

    fn lock_file(&self, name: &str) -> Result<Box<dyn LockGuard>, StoreError> {
        let path = self.paths.locks.join(name);
        let fault = || StoreError::disk("cannot lock the store");
        match self.disk.lock(&path, LOCK_WAIT) {
            Ok(guard) => Ok(guard),
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.check_not_aside()?;
                self.prepare()?;
                self.disk.lock(&path, LOCK_WAIT).map_err(fault())
            }
            Err(error) => Err(fault()(error)),
        }
    }
}

/// Which lock file guards a slug.
fn stripe(slug: &ClaimSlug) -> u8 {
    hash::sha256(slug.as_str().as_bytes())[0] % STRIPES
}
