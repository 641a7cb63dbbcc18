//! Bringing the mirror up to the ledger. Every read does it first, so no daemon is needed.

use crate::cursor::MirrorCursor;
use crate::directory::{ControlReadError, InboxDirectory};
use crate::fold::{Folded, fold};
use crate::limits::CATCH_UP_PAGE;
use crate::mirror::{Mirror, MirrorError, MirrorStep};
use crate::quarantine::Quarantined;
use brainstem_ledger::{
    ChainFault, ChainFaultKind, ChainWalk, Head, Ledger, LedgerError, ReadFrom, Sequence, TopicId,
};
use std::collections::BTreeMap;

/// Why the mirror could not be brought up to the ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatchUpError {
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The mirror failed.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    /// The ledger is not what an earlier reader saw: it was changed, or restored from an older copy.
    #[error("the ledger is not what it was: {0}")]
    Changed(ChainFault),
}

impl From<ControlReadError> for CatchUpError {
    fn from(error: ControlReadError) -> Self {
        match error {
            ControlReadError::Ledger(error) => Self::Ledger(error),
            ControlReadError::Changed(fault) => Self::Changed(fault),
        }
    }
}

/// How far a catch-up came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaughtUp {
    /// How many messages were folded.
    pub messages: u64,
    /// Whether the mirror has everything; otherwise the caller ended it early.
    pub is_whole: bool,
}

/// Folds everything that was appended since the last time into the mirror, and returns how many messages that were.
///
/// Several processes may do it at once: they write the same rows. Messages are read before the control topics, so every
/// definition with a smaller consensus time is known when they are folded.
pub fn catch_up(
    ledger: &dyn Ledger,
    mirror: &dyn Mirror,
    directory: &mut InboxDirectory,
) -> Result<u64, CatchUpError> {
    catch_up_while(ledger, mirror, directory, &|| true).map(|caught| caught.messages)
}

/// As [`catch_up`], and ends behind a page of messages once `goes_on` returns false. The next one goes on from there.
pub fn catch_up_while(
    ledger: &dyn Ledger,
    mirror: &dyn Mirror,
    directory: &mut InboxDirectory,
    goes_on: &dyn Fn() -> bool,
) -> Result<CaughtUp, CatchUpError> {
    let mut messages = 0;
    let cursors = mirror.cursors()?;
    for (topic, at) in mirror.closed()? {
        directory.note_closed(topic, at);
    }
    loop {
        directory.refresh(ledger, &cursors)?;
        keep_control_heads(mirror, directory, &cursors)?;
        let topics: Vec<TopicId> = directory.followed().map(|(topic, _)| topic).collect();
        for topic in &topics {
            let caught = catch_up_topic(ledger, mirror, directory, *topic, &cursors, goes_on)?;
            messages += caught.messages;
            if !caught.is_whole {
                return Ok(CaughtUp { messages, is_whole: false });
            }
        }
        // An agent that was defined meanwhile has its topics followed at once (INB-8b).
        if directory.followed().count() == topics.len() {
            return Ok(CaughtUp { messages, is_whole: true });
        }
    }
}

/// Returns what is wrong if the ledger is not what an earlier reader saw at its cursor. Only the message there is looked at.
pub fn fault_at_cursor(ledger: &dyn Ledger, seen: &MirrorCursor) -> Result<Option<ChainFault>, LedgerError> {
    let before = Sequence::new(seen.sequence.number() - 1);
    let found = match ledger.read(seen.topic, before.map_or(ReadFrom::Start, ReadFrom::After), 1) {
        Ok(page) => page.messages.into_iter().next().filter(|message| message.sequence == seen.sequence),
        Err(LedgerError::NoTopic(_)) => None,
        Err(error) => return Err(error),
    };
    let (topic, sequence, kind) = (seen.topic, seen.sequence, ChainFaultKind::Missing);
    Ok(found.map_or(Some(ChainFault { topic, sequence, kind }), |message| seen.fault_at(&message)))
}

fn keep_control_heads(
    mirror: &dyn Mirror,
    directory: &InboxDirectory,
    cursors: &BTreeMap<TopicId, MirrorCursor>,
) -> Result<(), CatchUpError> {
    for cursor in directory.control_heads().filter_map(MirrorCursor::of) {
        let before = cursors.get(&cursor.topic).map(|seen| seen.sequence);
        if before < Some(cursor.sequence) {
            let is_new = |it: &&Quarantined| it.topic == cursor.topic && Some(it.sequence) > before;
            let quarantined = directory.quarantined().iter().filter(is_new).cloned().collect();
            mirror.apply(&Folded { quarantined, ..Folded::default() }, MirrorStep::UpTo(&cursor))?;
        }
    }
    Ok(())
}

fn catch_up_topic(
    ledger: &dyn Ledger,
    mirror: &dyn Mirror,
    directory: &mut InboxDirectory,
    topic: TopicId,
    cursors: &BTreeMap<TopicId, MirrorCursor>,
    goes_on: &dyn Fn() -> bool,
) -> Result<CaughtUp, CatchUpError> {
    let seen = cursors.get(&topic);
    let head = ledger.head(topic)?;
    if let Some(fault) = seen.and_then(|seen| fault_of_head(seen, &head)) {
        return Err(CatchUpError::Changed(fault));
    }
    let mut walk = ChainWalk::after(seen.map_or(Head::start(topic), MirrorCursor::head));
    let mut messages = 0;
    while walk.head().sequence < head.sequence {
        let from = walk.head().sequence.map_or(ReadFrom::Start, ReadFrom::After);
        let page = ledger.read(topic, from, CATCH_UP_PAGE)?;
        if page.messages.is_empty() {
            let sequence = head.sequence.expect("it is larger than another");
            let kind = ChainFaultKind::Missing;
            return Err(CatchUpError::Changed(ChainFault { topic, sequence, kind }));
        }
        for message in &page.messages {
            walk.step(message).map_err(CatchUpError::Changed)?;
        }
        directory.refresh(ledger, cursors)?;
        let mut folded = Folded::default();
        for message in &page.messages {
            fold(directory, message, &mut folded);
        }
        let cursor = MirrorCursor::of(walk.head()).expect("a message was walked");
        mirror.apply(&folded, MirrorStep::UpTo(&cursor))?;
        messages += page.messages.len() as u64;
        if !goes_on() && walk.head().sequence < head.sequence {
            return Ok(CaughtUp { messages, is_whole: false });
        }
    }
    Ok(CaughtUp { messages, is_whole: true })
}

/// What is wrong if a topic ends before the message that was seen, or with another one.
fn fault_of_head(seen: &MirrorCursor, head: &Head) -> Option<ChainFault> {
    let fault = |kind| Some(ChainFault { topic: seen.topic, sequence: seen.sequence, kind });
    match head.sequence.cmp(&Some(seen.sequence)) {
        std::cmp::Ordering::Less => fault(ChainFaultKind::Missing),
        std::cmp::Ordering::Equal if head.running_hash != seen.hash => fault(ChainFaultKind::Rewritten),
        std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => None,
    }
}
