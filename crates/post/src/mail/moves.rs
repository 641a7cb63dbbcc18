//! Marking read, and archiving.

use super::caller_mail::{BoxRight, CallerMail};
use super::error::MailError;
use super::message_lookup::MessageInBox;
use super::message_ref::MessageRef;
use super::named_box::NamedBox;
use super::words::OthersBoxes;
use crate::Post;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::{MailFault, MailFolder, Mailbox, MessageLocation, MoveOutcome};
use std::path::PathBuf;

/// The message to mark read or archive.
#[derive(Clone, Debug)]
pub struct FinishRequest {
    /// The message.
    pub file: MessageRef,
    /// Its box; the caller's own if none is named.
    pub mailbox: Option<NamedBox>,
    /// Whether the box may be another caller's.
    pub others: OthersBoxes,
}

/// What the sender of a message may do to it in the box of another caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SenderRight {
    /// Nothing.
    None,
    /// The move, while the message is unread and no session holds it.
    Unread,
}

/// Where the message is now.
#[derive(Clone, Debug)]
pub struct MovedMessage {
    /// Its name.
    pub file: FileName,
    /// The box.
    pub mailbox: MailboxName,
    /// The folder.
    pub folder: MailFolder,
    /// Its path.
    pub path: PathBuf,
    /// It was in this folder, or a later one, before.
    pub unchanged: bool,
    /// Why the time could not be written into it.
    pub unstamped: Option<String>,
}

impl Post {
    /// Marks a message read. A broadcast stays for its other readers.
    pub fn mark_read(&self, caller: &Caller, request: &FinishRequest) -> Result<MovedMessage, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let (file, mailbox, right) = self.found(&caller_mail, request, SenderRight::None)?;
        caller_mail.record_forced(right, mailbox.name(), "mark_read", [file.as_str()])?;
        let moved = if mailbox.name().is_broadcast() {
            let (MessageLocation { folder, path, .. }, _) = mailbox.find(&file)?;
            let unchanged = !caller_mail.mark_seen(&mailbox, &file)?;
            MoveOutcome { file, path, folder, unchanged, unstamped: None }
        } else {
            mailbox.mark_read(&file, &caller_mail.holder_name(&mailbox, &file)?, caller_mail.now)?
        };
        Ok(finished(&mailbox, moved))
    }

    /// Archives a message. Only its sender can archive a broadcast, and does so for all readers. A sender can take back a
    /// message that is unread, from any box.
    pub fn archive(&self, caller: &Caller, request: &FinishRequest) -> Result<MovedMessage, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let (file, mailbox, mut right) = self.found(&caller_mail, request, SenderRight::Unread)?;
        let (_, message) = mailbox.find(&file)?;
        let is_anothers = mailbox.name().is_broadcast() && !caller_mail.has_sent(&message.head);
        if is_anothers && caller_mail.may_force(request.others) {
            right = BoxRight::Forced;
        } else if is_anothers {
            return Err(MailError::BroadcastOfAnother { from: message.head.from });
        }
        caller_mail.record_forced(right, mailbox.name(), "archive", [file.as_str()])?;
        let moved = mailbox.archive(&file, &caller_mail.holder_name(&mailbox, &file)?)?;
        Ok(finished(&mailbox, moved))
    }

    fn found<'d>(
        &self,
        caller_mail: &'d CallerMail<'_>,
        request: &FinishRequest,
        sender: SenderRight,
    ) -> Result<(FileName, Mailbox<'d>, BoxRight), MailError> {
        let MessageInBox { file, mailbox } =
            caller_mail.find_message(&request.file, request.mailbox.as_ref())?;
        let is_taken_back = sender == SenderRight::Unread
            && mailbox.find(&file).is_ok_and(|(place, message)| {
                // One that was taken back stays where it is.
                [MailFolder::Unread, MailFolder::Archive].contains(&place.folder)
                    && caller_mail.has_sent(&message.head)
            });
        let right = match caller_mail.may_change(mailbox.name(), request.others) {
            Err(MailError::BoxOfAnother { .. }) if is_taken_back => BoxRight::Sender,
            Err(error @ MailError::BoxOfAnother { is_forced: false, .. })
                if sender == SenderRight::Unread =>
            {
                let message = mailbox.find(&file).ok().map(|(_, message)| message.head);
                let from = message.and_then(|head| caller_mail.other_name_of_sender(&head));
                let me = caller_mail.own.me.clone();
                return Err(from.map_or(error, |from| MailError::SentUnderAnotherName { from, me }));
            }
            right => right?,
        };
        caller_mail.give_back(&mailbox);
        // A message that cannot be read stays where the person that repairs it looks.
        let (place, _) = mailbox.find(&file)?;
        // A message that another session holds is not moved, even by force.
        match place.lease.filter(|lease| right == BoxRight::Forced && !caller_mail.is_my_lease(lease)) {
            Some(lease) => Err(MailFault::Held(Box::new(lease)).into()),
            None => Ok((file, mailbox, right)),
        }
    }
}

fn finished(mailbox: &Mailbox<'_>, moved: MoveOutcome) -> MovedMessage {
    MovedMessage {
        file: moved.file,
        mailbox: mailbox.name().clone(),
        folder: moved.folder,
        path: moved.path,
        unchanged: moved.unchanged,
        unstamped: moved.unstamped,
    }
}
