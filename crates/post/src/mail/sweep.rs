//! Sweeping and pruning.

use super::desk::{Desk, Right};
use crate::Post;
use brainstem_base::next::{calls, field};
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_memory::{Caller, parse_past};
use brainstem_vault::mail::{self as files};

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
#[derive(Clone, Debug, Default)]
pub struct PruneRequest {
    /// Archived messages made before then: a time, or how long ago.
    pub older_than: String,
    /// A box; every box where none is named.
    pub mailbox: Option<String>,
    /// Only say what would go.
    pub dry_run: bool,
    /// Prune somebody else's box, or the one of broadcasts, which is everybody's.
    pub force: bool,
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
    pub fn sweep_mail(&self, caller: &Caller) -> Result<Swept, Fault> {
        let (memory, reads) = self.memory().noting_reads();
        let mut swept = Self::new(&memory).sweep_boxes(caller)?;
        let in_boxes = swept.boxes.iter().flat_map(|one| &one.swept.stuck);
        let told = swept.stuck.iter().chain(in_boxes).map(|told| ("", told.as_str()));
        let unread = reads.unnamed(told);
        swept.stuck.extend(unread.into_iter().map(|gap| gap.detail.to_string()));
        Ok(swept)
    }

    fn sweep_boxes(&self, caller: &Caller) -> Result<Swept, Fault> {
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
    pub fn prune_mail(&self, caller: &Caller, request: &PruneRequest) -> Result<Pruned, Fault> {
        let desk = self.desk_to_read(caller)?;
        let before = parse_past("older_than", &request.older_than, desk.now)?;
        if before > desk.now {
            let told = format!("{} is ahead, so every message would be older", before.to_words());
            return Err(Fault::new(codes::INPUT_BAD_VALUE, told)
                .fix("give a day that is past (2026-07-04), or how long ago (90d)")
                .field("older_than")
                .rule("MAIL-13"));
        }
        let (mailboxes, mut stuck) = desk.boxes(request.mailbox.as_deref())?;
        let (mut boxes, mut notes) = (Vec::new(), Vec::new());
        for mailbox in mailboxes {
            let is_everybodys = mailbox.name().is_broadcast();
            if is_everybodys && request.mailbox.is_none() {
                let kept = mailbox.prune(before, true);
                notes.extend(broadcasts_stay(kept.files.len(), &request.older_than));
                stuck.extend(kept.stuck);
                continue;
            }
            // What would be refused is refused in a dry run too.
            let right = match is_everybodys {
                true => may_prune_broadcasts(&desk, request.force)?,
                false => desk.may_change(mailbox.name(), request.force)?,
            };
            if right == Right::Forced && !request.dry_run {
                let would_go = mailbox.prune(before, true).files;
                desk.record_forced(right, mailbox.name(), "prune", would_go.iter().map(FileName::as_str))?;
            }
            let pruned = mailbox.prune(before, request.dry_run);
            if pruned != files::PrunedMessages::default() {
                boxes.push(PrunedBox { mailbox: mailbox.name().clone(), pruned });
            }
        }
        let is_any_removed = boxes.iter().any(|PrunedBox { pruned, .. }| !pruned.files.is_empty());
        let in_boxes = boxes.iter().flat_map(|PrunedBox { pruned, .. }| &pruned.stuck);
        match stuck.iter().chain(in_boxes).next() {
            Some(fault) if !is_any_removed => Err(fault.clone()),
            Some(_) | None => Ok(Pruned { boxes, stuck, notes }),
        }
    }
}

/// Refuses to delete broadcasts, unless a person forces it.
fn may_prune_broadcasts(desk: &Desk<'_>, force: bool) -> Result<Right, Fault> {
    if desk.may_force(force) {
        return Ok(Right::Forced);
    }
    Err(Fault::new(codes::MAIL_NOT_YOURS, "broadcasts are everybody's, also in the archive")
        .fix(advice!["leave them there; a person may add ", field("force").set(), ", which is recorded"])
        .field("box")
        .rule("MAIL-12"))
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
