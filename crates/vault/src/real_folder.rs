//! A check that the folders of a store are real directories.

use crate::StoreError;
use brainstem_base::Disk;
use brainstem_base::disk::FileKind;
use std::path::Path;

/// Refuses a path that exists and is not a real directory. A missing path is fine.
pub(crate) fn real_folder(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    let not = |what| Err(StoreError::NotAFolder { path: dir.display().to_string(), what });
    match disk.stat(dir).map(|stat| stat.kind) {
        Ok(FileKind::Link) => not("a link"),
        Ok(FileKind::File | FileKind::Other) => not("no folder"),
        // The caller that needs the path reports an error of looking at it.
        Ok(FileKind::Dir) | Err(_) => Ok(()),
    }
}
