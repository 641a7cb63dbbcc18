//! Taking a message out of a shared box, so that nobody else works on it.

use super::desk::{Desk, Right};
use super::error::MailError;
use super::list::sort_key;
use super::meant::Meant;
use super::message_ref::MessageRef;
use super::named_box::NamedBox;
use super::words::{LeaseTime, OthersBoxes};
use crate::Post;
use brainstem_base::Timestamp;
use brainstem_mail::filter::ListOrder;
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, Lease, MessageHead};
use brainstem_memory::Caller;
use brainstem_vault::mail::{ListedMessage, MailFault, MailFolder, Mailbox, UnreadableMessage};
use std::path::PathBuf;

/// What is to be taken.
#[derive(Clone, Debug, Default)]
pub struct TakeRequest {
    /// A message; the most urgent, then the oldest, where none is named.
    pub file: Option<MessageRef>,
    /// Its box; the caller's own where none is named.
    pub mailbox: Option<NamedBox>,
    /// For how long.
    pub lease: LeaseTime,
    /// Whether it may be in a box of another.
    pub others: OthersBoxes,
}

/// What was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Who holds it until when.
    pub lease: Lease,
    /// The box it belongs to.
    pub mailbox: MailboxName,
    /// Where it lies meanwhile.
    pub path: PathBuf,
    /// The caller held it already, and holds it longer now.
    pub renewed: bool,
    /// What it says about itself.
    pub head: MessageHead,
    /// What it says.
    pub body: String,
    /// Git tracks it: whoever can write to the repository may have written it.
    pub tracked: bool,
    /// What could not be looked at: a message there may be more urgent.
    pub gaps: Vec<String>,
}

/// Whether a message that the caller holds already is held longer. Only a caller that names the message can
/// know that it holds it: another process may work under the same name.
#[derive(Clone, Copy)]
enum Renewal {
    Allowed,
    Refused,
}

/// What a caller that takes any message could not be offered.
struct Missed {
    /// Boxes that could not be looked into.
    boxes: Vec<MailError>,
    /// Messages that could not be read, and that could not come back from the session that held them.
    messages: Vec<String>,
}

impl Missed {
    fn name(&mut self, unreadable: Vec<UnreadableMessage>) {
        let named = unreadable
            .into_iter()
            .map(|file| format!("{}/{} cannot be read as a message: {}", file.mailbox, file.file, file.why));
        self.messages.extend(named);
    }

    fn told(self) -> Vec<String> {
        self.boxes.iter().map(MailError::whole).chain(self.messages).collect()
    }
}

impl Post {
    /// Takes a message: exactly one of many that try gets it.
    pub fn take(&self, caller: &Caller, request: &TakeRequest) -> Result<Taken, MailError> {
        let desk = self.desk_to_read(caller)?;
        let until = request.lease.until(desk.now);
        let named = request.mailbox.as_ref();
        if let Some(message) = &request.file {
            let Meant { file, mailbox } = desk.meant(message, named)?;
            let (right, _) = self.ready_to_take(&desk, &mailbox, request.others)?;
            return self.take_this(&desk, (&mailbox, right), &file, until, Renewal::Allowed);
        }
        let (mut boxes, broken) = desk.boxes(&named.cloned().into())?;
        if named.is_none() {
            boxes.retain(|mailbox| !mailbox.name().is_broadcast());
        }
        let (mut takeable, mut gaps) = (Vec::new(), Vec::new());
        for mailbox in boxes {
            let (right, stuck) = self.ready_to_take(&desk, &mailbox, request.others)?;
            gaps.extend(stuck);
            takeable.push((mailbox, right));
        }
        self.take_any(&desk, &takeable, Missed { boxes: broken, messages: gaps }, until)
    }

