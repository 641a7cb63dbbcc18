//! What a redaction leaves, and whether its file is still to be written anew.

use brainstem_base::{Disk, DiskError, DiskFault};
use brainstem_ledger::{LedgerError, Receipt};
use std::path::{Path, PathBuf};

/// The name of the file beside the ledger that is there while erased bytes may still be in unused room of the ledger's file.
const ERASURE_DUE: &str = "ledger.erasing";

/// Messages that were redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// Where the records are.
    pub records: Vec<Receipt>,
    /// Why the file could not be written anew: the content is gone from its rows, and may still be in unused room of the file. A
    /// repeat writes it anew.
    pub unwritten: Option<LedgerError>,
}

/// The mark beside a ledger that its file is to be written anew.
pub(crate) struct ErasureMark<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
}

impl<'a> ErasureMark<'a> {
    /// The mark of this ledger file.
    pub(crate) fn of(disk: &'a dyn Disk, ledger: &Path) -> Self {
        Self { disk, path: ledger.with_file_name(ERASURE_DUE) }
    }

    /// The file of the mark.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is there.
    pub(crate) fn is_set(&self) -> bool {
        self.disk.stat(&self.path).is_ok()
    }

    /// Sets it. Returns whether that is new.
    pub(crate) fn set(&self) -> Result<bool, DiskError> {
        match self.disk.write_private(&self.path, b"") {
            Ok(()) => Ok(true),
            Err(error) if error.fault() == DiskFault::Exists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Takes it away. If that fails, the next redaction writes the file anew once more.
    pub(crate) fn remove(&self) {
        let _ = self.disk.unlink(&self.path);
    }
}
