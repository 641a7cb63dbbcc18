//! A ledger that is not the one which this home has seen: restored from an older copy, or rewritten.

use crate::Post;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_inbox::founding::SeenEnds;
use brainstem_inbox::{MirrorCursor, fault_at_cursor};
use brainstem_inbox_sqlite::LookDepth;
use brainstem_ledger::{ChainFault, ChainFaultKind, Head, LedgerError, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What tells that the ledger is not what it was, and the first message that is missing or different.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerChange {
    /// The inbox has seen other messages.
    #[error("the ledger is not what it was: {0}")]
    SinceSeen(ChainFault),
    /// The last head that this home signed is over more messages.
    #[error("the ledger is older than the last head that this home signed: {0}")]
    SinceHead(ChainFault),
}

impl LedgerChange {
    /// What a person can do.
    pub(crate) fn fix(&self) -> Advice {
        match self {
            Self::SinceSeen(_) => advice![
                "find out why the ledger changed before you go on, with `",
                calls::ledger_verify(),
                "`; if what is there now is right, make the inbox anew from it with `",
                calls::inbox_rebuild_accept(),
                "`"
            ],
            Self::SinceHead(_) => advice![
                "put the newer ledger back; see what is missing with `",
                calls::ledger_verify(),
                "`. If what is there now is right, move `ledger.head` in the folder `ledger` of the home away"
            ],
        }
    }
}

/// A check that found a change, or could not look.
pub(crate) enum CheckFault {
    Changed(LedgerChange),
    Ledger(LedgerError),
}

impl From<LedgerError> for CheckFault {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl Post {
    /// Refuses a ledger of which the last head of this home, or the inbox, has seen other messages, whichever topic is asked for:
    /// what is appended to an older copy would be gone when the right one is put back.
    pub(crate) fn check_no_older_copy(
        &self,
        ledger: &SqliteLedger,
        seen: &SeenEnds,
    ) -> Result<(), CheckFault> {
        // A head that cannot be read is named by the doctor and by a verification.
        let signed = ledger.last_head().ok().flatten().map_or_else(Vec::new, |head| head.checkpoint.topics);
        if !signed.is_empty() {
            let ends = ends(ledger)?;
            let mut kept = signed.iter().filter_map(|mark| MirrorCursor::of(&mark.head));
            if let Some(fault) = kept.find_map(|cursor| fault_at_end(&ends, &cursor)) {
                return Err(CheckFault::Changed(LedgerChange::SinceHead(fault)));
            }
        }
        check_seen(ledger, seen)
    }

    /// What the inbox has seen of each topic, without opening the mirror to write. A mirror that cannot be read tells nothing.
    pub(crate) fn ends_on_record(&self) -> SeenEnds {
        let look = self.look_at_mirror(LookDepth::Rows, 0).ok().flatten().unwrap_or_default();
        look.ends().map(|cursor| (cursor.topic, *cursor)).collect()
    }
}

/// Refuses a ledger of which the inbox has seen other messages.
pub(crate) fn check_seen(ledger: &SqliteLedger, seen: &SeenEnds) -> Result<(), CheckFault> {
    if seen.is_empty() {
        return Ok(());
    }
    let ends = ends(ledger)?;
    for cursor in seen.values() {
        let has_more = ends.get(&cursor.topic).is_some_and(|end| end.sequence > Some(cursor.sequence));
        let fault = match has_more {
            true => fault_at_cursor(ledger, cursor)?,
            false => fault_at_end(&ends, cursor),
        };
        if let Some(fault) = fault {
            return Err(CheckFault::Changed(LedgerChange::SinceSeen(fault)));
        }
    }
    Ok(())
}

fn ends(ledger: &SqliteLedger) -> Result<BTreeMap<TopicId, Head>, LedgerError> {
    Ok(ledger.heads()?.into_iter().map(|head| (head.topic, head)).collect())
}

/// What is wrong if a topic ends before the message that was seen, or with another one.
fn fault_at_end(ends: &BTreeMap<TopicId, Head>, seen: &MirrorCursor) -> Option<ChainFault> {
    let end = ends.get(&seen.topic);
    let fault = |kind| Some(ChainFault { topic: seen.topic, sequence: seen.sequence, kind });
    match end.and_then(|end| end.sequence).cmp(&Some(seen.sequence)) {
        Ordering::Less => fault(ChainFaultKind::Missing),
        Ordering::Equal if end.is_some_and(|end| end.running_hash != seen.hash) => {
            fault(ChainFaultKind::Rewritten)
        }
        Ordering::Equal | Ordering::Greater => None,
    }
}
