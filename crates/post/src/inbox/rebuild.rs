//! Making the mirror anew from the ledger.

use super::error::InboxError;
use crate::Post;
use crate::older_copy::LedgerChange;
use brainstem_inbox::{InboxDirectory, Mirror as _, catch_up, fault_at_cursor};
use brainstem_inbox_sqlite::LookDepth;

/// What to do about a ledger that is not what the inbox has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedLedger {
    /// Refuse, and keep the cursors that tell.
    Refuse,
    /// Take the ledger as it is: a person knows why it changed.
    Accept,
}

/// A mirror that was made anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RebuiltInbox {
    /// How many messages were read from the ledger.
    pub messages: u64,
    /// How many messages are set aside.
    pub quarantined: u64,
}

impl Post {
    /// Forgets the mirror and fills it again from the ledger, to the same rows. The mirror's cursors are the proof that a ledger was
    /// rewritten, so a ledger that contradicts them is refused, unless a person accepts it.
    pub fn rebuild_inbox(&self, changed: ChangedLedger) -> Result<RebuiltInbox, InboxError> {
        let Some((ledger, mirror)) = self.inbox_to_rebuild()? else { return Ok(RebuiltInbox::default()) };
        if changed == ChangedLedger::Refuse {
            // A mirror that cannot be read tells nothing, and is what a rebuild is for.
            let seen = self.look_at_mirror(LookDepth::Rows, 0).ok().flatten().unwrap_or_default();
            for cursor in seen.ends() {
                if let Some(fault) = fault_at_cursor(&*ledger, cursor)? {
                    return Err(LedgerChange::SinceSeen(fault).into());
                }
            }
        }
        mirror.forget()?;
        let messages = catch_up(&*ledger, &*mirror, &mut InboxDirectory::default())?;
        let quarantined = self.look_at_mirror(LookDepth::Rows, 0).ok().flatten().unwrap_or_default();
        Ok(RebuiltInbox { messages, quarantined: quarantined.quarantined_count })
    }
}
