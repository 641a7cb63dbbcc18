//! Taking the content of messages back.

use crate::ledger::{SqliteLedger, Writer, unwritten};
use crate::rows::to_sql;
use brainstem_ledger::{LedgerError, Receipt, Redact, RedactionRecord};
use brainstem_sqlite::rusqlite::Transaction;
use brainstem_sqlite::{SqliteError, SqliteFault};

impl SqliteLedger {
    /// Redacts messages, all or none, and writes the file anew once, which takes the longer the larger the file is. Returns where the
    /// records are.
    pub fn redact_all(&self, redactions: &[Redact]) -> Result<Vec<Receipt>, LedgerError> {
        redactions.iter().try_for_each(Redact::check)?;
        let mut writer = self.writer.writer();
        let receipts = self.write(&mut writer, |transaction| {
            // Freed room is overwritten, so that a kill before the file is written anew leaves as little as possible.
            self.writing(transaction.pragma_update(None, "secure_delete", true))?;
            redactions.iter().map(|redact| self.redact_in(transaction, redact)).collect::<Result<Vec<_>, _>>()
        })?;
        self.write_anew(&mut writer)?;
        Ok(receipts)
    }

    /// Redacts one message. The record of an earlier redaction is returned as it is.
    fn redact_in(&self, transaction: &Transaction<'_>, redact: &Redact) -> Result<Receipt, LedgerError> {
        let Redact { topic, sequence, .. } = *redact;
        self.topic_in(transaction, topic)?.ok_or(LedgerError::NoTopic(topic))?;
        let missing = LedgerError::NoMessage { topic, sequence };
        let message = self.message_in(transaction, topic, sequence)?.ok_or(missing)?;
        if RedactionRecord::parse(&message.bytes).is_some() {
            return Err(LedgerError::RecordStays { topic, sequence });
        }
        let content = message.content();
        let record = redact.to_append(content);
        if let Some(first) = self.with_key(transaction, &record)? {
            return Ok(Receipt { is_repeat: true, ..first.receipt() });
        }
        let sql = "UPDATE messages SET bytes = x'', redacted = ?3 WHERE topic = ?1 AND sequence = ?2";
        let row = (to_sql(topic.num()), to_sql(sequence.number()), content.as_bytes());
        self.writing(transaction.execute(sql, row))?;
        self.append_next(transaction, &record)
    }

    /// Writes the file anew from its rows, moves what the write-ahead log holds into it and empties the log. SQLite leaves copies
    /// of rows in the unused room of pages that it split or merged before, and overwriting a row does not reach them.
    /// Waits for readers of an earlier moment as for every lock.
    fn write_anew(&self, writer: &mut Option<Writer>) -> Result<(), LedgerError> {
        let Some(Writer { connection, turns, .. }) = writer.as_mut() else { return Ok(()) };
        let _turn = turns.wait().map_err(unwritten)?;
        self.writing(connection.execute_batch("VACUUM"))?;
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = connection.query_row(sql, (), |row| row.get::<_, i64>(0));
        match self.writing(is_busy)? {
            0 => Ok(()),
            _ => Err(unwritten(SqliteError::new(&self.file, SqliteFault::Busy))),
        }
    }
}