    /// Refuses what nobody can take, or not this caller, and answers by which right it may. What was held too long is back in
    /// its box then; what could not come back is answered too.
    fn ready_to_take(
        &self,
        desk: &Desk<'_>,
        mailbox: &Mailbox<'_>,
        force: OthersBoxes,
    ) -> Result<(Right, Vec<String>), MailError> {
        if mailbox.name().is_broadcast() {
            return Err(MailError::TakesBroadcast);
        }
        let right = desk.may_change(mailbox.name(), force)?;
        Ok((right, desk.give_back(mailbox)))
    }

    fn take_this(
        &self,
        desk: &Desk<'_>,
        (mailbox, right): (&Mailbox<'_>, Right),
        file: &FileName,
        until: Timestamp,
        renewal: Renewal,
    ) -> Result<Taken, MailError> {
        let (place, message) = mailbox.find(file)?;
        let me = &desk.own.holder;
        let is_tracked = desk.tracked().has(mailbox.name(), file, &place.path);
        if let Some(lease) = place.lease.filter(|lease| !desk.is_me(&lease.owner)) {
            return Err(MailFault::Held(Box::new(lease)).into());
        }
        desk.record_forced(right, mailbox.name(), "claim", [file.as_str()])?;
        let taken = match renewal {
            Renewal::Allowed => mailbox.take_or_hold_longer(file, me, &desk.own.earlier, until)?,
            Renewal::Refused => mailbox.take(file, me, until)?,
        };
        Ok(Taken {
            lease: taken.lease,
            mailbox: mailbox.name().clone(),
            path: taken.path,
            renewed: taken.renewed,
            body: message.body().to_owned(),
            head: message.head,
            tracked: is_tracked,
            gaps: Vec::new(),
        })
    }

    /// Takes the first that nobody else takes: urgent ones first, then the oldest. A box that cannot be looked into stops
    /// no other; where the others have nothing, the answer is what is wrong with it. A message that cannot be read, or that
    /// cannot come back from the session that held it, is named beside what was taken, and beside "nothing".
    fn take_any(
        &self,
        desk: &Desk<'_>,
        boxes: &[(Mailbox<'_>, Right)],
        mut missed: Missed,
        until: Timestamp,
    ) -> Result<Taken, MailError> {
        let mut waiting = Vec::new();
        for (mailbox, right) in boxes {
            match mailbox.list_if(MailFolder::Unread, &mut |_, message| !message.head.is_expired(desk.now)) {
                Ok(listing) => {
                    waiting.extend(listing.found.into_iter().map(|found| ((mailbox, *right), found)));
                    missed.name(listing.unreadable);
                }
                Err(error) => missed.boxes.push(error.into()),
            }
            missed.name(mailbox.damaged_leases().unwrap_or_default());
        }
        let order = ListOrder::UrgentFirst;
        let key = |mailbox: &Mailbox<'_>, found: &ListedMessage| {
            let is_tracked = desk.tracked().has(mailbox.name(), &found.file, &found.place.path);
            let (priority, timestamp, file) = sort_key(order, found.file.as_str(), &found.head, is_tracked);
            (priority, timestamp, file.to_owned())
        };
        waiting.sort_by_cached_key(|((mailbox, _), found)| key(mailbox, found));
        for (from, found) in waiting {
            match self.take_this(desk, from, &found.file, until, Renewal::Refused) {
                Err(MailError::Files(MailFault::Held(_) | MailFault::NotFound { .. })) => {}
                // Somebody may have edited it by hand meanwhile, or still writes it.
                Err(MailError::Files(
                    fault @ (MailFault::Unreadable { .. } | MailFault::Unfinished { .. }),
                )) => {
                    missed.messages.push(fault.to_string());
                }
                Err(fault) => return Err(fault),
                Ok(taken) => return Ok(Taken { gaps: missed.told(), ..taken }),
            }
        }
        if !missed.boxes.is_empty() {
            return Err(missed.boxes.swap_remove(0));
        }
        Err(MailError::NothingToTake { me: desk.own.me.clone(), gaps: missed.told() })
    }
}
