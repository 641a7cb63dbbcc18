//! Reading one message.

use super::error::MailError;
use super::list::{MailListRequest, MessageRow, ReplySearch, mark_answered};
use super::message_lookup::MessageInBox;
use super::message_ref::MessageRef;
use super::named_box::NamedBox;
use crate::Post;
use brainstem_mail::FileName;
use brainstem_mail::filter::ListOrder;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::Writing;

/// The message to read.
#[derive(Clone, Debug, Default)]
pub struct ReadRequest {
    /// The message. Without one, the most urgent unread one, then the oldest.
    pub file: Option<MessageRef>,
    /// Its box; the caller's own if none is named.
    pub mailbox: Option<NamedBox>,
}

/// A whole message.
#[derive(Clone, Debug)]
pub struct ReadMessage {
    /// Its head, and where it is.
    pub row: MessageRow,
    /// Its text.
    pub body: String,
    /// The box is not the caller's.
    pub not_yours: bool,
    /// If the call named no message: how many others are unread in these boxes.
    pub waiting: Option<usize>,
    /// The box and name to mark read. `None` if there is nothing to mark: it is a broadcast, was read before, or is in another
    /// session's box.
    pub to_mark_read: Option<String>,
    /// Boxes and folders that could not be looked at: an answer may be there.
    pub gaps: Vec<String>,
}

impl Post {
    /// Returns a message and changes nothing. After the caller has got a broadcast, the door calls
    /// [`note_seen`](Self::note_seen).
    pub fn read_mail(&self, caller: &Caller, request: &ReadRequest) -> Result<ReadMessage, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let (MessageInBox { file, mailbox }, waiting) = match &request.file {
            Some(file) => (caller_mail.find_message(file, request.mailbox.as_ref())?, None),
            None => {
                let (mailbox, file, waiting) = self.next_unread(caller, request.mailbox.as_ref())?;
                let found_message = MessageInBox {
                    file: FileName::parse(&file)?,
                    mailbox: caller_mail.root.listed(&mailbox)?,
                };
                (found_message, Some(waiting))
            }
        };
        let (place, message) = mailbox.find(&file)?;
        let body = message.body().to_owned();
        let mut rows = [MessageRow {
            returned: place.lease.as_ref().map_or_else(|| mailbox.returned(&file), |lease| lease.returned),
            unfinished: mailbox.writing(&file, &place.path) != Writing::Done,
            tracked: caller_mail.tracked().has(mailbox.name(), &file, &place.path),
            answered: false,
            seen: caller_mail.has_seen(&mailbox, &file),
            expired: place.folder.waits() && message.head.is_expired(caller_mail.now),
            file: file.to_string(),
            mailbox: mailbox.name().clone(),
            folder: place.folder,
            path: place.path,
            lease: place.lease,
            head: message.head,
        }];
        let mut links = self.mail_links(&caller_mail.root);
        let gaps = mark_answered(&caller_mail, &mut links, &mut rows, ReplySearch::YoungArchive);
        let [row] = rows;
        let not_yours = !caller_mail.is_own(mailbox.name());
        let is_held_by_another = row.lease.as_ref().is_some_and(|lease| !caller_mail.is_my_lease(lease));
        let waits = row.folder.waits() && !is_held_by_another;
        let to_mark_read = (waits && !not_yours && !mailbox.name().is_broadcast())
            .then(|| format!("{}/{}", row.mailbox, row.file));
        Ok(ReadMessage { not_yours, waiting, to_mark_read, body, row, gaps })
    }

    /// Notes that the caller has seen a broadcast, so it is no longer unread for it (MAIL-12).
    pub fn note_seen(&self, caller: &Caller, file: &str) -> Result<(), MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let mailbox = caller_mail.root.listed(&MailboxName::broadcast())?;
        caller_mail.mark_seen(&mailbox, &FileName::parse(file)?).map(drop)
    }

    /// The box and the name of the next message to read, and how many others are unread.
    fn next_unread(
        &self,
        caller: &Caller,
        mailbox: Option<&NamedBox>,
    ) -> Result<(MailboxName, String, usize), MailError> {
        let (boxes, order) = (mailbox.cloned().into(), ListOrder::UrgentFirst);
        let request = MailListRequest { boxes, order, limit: 1, ..MailListRequest::default() };
        let mut listed = self.list_mail(caller, &request)?;
        let row = listed.rows.pop().ok_or_else(|| {
            let nothing = match mailbox {
                Some(name) => format!("nothing is unread in the box `{name}`"),
                None => format!("nothing is unread for {}", listed.me),
            };
            // A box that does not exist or cannot be looked into does not show that all mail is read.
            let unreadable = match listed.unreadable.len() {
                0 => None,
                1 => Some("1 file there cannot be read as a message".to_owned()),
                n => Some(format!("{n} files there cannot be read as messages")),
            };
            let expired = match listed.expired {
                0 => None,
                1 => Some("1 message there has expired".to_owned()),
                n => Some(format!("{n} messages there have expired")),
            };
            let beside = unreadable.into_iter().chain(expired).chain(listed.gaps);
            let parts: Vec<String> = [nothing].into_iter().chain(beside).collect();
            MailError::NothingUnread { sentence: parts.join("; "), named: mailbox.map(ToString::to_string) }
        })?;
        Ok((row.mailbox, row.file, listed.left_out))
    }
}
