//! A ledger that reads as an empty one, though it had messages.

use crate::Post;
use crate::inbox_files::{INBOX_FOLDER, LEDGER_FOLDER};
use brainstem_inbox::Mirror as _;
use brainstem_ledger::{BackendFault, LedgerError};
use brainstem_ledger_sqlite::SqliteLedger;

impl Post {
    /// Refuses a ledger whose file is missing or empty, if the last head of this home or the inbox has seen messages of it.
    pub(crate) fn check_ledger_is_there(&self, ledger: &SqliteLedger) -> Result<(), LedgerError> {
        if ledger.size()? > 0 {
            return Ok(());
        }
        let signed = ledger.last_head().ok().flatten().map_or(0, |head| head.checkpoint.size);
        let seen = match signed {
            0 if self.has_seen_messages() => "the inbox has seen messages of it".to_owned(),
            0 => return Ok(()),
            size => format!("the last head that this home signed is over {size} of its messages"),
        };
        let file = self.memory().home_path().join(LEDGER_FOLDER).join("ledger.sqlite");
        let why = format!(
            "`{}` is missing or empty, though {seen}; to begin anew without it, move the folders `{}` and `{INBOX_FOLDER}` of the home away",
            file.display(),
            LEDGER_FOLDER
        );
        Err(LedgerError::Backend { what: "read", why, is_passing: false, fault: BackendFault::Damaged })
    }

    /// Whether the mirror of the inbox has read a message. A mirror that is not there, or cannot be read, says nothing.
    fn has_seen_messages(&self) -> bool {
        let memory = self.memory();
        let file = self.folder_of(INBOX_FOLDER).join("inbox.sqlite");
        if memory.only_looks() || self.disk().stat(&file).is_err() {
            return false;
        }
        self.mirror().cursors().is_ok_and(|cursors| !cursors.is_empty())
    }
}
