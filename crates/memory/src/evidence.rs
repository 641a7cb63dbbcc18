//! Evidence: as a caller gives it, brought into the form a claim keeps, and compared with what is there now.

use crate::survey;
use brainstem_base::disk::{FileKind, Print};
use brainstem_base::{Disk, DiskFault, hash};
use brainstem_claims::evidence::{Evidence, Freshness};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The largest file whose hash is taken at birth.
pub(crate) const HASHED_LEN_MAX: u64 = 16 * 1024 * 1024;
/// The largest file that a recall reads to see whether it changed.
pub(crate) const HASHED_IN_RECALL_LEN_MAX: u64 = 1024 * 1024;
/// How many hashes are remembered.
const HASHES_MAX: usize = 4_096;

/// Makes paths relative to the project's root and takes the hash of what they name. Says what it
/// could not find; evidence that cannot be read is kept as it was given.
pub(crate) fn anchored(
    disk: &dyn Disk,
    root: Option<&Path>,
    cwd: Option<&Path>,
    given: &[String],
) -> (Vec<Evidence>, Vec<String>) {
    let mut notes = Vec::new();
    let entries = given.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let anchored = entries.map(|text| {
        let mut evidence = Evidence::parse(text);
        if evidence.path.contains("://") {
            return evidence;
        }
        let Some(root) = root else { return evidence };
        match resolve(disk, root, cwd, &evidence.path) {
            Some((path, relative)) => {
                evidence.path = relative;
                if evidence.sha256.is_none() {
                    evidence.sha256 =
                        disk.read(&path, HASHED_LEN_MAX).ok().map(|bytes| hash::sha256_hex(&bytes, 64));
                }
            }
            None => notes.push(format!(
                "evidence `{}` was not found under the project's root; kept as given",
                evidence.path
            )),
        }
        evidence
    });
    (anchored.collect(), notes)
}

/// Finds a file inside the root: from the root, else from where the caller stands.
fn resolve(disk: &dyn Disk, root: &Path, cwd: Option<&Path>, text: &str) -> Option<(PathBuf, String)> {
    let path = Path::new(text);
    let bases = [Some(root), cwd];
    bases.into_iter().flatten().find_map(|base| {
        let found = disk.canonical(&base.join(path)).ok()?;
        let relative = found.strip_prefix(survey::canonical(disk, root)).ok()?;
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let relative = relative.to_str().filter(|text| plain && !text.is_empty())?.to_owned();
        Some((found, relative))
    })
}

/// The hashes of files, each with the print of what was read: a file that has not changed is not read
/// again.
#[derive(Debug, Default)]
pub(crate) struct Hashes(Mutex<HashMap<PathBuf, (Print, String)>>);

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
        let inside = match root {
            Some(root) if !evidence.path.contains("://") => locate(disk, root, &evidence.path),
            Some(_) | None => Located::Outside,
        };
        match (inside, &evidence.sha256) {
            (Located::Outside, _) => Freshness::Unverifiable,
            (Located::Nowhere, _) => Freshness::Missing,
            (Located::Inside(_), None) => Freshness::Unverifiable,
            (Located::Inside(path), Some(before)) => match self.hash(disk, &path, len_max) {
                Ok(now) if now == *before => Freshness::Fresh,
                // What was a file and is a folder now says something else, too.
                Ok(_) | Err(DiskFault::NotAFile) => Freshness::Changed,
                Err(DiskFault::NotFound) => Freshness::Missing,
                Err(_) => Freshness::Unverifiable,
            },
        }
    }

    fn hash(&self, disk: &dyn Disk, path: &Path, len_max: u64) -> Result<String, DiskFault> {
        // Looked at before it is read: what changes meanwhile is read the next time.
        let print = disk.print(path).map_err(|error| error.fault())?;
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, hash)) = known().get(path).filter(|(read, _)| *read == print) {
            return Ok(hash.clone());
        }
        let bytes = disk.read(path, len_max).map_err(|error| error.fault())?;
        let hash = hash::sha256_hex(&bytes, 64);
        let mut known = known();
        if known.len() >= HASHES_MAX {
            known.clear();
        }
        known.insert(path.to_owned(), (print, hash.clone()));
        Ok(hash)
    }
}

/// Where a path of evidence leads.
enum Located {
    /// To something inside the root.
    Inside(PathBuf),
    /// To nothing, inside the root.
    Nowhere,
    /// Out of the root, or not to be told.
    Outside,
}

fn locate(disk: &dyn Disk, root: &Path, text: &str) -> Located {
    // A root that is gone says nothing about its files.
    let Ok(root) = disk.canonical(root) else { return Located::Outside };
    // A person's own folder is not the project's.
    if text.starts_with('~') {
        return Located::Outside;
    }
    let path = root.join(text);
    if path.components().any(|part| matches!(part, Component::ParentDir)) || !path.starts_with(&root) {
        return Located::Outside;
    }
    for (at, is_whole) in path.ancestors().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
        match disk.canonical(at) {
            Ok(found) if !found.starts_with(&root) => return Located::Outside,
            Ok(found) if is_whole => return Located::Inside(found),
            Ok(_) => return Located::Nowhere,
            // A link that leads nowhere: where to is not told.
            Err(_) if disk.stat(at).is_ok_and(|stat| stat.kind == FileKind::Link) => return Located::Outside,
            Err(error) if error.fault() == DiskFault::NotFound => {}
            Err(_) => return Located::Outside,
        }
    }
    Located::Outside
}
