//! Evidence as a caller gives it, brought into the form a claim keeps.

use crate::survey;
use brainstem_base::{Disk, hash};
use brainstem_claims::evidence::Evidence;
use std::path::{Component, Path, PathBuf};

/// The largest file whose hash is taken at birth.
const HASHED_LEN_MAX: u64 = 16 * 1024 * 1024;

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
