//! Counting what is unread, without bodies.

use super::folder::MailFolder;
use super::mailbox::Mailbox;
use super::root::MailRoot;
use super::tracked::TrackedMessages;
use crate::error::StoreError;
use brainstem_base::Timestamp;
use brainstem_mail::Priority;
use brainstem_mail::limits::MESSAGE_LEN_MAX;
use brainstem_mail::name::MailboxName;

/// The number of unread messages in some boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreadCount {
    /// Messages that no reader has read.
    pub unread: usize,
    /// How many of them are urgent. A message that git tracks does not count, whatever it says.
    pub urgent: usize,
    /// Those of them that git tracks.
    pub tracked: usize,
    /// Files that are not messages, whatever their names end with: a listing names each with the reason.
    pub unreadable: usize,
}

/// The number of messages in the folders of some boxes, by their names alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCount {
    /// Messages that wait, taken ones included.
    pub unread: usize,
    /// Messages that were read.
    pub read: usize,
    /// Messages in the archive.
    pub archived: usize,
}

impl MessageCount {
    /// All of them.
    pub fn all(self) -> usize {
        self.unread + self.read + self.archived
    }
}

impl MailRoot {
    /// Counts the messages of every box.
    pub fn count_messages(&self) -> Result<MessageCount, StoreError> {
        let mut counted = MessageCount::default();
        for name in self.boxes()? {
            let mailbox = self.listed(&name)?;
            for folder in MailFolder::ALL {
                let named =
                    mailbox.candidates(*folder)?.into_iter().filter(|candidate| candidate.file.is_ok());
                let count = match folder {
                    MailFolder::Unread | MailFolder::Held => &mut counted.unread,
                    MailFolder::Read => &mut counted.read,
                    MailFolder::Archive => &mut counted.archived,
                };
                *count += named.count();
            }
        }
        Ok(counted)
    }
}

impl Mailbox<'_> {
    /// Counts the unread messages; of the broadcast box, those that this reader has not seen.
    pub fn unread(
        &self,
        reader: &[MailboxName],
        tracked: &TrackedMessages,
        now: Timestamp,
    ) -> Result<UnreadCount, StoreError> {
        let seen = self.seen_by(reader)?;
        let mut counted = UnreadCount::default();
        for candidate in self.candidates(MailFolder::Unread)? {
            if seen.contains(&candidate.shown) {
                continue;
            }
            let head = self.head_of(&candidate).filter(|_| candidate.file_stamp.len <= MESSAGE_LEN_MAX);
            let (Ok(file), Some(head)) = (&candidate.file, head) else {
                counted.unreadable += 1;
                continue;
            };
            if head.is_expired(now) {
                continue;
            }
            counted.unread += 1;
            let is_tracked = tracked.has(&self.name, file, &candidate.path);
            counted.urgent += usize::from(head.priority == Priority::Urgent && !is_tracked);
            counted.tracked += usize::from(is_tracked);
        }
        Ok(counted)
    }
}
