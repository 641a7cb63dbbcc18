//! A message without its content, in one compact form: the leaf of the tree.

use crate::consensus_time::ConsensusTime;
use crate::content_hash::ContentHash;
use crate::entity_id::{AccountId, TopicId};
use crate::message::{Head, TopicMessage};
use crate::running_hash::{ChainLink, RunningHash};
use crate::sequence::Sequence;
use crate::tree::TreeHash;

/// What the tree knows of a message. A redacted message has the same frame as before, so that it still proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The topic.
    pub topic: TopicId,
    /// The number of the message there.
    pub sequence: Sequence,
    /// Its time.
    pub consensus: ConsensusTime,
    /// The account that appended it.
    pub submitter: AccountId,
    /// The hash of what it says.
    pub content: ContentHash,
    /// The hash that chains it to the message before.
    pub running_hash: RunningHash,
}

/// The first byte of a frame: the version of its form.
const FRAME_VERSION: u8 = 1;

impl Frame {
    /// How many bytes a frame has.
    pub const LEN: usize = 1 + 24 + 8 + 8 + 4 + 24 + ContentHash::LEN + RunningHash::LEN;

    /// The frame of a message.
    pub fn of(message: &TopicMessage) -> Self {
        Self {
            topic: message.topic,
            sequence: message.sequence,
            consensus: message.consensus,
            submitter: message.submitter,
            content: message.content(),
            running_hash: message.running_hash,
        }
    }

    /// The frame as bytes: version, topic (three numbers), sequence, seconds, nanoseconds, submitter (three numbers),
    /// SHA-384 of the message, running hash; numbers in big-endian order.
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let parts: [&[u8]; 8] = [
            &[FRAME_VERSION],
            &self.topic.to_be_bytes(),
            &self.sequence.number().to_be_bytes(),
            &self.consensus.seconds().to_be_bytes(),
            &self.consensus.nanos().to_be_bytes(),
            &self.submitter.to_be_bytes(),
            self.content.as_bytes(),
            self.running_hash.as_bytes(),
        ];
        let mut bytes = [0; Self::LEN];
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        bytes
    }

    /// The frame in these bytes; `None` if they are none of this version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first()?;
        let (topic, rest) = rest.split_first_chunk::<24>()?;
        let (sequence, rest) = rest.split_first_chunk::<8>()?;
        let (seconds, rest) = rest.split_first_chunk::<8>()?;
        let (nanos, rest) = rest.split_first_chunk::<4>()?;
        let (submitter, rest) = rest.split_first_chunk::<24>()?;
        let (content, rest) = rest.split_first_chunk::<{ ContentHash::LEN }>()?;
        let (running_hash, rest) = rest.split_first_chunk::<{ RunningHash::LEN }>()?;
        if *version != FRAME_VERSION || !rest.is_empty() {
            return None;
        }
        let consensus = ConsensusTime::new(u64::from_be_bytes(*seconds), u32::from_be_bytes(*nanos)).ok()?;
        Some(Self {
            topic: TopicId::from_be_bytes(topic).ok()?,
            sequence: Sequence::new(u64::from_be_bytes(*sequence))?,
            consensus,
            submitter: AccountId::from_be_bytes(submitter).ok()?,
            content: ContentHash::from_bytes(*content),
            running_hash: RunningHash::from_bytes(*running_hash),
        })
    }

    /// What the running hash is made of, besides the hash before.
    pub(crate) fn link(&self) -> ChainLink {
        ChainLink {
            submitter: self.submitter,
            topic: self.topic,
            consensus: self.consensus,
            sequence: self.sequence,
            content: self.content,
        }
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

    /// The hash of the frame as a leaf of the tree.
    pub fn leaf(&self) -> TreeHash {
        TreeHash::of_leaf(&self.to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LED-4b
    fn a_frame_is_written_and_read_back() {
        let frame = Frame {
            topic: TopicId::new(1, 2, 1_001).expect("in range"),
            sequence: Sequence::new(7).expect("not zero"),
            consensus: ConsensusTime::new(1_700_000_000, 999_999_999).expect("in range"),
            submitter: AccountId::local(12).expect("in range"),
            content: ContentHash::of(b"said"),
            running_hash: RunningHash::from_bytes([9; RunningHash::LEN]),
        };
        let bytes = frame.to_bytes();
        assert_eq!(Frame::from_bytes(&bytes), Some(frame));
        assert_eq!(Frame::from_bytes(&bytes[..Frame::LEN - 1]), None);
        assert_eq!(Frame::from_bytes(&[&bytes[..], &[0]].concat()), None);
        let mut other = bytes;
        other[0] = 2;
        assert_eq!(Frame::from_bytes(&other), None);
    }
}
