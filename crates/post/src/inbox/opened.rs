//! The inbox of a home, opened for one call.

use super::error::InboxError;
use crate::Post;
use crate::inbox_files::{INBOX_FOLDER, LEDGER_FOLDER};
use brainstem_base::DiskFault;
use brainstem_inbox::founding::SeenEnds;
use brainstem_inbox::mirror::MirrorStep;
use brainstem_inbox::{Folded, InboxDirectory, Mirror, MirrorCursor, catch_up, fold};
use brainstem_inbox_sqlite::{LookDepth, SqliteMirror};
use brainstem_ledger::{BackendFault, Ledger, ReadFrom, Receipt, Sequence, TopicId, TopicMessage};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_vault::durable;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The ledger and the mirror, as every call of the process shares them.
type InboxFiles = (Arc<SqliteLedger>, Arc<SqliteMirror>);

/// The ledger, the mirror, and what the control topics say.
pub(super) struct OpenedInbox {
    pub(super) ledger: Arc<SqliteLedger>,
    pub(super) mirror: Arc<SqliteMirror>,
    pub(super) directory: InboxDirectory,
    pub(super) seen: SeenEnds,
}

impl Post {
    /// Opens the inbox to read, brought up to the ledger. `None` if the home has no ledger yet: there is nothing to read, and
    /// a look makes no file.
    pub(super) fn open_inbox_to_read(&self) -> Result<Option<OpenedInbox>, InboxError> {
        let Some(mut opened) = self.open_inbox_behind()? else { return Ok(None) };
        catch_up(&*opened.ledger, &*opened.mirror, &mut opened.directory)?;
        Ok(Some(opened))
    }

    /// As [`open_inbox_to_read`](Self::open_inbox_to_read), for a caller that brings it up to the ledger itself.
    pub(super) fn open_inbox_behind(&self) -> Result<Option<OpenedInbox>, InboxError> {
        match self.has_ledger()? {
            true if self.memory().only_looks() => Err(InboxError::OnlyLooks),
            true => self.open_inbox_files().map(Some),
            false => Ok(None),
        }
    }

    /// What the control topics say; empty if the home has no ledger. A look makes no file and changes none.
    pub(super) fn inbox_directory(&self) -> Result<InboxDirectory, InboxError> {
        let mut directory = InboxDirectory::default();
        directory.refresh(&*self.ledger(), &SeenEnds::new())?;
        Ok(directory)
    }

    /// Brings the mirror up to the ledger, if there is one.
    pub(crate) fn catch_up_inbox(&self) -> Result<(), InboxError> {
        match self.disk().stat(&self.folder_of(INBOX_FOLDER)) {
            Ok(_) => self.open_inbox_to_read().map(drop),
            Err(_) => Ok(()),
        }
    }

