//! Reads the fields of a call about mail into the types of its request.

use super::error::MailError;
use super::message_ref::MessageRef;
use super::named_box::{NamedBox, Recipients};
use crate::Post;
use brainstem_base::Timestamp;
use brainstem_mail::limits::{LEASE_MS, LEASE_MS_RANGE, WORD_LEN_MAX};
use brainstem_mail::{MessageKind, Priority};
use brainstem_memory::{Floor, TimeAhead, parse_past};
use brainstem_vault::mail::MailFolder;

/// Reads the fields of one call. The home says which names are secrets, and a duration counts from now.
#[derive(Debug)]
pub struct MailWords {
    floor: Floor,
    now: Timestamp,
}

impl Post {
    /// A reader for the fields of a call.
    pub fn mail_words(&self) -> MailWords {
        MailWords { floor: self.memory().floor(), now: self.clock().now() }
    }
}

impl MailWords {
    /// The recipients of a send.
    pub fn recipients(&self, texts: &[String]) -> Result<Recipients, MailError> {
        Recipients::parse(&self.floor, texts)
    }

    /// The box in `box`, if one is named.
    pub fn mailbox(&self, text: Option<&str>) -> Result<Option<NamedBox>, MailError> {
        text.map(|text| NamedBox::parse(&self.floor, "box", text)).transpose()
    }

    /// The message in `file`.
    pub fn message(&self, text: &str) -> Result<MessageRef, MailError> {
        MessageRef::parse(&self.floor, "file", text)
    }

    /// The message in `reply_to`, if one is named.
    pub fn answered(&self, text: Option<&str>) -> Result<Option<MessageRef>, MailError> {
        text.map(|text| MessageRef::parse(&self.floor, "reply_to", text)).transpose()
    }

    /// A time in the past, if the field has one.
    pub fn past(&self, field: &'static str, text: Option<&str>) -> Result<Option<Timestamp>, MailError> {
        Ok(text.map(|text| parse_past(field, text, self.now)).transpose()?)
    }

    /// When a message expires, if the field says so.
    pub fn expires(&self, text: Option<&str>) -> Result<Option<TimeAhead>, MailError> {
        Ok(text.map(|text| TimeAhead::parse("expires", text, self.now)).transpose()?)
    }

    /// How old the messages to remove are at least.
    pub fn older_than(&self, text: &str) -> Result<OlderThan, MailError> {
        OlderThan::parse(text, self.now)
    }
}

/// A type that can be sent, by its name.
pub fn kind(text: &str) -> Result<MessageKind, MailError> {
    MessageKind::find(text.trim()).ok_or_else(|| MailError::NoKind { given: text.chars().take(40).collect() })
}

/// A priority by its name, if one is given.
pub fn priority(text: Option<&str>) -> Result<Option<Priority>, MailError> {
    let find = |text: &str| {
        let given = || text.chars().take(40).collect();
        Priority::find(text.trim()).ok_or_else(|| MailError::NoPriority { given: given() })
    };
    text.map(find).transpose()
}

/// A folder by its name, if one is given.
pub fn folder(text: Option<&str>) -> Result<Option<MailFolder>, MailError> {
    let find = |text: &str| {
        let given = || text.chars().take(40).collect();
        MailFolder::find(text).ok_or_else(|| MailError::NoFolder { given: given() })
    };
    text.map(find).transpose()
}

/// How long a message is held: between a second and a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTime {
    ms: i64,
}

impl Default for LeaseTime {
    fn default() -> Self {
        Self { ms: LEASE_MS }
    }
}

impl LeaseTime {
    /// A lease of this many seconds.
    pub fn seconds(seconds: i64) -> Result<Self, MailError> {
        let ms = seconds.saturating_mul(1000);
        if LEASE_MS_RANGE.contains(&ms) { Ok(Self { ms }) } else { Err(MailError::NoLease) }
    }

    /// When the lease is over.
    pub(super) fn until(self, now: Timestamp) -> Timestamp {
        Timestamp::from_ms(now.ms() + self.ms)
    }
}

/// A sender's key for one message, so that a repeat does not send it twice: a text of 200 bytes at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendKey(String);

impl SendKey {
    /// Reads a key.
    pub fn parse(text: String) -> Result<Self, MailError> {
        let is_key = !text.trim().is_empty() && text.len() <= WORD_LEN_MAX;
        if is_key { Ok(Self(text)) } else { Err(MailError::NoKey) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a call may move a message in another caller's box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OthersBoxes {
    /// It may not.
    #[default]
    LeftAlone,
    /// A person forces it, which is recorded.
    Forced,
}

impl OthersBoxes {
    /// The value of the flag `force`.
    pub fn forced_if(force: bool) -> Self {
        if force { Self::Forced } else { Self::LeftAlone }
    }
}

/// A time in the past, and the words that named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlderThan {
    before: Timestamp,
    words: String,
}

impl OlderThan {
    /// Reads a day, a time or how long ago. Refuses a time in the future: every message is older.
    pub fn parse(words: &str, now: Timestamp) -> Result<Self, MailError> {
        let before = parse_past("older_than", words, now)?;
        if before > now {
            return Err(MailError::PruneAhead { at: before });
        }
        Ok(Self { before, words: words.to_owned() })
    }
    /// The time.
    pub(super) fn before(&self) -> Timestamp {
        self.before
    }

    /// The words that named it.
    pub(super) fn words(&self) -> &str {
        &self.words
    }
}
