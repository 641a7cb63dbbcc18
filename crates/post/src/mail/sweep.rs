//! Sweeping and pruning.

use super::desk::{Desk, Right};
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
pub struct SweptBox {
    /// The box.
    pub mailbox: MailboxName,
    /// What was done.
    pub swept: files::BoxSweep,
}

/// What a sweep did.
#[derive(Clone, Debug)]
pub struct Swept {
    /// The boxes in which something was done.
    pub boxes: Vec<SweptBox>,
    /// What could not be done to the mail root as a whole, each with the reason.
    pub stuck: Vec<String>,
    /// Sessions that nobody has seen for a month.
    pub sessions_forgotten: usize,
}

/// What is to be pruned.
#[derive(Clone, Debug)]
pub struct PruneRequest {
    /// Archived messages that were made before then.
    pub older_than: OlderThan,
    /// A box; every box of the caller where none is named.
    pub mailbox: Option<NamedBox>,
    /// Whether anything is removed.
    pub pruning: Pruning,
    /// Whether the box may be another's, or the one of broadcasts, which is everybody's.
    pub others: OthersBoxes,
}

/// What was pruned in one box.
#[derive(Clone, Debug)]
pub struct PrunedBox {
    /// The box.
    pub mailbox: MailboxName,
    /// What went.
    pub pruned: files::PrunedMessages,
}

/// What was pruned.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// The boxes in which something was there to prune, or could not be removed.
    pub boxes: Vec<PrunedBox>,
    /// What is wrong with boxes that could not be looked into.
    pub stuck: Vec<Fault>,
    /// What was left, and how it can be removed.
    pub notes: Vec<Advice>,
}

impl Post {
    /// Sweeps every box: leases that are over, messages whose time has passed, leftovers of crashes.
    ///
    /// What could not be read is named with what could not be done: its time may have passed.
    pub fn sweep_mail(&self, caller: &Caller) -> Result<Swept, MailError> {
        let (memory, reads) = self.memory().noting_reads();
        let mut swept = Self::new(&memory).sweep_boxes(caller)?;
        let in_boxes = swept.boxes.iter().flat_map(|one| &one.swept.stuck);
        let told = swept.stuck.iter().chain(in_boxes).map(|told| ("", told.as_str()));
        let unread = reads.unnamed(told);
        swept.stuck.extend(unread.into_iter().map(|gap| gap.detail.to_string()));
        Ok(swept)
    }

    fn sweep_boxes(&self, caller: &Caller) -> Result<Swept, MailError> {
        let desk = self.desk_to_read(caller)?;
        let mut boxes = Vec::new();
        for name in desk.root.boxes()? {
            let swept = match desk.root.mailbox(&name) {
                Ok(mailbox) => mailbox.sweep(desk.now),
                // One box that cannot be swept stops no other.
                Err(fault) => {
                    files::BoxSweep { stuck: vec![Fault::from(fault).message], ..files::BoxSweep::default() }
                }
            };
            if swept != files::BoxSweep::default() {
                boxes.push(SweptBox { mailbox: name, swept });
            }
        }
        // Names of seconds that are long past can be given out by nobody again.
        let names = desk.root.sweep_names(desk.now);
        let stuck = names.err().map(|error| Fault::from(error).message).into_iter().collect();
        Ok(Swept { boxes, stuck, sessions_forgotten: desk.sessions.forget_old(desk.now) })
    }

    /// Removes old archived messages for good: of the caller's own boxes, or of one that is named. Broadcasts are
    /// everybody's: they go only where a person names their box and forces it, which is recorded.
    ///
    /// What could not be done is named beside what was removed. Where nothing was removed, that is the error.
    pub fn prune_mail(&self, caller: &Caller, request: &PruneRequest) -> Result<Pruned, MailError> {
        let desk = self.desk_to_read(caller)?;
        let before = request.older_than.before();
        let (mailboxes, broken) = desk.boxes(&request.mailbox.clone().into())?;
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
            // What would be refused is refused in a dry run too.
            let right = match is_everybodys {
                true => may_prune_broadcasts(&desk, request.others)?,
                false => desk.may_change(mailbox.name(), request.others)?,
            };
            if right == Right::Forced && request.pruning == Pruning::Real {
                let would_go = mailbox.prune(before, Pruning::DryRun).files;
                desk.record_forced(right, mailbox.name(), "prune", would_go.iter().map(FileName::as_str))?;
            }
            let pruned = mailbox.prune(before, request.pruning);
            if pruned != files::PrunedMessages::default() {
                boxes.push(PrunedBox { mailbox: mailbox.name().clone(), pruned });
            }
        }
        let is_any_removed = boxes.iter().any(|PrunedBox { pruned, .. }| !pruned.files.is_empty());
        let in_boxes = boxes.iter().flat_map(|PrunedBox { pruned, .. }| &pruned.stuck);
        match stuck.iter().chain(in_boxes).next() {
            Some(fault) if !is_any_removed => Err(MailError::NothingPruned(Box::new(fault.clone()))),
            Some(_) | None => Ok(Pruned { boxes, stuck, notes }),
        }
    }
}

/// Refuses to delete broadcasts, unless a person forces it.
fn may_prune_broadcasts(desk: &Desk<'_>, force: OthersBoxes) -> Result<Right, MailError> {
    if desk.may_force(force) {
        return Ok(Right::Forced);
    }
    Err(MailError::PrunesBroadcasts)
}

/// What is said of archived broadcasts that are old enough to go, and stay.
fn broadcasts_stay(count: usize, older_than: &str) -> Option<Advice> {
    let messages = match count {
        0 => return None,
        1 => "1 archived broadcast is".to_owned(),
        n => format!("{n} archived broadcasts are"),
    };
    Some(advice![
        "{messages} as old, and everybody's: a person removes them with ",
        calls::mail_prune_broadcast(older_than)
    ])
}
