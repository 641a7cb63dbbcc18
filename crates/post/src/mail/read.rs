//! Reading one message.

use super::error::MailError;
use super::list::{Depth, ListRequest, Row, mark_answered};
use super::meant::Meant;
use super::message_ref::MessageRef;
use super::named_box::NamedBox;
use crate::Post;
use brainstem_mail::FileName;
use brainstem_mail::filter::ListOrder;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::{MailFolder, Writing};

/// Which message.
#[derive(Clone, Debug, Default)]
pub struct ReadRequest {
    /// The message; the most urgent that is unread, then the oldest, where none is named.
    pub file: Option<MessageRef>,
    /// Its box; the caller's own where none is named.
    pub mailbox: Option<NamedBox>,
}

/// A message, whole.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What it says about itself, and where it lies.
    pub row: Row,
    /// What it says.
    pub body: String,
    /// The box belongs to somebody else.
    pub not_yours: bool,
    /// Where the call named no message: how many others are unread in these boxes.
    pub waiting: Option<usize>,
    /// The caller is done with it once it marks it read. `None` where there is nothing to mark: it is a broadcast, was
    /// read before, or lies in a box of another session.
    pub to_mark_read: Option<String>,
    /// Boxes and folders that could not be looked at: an answer may lie there.
    pub gaps: Vec<String>,
}

impl Post {
    /// Returns a message where it lies, and changes nothing. Once the caller has a broadcast, the door calls
    /// [`note_seen`](Self::note_seen).
    pub fn read_mail(&self, caller: &Caller, request: &ReadRequest) -> Result<Shown, MailError> {
        let desk = self.desk_to_read(caller)?;
        let (Meant { file, mailbox }, waiting) = match &request.file {
            Some(file) => (desk.meant(file, request.mailbox.as_ref())?, None),
            None => {
                let (mailbox, file, waiting) = self.next_unread(caller, request.mailbox.as_ref())?;
                let meant = Meant { file: FileName::parse(&file)?, mailbox: desk.root.listed(&mailbox)? };
                (meant, Some(waiting))
            }
        };
        let (place, message) = mailbox.find(&file)?;
        let body = message.body().to_owned();
        let mut rows = [Row {
            returned: place.lease.as_ref().map_or_else(|| mailbox.returned(&file), |lease| lease.returned),
            unfinished: mailbox.writing(&file, &place.path) != Writing::Done,
            tracked: desk.tracked().has(mailbox.name(), &file, &place.path),
            answered: false,
            seen: desk.has_seen(&mailbox, &file),
            file: file.to_string(),
            mailbox: mailbox.name().clone(),
            folder: place.folder,
            path: place.path,
            lease: place.lease,
            head: message.head,
        }];
        let mut links = self.mail_links(&desk.root);
        let gaps = mark_answered(&desk, &mut links, &mut rows, Depth::YoungArchive);
        let [row] = rows;
        let not_yours = !desk.is_own(mailbox.name());
        let is_held_by_another = row.lease.as_ref().is_some_and(|lease| !desk.is_me(&lease.owner));
        let waits = matches!(row.folder, MailFolder::Unread | MailFolder::Held) && !is_held_by_another;
        let to_mark_read = (waits && !not_yours && !mailbox.name().is_broadcast())
            .then(|| format!("{}/{}", row.mailbox, row.file));
        Ok(Shown { not_yours, waiting, to_mark_read, body, row, gaps })
    }

    /// Notes that the caller has seen a broadcast, which is no longer unread for it (MAIL-12).
    pub fn note_seen(&self, caller: &Caller, file: &str) -> Result<(), MailError> {
        let desk = self.desk_to_read(caller)?;
        let mailbox = desk.root.listed(&MailboxName::broadcast())?;
        desk.mark_seen(&mailbox, &FileName::parse(file)?).map(drop)
    }

    /// The box and the name of the message that is to be read next, and how many others are unread.
    fn next_unread(
        &self,
        caller: &Caller,
        mailbox: Option<&NamedBox>,
    ) -> Result<(MailboxName, String, usize), MailError> {
        let (boxes, order) = (mailbox.cloned().into(), ListOrder::UrgentFirst);
        let request = ListRequest { boxes, order, limit: 1, ..ListRequest::default() };
        let mut listed = self.list_mail(caller, &request)?;
        let row = listed.rows.pop().ok_or_else(|| {
            let nothing = match mailbox {
                Some(name) => format!("nothing is unread in the box `{name}`"),
                None => format!("nothing is unread for {}", listed.me),
            };
            // A box that is not there, or that could not be looked into, holds nothing that is known to be read.
            let unreadable = match listed.unreadable.len() {
                0 => None,
                1 => Some("1 file there cannot be read as a message".to_owned()),
                n => Some(format!("{n} files there cannot be read as messages")),
            };
            let told: Vec<String> = [nothing].into_iter().chain(unreadable).chain(listed.gaps).collect();
            MailError::NothingUnread { told: told.join("; "), named: mailbox.map(ToString::to_string) }
        })?;
        Ok((row.mailbox, row.file, listed.left_out))
    }
}
