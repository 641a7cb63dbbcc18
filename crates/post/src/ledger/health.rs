//! The doctor's findings about the ledger. Looking changes nothing.

use super::LEDGER_FOLDER;
use super::verifying::{VerifyLedgerRequest, whole};
use crate::Post;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded as _, advice, codes};
use brainstem_memory::{Finding, Trouble};

/// How many messages a diagnosis walks; a longer ledger is held to its last head alone.
const WALKED_MAX: u64 = 100_000;
/// How many faults are named.
const NAMED_MAX: usize = 5;

impl Post {
    /// Checks that the ledger can be read, holds, and is no older copy.
    pub fn ledger_health(&self) -> Vec<Finding> {
        let folder = self.memory().home_path().join(LEDGER_FOLDER);
        let file = folder.join("ledger.sqlite");
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
            let contradiction = ledger.contradicts_last_head().ok().flatten();
            return contradiction
                .map(|fault| found(Trouble::LedgerChanged, fault.to_string(), see()))
                .into_iter()
                .collect();
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
}
