//! The inbox of a home, opened for one call.

use super::error::InboxError;
use crate::Post;
use crate::ledger::LEDGER_FOLDER;
use brainstem_base::DiskFault;
use brainstem_inbox::founding::SeenEnds;
use brainstem_inbox::{Folded, InboxDirectory, Mirror, catch_up, fold};
use brainstem_inbox_sqlite::SqliteMirror;
use brainstem_ledger::{
    ChainFault, ChainFaultKind, Ledger, ReadFrom, Receipt, Sequence, TopicId, TopicMessage,
};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_vault::durable;
use std::cmp::Ordering;

/// The folder of a home in which the mirror is: derived, and may be deleted at any time.
pub const INBOX_FOLDER: &str = "inbox";

/// The ledger, the mirror, and what the control topics say.
pub(super) struct OpenedInbox {
    pub(super) ledger: SqliteLedger,
    pub(super) mirror: SqliteMirror,
    pub(super) directory: InboxDirectory,
    pub(super) seen: SeenEnds,
}

impl Post {
    /// Opens the inbox to read, brought up to the ledger. `None` if the home has no ledger yet: there is nothing to read, and
    /// a look makes no file.
    pub(super) fn open_inbox_to_read(&self) -> Result<Option<OpenedInbox>, InboxError> {
        let ledger = self.memory().home().path().join(LEDGER_FOLDER);
        match self.disk().stat(&ledger) {
            Ok(_) if self.memory().only_looks() => return Err(InboxError::OnlyLooks),
            Ok(_) => {}
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.check_ledger_is_there(&self.ledger())?;
                return Ok(None);
            }
            Err(error) => {
                let why = format!("the ledger cannot be looked at: {error}");
                return Err(InboxError::Unavailable { why, is_passing: false });
            }
        }
        let mut opened = self.open_inbox_files()?;
        catch_up(&opened.ledger, &opened.mirror, &mut opened.directory)?;
        Ok(Some(opened))
    }

    /// Opens the inbox to write, making the home and its folders if they are missing.
    pub(super) fn open_inbox(&self) -> Result<OpenedInbox, InboxError> {
        if self.memory().only_looks() {
            return Err(InboxError::OnlyLooks);
        }
        self.memory().home().ensure()?;
        let mut opened = self.open_inbox_files()?;
        opened.directory.refresh(&opened.ledger, &opened.seen)?;
        Ok(opened)
    }

    fn open_inbox_files(&self) -> Result<OpenedInbox, InboxError> {
        let memory = self.memory();
        let [ledger, mirror] = [LEDGER_FOLDER, INBOX_FOLDER].map(|name| memory.home().path().join(name));
        for folder in [&ledger, &mirror] {
            durable::make_dirs(self.disk(), folder)?;
        }
        let ledger = SqliteLedger::in_folder(&ledger, memory.disk().clone(), memory.clock().clone());
        let mirror = SqliteMirror::in_folder(&mirror, memory.disk().clone(), memory.clock().clone());
        self.check_ledger_is_there(&ledger)?;
        let seen = mirror.cursors()?;
        Ok(OpenedInbox { ledger, mirror, directory: InboxDirectory::default(), seen })
    }
}

impl OpenedInbox {
    /// Refuses a topic that ends before the last message which the inbox has seen of it, or with another one: what is appended
    /// there would be gone when the right ledger is put back.
    pub(super) fn check_unchanged(&self, topic: TopicId) -> Result<(), InboxError> {
        let Some(seen) = self.seen.get(&topic) else { return Ok(()) };
        let head = self.ledger.head(topic)?;
        let fault = |kind| Err(InboxError::Changed(ChainFault { topic, sequence: seen.sequence, kind }));
        match head.sequence.cmp(&Some(seen.sequence)) {
            Ordering::Less => fault(ChainFaultKind::Missing),
            Ordering::Equal if head.running_hash != seen.hash => fault(ChainFaultKind::Rewritten),
            Ordering::Equal | Ordering::Greater => Ok(()),
        }
    }

    /// The message that a receipt is of.
    pub(super) fn message_of(&self, receipt: &Receipt) -> Result<TopicMessage, InboxError> {
        let before = Sequence::new(receipt.sequence.number() - 1);
        let from = before.map_or(ReadFrom::Start, ReadFrom::After);
        let found = self.ledger.read(receipt.topic, from, 1)?.messages.into_iter().next();
        found.ok_or_else(|| InboxError::Unavailable {
            why: format!("message {} of topic {} is gone", receipt.sequence, receipt.topic),
            is_passing: false,
        })
    }

    /// Writes what an appended message gives straight into the mirror (INB-9). The rows are those that a catch-up gives, so
    /// that none comes twice.
    pub(super) fn write_straight(&mut self, receipt: &Receipt) -> Result<(), InboxError> {
        let message = self.message_of(receipt)?;
        // A definition with a smaller time may have come since the directory was read.
        self.directory.refresh(&self.ledger, &self.seen)?;
        let mut folded = Folded::default();
        fold(&mut self.directory, &message, &mut folded);
        Ok(self.mirror.apply(&folded, None)?)
    }
}
