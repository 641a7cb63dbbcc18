//! Taking the content of messages back.

use crate::ledger::{SqliteLedger, Writer, unwritten};
use crate::rows::to_sql;
use brainstem_base::DiskFault;
use brainstem_ledger::{LedgerError, Receipt, Redact, RedactionRecord};
use brainstem_sqlite::rusqlite::Transaction;
use brainstem_sqlite::{SqliteError, SqliteFault};
use std::path::PathBuf;

/// The name of the file beside the ledger that is there while erased bytes may still be in unused room of the ledger's file.
const ERASURE_DUE: &str = "ledger.erasing";

/// Messages that were redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// Where the records are.
    pub records: Vec<Receipt>,
    /// Why the file could not be written anew: the content is gone from its rows, and may still be in unused room of the file. A
    /// repeat writes it anew.
    pub unwritten: Option<LedgerError>,
}

impl SqliteLedger {
    /// Redacts messages, all or none, and writes the file anew once, which takes the longer the larger the file is. An error says that
    /// nothing was redacted.
    pub fn redact_all(&self, redactions: &[Redact]) -> Result<Redacted, LedgerError> {
        redactions.iter().try_for_each(Redact::check)?;
        let mut writer = self.writer.writer();
        let is_marked = self.mark_erasure()?;
        let records = self.write(&mut writer, |transaction| {
            // Freed room is overwritten, so that a kill before the file is written anew leaves as little as possible.
            self.writing(transaction.pragma_update(None, "secure_delete", true))?;
            redactions.iter().map(|redact| self.redact_in(transaction, redact)).collect::<Result<Vec<_>, _>>()
        });
        let records = match records {
            Ok(records) => records,
            Err(error) => {
                if is_marked {
                    let _ = self.disk.unlink(&self.erasure_mark());
                }
                return Err(error);
            }
        };
        let unwritten = self.write_anew(&mut writer).err();
        if unwritten.is_none() {
            let _ = self.disk.unlink(&self.erasure_mark());
        }
        Ok(Redacted { records, unwritten })
    }

    /// Whether bytes that were redacted may still be in unused room of the file: its writing anew failed, or was cut off.
    pub fn is_erasure_due(&self) -> bool {
        self.disk.stat(&self.erasure_mark()).is_ok()
    }

    fn erasure_mark(&self) -> PathBuf {
        self.file.with_file_name(ERASURE_DUE)
    }

    /// Puts on record that the file is to be written anew. Returns whether that is new.
    fn mark_erasure(&self) -> Result<bool, LedgerError> {
        match self.disk.write_private(&self.erasure_mark(), b"") {
            Ok(()) => Ok(true),
            Err(error) if error.fault() == DiskFault::Exists => Ok(false),
            Err(error) => Err(unwritten(SqliteError::of_disk(&self.erasure_mark(), &error))),
        }
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
