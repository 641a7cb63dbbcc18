//! Sweeping and pruning.

use crate::Post;
use brainstem_base::{Fault, codes};
use brainstem_mail::name::MailboxName;
use brainstem_memory::{Caller, parse_past};
use brainstem_vault::mail::{self as files};

/// What a sweep did in one box.
#[derive(Clone, Debug)]
pub struct SweptBox {
    /// The box.
    pub mailbox: MailboxName,
    /// What was done.
    pub swept: files::Swept,
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
    /// Prune somebody else's box.
    pub force: bool,
}

/// What was pruned in one box.
#[derive(Clone, Debug)]
pub struct PrunedBox {
    /// The box.
    pub mailbox: MailboxName,
    /// What went.
    pub pruned: files::Pruned,
}

/// What was pruned.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// The boxes in which something was there to prune.
    pub boxes: Vec<PrunedBox>,
}

impl Post {
    /// Sweeps every box: leases that are over, messages whose time has passed, leftovers of crashes.
    pub fn sweep_mail(&self, caller: &Caller) -> Result<Swept, Fault> {
        let desk = self.desk(caller)?;
        let mut boxes = Vec::new();
        for name in desk.root.boxes()? {
            let swept = match desk.root.mailbox(&name) {
                Ok(mailbox) => mailbox.sweep(desk.now),
                // One box that cannot be swept stops no other.
                Err(fault) => {
                    files::Swept { stuck: vec![Fault::from(fault).message], ..files::Swept::default() }
                }
            };
            if swept != files::Swept::default() {
                boxes.push(SweptBox { mailbox: name, swept });
            }
        }
        // Names of seconds that are long past can be given out by nobody again.
        let names = desk.root.sweep_names(desk.now);
        let stuck = names.err().map(|error| Fault::from(error).message).into_iter().collect();
        Ok(Swept { boxes, stuck, sessions_forgotten: desk.sessions.forget_old(desk.now) })
    }

    /// Removes old archived messages for good: of the caller's own boxes, or of one that is named.
    pub fn prune_mail(&self, caller: &Caller, request: &PruneRequest) -> Result<Pruned, Fault> {
        let desk = self.desk(caller)?;
        let before = parse_past("older_than", &request.older_than, desk.now)?;
        if before > desk.now {
            let told = format!("{} is ahead, so every message would be older", before.to_words());
            return Err(Fault::new(codes::INPUT_BAD_VALUE, told)
                .fix("give a day that is past (2026-07-04), or how long ago (90d)")
                .field("older_than")
                .rule("MAIL-13"));
        }
        let mut boxes = Vec::new();
        let (mailboxes, broken) = desk.boxes(request.mailbox.as_deref())?;
        if let Some(fault) = broken.into_iter().next() {
            return Err(fault);
        }
        for mailbox in mailboxes {
            if !request.dry_run {
                desk.may_change(mailbox.name(), "prune", None, request.force)?;
            }
            let pruned = mailbox.prune(before, request.dry_run)?;
            if pruned != files::Pruned::default() {
                boxes.push(PrunedBox { mailbox: mailbox.name().clone(), pruned });
            }
        }
        Ok(Pruned { boxes })
    }
}
