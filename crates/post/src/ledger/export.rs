//! Writing the ledger out: as lines that every program reads, or as a file that can take the place of the ledger.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_base::DiskError;
use brainstem_ledger::{Ledger as _, ReadFrom, SubmitPolicy, Topic, TopicId, TopicMessage};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_vault::durable;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerExportFormat {
    /// A JSON document a line: each topic, then its messages.
    JsonLines,
    /// A ledger file of one moment, as a backup.
    Sqlite,
}

/// What was written out.
#[derive(Clone, Debug)]
pub struct LedgerExport {
    /// The file.
    pub path: PathBuf,
    /// How many topics.
    pub topics: usize,
    /// How many messages.
    pub messages: usize,
}

/// How much is written in one step.
const PIECE_BYTES: usize = 1024 * 1024;
const PAGE: usize = 500;

impl Post {
    /// Writes the ledger, or one topic of it, to a new file that its owner alone may read.
    pub fn export_ledger(
        &self,
        topic: Option<TopicId>,
        format: LedgerExportFormat,
        out: &Path,
    ) -> Result<LedgerExport, LedgerUseError> {
        if self.disk().stat(out).is_ok() {
            return Err(LedgerUseError::Taken { path: out.to_owned() });
        }
        let ledger = self.ledger_apart_to_read()?;
        match (format, topic) {
            (LedgerExportFormat::Sqlite, Some(_)) => {
                Err(LedgerUseError::Together("a backup is of all topics: leave out `topic` or `format`"))
            }
            (LedgerExportFormat::Sqlite, None) => {
                let (topics, messages) = ledger.back_up_to(out)?;
                Ok(LedgerExport { path: out.to_owned(), topics, messages })
            }
            (LedgerExportFormat::JsonLines, topic) => self.export_lines(&ledger, topic, out),
        }
    }

    fn export_lines(
        &self,
        ledger: &SqliteLedger,
        only: Option<TopicId>,
        out: &Path,
    ) -> Result<LedgerExport, LedgerUseError> {
        let folder = out.parent().unwrap_or(out);
        let temp = folder.join(format!("{}{}", durable::TEMP_PREFIX, self.ids().temp_suffix()));
        let failed = |source: DiskError| LedgerUseError::Unwritable { path: out.to_owned(), source };
        let written = self.write_lines(ledger, only, &temp, &failed);
        let named = written.and_then(|counts| {
            self.disk().rename_new(&temp, out).and_then(|()| self.disk().sync_dir(folder)).map_err(failed)?;
            Ok(counts)
        });
        if named.is_err() {
            let _ = self.disk().unlink(&temp);
        }
        named.map(|(topics, messages)| LedgerExport { path: out.to_owned(), topics, messages })
    }

    fn write_lines(
        &self,
        ledger: &SqliteLedger,
        only: Option<TopicId>,
        temp: &Path,
        failed: &dyn Fn(DiskError) -> LedgerUseError,
    ) -> Result<(usize, usize), LedgerUseError> {
        self.disk().write_private(temp, b"").map_err(failed)?;
        let (mut topics, mut messages, mut piece) = (0, 0, String::new());
        let flush = |piece: &mut String, len_min: usize| match piece.len() >= len_min {
            true => self.disk().append(temp, std::mem::take(piece).as_bytes()).map_err(failed),
            false => Ok(()),
        };
        let mut after = None;
        loop {
            let page: Vec<Topic> = match only {
                Some(id) => ledger
                    .topic(id)?
                    .map(|topic| vec![topic])
                    .ok_or(brainstem_ledger::LedgerError::NoTopic(id))?,
                None => ledger.topics(after, PAGE)?,
            };
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            for topic in &page {
                topics += 1;
                push_line(&mut piece, &topic_line(topic));
                let mut from = ReadFrom::Start;
                loop {
                    let read = ledger.read(topic.id, from, PAGE)?;
                    for message in &read.messages {
                        messages += 1;
                        push_line(&mut piece, &message_line(message));
                        flush(&mut piece, PIECE_BYTES)?;
                    }
                    match read.messages.last() {
                        Some(last) if read.has_more => from = ReadFrom::After(last.sequence),
                        _ => break,
                    }
                }
            }
            if only.is_some() {
                break;
            }
        }
        flush(&mut piece, 1)?;
        Ok((topics, messages))
    }
}

fn push_line(piece: &mut String, line: &Value) {
    piece.push_str(&line.to_string());
    piece.push('\n');
}

fn topic_line(topic: &Topic) -> Value {
    let submitter = match topic.policy {
        SubmitPolicy::Everyone => None,
        SubmitPolicy::Only(account) => Some(account.to_string()),
    };
    json!({ "topic": topic.id.to_string(), "memo": topic.memo, "submitter": submitter, "created": topic.created.to_string() })
}

/// A message as a line. Its bytes are base64, as they are whatever they say.
fn message_line(message: &TopicMessage) -> Value {
    json!({
        "topic": message.topic.to_string(),
        "sequence": message.sequence.number(),
        "consensus": message.consensus.to_string(),
        "submitter": message.submitter.to_string(),
        "key": message.key.as_ref().map(|key| key.as_str()),
        "message": brainstem_ledger::base64_of(&message.bytes),
        "redacted_sha384": message.redacted.map(|content| content.to_string()),
        "running_hash": message.running_hash.to_string(),
    })
}
