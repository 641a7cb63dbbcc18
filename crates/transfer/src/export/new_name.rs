//! The name that an export gets: a new one, in a folder that exists.

use crate::service::Transfer;
use brainstem_base::disk::verbs;
use brainstem_base::{DiskError, DiskFault, Fault, codes};
use brainstem_caller::Caller;
use brainstem_memory::MemoryError;
use brainstem_memory::store_work::path_of;
use brainstem_vault::{StoreError, durable};
use std::path::{Path, PathBuf};

impl Transfer {
    /// Where an export goes: a new name in a folder that is there, whatever links lead to it.
    pub(super) fn place_of(&self, caller: &Caller, out: &Path) -> Result<PathBuf, MemoryError> {
        let out = path_of(caller, "out", out)?;
        let nowhere = |out: &Path| no_place(out, &DiskError::new(verbs::CANONICAL, out, DiskFault::NotFound));
        let (Some(beside), Some(name)) = (out.parent(), out.file_name()) else { return Err(nowhere(&out)) };
        match self.disk().canonical(beside) {
            Ok(beside) => Ok(beside.join(name)),
            Err(error) => Err(no_place(&out, &error)),
        }
    }

    /// Writes a file that its owner alone can read, whole or not at all.
    pub(super) fn put_new(&self, path: &Path, bytes: &[u8]) -> Result<(), MemoryError> {
        match durable::create_private(self.disk(), self.ids(), path, bytes) {
            Ok(durable::NewName::New) => Ok(()),
            Ok(durable::NewName::Taken) => Err(taken(path)),
            Err(error) if is_place(error.fault()) && !error.is_unconfirmed() => Err(no_place(path, &error)),
            Err(error) => Err(StoreError::disk("cannot write the export")(error).into()),
        }
    }
}

/// Whether the place that the caller named is to blame, and not the disk.
pub(super) fn is_place(fault: DiskFault) -> bool {
    matches!(fault, DiskFault::NotFound | DiskFault::NotAFile | DiskFault::Other)
}

pub(super) fn no_place(path: &Path, error: &DiskError) -> MemoryError {
    let message = format!("nothing can be written to `{}`: {}", path.display(), error.fault());
    Fault::new(codes::INPUT_BAD_VALUE, message)
        .fix("name a file or folder that does not exist yet, in a folder that does")
        .field("out")
        .rule("MEM-47")
        .into()
}

pub(super) fn taken(path: &Path) -> MemoryError {
    Fault::new(codes::EXPORT_TAKEN, format!("`{}` exists already, and nothing is replaced", path.display()))
        .fix("name a file or folder that does not exist yet")
        .field("out")
        .rule("MEM-47")
        .into()
}
