//! The ledger in a copy of the folders: as it is at one moment, while others append to it.

use crate::limits::PIECE_LEN;
use crate::service::Transfer;
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_memory::{Gap, MemoryError};
use std::path::Path;

/// The folder of the ledger in a home, and its file there.
const LEDGER: &str = "ledger";
const LEDGER_FILE: &str = "ledger.sqlite";

impl Transfer {
    /// Whether a file is the home's ledger.
    pub(super) fn is_ledger(&self, path: &Path) -> bool {
        path == self.home().path().join(LEDGER).join(LEDGER_FILE)
    }

    /// Copies the ledger as it is at one moment, while others append to it. One that cannot be read so is copied byte for byte,
    /// and the gap names it.
    pub(super) fn copy_ledger(&self, from: &Path, to: &Path) -> Result<Option<Gap>, MemoryError> {
        let folder = from.parent().unwrap_or(from);
        let (disk, clock) = (self.memory().disk().clone(), self.memory().clock().clone());
        let ledger = SqliteLedger::in_folder(folder, disk, clock);
        let why = match ledger.size() {
            // A file without tables, of a first send that was cut off.
            Ok(0) => return Ok(None),
            Ok(_) => match ledger.back_up_to(to) {
                Ok(_) => return Ok(None),
                Err(error) => error,
            },
            Err(error) => error,
        };
        self.copy_file(from, to, PIECE_LEN)?;
        let detail = format!("the ledger is in the export as its file is, which may not be whole: {why}");
        Ok(Some(Gap::new("unreadable_ledger", detail)))
    }
}

/// Whether a place in an export is that of a file which SQLite and the line of writers keep beside a ledger.
pub(super) fn is_beside_ledger(to: &Path) -> bool {
    let name = to.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_kept_beside = name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with(".lock");
    to.parent() == Some(Path::new(LEDGER)) && is_kept_beside
}
