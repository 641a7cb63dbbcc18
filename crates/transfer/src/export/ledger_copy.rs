//! The ledger in a copy of the folders: as it is at one moment, while others append to it.

use crate::service::Transfer;
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_memory::Gap;
use std::path::Path;

/// The folder of the ledger in a home, and its file there.
const LEDGER: &str = "ledger";
const LEDGER_FILE: &str = "ledger.sqlite";
/// The name of the gap of a ledger that is not whole in the export.
pub const UNREADABLE_LEDGER: &str = "unreadable_ledger";

impl Transfer {
    /// Whether a file is the home's ledger.
    pub(super) fn is_ledger(&self, path: &Path) -> bool {
        path == self.home().path().join(LEDGER).join(LEDGER_FILE)
    }

    /// Copies the ledger as it is at one moment, while others append to it. Returns the gap of one that cannot be read so: its
    /// file is to be copied byte for byte.
    pub(super) fn copy_ledger(&self, from: &Path, to: &Path) -> Option<Gap> {
        let folder = from.parent().unwrap_or(from);
        let (disk, clock) = (self.memory().disk().clone(), self.memory().clock().clone());
        let ledger = SqliteLedger::in_folder(folder, disk, clock);
        let why = match ledger.size() {
            // A file without tables, of a first send that was cut off.
            Ok(0) => return None,
            Ok(_) => ledger.back_up_to(to).err()?,
            Err(error) => error,
        };
        let detail = format!("the ledger is in the export as its file is, which may not be whole: {why}");
        Some(Gap::new(UNREADABLE_LEDGER, detail))
    }
}

/// Whether a place in an export is that of a file which SQLite and the line of writers keep beside a ledger.
pub(super) fn is_beside_ledger(to: &Path) -> bool {
    let name = to.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_kept_beside = name.ends_with("-wal")
        || name.ends_with("-shm")
        || name.ends_with(".lock")
        || name.ends_with(".erasing");
    to.parent() == Some(Path::new(LEDGER)) && is_kept_beside
}
