//! A message of a topic, what is handed in to append one, and what a topic's end looks like.

use crate::consensus_time::ConsensusTime;
use crate::content_hash::ContentHash;
use crate::entity_id::{AccountId, TopicId};
use crate::error::LedgerError;
use crate::limits::{APPEND_KEY_BYTES_MAX, MESSAGE_BYTES_MAX};
use crate::redaction_record::RedactionRecord;
use crate::running_hash::{ChainLink, RunningHash};
use crate::sequence::Sequence;
use brainstem_base::Timestamp;

/// The caller's own name of an append, which makes a repeat return the first answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppendKey(String);

impl AppendKey {
    /// How keys begin that the ledger gives by itself. No append of a caller may have one.
    pub const RESERVED: &str = "ledger:";

    /// Takes a key of 1 to 200 bytes without control characters.
    pub fn parse(text: &str) -> Result<Self, LedgerError> {
        let is_fit = (1..=APPEND_KEY_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control);
        is_fit.then(|| Self(text.to_owned())).ok_or(LedgerError::BadKey)
    }

    /// The key as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A message as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicMessage {
    /// The topic.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
    /// When it was appended.
    pub consensus: ConsensusTime,
    /// The account that appended it.
    pub submitter: AccountId,
    /// The key it was appended with.
    pub key: Option<AppendKey>,
    /// What it says; empty if it was redacted.
    pub bytes: Vec<u8>,
    /// The hash of what it said, if it was redacted and its bytes are gone. Every reader obeys: there is nothing to show.
    pub redacted: Option<ContentHash>,
    /// The hash that chains it to the message before.
    pub running_hash: RunningHash,
}

impl TopicMessage {
    /// The message that an append becomes behind the given end of its topic.
    ///
    /// `last_of_all` is the time of the last message of the whole ledger: times increase over all topics (LED-1a).
    pub fn following(
        head: &Head,
        append: &Append,
        last_of_all: Option<ConsensusTime>,
        clock: Timestamp,
    ) -> Self {
        let link = ChainLink {
            submitter: append.submitter,
            topic: head.topic,
            consensus: ConsensusTime::following(last_of_all.max(head.consensus), clock),
            sequence: head.sequence.map_or(Sequence::FIRST, Sequence::next),
            content: ContentHash::of(&append.bytes),
        };
        Self {
            topic: link.topic,
            sequence: link.sequence,
            consensus: link.consensus,
            submitter: link.submitter,
            key: append.key.clone(),
            bytes: append.bytes.clone(),
            redacted: None,
            running_hash: head.running_hash.following(&link),
        }
    }

    /// The hash of what the message says, or said before it was redacted.
    pub fn content(&self) -> ContentHash {
        self.redacted.unwrap_or_else(|| ContentHash::of(&self.bytes))
    }

    /// The end of the topic once this is its last message.
    pub fn head(&self) -> Head {
        Head {
            topic: self.topic,
            sequence: Some(self.sequence),
            running_hash: self.running_hash,
            consensus: Some(self.consensus),
        }
    }

    /// What the caller that appended it gets.
    pub fn receipt(&self) -> Receipt {
        Receipt {
            topic: self.topic,
            sequence: self.sequence,
            consensus: self.consensus,
            running_hash: self.running_hash,
            is_repeat: false,
        }
    }

    /// Whether an append with this message's key is a repeat of the one that made it.
    pub fn is_from(&self, append: &Append) -> bool {
        let says_the_same = match self.redacted {
            None => self.bytes == append.bytes,
            Some(content) => content == ContentHash::of(&append.bytes),
        };
        says_the_same && (self.topic, self.submitter) == (append.topic, append.submitter)
    }
}

/// A message to be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The topic.
    pub topic: TopicId,
    /// The account that appends.
    pub submitter: AccountId,
    /// The caller's own name of this append.
    pub key: Option<AppendKey>,
    /// What the message says.
    pub bytes: Vec<u8>,
}

impl Append {
    /// Refuses a message that is larger than the limit, a key of the ledger's own, and a message in the form of a
    /// redaction record: those are written by [`Ledger::redact`](crate::Ledger::redact) alone.
    pub fn check(&self) -> Result<(), LedgerError> {
        if self.bytes.len() > MESSAGE_BYTES_MAX {
            return Err(LedgerError::TooLarge { len: self.bytes.len(), len_max: MESSAGE_BYTES_MAX });
        }
        if self.key.as_ref().is_some_and(|key| key.as_str().starts_with(AppendKey::RESERVED)) {
            return Err(LedgerError::BadKey);
        }
        match RedactionRecord::parse(&self.bytes) {
            Some(_) => Err(LedgerError::RedactionRecord),
            None => Ok(()),
        }
    }
}

/// Where an appended message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The topic.
    pub topic: TopicId,
    /// The number of the message.
    pub sequence: Sequence,
    /// Its time.
    pub consensus: ConsensusTime,
    /// Its running hash.
    pub running_hash: RunningHash,
    /// Whether an earlier append with the same key made the message.
    pub is_repeat: bool,
}

/// The end of a topic. It can be kept elsewhere, and the topic be held to it later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The topic.
    pub topic: TopicId,
    /// The number of the last message; `None` in a topic without messages.
    pub sequence: Option<Sequence>,
    /// The running hash behind the last message.
    pub running_hash: RunningHash,
    /// The time of the last message.
    pub consensus: Option<ConsensusTime>,
}

impl Head {
    /// The end of a topic without messages.
    pub fn start(topic: TopicId) -> Self {
        Self { topic, sequence: None, running_hash: RunningHash::START, consensus: None }
    }
}
