//! Taking a message out of a shared box, so that no other session works on it.

use super::caller_mail::{BoxRight, CallerMail};
use super::error::MailError;
use super::list::sort_key;
use super::message_lookup::MessageInBox;
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

/// What a caller wants to take.
#[derive(Clone, Debug, Default)]
pub struct TakeRequest {
    /// A message. Without one, the most urgent, then the oldest.
    pub file: Option<MessageRef>,
    /// Its box; the caller's own if none is named.
    pub mailbox: Option<NamedBox>,
    /// For how long.
    pub lease: LeaseTime,
    /// Whether the box may be another caller's.
    pub others: OthersBoxes,
}

/// A message that was taken.
#[derive(Clone, Debug)]
pub struct TakenMail {
    /// The holder, and until when.
    pub lease: Lease,
    /// The box it belongs to.
    pub mailbox: MailboxName,
    /// Its path while it is held.
    pub path: PathBuf,
    /// The caller held it before, and holds it longer now.
    pub renewed: bool,
    /// Its head.
    pub head: MessageHead,
    /// Its text.
    pub body: String,
    /// Git tracks it: anyone that can write to the repository may have written it.
    pub tracked: bool,
    /// What could not be looked at: a more urgent message may be there.
    pub gaps: Vec<String>,
}

/// Whether a caller that holds a message already may hold it longer. Only a caller that names the message can
/// know that it holds it: another process may work under the same name.
#[derive(Clone, Copy)]
enum Renewal {
    Allowed,
    Refused,
}

/// The boxes and messages that could not be offered to a caller that takes any message.
struct UnofferedMail {
    /// Boxes that could not be looked into.
    boxes: Vec<MailError>,
    /// Messages that could not be read, or could not be put back from the session that held them.
    messages: Vec<String>,
}

impl UnofferedMail {
    fn name(&mut self, unreadable: Vec<UnreadableMessage>) {
        let named = unreadable
            .into_iter()
            .map(|file| format!("{}/{} cannot be read as a message: {}", file.mailbox, file.file, file.why));
        self.messages.extend(named);
    }

    fn sentences(self) -> Vec<String> {
        self.boxes.iter().map(MailError::whole).chain(self.messages).collect()
    }
}

impl Post {
    /// Takes a message. Of many callers that try, exactly one gets it.
    pub fn take(&self, caller: &Caller, request: &TakeRequest) -> Result<TakenMail, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let until = request.lease.until(caller_mail.now);
        let named = request.mailbox.as_ref();
        if let Some(message) = &request.file {
            let MessageInBox { file, mailbox } = caller_mail.find_message(message, named)?;
            let (right, _) = self.ready_to_take(&caller_mail, &mailbox, request.others)?;
            let folder = mailbox.find(&file)?.0.folder;
            if matches!(folder, MailFolder::Read | MailFolder::Archive) {
                return Err(MailError::Finished { file, mailbox: mailbox.name().clone(), folder });
            }
            return self.take_this(&caller_mail, (&mailbox, right), &file, until, Renewal::Allowed);
        }
        let (mut boxes, broken) = caller_mail.boxes(&named.cloned().into())?;
        if named.is_none() {
            boxes.retain(|mailbox| !mailbox.name().is_broadcast());
        }
        let (mut takeable, mut gaps) = (Vec::new(), Vec::new());
        for mailbox in boxes {
            let (right, stuck) = self.ready_to_take(&caller_mail, &mailbox, request.others)?;
            gaps.extend(stuck);
            takeable.push((mailbox, right));
        }
        self.take_any(&caller_mail, &takeable, UnofferedMail { boxes: broken, messages: gaps }, until)
    }

    /// Refuses a box that this caller cannot take from, and returns its right to it. Messages whose lease is over are put back
    /// into the box first; the second part is what could not be put back.
    fn ready_to_take(
        &self,
        caller_mail: &CallerMail<'_>,
        mailbox: &Mailbox<'_>,
        force: OthersBoxes,
    ) -> Result<(BoxRight, Vec<String>), MailError> {
        if mailbox.name().is_broadcast() {
            return Err(MailError::TakesBroadcast);
        }
        let right = caller_mail.may_change(mailbox.name(), force)?;
        Ok((right, caller_mail.give_back(mailbox)))
    }

    fn take_this(
        &self,
        caller_mail: &CallerMail<'_>,
        (mailbox, right): (&Mailbox<'_>, BoxRight),
        file: &FileName,
        until: Timestamp,
        renewal: Renewal,
    ) -> Result<TakenMail, MailError> {
        let (place, message) = mailbox.find(file)?;
        let me = caller_mail.lease_owner();
        let is_tracked = caller_mail.tracked().has(mailbox.name(), file, &place.path);
        if let Some(lease) = place.lease.filter(|lease| !caller_mail.is_my_lease(lease)) {
            return Err(MailFault::Held(Box::new(lease)).into());
        }
        caller_mail.record_forced(right, mailbox.name(), "claim", [file.as_str()])?;
        let taken = match renewal {
            Renewal::Allowed => mailbox.take_or_hold_longer(file, me, &caller_mail.own.earlier, until)?,
            Renewal::Refused => mailbox.take(file, me, until)?,
        };
        Ok(TakenMail {
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

    /// Takes the first message that no other caller takes: urgent ones first, then the oldest. A box that cannot be looked into
    /// does not stop the others; if those have nothing, its fault is the error. Messages that cannot be read, or cannot be put
    /// back from the session that held them, are named in the answer and in the refusal.
    fn take_any(
        &self,
        caller_mail: &CallerMail<'_>,
        boxes: &[(Mailbox<'_>, BoxRight)],
        mut unoffered: UnofferedMail,
        until: Timestamp,
    ) -> Result<TakenMail, MailError> {
        let mut waiting = Vec::new();
        for (mailbox, right) in boxes {
            match mailbox
                .list_if(MailFolder::Unread, &mut |_, message| !message.head.is_expired(caller_mail.now))
            {
                Ok(listing) => {
                    waiting.extend(listing.found.into_iter().map(|found| ((mailbox, *right), found)));
                    unoffered.name(listing.unreadable);
                }
                Err(error) => unoffered.boxes.push(error.into()),
            }
            unoffered.name(mailbox.damaged_leases().unwrap_or_default());
        }
        let order = ListOrder::UrgentFirst;
        let key = |mailbox: &Mailbox<'_>, found: &ListedMessage| {
            let is_tracked = caller_mail.tracked().has(mailbox.name(), &found.file, &found.place.path);
            let (priority, timestamp, file) = sort_key(order, found.file.as_str(), &found.head, is_tracked);
            (priority, timestamp, file.to_owned())
        };
        waiting.sort_by_cached_key(|((mailbox, _), found)| key(mailbox, found));
        for (from, found) in waiting {
            match self.take_this(caller_mail, from, &found.file, until, Renewal::Refused) {
                Err(MailError::Files(MailFault::Held(_) | MailFault::NotFound { .. })) => {}
                // A person may have edited it by hand meanwhile, or a program still writes it.
                Err(MailError::Files(
                    fault @ (MailFault::Unreadable { .. } | MailFault::Unfinished { .. }),
                )) => {
                    unoffered.messages.push(fault.to_string());
                }
                Err(fault) => return Err(fault),
                Ok(taken) => return Ok(TakenMail { gaps: unoffered.sentences(), ..taken }),
            }
        }
        if !unoffered.boxes.is_empty() {
            return Err(unoffered.boxes.swap_remove(0));
        }
        Err(MailError::NothingToTake { me: caller_mail.own.me.clone(), gaps: unoffered.sentences() })
    }
}
