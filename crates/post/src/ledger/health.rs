//! The doctor's findings about the ledger. Looking changes nothing.

use super::verifying::{VerifyLedgerRequest, whole};
use crate::Post;
use crate::inbox_files::LEDGER_FOLDER;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, Coded as _, advice, codes};
use brainstem_inbox::fault_at_cursor;
use brainstem_inbox_sqlite::LookDepth;
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_memory::{Finding, Trouble};

/// How many messages a diagnosis walks; a longer ledger is held to its last head and to what the inbox has seen.
const WALKED_MAX: u64 = 100_000;
/// How far the last time on the ledger may be ahead of the clock before it is named, in ms: two clocks may differ a little.
const TIME_AHEAD_MS: i64 = 60 * 60 * 1_000;
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
        let mut due: Vec<Finding> = self
            .time_ahead(&ledger)
            .map(|(detail, fix)| found(Trouble::LedgerTimeAhead, detail, fix))
            .into_iter()
            .collect();
        if ledger.is_erasure_due() {
            let detail = "a redaction could not write the file anew, so that unused room of it may still have what was redacted";
            let fix = advice![
                "repeat the last `",
                VerbId::LedgerRedact,
                "`, once the disk has room for the ledger a second time"
            ];
            due.push(found(Trouble::LedgerErasureDue, detail.to_owned(), fix));
        }
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
            due.extend(faults.map(|detail| found(Trouble::LedgerChanged, detail, see())));
            return due;
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
                due.into_iter().chain(changed).chain(unheld).collect()
            }
            Err(error) => {
                let fix = error.fix().unwrap_or_default();
                vec![found(Trouble::LedgerUnreadable, whole(&error), fix)]
            }
        }
    }

    /// Names the last time on the ledger, if it is ahead of the clock. Times on a ledger never go back, so one call under a wrong
    /// clock dates every message behind it (LED-2b).
    fn time_ahead(&self, ledger: &SqliteLedger) -> Option<(String, Advice)> {
        let last = ledger.heads().ok()?.into_iter().filter_map(|head| head.consensus).max()?.to_timestamp();
        let now = self.clock().now();
        if last.ms() - now.ms() < TIME_AHEAD_MS {
            return None;
        }
        let detail = format!(
            "the last message is dated {}, and this machine's clock says {}: every message until then is dated later than that, in the order in which they came",
            last.to_rfc3339(),
            now.to_rfc3339()
        );
        let fix = "set the clock of this machine right if it is wrong; otherwise leave it: the order of messages is right, and the time of sending is `ts` in each message".into();
        Some((detail, fix))
    }

    /// Where the ledger is not what the inbox has seen. A mirror that cannot be read is named elsewhere.
    fn faults_at_cursors(&self, ledger: &SqliteLedger) -> Vec<String> {
        let look = self.look_at_mirror(LookDepth::Rows, 0).ok().flatten().unwrap_or_default();
        let faults = look.ends().filter_map(|seen| fault_at_cursor(ledger, seen).ok().flatten());
        faults.map(|fault| fault.to_string()).collect()
    }
}
