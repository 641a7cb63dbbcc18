//! How far a reader came in a topic.

use brainstem_ledger::{
    ChainFault, ChainFaultKind, ConsensusTime, Head, RunningHash, Sequence, TopicId, TopicMessage,
};

/// How far a topic was read, and the hash that was seen there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MirrorCursor {
    /// The topic.
    pub topic: TopicId,
    /// The last message that was read.
    pub sequence: Sequence,
    /// Its running hash.
    pub hash: RunningHash,
    /// Its time.
    pub at: ConsensusTime,
}

impl MirrorCursor {
    /// The cursor behind a head; `None` for a topic without messages.
    pub fn of(head: &Head) -> Option<Self> {
        let (sequence, at) = (head.sequence?, head.consensus?);
        Some(Self { topic: head.topic, sequence, hash: head.running_hash, at })
    }

    /// The head that was seen.
    pub fn head(&self) -> Head {
        let Self { topic, sequence, hash, at } = *self;
        Head { topic, sequence: Some(sequence), running_hash: hash, consensus: Some(at) }
    }

    /// What is wrong if a message with the cursor's number is another one than was seen.
    pub fn fault_at(&self, message: &TopicMessage) -> Option<ChainFault> {
        let is_other = message.sequence == self.sequence && message.running_hash != self.hash;
        is_other.then_some(ChainFault {
            topic: self.topic,
            sequence: self.sequence,
            kind: ChainFaultKind::Rewritten,
        })
    }
}
