//! Finishing messages: the acknowledgement goes on the record, then into the mirror.

use super::error::InboxError;
use super::limits::FINISH_MAX;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_base::Timestamp;
use brainstem_inbox::mirror::MirrorRow;
use brainstem_inbox::{Acknowledgement, Mirror as _, RowId};
use brainstem_ledger::{Append, AppendKey, Ledger as _, LedgerError};
use brainstem_memory::Caller;

/// What finishing did to one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedMessage {
    /// The message as it is now.
    pub row: MirrorRow,
    /// It had been finished before.
    pub unchanged: bool,
}

/// How long a session holds a message while it finishes it.
const FINISH_LEASE_MS: i64 = 60_000;

impl Post {
    /// Marks messages as processed by the caller's session. All of them are checked before the first is marked; of one that
    /// was processed before, the first mark stays.
    pub fn finish_inbox(&self, caller: &Caller, ids: &[RowId]) -> Result<Vec<FinishedMessage>, InboxError> {
        if ids.len() > FINISH_MAX {
            return Err(InboxError::TooMany(ids.len()));
        }
        let Some(&first) = ids.first() else { return Err(InboxError::field("id", "is missing", "INB-11")) };
        let mut opened = self.open_inbox_to_read()?.ok_or(InboxError::NotFound { id: first })?;
        let (own, session) = (self.own_inbox_in(&opened.directory, caller), self.inbox_session(caller)?);
        let now = self.clock().now();
        let until = Timestamp::from_ms(now.ms() + FINISH_LEASE_MS);
        let mut rows = Vec::new();
        for id in ids {
            let row = opened.mirror.row(*id)?.ok_or(InboxError::NotFound { id: *id })?;
            if !own.slugs.contains(&row.row.to) {
                return Err(InboxError::NotYours { id: *id, owner: row.row.to.to_string() });
            }
            if row.processed.is_none() {
                opened.mirror.claim_row(*id, &session, now, until)?.map_err(|lease| InboxError::Claimed {
                    id: *id,
                    session: lease.session,
                    until: lease.until,
                })?;
            }
            rows.push(row);
        }
        rows.iter().map(|row| opened.finish(row, &session)).collect()
    }
}

impl OpenedInbox {
    fn finish(&mut self, row: &MirrorRow, session: &str) -> Result<FinishedMessage, InboxError> {
        let id = row.row.id;
        if row.processed.is_some() {
            return Ok(FinishedMessage { row: row.clone(), unchanged: true });
        }
        let agent = self.directory.agent(&row.row.to).ok_or(InboxError::NotFound { id })?;
        let (topic, sequence) = (row.row.topic, row.row.sequence);
        let ack = Acknowledgement { topic, sequence, session: session.to_owned() };
        let append = Append {
            topic: agent.acks,
            submitter: agent.account,
            key: AppendKey::parse(&format!("processed:{id}")).ok(),
            bytes: ack.to_bytes(),
        };
        let unchanged = match self.ledger.append(&append) {
            Ok(receipt) => {
                self.write_straight(&receipt)?;
                receipt.is_repeat
            }
            // Another session finished it since this one looked; its mark stays.
            Err(LedgerError::KeyReused { .. }) => {
                brainstem_inbox::catch_up(&*self.ledger, &*self.mirror, &mut self.directory)?;
                true
            }
            Err(error) => return Err(error.into()),
        };
        let row = self.mirror.row(id)?.ok_or(InboxError::NotFound { id })?;
        Ok(FinishedMessage { row, unchanged })
    }
}
