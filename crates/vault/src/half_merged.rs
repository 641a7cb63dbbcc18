//! Files that git merged line by line, because the merge driver of this program was not there. Outside the markers such a
//! file has lines that git took from one version alone, so no version can be read from it. While git's merge waits, its
//! index has both versions whole: they are read from there.

use crate::git::{common_dir, git_dir, objects};
use crate::git_index::GitPlace;
use brainstem_base::Disk;
use brainstem_claims::Claim;
use brainstem_claims::limits::SIDES_MAX;
use brainstem_claims::merge::versions_in;
use brainstem_claims::undecided_file::{is_merged_by_lines, join, sides};
use std::path::Path;

/// What is wrong with a file that git merged line by line and whose versions cannot be had.
pub(crate) const HALF_MERGED: &str =
    "git merged it line by line and left conflict markers in it: no version in it is whole, so none is shown";

/// The versions that wait in a file with these bytes, ours first: those in the file, or those that git's index has of it.
/// `None` if there are none, or they cannot be had whole.
pub(crate) fn waiting(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Option<Vec<Claim>> {
    sides(bytes).or_else(|| if is_merged_by_lines(bytes) { in_git(disk, path) } else { None })
}

/// The bytes of a file at this path, with its versions whole if git merged it line by line and they can be had.
pub(crate) fn made_whole(disk: &dyn Disk, path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    let versions = if is_merged_by_lines(&bytes) { in_git(disk, path) } else { None };
    let Some(versions) = versions else { return bytes };
    let files: Vec<String> = versions.iter().map(|version| version.file.render()).collect();
    join(&files.iter().map(String::as_bytes).collect::<Vec<_>>())
}

/// The whole versions of a file that git could not merge.
fn in_git(disk: &dyn Disk, path: &Path) -> Option<Vec<Claim>> {
    let (folder, file) = (path.parent()?, path.file_name()?.to_str()?);
    let top = GitPlace::tops_around(disk, folder).into_iter().next()?;
    let place = GitPlace::around(disk, folder).into_iter().next()?;
    let [_, Some(ours), Some(theirs)] = place.stages(disk, file)? else { return None };
    let common = common_dir(disk, &git_dir(disk, &top)?);
    let versions_of = |object: &[u8]| versions_in(&objects::blob(disk, &common, object)?);
    let mut versions = versions_of(&ours)?;
    for theirs in versions_of(&theirs)? {
        if !versions.contains(&theirs) {
            versions.push(theirs);
        }
    }
    (2..=SIDES_MAX).contains(&versions.len()).then_some(versions)
}
