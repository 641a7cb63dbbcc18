//! What every backend of the ledger does.

use crate::consensus_time::ConsensusTime;
use crate::entity_id::TopicId;
use crate::error::LedgerError;
use crate::message::{Append, Head, Receipt, TopicMessage};
use crate::redaction::Redact;
use crate::sequence::Sequence;
use crate::topic::{NewTopic, Topic};

/// Where a read starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// At the first message.
    Start,
    /// Behind this message.
    After(Sequence),
    /// At the first message of this time or later.
    Time(ConsensusTime),
}

/// Messages in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The messages.
    pub messages: Vec<TopicMessage>,
    /// Whether the topic had more behind them when it was read.
    pub has_more: bool,
}

/// An append-only log of topics.
///
/// The trait is synchronous: a backend that needs a network runs its own threads. An answer of [`append`](Self::append)
/// means that the message survives a power loss. Several processes may use one ledger at the same time.
pub trait Ledger: Send + Sync {
    /// Makes a topic, or returns the one that was made with the same key.
    fn create_topic(&self, new: &NewTopic) -> Result<Topic, LedgerError>;

    /// The topic of this id; `None` if there is none.
    fn topic(&self, id: TopicId) -> Result<Option<Topic>, LedgerError>;

    /// The topics with ids after `after`, by id, at most `count_max`.
    fn topics(&self, after: Option<TopicId>, count_max: usize) -> Result<Vec<Topic>, LedgerError>;

    /// Appends a message. With a key that an earlier append to the same topic had, it returns where that message is and
    /// appends nothing; if that message says something else, it refuses.
    fn append(&self, append: &Append) -> Result<Receipt, LedgerError>;

    /// Messages of a topic from a place on, forwards, at most `count_max`.
    fn read(&self, topic: TopicId, from: ReadFrom, count_max: usize) -> Result<Page, LedgerError>;

    /// The end of a topic, as the backend keeps it beside the messages.
    fn head(&self, topic: TopicId) -> Result<Head, LedgerError>;

    /// The message of exactly this time; `None` if there is none. Times are unique in a ledger (LED-1a).
    fn message_at(&self, time: ConsensusTime) -> Result<Option<TopicMessage>, LedgerError>;

    /// Redacts a message: in one step its bytes are erased, their hash stays, and a record of it is appended to the topic.
    /// Returns where the record is. A message that was redacted before keeps its first record, which is returned.
    fn redact(&self, redact: &Redact) -> Result<Receipt, LedgerError>;
}
