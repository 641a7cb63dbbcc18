//! Memory that a repository shares and that its working tree does not have: git's index lists it.

use crate::git::{common_dir, git_dir, objects};
use crate::git_index::{GitPlace, TrackedPath};
use crate::layout::MANIFEST;
use crate::not_checked_out::NotCheckedOut;
use crate::repo;
use brainstem_base::{Disk, DiskFault};
use std::path::Path;

/// Returns why the memory that the repository at `root` tracks is not in its working tree. `None` if its manifest is there,
/// if git tracks none, and if the index cannot be read.
pub fn not_checked_out(disk: &dyn Disk, root: &Path) -> Option<NotCheckedOut> {
    let manifest = repo::folder(root).join(MANIFEST);
    if !disk.stat(&manifest).is_err_and(|error| error.fault() == DiskFault::NotFound) {
        return None;
    }
    let git_dir = git_dir(disk, root)?;
    let below =
        manifest.strip_prefix(root).expect("it is in the folder of the root").as_os_str().as_encoded_bytes();
    match GitPlace::at_top(disk, root)?.tracked_path(disk, below)? {
        TrackedPath::CheckedOut => Some(NotCheckedOut::Deleted),
        TrackedPath::LeftOut => Some(NotCheckedOut::Sparse),
        // A sparse index names the folder alone, which may hold settings and no memory.
        TrackedPath::InFolder(tree) => {
            let names = objects::names_in_tree(disk, &common_dir(disk, &git_dir), &tree);
            names
                .is_none_or(|names| names.iter().any(|name| name == MANIFEST.as_bytes()))
                .then_some(NotCheckedOut::Sparse)
        }
    }
}
