//! The doctor's findings about the ledger. Looking changes nothing.

use super::verifying::{VerifyLedgerRequest, whole};
use crate::Post;
use crate::inbox_files::LEDGER_FOLDER;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded as _, advice, codes};
use brainstem_inbox::fault_at_cursor;
use brainstem_inbox_sqlite::LookDepth;
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_memory::{Finding, Trouble};

/// How many messages a diagnosis walks; a longer ledger is held to its last head and to what the inbox has seen.
const WALKED_MAX: u64 = 100_000;
/// How many faults are named.
const NAMED_MAX: usize = 5;

impl Post {
    /// Checks that the ledger can be read, holds, and is no older copy.
    pub fn ledger_health(&self) -> Vec<Finding> {
        let file = self.folder_of(LEDGER_FOLDER).join("ledger.sqlite");
        let ledger = self.ledger();
        let found =
            |trouble, detail: String, fix: Advice| Finding { trouble, place: file.clone(), detail, fix };
        let size = match self.check_ledger_is_there(&ledger).and_then(|()| ledger.size()) {
            Ok(0) => return Vec::new(),
            Ok(size) => size,
            Err(error) => {
                let error = super::LedgerUseError::from(error);
                let trouble = match error.code() {
                    codes::LEDGER_NEWER => Trouble::LedgerNewer,
                    _ => Trouble::LedgerUnreadable,
                };
                let fix = error.fix().unwrap_or_default();
                return vec![found(trouble, whole(&error), fix)];
            }
        };
        let see = || {
            advice![
                "see all of it with ",
                calls::ledger_verify(),
                ", and put the ledger of a backup in its place"
            ]
        };
        if size > WALKED_MAX {
            let contradiction = ledger.contradicts_last_head().ok().flatten().map(|fault| fault.to_string());
            let faults = contradiction.into_iter().chain(self.faults_at_cursors(&ledger));
            let faults = faults.take(NAMED_MAX);
            return faults.map(|detail| found(Trouble::LedgerChanged, detail, see())).collect();
        }
        match self.verify_ledger(&VerifyLedgerRequest::default()) {
            Ok(verified) => {
                let faults = verified.found.integrity.iter().chain(&verified.found.completeness);
                let named = faults.map(ToString::to_string).take(NAMED_MAX);
                let changed = named.map(|detail| found(Trouble::LedgerChanged, detail, see()));
                let unheld = verified.notes.iter().map(|note| {
                    found(
                        Trouble::LedgerHeadUnreadable,
                        note.clone(),
                        "put ledger.key and ledger.head back from a backup, or move both away".into(),
                    )
                });
                changed.chain(unheld).collect()
            }
            Err(error) => {
                let fix = error.fix().unwrap_or_default();
                vec![found(Trouble::LedgerUnreadable, whole(&error), fix)]
            }
        }
    }

    /// Where the ledger is not what the inbox has seen. A mirror that cannot be read is named elsewhere.
    fn faults_at_cursors(&self, ledger: &SqliteLedger) -> Vec<String> {
        let cursors = self.look_at_mirror(LookDepth::Rows, 0).ok().flatten().unwrap_or_default().cursors;
        let faults = cursors.iter().filter_map(|seen| fault_at_cursor(ledger, seen).ok().flatten());
        faults.map(|fault| fault.to_string()).collect()
    }
}
