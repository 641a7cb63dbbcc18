//! The running hash, version 3, as Hedera's consensus nodes compute it.
//!
//! The public documents list what is hashed. What the network really hashes is the stream that Java's
//! `ObjectOutputStream` makes of it: a byte array, a block of primitive values, a second byte array. The vectors in the
//! tests are the nodes' own.

use crate::consensus_time::ConsensusTime;
use crate::content_hash::ContentHash;
use crate::entity_id::{AccountId, TopicId};
use crate::sequence::Sequence;
use brainstem_base::hash::hex;
use sha2::{Digest as _, Sha384};
use std::fmt;
use std::str::FromStr;

/// The hash that chains a message to all messages before it in its topic.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunningHash([u8; Self::LEN]);

/// Everything of a message that its running hash is made of, besides the hash before it.
#[derive(Clone, Copy, Debug)]
pub struct ChainLink {
    /// The account that submitted the message.
    pub submitter: AccountId,
    /// The topic.
    pub topic: TopicId,
    /// The time of the message.
    pub consensus: ConsensusTime,
    /// Its number in the topic.
    pub sequence: Sequence,
    /// The hash of what it says.
    pub content: ContentHash,
}

/// The version of the form, which is hashed too.
pub const RUNNING_HASH_VERSION: u64 = 3;

/// The head of the stream, and a byte array with its class.
const FIRST_ARRAY: [u8; 23] = [
    0xac, 0xed, 0x00, 0x05, 0x75, 0x72, 0x00, 0x02, 0x5b, 0x42, 0xac, 0xf3, 0x17, 0xf8, 0x06, 0x08, 0x54,
    0xe0, 0x02, 0x00, 0x00, 0x78, 0x70,
];
/// A block of primitive values, 76 bytes of them.
const VALUES: [u8; 2] = [0x77, 76];
/// A byte array whose class was named before.
const SECOND_ARRAY: [u8; 6] = [0x75, 0x71, 0x00, 0x7e, 0x00, 0x00];

impl RunningHash {
    /// How many bytes a hash has.
    pub const LEN: usize = 48;
    /// The hash before the first message of a topic.
    pub const START: Self = Self([0; Self::LEN]);

    /// The hash of these bytes.
    pub fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// The hash of the message that follows this one.
    pub fn following(&self, link: &ChainLink) -> Self {
        Self(hash(&self.0, link))
    }
}

fn hash(before: &[u8], link: &ChainLink) -> [u8; RunningHash::LEN] {
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).expect("a hash is short").to_be_bytes();
    let content = link.content.as_bytes();
    let mut stream = Sha384::new();
    stream.update(FIRST_ARRAY);
    stream.update(len(before));
    stream.update(before);
    stream.update(VALUES);
    stream.update(RUNNING_HASH_VERSION.to_be_bytes());
    stream.update(link.submitter.to_be_bytes());
    stream.update(link.topic.to_be_bytes());
    stream.update(link.consensus.seconds().to_be_bytes());
    stream.update(link.consensus.nanos().to_be_bytes());
    stream.update(link.sequence.number().to_be_bytes());
    stream.update(SECOND_ARRAY);
    stream.update(len(content));
    stream.update(content);
    stream.finalize().into()
}

impl fmt::Display for RunningHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Why a text is no running hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a running hash is 96 hex digits")]
pub struct RunningHashFault;

impl FromStr for RunningHash {
    type Err = RunningHashFault;

    fn from_str(text: &str) -> Result<Self, RunningHashFault> {
        let mut bytes = [0; Self::LEN];
        if text.len() != Self::LEN * 2 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(RunningHashFault);
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).map_err(|_| RunningHashFault)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Debug for RunningHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunningHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(payer: [u64; 3], topic: [u64; 3], at: (u64, u32), sequence: u64, bytes: &[u8]) -> ChainLink {
        let id = |[shard, realm, num]: [u64; 3]| (shard, realm, num);
        let ((a, b, c), (d, e, f)) = (id(payer), id(topic));
        ChainLink {
            submitter: AccountId::new(a, b, c).expect("in range"),
            topic: TopicId::new(d, e, f).expect("in range"),
            consensus: ConsensusTime::new(at.0, at.1).expect("in range"),
            sequence: Sequence::new(sequence).expect("not zero"),
            content: ContentHash::of(bytes),
        }
    }

    #[test] // spec: LED-1
    fn the_hashes_are_those_of_the_network() {
        let cases: [(&[u8], ChainLink, &str); 3] = [
            (
                &[0, 0],
                link([4, 5, 6], [1, 2, 3], (1_577_401_723, 0), 1, b"message"),
                "46d4ef0126b7be6c1c11ea854d5732a50aa0d7fb17b325c6977cec284c76814f969234d67c0b8cc414b9c84ff3e2bcb3",
            ),
            (
                &[0; 48],
                link([7, 8, 9], [0, 0, 0], (1_577_401_723, 987_654_321), 2, b""),
                "7547461ccf9bc8b598006f84c86bedee16967ba661da6f0c59c33476f8010932969b85aae59aff067e01e0fac6d45bda",
            ),
            (
                &[0; 48],
                link([10, 11, 12], [0, 0, 0], (0, 0), 1, b""),
                "79200c525a751761dc25356d3dd01a34cf2a517e9c78e4b359ffd792f98f33f1ac1440dcd5e282abe73f6b265356218b",
            ),
        ];
        for (before, link, expected) in cases {
            assert_eq!(hex(&hash(before, &link)), expected);
        }
    }

    #[test] // spec: LED-1
    fn two_messages_chain_as_on_the_network() {
        let first = link([0, 0, 123], [0, 0, 2], (3_234_567, 0), 1, b"Hello world!");
        let second = link([0, 0, 123], [0, 0, 2], (3_234_567, 1), 2, b"Hello world!");
        let end = RunningHash::START.following(&first).following(&second).to_string();
        assert!(end.starts_with("a19f77d3") && end.ends_with("7bc5"), "{end}");
    }
}
