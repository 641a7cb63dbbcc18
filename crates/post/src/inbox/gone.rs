//! A ledger that reads as an empty one, though it had messages.

use crate::Post;
use crate::inbox_files::{INBOX_FOLDER, LEDGER_FOLDER};
use brainstem_ledger::{BackendFault, LedgerError};
use brainstem_ledger_sqlite::SqliteLedger;
use std::sync::Arc;

impl Post {
    /// The ledger of the home, to read what is in it. Refuses one that reads as empty though it had messages (LED-6).
    pub fn ledger_to_read(&self) -> Result<Arc<SqliteLedger>, LedgerError> {
        let ledger = self.ledger();
        self.check_ledger_is_there(&ledger).map(|()| ledger)
    }

    /// As [`ledger_to_read`](Self::ledger_to_read), with connections of its own, for a walk over all of it.
    pub(crate) fn ledger_apart_to_read(&self) -> Result<SqliteLedger, LedgerError> {
        let ledger = self.ledger_apart();
        self.check_ledger_is_there(&ledger).map(|()| ledger)
    }

    /// Refuses a ledger whose file is missing or empty, if the last head of this home or the inbox has seen messages of it.
    pub(crate) fn check_ledger_is_there(&self, ledger: &SqliteLedger) -> Result<(), LedgerError> {
        if ledger.size()? > 0 {
            return Ok(());
        }
        let signed = ledger.last_head().ok().flatten().map_or(0, |head| head.checkpoint.size);
        let seen = match signed {
            // A mirror that cannot be read tells nothing.
            0 if !self.ends_on_record().is_empty() => "the inbox has seen messages of it".to_owned(),
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
}
