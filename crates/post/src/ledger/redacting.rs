//! Taking the content of a message back for good.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_inbox::{Envelope, memo};
use brainstem_ledger::{Ledger as _, Receipt, Redact, Sequence, TopicId};

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
        let submitter = memo::system_account();
        let redact = Redact { topic, sequence, submitter, reason: reason.trim().to_owned() };
        redact.check()?;
        // The record of a redaction stays for good.
        self.memory().floor().check("reason", &redact.reason)?;
        self.check_redactable(topic, sequence)?;
        if !confirm {
            return Err(LedgerUseError::NotConfirmed { topic, number: sequence.number() });
        }
        let receipt = ledger.redact(&redact)?;
        // The content is gone from the ledger, and every look at the inbox removes it there first; this one does it now.
        let _ = self.catch_up_inbox();
        Ok(receipt)
    }

    /// Refuses a message from which the inbox follows: without its bytes, rows of other messages would come out otherwise.
    fn check_redactable(&self, topic: TopicId, sequence: Sequence) -> Result<(), LedgerUseError> {
        let page = self.ledger_messages(topic, super::TopicPlace::At(sequence), 1)?;
        let is_end =
            |bytes: &[u8]| matches!(Envelope::from_bytes(bytes), Ok(Envelope::CloseConnection { .. }));
        let is_record = self.ledger().topic(topic)?.is_some_and(|topic| memo::keeps_records(&topic))
            || page.messages.iter().any(|message| is_end(&message.bytes));
        match is_record {
            true => Err(LedgerUseError::RecordStays { topic, number: sequence.number() }),
            false => Ok(()),
        }
    }
}
