//! Sweeping and pruning.

use super::caller_mail::{BoxRight, CallerMail};
use super::error::MailError;
use super::named_box::NamedBox;
use super::words::{OlderThan, OthersBoxes};
use crate::Post;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Fault, advice};
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::{self as files, Pruning};

/// What a sweep did in one box.
#[derive(Clone, Debug)]
pub struct SweptMailbox {
    /// The box.
    pub mailbox: MailboxName,
    /// What the sweep did.
    pub swept: files::BoxSweep,
}

/// What a sweep did.
#[derive(Clone, Debug)]
pub struct MailSweepReport {
    /// The boxes in which something was done.
    pub boxes: Vec<SweptMailbox>,
    /// What could not be done to the mail root as a whole, each with the reason.
    pub stuck: Vec<String>,
    /// Sessions that were removed from the register because they were not seen for a month.
    pub sessions_forgotten: usize,
}

/// What a prune removes.
#[derive(Clone, Debug)]
pub struct PruneRequest {
    /// Archived messages that were made before then.
    pub older_than: OlderThan,
    /// A box; every box of the caller without one.
    pub mailbox: Option<NamedBox>,
    /// Whether anything is removed.
    pub pruning: Pruning,
    /// Whether the box may be another caller's or the broadcast box.
    pub others: OthersBoxes,
}

/// What a prune did in one box.
#[derive(Clone, Debug)]
pub struct PrunedMailbox {
    /// The box.
    pub mailbox: MailboxName,
    /// What was removed.
    pub pruned: files::PrunedMessages,
}

/// What a prune did.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// The boxes that had something to prune, or from which it could not be removed.
    pub boxes: Vec<PrunedMailbox>,
    /// What is wrong with boxes that could not be looked into.
    pub stuck: Vec<Fault>,
    /// What was left, and how it can be removed.
    pub notes: Vec<Advice>,
}

impl Post {
    /// Sweeps every box: leases that are over, expired messages, leftovers of crashes.
    ///
    /// Messages that could not be read are named among what could not be done: they may be expired.
    pub fn sweep_mail(&self, caller: &Caller) -> Result<MailSweepReport, MailError> {
        let (memory, reads) = self.memory().noting_reads();
        let mut swept = Self::new(&memory).sweep_boxes(caller)?;
        let in_boxes = swept.boxes.iter().flat_map(|one| &one.swept.stuck);
        let named = swept.stuck.iter().chain(in_boxes).map(|named| ("", named.as_str()));
        let unread = reads.unnamed(named);
        swept.stuck.extend(unread.into_iter().map(|gap| gap.detail.to_string()));
        Ok(swept)
    }

    fn sweep_boxes(&self, caller: &Caller) -> Result<MailSweepReport, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let mut boxes = Vec::new();
        for name in caller_mail.root.boxes()? {
            let swept = match caller_mail.root.mailbox(&name) {
                Ok(mailbox) => mailbox.sweep(caller_mail.now),
                // A box that cannot be swept does not stop the others.
                Err(fault) => {
                    files::BoxSweep { stuck: vec![Fault::from(fault).message], ..files::BoxSweep::default() }
                }
            };
            if swept != files::BoxSweep::default() {
                boxes.push(SweptMailbox { mailbox: name, swept });
            }
        }
        // Names of seconds that are long past cannot be given out again.
        let names = caller_mail.root.sweep_names(caller_mail.now);
        let stuck = names.err().map(|error| Fault::from(error).message).into_iter().collect();
        Ok(MailSweepReport {
            boxes,
            stuck,
            sessions_forgotten: caller_mail.sessions.forget_old(caller_mail.now),
        })
    }

    /// Removes old archived messages for good, from the caller's own boxes or from a named one. Broadcasts belong to all
    /// readers: they are removed only if a person names their box and forces it, which is recorded.
    ///
    /// The answer names what could not be done beside what was removed. If nothing was removed, that is the error.
    pub fn prune_mail(&self, caller: &Caller, request: &PruneRequest) -> Result<Pruned, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let before = request.older_than.before();
        let (mailboxes, broken) = caller_mail.boxes(&request.mailbox.clone().into())?;
        let mut stuck: Vec<Fault> = broken.into_iter().map(Fault::from).collect();
        let (mut boxes, mut notes) = (Vec::new(), Vec::new());
        for mailbox in mailboxes {
            let is_everybodys = mailbox.name().is_broadcast();
            if is_everybodys && request.mailbox.is_none() {
                let kept = mailbox.prune(before, Pruning::DryRun);
                notes.extend(broadcasts_stay(kept.files.len(), request.older_than.words()));
                stuck.extend(kept.stuck);
                continue;
            }
            // A dry run refuses what a real run would refuse.
            let right = match is_everybodys {
                true => may_prune_broadcasts(&caller_mail, request.others)?,
                false => caller_mail.may_change(mailbox.name(), request.others)?,
            };
            if right == BoxRight::Forced && request.pruning == Pruning::Real {
                let would_go = mailbox.prune(before, Pruning::DryRun).files;
                caller_mail.record_forced(
                    right,
                    mailbox.name(),
                    "prune",
                    would_go.iter().map(FileName::as_str),
                )?;
            }
            let pruned = mailbox.prune(before, request.pruning);
            if pruned != files::PrunedMessages::default() {
                boxes.push(PrunedMailbox { mailbox: mailbox.name().clone(), pruned });
            }
        }
        let is_any_removed = boxes.iter().any(|PrunedMailbox { pruned, .. }| !pruned.files.is_empty());
        let in_boxes = boxes.iter().flat_map(|PrunedMailbox { pruned, .. }| &pruned.stuck);
        match stuck.iter().chain(in_boxes).next() {
            Some(fault) if !is_any_removed => Err(MailError::NothingPruned(Box::new(fault.clone()))),
            Some(_) | None => Ok(Pruned { boxes, stuck, notes }),
        }
    }
}

/// Refuses to delete broadcasts, unless a person forces it.
fn may_prune_broadcasts(caller_mail: &CallerMail<'_>, force: OthersBoxes) -> Result<BoxRight, MailError> {
    if caller_mail.may_force(force) {
        return Ok(BoxRight::Forced);
    }
    Err(MailError::PrunesBroadcasts)
}

/// A note about archived broadcasts that are old enough to be removed, and stay.
fn broadcasts_stay(count: usize, older_than: &str) -> Option<Advice> {
    let messages = match count {
        0 => return None,
        1 => "1 archived broadcast is".to_owned(),
        n => format!("{n} archived broadcasts are"),
    };
    Some(advice![
        "{messages} as old; broadcasts belong to all readers, and a person removes them with ",
        calls::mail_prune_broadcast(older_than)
    ])
}
