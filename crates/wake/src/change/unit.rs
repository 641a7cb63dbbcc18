//! The unit of change: one payload at one count of one device's clock.

use crate::change::key::ChangeUnitKey;
use crate::limits::{PAYLOAD_ID_LEN_MAX, PAYLOAD_TYPE_LEN_MAX};
use brainstem_agents::HostId;
use std::fmt;

/// How a unit came here. It is kept beside the unit and is no part of its identity: the author and the receivers of one
/// change derive the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnitOrigin {
    /// From another device.
    Sync,
    /// It was written here.
    Local,
}

impl UnitOrigin {
    /// The word of rows and of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Local => "local",
        }
    }
}

/// What kind of record a unit is about: `journalEntity`, `mailMessage`, or the payload type of an agent's record.
///
/// Invariant: letters, digits, `_`, `.` and `-` only, so that it cannot reach into the next part of a unit's canonical text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadType(Box<str>);

/// The id of the record.
///
/// Invariant: not empty, at most [`PAYLOAD_ID_LEN_MAX`] bytes, no control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadId(Box<str>);

/// Why a unit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitFault {
    /// The payload type breaks its rule.
    #[error("{0:?} is not a payload type: it has 1 to {PAYLOAD_TYPE_LEN_MAX} of A-Z a-z 0-9 _ . -")]
    PayloadType(String),
    /// The payload id breaks its rule.
    #[error("a payload id has 1 to {PAYLOAD_ID_LEN_MAX} bytes and no control characters")]
    PayloadId,
}

/// The payload types that this program itself writes, beside those of agents' records.
pub mod payload_type {
    /// A record of the journal.
    pub const JOURNAL_ENTITY: &str = "journalEntity";
    /// A link between records of the journal.
    pub const ENTRY_LINK: &str = "entryLink";
    /// A message of mail.
    pub const MAIL_MESSAGE: &str = "mailMessage";
    /// A message of the inbox.
    pub const INBOX_MESSAGE: &str = "inboxMessage";
    /// A claim.
    pub const CLAIM: &str = "claim";
    /// A letter.
    pub const LETTER: &str = "letter";
}

impl PayloadType {
    /// Parses a payload type.
    pub fn parse(text: &str) -> Result<Self, UnitFault> {
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
        let is_type = (1..=PAYLOAD_TYPE_LEN_MAX).contains(&text.len()) && text.bytes().all(is_part);
        if is_type {
            Ok(Self(text.into()))
        } else {
            Err(UnitFault::PayloadType(text.chars().take(PAYLOAD_TYPE_LEN_MAX).collect()))
        }
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PayloadId {
    /// Parses an id.
    pub fn parse(text: &str) -> Result<Self, UnitFault> {
        let is_id = (1..=PAYLOAD_ID_LEN_MAX).contains(&text.len()) && !text.chars().any(char::is_control);
        if is_id { Ok(Self(text.into())) } else { Err(UnitFault::PayloadId) }
    }

    /// The id as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One payload that changed, with its provenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeUnit {
    /// How it came here.
    pub origin: UnitOrigin,
    /// The device that wrote it, or the first that saw it if it was born as a file.
    pub host: HostId,
    /// The count of that device's clock, committed with the write.
    pub counter: u64,
    /// What changed.
    pub payload_type: PayloadType,
    /// Which one.
    pub payload_id: PayloadId,
}

impl ChangeUnit {
    /// Its key, the same on every device.
    pub fn key(&self) -> ChangeUnitKey {
        ChangeUnitKey::of(&self.to_string())
    }
}

/// The canonical text, version 2: `v2|{hostId}|{counter}|{payloadType}|{payloadId}`. The id alone may have a `|`, and it is
/// last, so no two units have one text.
impl fmt::Display for ChangeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin: _, host, counter, payload_type, payload_id } = self;
        write!(f, "v2|{host}|{counter}|{}|{}", payload_type.as_str(), payload_id.as_str())
    }
}
