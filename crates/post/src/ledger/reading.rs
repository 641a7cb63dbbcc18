//! Looking at topics and their messages.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_ledger::{
    ChainFault, ChainFaultKind, ChainWalk, ConsensusTime, Head, Ledger as _, LedgerError, ReadFrom,
    RunningHash, Sequence, Topic, TopicId, TopicMessage,
};
use std::fmt;

/// A topic and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicState {
    /// The topic.
    pub topic: Topic,
    /// Its end.
    pub head: Head,
}

/// A place in a topic that keeps the hash which its reader saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicCursor {
    /// The last message that was read.
    pub sequence: Sequence,
    /// Its running hash; `None` if the reader kept the number alone.
    pub running_hash: Option<RunningHash>,
}

impl TopicCursor {
    /// Parses `12`, or `12:HASH` as an answer gives it.
    pub fn parse(text: &str) -> Result<Self, LedgerUseError> {
        let bad = || LedgerUseError::NoCursor { given: text.chars().take(120).collect() };
        let (number, hash) = match text.split_once(':') {
            None => (text, None),
            Some((number, hash)) => (number, Some(hash.parse::<RunningHash>().map_err(|_| bad())?)),
        };
        let sequence = number.parse().ok().and_then(Sequence::new).ok_or_else(bad)?;
        Ok(Self { sequence, running_hash: hash })
    }

    fn of(message: &TopicMessage) -> Self {
        Self { sequence: message.sequence, running_hash: Some(message.running_hash) }
    }
}

impl fmt::Display for TopicCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.running_hash {
            None => self.sequence.fmt(f),
            Some(hash) => write!(f, "{}:{hash}", self.sequence),
        }
    }
}

/// Where a caller begins to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicPlace {
    /// At the first message.
    Start,
    /// At this message.
    At(Sequence),
    /// Behind this cursor.
    After(TopicCursor),
    /// At the first message of this time or later.
    Since(ConsensusTime),
}

/// Messages of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicPage {
    /// The messages.
    pub messages: Vec<TopicMessage>,
    /// Where to read on: behind the last message of the page, or where the caller was if the page has none.
    pub cursor: Option<TopicCursor>,
    /// Whether there is more.
    pub has_more: bool,
}

/// A topic id as a caller writes it.
pub fn parse_topic(text: &str) -> Result<TopicId, LedgerUseError> {
    text.trim().parse().map_err(|_| LedgerUseError::NoTopicId { given: text.chars().take(80).collect() })
}

/// The number of a message as a caller writes it.
pub fn parse_sequence(field: &'static str, number: i64) -> Result<Sequence, LedgerUseError> {
    let sequence = u64::try_from(number).ok().and_then(Sequence::new);
    sequence.ok_or_else(|| LedgerUseError::NoNumber { field, given: number.to_string() })
}

impl Post {
    /// The topics behind an id, each with its end, at most `limit`; and whether there are more.
    pub fn ledger_topics(
        &self,
        after: Option<TopicId>,
        limit: usize,
    ) -> Result<(Vec<TopicState>, bool), LedgerUseError> {
        let ledger = self.ledger_to_read()?;
        let mut topics = ledger.topics(after, limit.saturating_add(1))?;
        let has_more = topics.len() > limit;
        topics.truncate(limit);
        let states: Result<Vec<_>, LedgerError> = topics
            .into_iter()
            .map(|topic| ledger.head(topic.id).map(|head| TopicState { topic, head }))
            .collect();
        Ok((states?, has_more))
    }

    /// One topic and its end.
    pub fn ledger_topic(&self, id: TopicId) -> Result<TopicState, LedgerUseError> {
        let ledger = self.ledger_to_read()?;
        let topic = ledger.topic(id)?.ok_or(LedgerError::NoTopic(id))?;
        Ok(TopicState { head: ledger.head(id)?, topic })
    }

    /// Messages of a topic from a place on. Behind a cursor that keeps its hash they are walked from there, so that a topic
    /// which was cut or rewritten since is refused.
    pub fn ledger_messages(
        &self,
        topic: TopicId,
        place: TopicPlace,
        limit: usize,
    ) -> Result<TopicPage, LedgerUseError> {
        let ledger = self.ledger_to_read()?;
        let before = |sequence: Sequence| match Sequence::new(sequence.number() - 1) {
            None => ReadFrom::Start,
            Some(before) => ReadFrom::After(before),
        };
        let (page, stood) = match place {
            TopicPlace::Start => (ledger.read(topic, ReadFrom::Start, limit)?, None),
            TopicPlace::Since(time) => (ledger.read(topic, ReadFrom::Time(time), limit)?, None),
            TopicPlace::At(sequence) => {
                let page = ledger.read(topic, before(sequence), limit)?;
                if page.messages.first().is_none_or(|first| first.sequence != sequence) {
                    return Err(LedgerError::NoMessage { topic, sequence }.into());
                }
                (page, None)
            }
            TopicPlace::After(cursor) if cursor.running_hash.is_none() => {
                (ledger.read(topic, ReadFrom::After(cursor.sequence), limit)?, Some(cursor))
            }
            TopicPlace::After(cursor) => {
                let mut page = ledger.read(topic, before(cursor.sequence), limit.saturating_add(1))?;
                check_cursor(topic, &cursor, &page.messages)?;
                page.messages.remove(0);
                (page, Some(cursor))
            }
        };
        let cursor = page.messages.last().map(TopicCursor::of).or(stood);
        Ok(TopicPage { messages: page.messages, cursor, has_more: page.has_more })
    }
}

/// Compares the first message with the cursor, and walks the others from there.
fn check_cursor(
    topic: TopicId,
    cursor: &TopicCursor,
    messages: &[TopicMessage],
) -> Result<(), LedgerUseError> {
    let fault = |kind| LedgerUseError::Changed(ChainFault { topic, sequence: cursor.sequence, kind });
    let first = messages.first().ok_or_else(|| fault(ChainFaultKind::Missing))?;
    if first.sequence != cursor.sequence || Some(first.running_hash) != cursor.running_hash {
        return Err(fault(ChainFaultKind::Rewritten));
    }
    let mut walk = ChainWalk::after(first.head());
    messages[1..].iter().try_for_each(|message| walk.step(message)).map_err(LedgerUseError::Changed)
}
