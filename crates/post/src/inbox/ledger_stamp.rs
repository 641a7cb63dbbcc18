//! Whether the ledger changed since a look, without opening it.

use crate::Post;
use crate::inbox_files::LEDGER_FOLDER;
use brainstem_base::Timestamp;
use brainstem_base::disk::FileStamp;

/// A stamp that is younger than this may have been taken in the middle of several changes that look alike.
const SETTLED_MS: i64 = 100;

/// The files of the ledger as a look found them. An append changes the stamp of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LedgerStamp {
    file: FileStamp,
    log: Option<FileStamp>,
}

impl LedgerStamp {
    /// Whether a change after this time would have given another stamp.
    pub(super) fn is_settled(&self, at: Timestamp) -> bool {
        let changed_ns = self.log.map_or(0, |log| log.changed_ns).max(self.file.changed_ns);
        changed_ns / 1_000_000 + SETTLED_MS < at.ms()
    }
}

impl Post {
    /// The files of the ledger as they are now; `None` if there is no ledger.
    pub(super) fn ledger_stamp(&self) -> Option<LedgerStamp> {
        let folder = self.folder_of(LEDGER_FOLDER);
        let file = self.disk().stamp(&folder.join("ledger.sqlite")).ok()?;
        // Opening and closing makes and removes an empty log.
        let log = self.disk().stamp(&folder.join("ledger.sqlite-wal")).ok().filter(|log| log.len > 0);
        Some(LedgerStamp { file, log })
    }
}
