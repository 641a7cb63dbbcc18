//! Marking read, and archiving.

use super::desk::{Desk, Right};
use super::error::MailError;
use super::meant::Meant;
use super::message_ref::MessageRef;
use super::named_box::NamedBox;
use super::words::OthersBoxes;
use crate::Post;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::{MailFault, MailFolder, Mailbox, MessageLocation, MoveOutcome};
use std::path::PathBuf;

/// Which message is done with.
#[derive(Clone, Debug)]
pub struct FinishRequest {
    /// The message.
    pub file: MessageRef,
    /// Its box; the caller's own where none is named.
    pub mailbox: Option<NamedBox>,
    /// Whether it may be in a box of another.
    pub others: OthersBoxes,
}

/// Where it is now.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its name.
    pub file: FileName,
    /// The box.
    pub mailbox: MailboxName,
    /// The folder.
    pub folder: MailFolder,
    /// Its path.
    pub path: PathBuf,
    /// It was there, or further, before.
    pub unchanged: bool,
    /// Why the time could not be noted in it.
    pub unstamped: Option<String>,
}

impl Post {
    /// Marks a message read. A broadcast stays for the others.
    pub fn mark_read(&self, caller: &Caller, request: &FinishRequest) -> Result<Finished, MailError> {
        let desk = self.desk_to_read(caller)?;
        let (file, mailbox, right) = self.found(&desk, request)?;
        desk.record_forced(right, mailbox.name(), "mark_read", [file.as_str()])?;
        let moved = if mailbox.name().is_broadcast() {
            let (MessageLocation { folder, path, .. }, _) = mailbox.find(&file)?;
            let unchanged = !desk.mark_seen(&mailbox, &file)?;
            MoveOutcome { file, path, folder, unchanged, unstamped: None }
        } else {
            mailbox.mark_read(&file, &desk.holds_as(&mailbox, &file), desk.now)?
        };
        Ok(finished(&mailbox, moved))
    }

    /// Archives a message. A broadcast is archived by its sender, for everybody.
    pub fn archive(&self, caller: &Caller, request: &FinishRequest) -> Result<Finished, MailError> {
        let desk = self.desk_to_read(caller)?;
        let (file, mailbox, mut right) = self.found(&desk, request)?;
        let (_, message) = mailbox.find(&file)?;
        let is_anothers = mailbox.name().is_broadcast() && !desk.has_sent(&message.head);
        if is_anothers && desk.may_force(request.others) {
            right = Right::Forced;
        } else if is_anothers {
            return Err(MailError::BroadcastOfAnother { from: message.head.from });
        }
        desk.record_forced(right, mailbox.name(), "archive", [file.as_str()])?;
        let moved = mailbox.archive(&file, &desk.holds_as(&mailbox, &file))?;
        Ok(finished(&mailbox, moved))
    }

    fn found<'d>(
        &self,
        desk: &'d Desk<'_>,
        request: &FinishRequest,
    ) -> Result<(FileName, Mailbox<'d>, Right), MailError> {
        let Meant { file, mailbox } = desk.meant(&request.file, request.mailbox.as_ref())?;
        let right = desk.may_change(mailbox.name(), request.others)?;
        desk.give_back(&mailbox);
        // What cannot be read is not moved: it stays where whoever repairs it looks.
        let (place, _) = mailbox.find(&file)?;
        // What another session holds is not moved, whether or not that is forced.
        match place.lease.filter(|lease| right == Right::Forced && !desk.is_me(&lease.owner)) {
            Some(lease) => Err(MailFault::Held(Box::new(lease)).into()),
            None => Ok((file, mailbox, right)),
        }
    }
}

fn finished(mailbox: &Mailbox<'_>, moved: MoveOutcome) -> Finished {
    Finished {
        file: moved.file,
        mailbox: mailbox.name().clone(),
        folder: moved.folder,
        path: moved.path,
        unchanged: moved.unchanged,
        unstamped: moved.unstamped,
    }
}