    /// Whether the home has a ledger.
    fn has_ledger(&self) -> Result<bool, InboxError> {
        match self.disk().stat(&self.folder_of(LEDGER_FOLDER)) {
            Ok(_) => Ok(true),
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.check_ledger_is_there(&self.ledger())?;
                Ok(false)
            }
            Err(error) => {
                let why = format!("the ledger cannot be looked at: {error}");
                Err(InboxError::Unavailable { why, fault: BackendFault::Other })
            }
        }
    }

    /// The files of the inbox without a look into the mirror, which may be damaged. `None` if the home has no ledger.
    pub(super) fn inbox_to_rebuild(&self) -> Result<Option<InboxFiles>, InboxError> {
        if !self.has_ledger()? {
            return Ok(None);
        }
        if self.memory().only_looks() {
            return Err(InboxError::OnlyLooks);
        }
        durable::make_dirs(self.disk(), &self.folder_of(INBOX_FOLDER))?;
        Ok(Some((self.ledger(), self.mirror())))
    }

    /// As [`open_inbox_to_read`](Self::open_inbox_to_read), for a call that only shows what is there: if the disk takes nothing, the
    /// mirror is made in memory. Leases and the feed of such a mirror mean nothing.
    pub(super) fn open_inbox_to_show(&self) -> Result<Option<OpenedInbox>, InboxError> {
        if self.memory().only_looks() {
            return match self.open_mirror_as_it_is()? {
                // Nothing of the ledger is missing in it.
                Some((opened, 0)) => Ok(Some(opened)),
                Some(_) => self.open_inbox_in_memory().map(Some),
                None => Ok(None),
            };
        }
        match self.open_inbox_to_read() {
            Err(error) if error.is_about_room() => self.open_inbox_in_memory().map(Some),
            opened => opened,
        }
    }

    /// Opens the mirror for a caller that may change nothing, and returns how many topics have messages that it has not taken in. `None`
    /// if the home has no ledger yet. A mirror that is not there counts as one that has taken in nothing.
    pub(super) fn open_mirror_as_it_is(&self) -> Result<Option<(OpenedInbox, usize)>, InboxError> {
        if !self.has_ledger()? {
            return Ok(None);
        }
        let memory = self.memory();
        let ledger = self.ledger_to_read()?;
        let (disk, clock) = (memory.disk().clone(), memory.clock().clone());
        let is_there = self.look_at_mirror(LookDepth::Rows, 0).is_ok_and(|look| look.is_some());
        let mirror = match is_there {
            true => SqliteMirror::to_look(&self.folder_of(INBOX_FOLDER), disk, clock),
            false => SqliteMirror::in_memory(disk, clock),
        };
        self.check_no_older_copy(&ledger, &self.ends_on_record())?;
        let (mut directory, seen) = (InboxDirectory::default(), mirror.cursors()?);
        for (topic, at) in mirror.closed()? {
            directory.note_closed(topic, at);
        }
        directory.refresh(&*ledger, &seen)?;
        let ends: BTreeMap<TopicId, Option<Sequence>> =
            ledger.heads()?.into_iter().map(|head| (head.topic, head.sequence)).collect();
        let is_behind = |topic: &TopicId| {
            ends.get(topic).copied().flatten() > seen.get(topic).map(|cursor| cursor.sequence)
        };
        let behind = directory.followed().filter(|(topic, _)| is_behind(topic)).count();
        Ok(Some((OpenedInbox { ledger, mirror: Arc::new(mirror), directory, seen }, behind)))
    }

    fn open_inbox_in_memory(&self) -> Result<OpenedInbox, InboxError> {
        let memory = self.memory();
        let mirror = Arc::new(SqliteMirror::in_memory(memory.disk().clone(), memory.clock().clone()));
        let (directory, seen) = (InboxDirectory::default(), SeenEnds::new());
        let ledger = self.ledger();
        self.check_no_older_copy(&ledger, &self.ends_on_record())?;
        let mut opened = OpenedInbox { ledger, mirror, directory, seen };
        catch_up(&*opened.ledger, &*opened.mirror, &mut opened.directory)?;
        Ok(opened)
    }

    /// Opens the inbox to write, making the home and its folders if they are missing.
    pub(super) fn open_inbox(&self) -> Result<OpenedInbox, InboxError> {
        if self.memory().only_looks() {
            return Err(InboxError::OnlyLooks);
        }
        self.memory().home().ensure()?;
        let mut opened = self.open_inbox_files()?;
        opened.directory.refresh(&*opened.ledger, &opened.seen)?;
        Ok(opened)
    }

    fn open_inbox_files(&self) -> Result<OpenedInbox, InboxError> {
        for folder in [LEDGER_FOLDER, INBOX_FOLDER] {
            durable::make_dirs(self.disk(), &self.folder_of(folder))?;
        }
        let (ledger, mirror) = (self.ledger(), self.mirror());
        self.check_ledger_is_there(&ledger)?;
        let seen = mirror.cursors()?;
        let mut ends = seen.clone();
        ends.extend(mirror.straight_ends()?.into_iter().map(|end| (end.topic, end)));
        self.check_no_older_copy(&ledger, &ends)?;
        Ok(OpenedInbox { ledger, mirror, directory: InboxDirectory::default(), seen })
    }
}

impl OpenedInbox {
    /// The message that a receipt is of.
    pub(super) fn message_of(&self, receipt: &Receipt) -> Result<TopicMessage, InboxError> {
        let before = Sequence::new(receipt.sequence.number() - 1);
        let from = before.map_or(ReadFrom::Start, ReadFrom::After);
        let found = self.ledger.read(receipt.topic, from, 1)?.messages.into_iter().next();
        found.ok_or_else(|| InboxError::Unavailable {
            why: format!("message {} of topic {} is gone", receipt.sequence, receipt.topic),
            fault: BackendFault::Other,
        })
    }

    /// Writes what an appended message gives straight into the mirror (INB-9). The rows are those that a catch-up gives, so
    /// that none comes twice.
    pub(super) fn write_straight(&mut self, receipt: &Receipt) -> Result<(), InboxError> {
        let message = self.message_of(receipt)?;
        // A definition with a smaller time may have come since the directory was read.
        self.directory.refresh(&*self.ledger, &self.seen)?;
        let mut folded = Folded::default();
        fold(&mut self.directory, &message, &mut folded);
        let seen = MirrorCursor::of(&message.head()).expect("a message has a number");
        Ok(self.mirror.apply(&folded, MirrorStep::Straight(&seen))?)
    }
}
