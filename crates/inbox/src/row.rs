//! The rows of the mirror, as they follow from messages.

use crate::envelope::MessageContent;
use crate::slug::AgentSlug;
use brainstem_base::hash::sha256;
use brainstem_ledger::{AccountId, ConsensusTime, Sequence, TopicId};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The id of a row: derived from topic, sequence number and reader, so that every path to it gives the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(Uuid);

impl RowId {
    /// The id of the row that a message gives a reader.
    pub fn of(topic: TopicId, sequence: Sequence, to: &AgentSlug) -> Self {
        let digest = sha256(format!("brainstem:inbox:{topic}:{sequence}:{to}").as_bytes());
        let bytes = digest[..16].try_into().expect("a digest has 32 bytes");
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for RowId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}

/// A message in the inbox of one reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRow {
    /// Its id.
    pub id: RowId,
    /// The reader.
    pub to: AgentSlug,
    /// The sender: a slug, `system`, or the account of an outsider.
    pub from: String,
    /// What it says.
    pub content: MessageContent,
    /// When it was appended.
    pub created: ConsensusTime,
    /// The topic it came from.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
}

/// That a reader processed a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessedMark {
    /// The row.
    pub row: RowId,
    /// When the acknowledgement was appended.
    pub at: ConsensusTime,
    /// The session that processed it.
    pub session: String,
}

/// A note as the thread of its entity shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadNote {
    /// The entity's topic.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
    /// When it was appended.
    pub at: ConsensusTime,
    /// What it says.
    pub note: crate::note::EntityNote,
}

/// What an outsider said before its connection was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldMessage {
    /// The agent that it was for.
    pub to: AgentSlug,
    /// The outsider.
    pub account: AccountId,
    /// Whether it asks for a connection; otherwise it is a message.
    pub is_request: bool,
    /// The beginning of what it says.
    pub excerpt: String,
    /// When it was appended.
    pub at: ConsensusTime,
    /// The topic it came from.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-8
    fn the_id_of_a_row_follows_from_topic_sequence_and_reader() {
        let topic = TopicId::local(1_003).unwrap();
        let slug = |text: &str| AgentSlug::parse(text).unwrap();
        let id = RowId::of(topic, Sequence::FIRST, &slug("a"));
        assert_eq!(id, RowId::of(topic, Sequence::FIRST, &slug("a")));
        assert_ne!(id, RowId::of(topic, Sequence::FIRST, &slug("b")));
        assert_ne!(id, RowId::of(topic, Sequence::FIRST.next(), &slug("a")));
        assert_eq!(id.to_string().parse::<RowId>().unwrap(), id);
    }
}
