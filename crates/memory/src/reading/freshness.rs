//! Whether what evidence names still says what it said.

use crate::reading::evidence_paths::{EvidencePaths, EvidencePlace};
use brainstem_base::disk::FileStamp;
use brainstem_base::{Disk, DiskFault, hash};
use brainstem_claims::evidence::{Anchor, Evidence, EvidenceHash, Freshness};
use brainstem_claims::range;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How many verdicts are remembered.
const VERDICTS_MAX: usize = 4_096;

/// The verdicts upon pieces of evidence, each with the print of the file that was read: a file that has not changed is
/// not read again.
#[derive(Debug, Default)]
pub(crate) struct Hashes(Mutex<HashMap<(PathBuf, String), (FileStamp, Freshness)>>);

impl Hashes {
    /// What became of evidence. Nothing outside the project's root is looked at: what a path or a link
    /// leads to out there cannot be verified.
    pub(crate) fn freshness(
        &self,
        disk: &dyn Disk,
        root: Option<&Path>,
        evidence: &Evidence,
        len_max: u64,
    ) -> Freshness {
        let paths = root.and_then(|root| EvidencePaths::under(disk, root));
        self.freshness_among(disk, paths.as_ref(), evidence, len_max)
    }

    /// The same for one of many pieces of evidence, with the paths of the project that it names files of.
    pub(crate) fn freshness_among(
        &self,
        disk: &dyn Disk,
        paths: Option<&EvidencePaths>,
        evidence: &Evidence,
        len_max: u64,
    ) -> Freshness {
        let place = match paths {
            Some(paths) if !evidence.path.contains("://") => paths.locate(disk, &evidence.path),
            Some(_) | None => EvidencePlace::Outside,
        };
        let path = match place {
            EvidencePlace::Outside => return Freshness::Unverifiable,
            EvidencePlace::Nowhere => return Freshness::Missing,
            EvidencePlace::Inside(path) => path,
        };
        if evidence.hash.is_none() && evidence.anchor.is_none() {
            return Freshness::Unverifiable;
        }
        match self.compare(disk, path, evidence, len_max) {
            Ok(found) => found,
            // What was a file and is a folder now says something else, too.
            Err(DiskFault::NotAFile) => Freshness::Changed,
            Err(DiskFault::NotFound) => Freshness::Missing,
            Err(_) => Freshness::Unverifiable,
        }
    }

    fn compare(
        &self,
        disk: &dyn Disk,
        path: PathBuf,
        evidence: &Evidence,
        len_max: u64,
    ) -> Result<Freshness, DiskFault> {
        // Looked at before it is read: what changes meanwhile is read the next time.
        let print = disk.stamp(&path).map_err(|error| error.fault())?;
        let key = (path, evidence.to_string());
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known().get(&key).filter(|(read, _)| *read == print) {
            return Ok(*found);
        }
        let bytes = disk.read(&key.0, len_max).map_err(|error| error.fault())?;
        let found = verdict(evidence, &bytes);
        let mut known = known();
        if known.len() >= VERDICTS_MAX {
            known.clear();
        }
        known.insert(key, (print, found));
        Ok(found)
    }
}

/// What became of evidence whose file reads so now.
fn verdict(evidence: &Evidence, bytes: &[u8]) -> Freshness {
    let anchor = evidence.anchor.as_deref().map(Anchor::parse);
    let text = std::str::from_utf8(bytes).ok();
    match (&evidence.hash, anchor, text) {
        (Some(EvidenceHash::File(before)), _, _) if hash::sha256_hex(bytes, 64) == *before => {
            Freshness::Fresh
        }
        (Some(EvidenceHash::File(_)), _, _) => Freshness::Changed,
        (Some(EvidenceHash::Range(before)), Some(anchor), Some(text)) => range::follow(text, &anchor, before),
        (Some(EvidenceHash::Range(_)), _, _) => Freshness::Changed,
        // Nothing to compare with; but what is named may not be there at all.
        (None, Some(anchor), Some(text)) if range::lines_of(text, &anchor).is_err() => Freshness::Missing,
        (None, _, _) => Freshness::Unverifiable,
    }
}
