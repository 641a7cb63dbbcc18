//! Taking the content of a message back for good.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_ledger::{AccountId, Ledger as _, Receipt, Redact, Sequence, TopicId};

/// The account in whose name this program appends by itself.
const PROGRAM_ACCOUNT: u64 = 1_000;

impl Post {
    /// Erases the content of a message and puts that on record; `confirm` says that a person wants it. Returns where the record is.
    pub fn redact_in_ledger(
        &self,
        topic: TopicId,
        sequence: Sequence,
        reason: &str,
        confirm: bool,
    ) -> Result<Receipt, LedgerUseError> {
        let ledger = self.ledger();
        let submitter = AccountId::local(PROGRAM_ACCOUNT).expect("a small number");
        let redact = Redact { topic, sequence, submitter, reason: reason.trim().to_owned() };
        redact.check()?;
        // The record of a redaction stays for good.
        self.memory().floor().check("reason", &redact.reason)?;
        if !confirm {
            self.ledger_messages(topic, super::TopicPlace::At(sequence), 1)?;
            return Err(LedgerUseError::NotConfirmed { topic, number: sequence.number() });
        }
        Ok(ledger.redact(&redact)?)
    }
}
