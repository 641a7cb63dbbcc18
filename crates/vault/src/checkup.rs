//! Checks of a store for files that should not be there. Only reads.

use crate::durable::TEMP_PREFIX;
use crate::history::{ExitReason, PastVersion, VersionName};
use crate::scan::{UnreadableClaim, read_claim};
use crate::{Store, StoreError};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use brainstem_claims::ClaimSlug;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything in a folder of history.
#[derive(Clone, Debug, Default)]
pub struct HistoryScan {
    /// The versions, by file name, each with its slug.
    pub versions: Vec<(ClaimSlug, PastVersion)>,
    /// Files with a version's name that are no claims.
    pub unreadable: Vec<UnreadableClaim>,
}

/// Reads every version of a folder of history; empty if the folder is missing.
pub fn history(disk: &dyn Disk, dir: &Path) -> Result<HistoryScan, StoreError> {
    let mut entries = match disk.list(dir) {
        Ok(entries) => entries,
        Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
        Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
    };
    entries.sort();
    let mut scan = HistoryScan::default();
    for entry in entries {
        let Some(VersionName { slug, exit, .. }) = entry.name.to_str().and_then(VersionName::parse) else {
            continue;
        };
        let path = dir.join(entry.name);
        match read_claim(disk, &path) {
            Some(Ok(claim)) => {
                scan.versions.push((slug, PastVersion { path, exit, claim, is_missing: false }))
            }
            Some(Err(bad)) => scan.unreadable.push(bad),
            None => {}
        }
    }
    Ok(scan)
}

impl Store {
    /// The slugs whose youngest version in history was superseded while nothing is live under them: the version that
    /// superseded it is gone, and no act says that it was removed. Only names are looked at.
    pub fn vanished(&self) -> Result<Vec<ClaimSlug>, StoreError> {
        let entries = match self.disk().list(&self.paths().history) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
        };
        // The last version of a birth counts: a version that was stamped and then taken back is there twice.
        let mut youngest: BTreeMap<ClaimSlug, (i64, bool)> = BTreeMap::new();
        for name in entries.iter().filter_map(|entry| entry.name.to_str()) {
            let Some(VersionName { slug, born_ms, exit }) = VersionName::parse(name) else { continue };
            let seen = (born_ms, exit != ExitReason::Superseded);
            let last = youngest.entry(slug).or_insert(seen);
            *last = seen.max(*last);
        }
        let is_live = |slug: &ClaimSlug| self.disk().stat(&self.live_path(slug)).is_ok();
        let lost = youngest.into_iter().filter(|(_, (_, is_told))| !is_told).map(|(slug, _)| slug);
        Ok(lost.filter(|slug| !is_live(slug)).collect())
    }
}

/// The files of a folder with a temporary name: left by an interrupted write, or in use by a running one. Empty if the
/// folder cannot be listed.
pub fn temporary_files(disk: &dyn Disk, dir: &Path) -> Vec<PathBuf> {
    let is_temp = |name: &std::ffi::OsStr| {
        let suffix = name.to_str().and_then(|name| name.strip_prefix(TEMP_PREFIX));
        suffix.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let mut temps: Vec<PathBuf> = disk
        .list(dir)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.kind == FileKind::File && is_temp(&entry.name))
        .map(|entry| dir.join(entry.name))
        .collect();
    temps.sort();
    temps
}
