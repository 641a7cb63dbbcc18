//! Taking the content of a message back for good.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_inbox::{Envelope, memo};
use brainstem_ledger::{Ledger as _, Receipt, Redact, Sequence, TopicId};

impl Post {
    /// Erases the content of messages of a topic, of all or of none, and puts that on record; `confirm` says that a person wants it.
    /// Returns where the records are. The file is written anew once, however many they are.
    pub fn redact_in_ledger(
        &self,
        topic: TopicId,
        messages: &[Sequence],
        reason: &str,
        confirm: bool,
    ) -> Result<Vec<Receipt>, LedgerUseError> {
        let Some(&first) = messages.first() else { return Ok(Vec::new()) };
        let (ledger, submitter, reason) = (self.ledger_to_read()?, memo::system_account(), reason.trim());
        let redact =
            |sequence: &Sequence| Redact { topic, sequence: *sequence, submitter, reason: reason.to_owned() };
        let redactions: Vec<Redact> = messages.iter().map(redact).collect();
        redactions.iter().try_for_each(Redact::check)?;
        // The record of a redaction stays for good.
        self.memory().floor().check("reason", reason)?;
        for sequence in messages {
            self.check_redactable(topic, *sequence)?;
        }
        if !confirm {
            return Err(LedgerUseError::NotConfirmed {
                topic,
                number: first.number(),
                count: messages.len(),
            });
        }
        self.check_no_older_copy(&ledger, &self.ends_on_record())?;
        let redacted = ledger.redact_all(&redactions)?;
        // The content is gone from the ledger, and every look at the inbox removes it there first; this one does it now.
        let _ = self.catch_up_inbox();
        match redacted.unwritten {
            None => Ok(redacted.records),
            Some(source) => Err(LedgerUseError::ErasureDue {
                topic,
                number: first.number(),
                count: messages.len(),
                source,
            }),
        }
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
