//! The type of a message.

use crate::limits::MESSAGE_TYPE_BYTES_MAX;
use std::fmt;

/// The type of a message: dotted names in lower case, such as `task.blocked` or `question`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageType(String);

/// Why a text is no message type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a message type is names of lower-case letters, digits and _ with dots between them, at most 64 bytes"
)]
pub struct MessageTypeFault;

/// The types that the program itself knows.
pub const KNOWN: [&str; 10] = [
    "task.blocked",
    "task.complete",
    "task.note",
    "phase.note",
    "project.note",
    "phase.complete",
    "feedback",
    "fyi",
    "review.request",
    "question",
];

/// The type of a message that is plain text, which names no type.
pub(crate) const PLAIN: &str = "fyi";

impl MessageType {
    /// Parses a type, or says which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, MessageTypeFault> {
        let is_name = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let is_fit = text.len() <= MESSAGE_TYPE_BYTES_MAX && text.split('.').all(is_name);
        is_fit.then(|| Self(text.to_owned())).ok_or(MessageTypeFault)
    }

    pub(crate) fn plain() -> Self {
        Self(PLAIN.to_owned())
    }

    /// The type as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a note on an entity.
    pub fn is_note(&self) -> bool {
        self.0.ends_with(".note")
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-4
    fn a_message_type_is_dotted_names_in_lower_case() {
        for text in KNOWN.into_iter().chain(["a", "deploy.started.v2", "build_2.done"]) {
            assert_eq!(MessageType::parse(text).map(|kind| kind.to_string()), Ok(text.to_owned()));
        }
        let long = "a".repeat(65);
        for text in ["", ".", "a.", ".a", "a..b", "A", "a b", "2a", "a.2", "a-b", "é", "a\n", &long] {
            assert_eq!(MessageType::parse(text), Err(MessageTypeFault), "{text:?}");
        }
    }
}
