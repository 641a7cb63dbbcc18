//! Reading on behind a place that was read before.
//!
//! A reader keeps the head that it saw, hash included. Reading on begins at that message again and walks from there, so a
//! reader notices a topic that was cut or rewritten behind its back, however well its hashes fit each other.

use crate::chain::{ChainFault, ChainFaultKind, ChainWalk};
use crate::error::LedgerError;
use crate::message::{Head, TopicMessage};
use crate::port::{Ledger, ReadFrom};
use crate::sequence::Sequence;

/// What was read behind a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOn {
    /// The messages.
    pub messages: Vec<TopicMessage>,
    /// Where to read on the next time.
    pub head: Head,
    /// Whether the topic had more behind them when it was read.
    pub has_more: bool,
}

/// Why nothing was read on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadOnFault {
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The topic is not the one that was read before, or its chain is broken.
    #[error("{0}")]
    Chain(ChainFault),
}

/// Reads the messages behind `seen`, at most `count_max`, and verifies them on the way.
pub fn read_on(ledger: &dyn Ledger, seen: &Head, count_max: usize) -> Result<ReadOn, ReadOnFault> {
    let from = match seen.sequence.map(|sequence| Sequence::new(sequence.number() - 1)) {
        None | Some(None) => ReadFrom::Start,
        Some(Some(before)) => ReadFrom::After(before),
    };
    let again = usize::from(seen.sequence.is_some());
    let page = ledger.read(seen.topic, from, count_max.saturating_add(again))?;
    let mut messages = page.messages;
    if let Some(sequence) = seen.sequence {
        let fault = |kind| Err(ReadOnFault::Chain(ChainFault { topic: seen.topic, sequence, kind }));
        match messages.first() {
            Some(first) if first.head() == *seen => drop(messages.remove(0)),
            Some(_) => return fault(ChainFaultKind::Rewritten),
            None => return fault(ChainFaultKind::Missing),
        }
    }
    let mut walk = ChainWalk::after(*seen);
    messages.iter().try_for_each(|message| walk.step(message)).map_err(ReadOnFault::Chain)?;
    Ok(ReadOn { messages, head: *walk.head(), has_more: page.has_more })
}
