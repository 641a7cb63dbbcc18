//! The ids of topics and accounts: `shard.realm.num`, as Hedera writes them.

use std::fmt;
use std::str::FromStr;

/// Three numbers that name an entity of a ledger. Each fits a signed 64-bit number, because the running hash writes it
/// as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct EntityId {
    shard: u64,
    realm: u64,
    num: u64,
}

/// Why a text is no entity id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an id has the form `0.0.N`: three decimal numbers without signs or leading zeros, joined by dots")]
pub struct EntityIdFault;

const PART_MAX: u64 = i64::MAX as u64;

impl EntityId {
    fn new(shard: u64, realm: u64, num: u64) -> Result<Self, EntityIdFault> {
        let is_in_range = [shard, realm, num].iter().all(|part| *part <= PART_MAX);
        is_in_range.then_some(Self { shard, realm, num }).ok_or(EntityIdFault)
    }

    fn parse(text: &str) -> Result<Self, EntityIdFault> {
        let mut parts = text.split('.').map(parse_part);
        let mut next = || parts.next().ok_or(EntityIdFault)?;
        let (shard, realm, num) = (next()?, next()?, next()?);
        match parts.next() {
            None => Self::new(shard, realm, num),
            Some(_) => Err(EntityIdFault),
        }
    }

    fn to_be_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        for (at, part) in [self.shard, self.realm, self.num].into_iter().enumerate() {
            bytes[at * 8..][..8].copy_from_slice(&part.to_be_bytes());
        }
        bytes
    }
}

/// One number of an id. There is one way to write it, so that equal ids are equal texts.
fn parse_part(text: &str) -> Result<u64, EntityIdFault> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = text.len() > 1 && text.starts_with('0');
    match is_plain && !has_leading_zero {
        true => text.parse().map_err(|_| EntityIdFault),
        false => Err(EntityIdFault),
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.shard, self.realm, self.num)
    }
}

macro_rules! entity_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(EntityId);

        impl $name {
            /// The id `0.0.num`, as this program allots them.
            pub fn local(num: u64) -> Result<Self, EntityIdFault> {
                Self::new(0, 0, num)
            }

            /// The id of the three numbers; refuses one that needs more than 63 bits.
            pub fn new(shard: u64, realm: u64, num: u64) -> Result<Self, EntityIdFault> {
                EntityId::new(shard, realm, num).map(Self)
            }

            /// The last of the three numbers.
            pub fn num(self) -> u64 {
                self.0.num
            }

            /// The three numbers as the running hash takes them.
            pub(crate) fn to_be_bytes(self) -> [u8; 24] {
                self.0.to_be_bytes()
            }

            /// The id whose numbers are in these bytes.
            pub(crate) fn from_be_bytes(bytes: &[u8; 24]) -> Result<Self, EntityIdFault> {
                let part = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
                Self::new(part(0), part(8), part(16))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = EntityIdFault;

            fn from_str(text: &str) -> Result<Self, EntityIdFault> {
                EntityId::parse(text).map(Self)
            }
        }
    )*};
}

entity_ids! {
    /// The id of a topic.
    TopicId;
    /// The id of an account: of an agent, a person or the system, as the submitter of messages.
    AccountId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LED-1
    fn an_id_has_one_spelling() {
        for text in ["0.0.7", "1.2.3", "0.0.9223372036854775807"] {
            assert_eq!(text.parse::<TopicId>().map(|id| id.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "7",
            "0.7",
            "0.0.",
            "0.0.07",
            "0.0.+7",
            "0.0.-7",
            " 0.0.7",
            "0.0.7.1",
            "0.0.9223372036854775808",
        ] {
            assert_eq!(text.parse::<TopicId>(), Err(EntityIdFault), "{text:?}");
        }
    }
}
