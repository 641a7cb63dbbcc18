//! A message as a caller names it.

use super::error::MailError;
use super::named_box::NamedBox;
use brainstem_mail::FileName;
use brainstem_mail::file_name::FileNameFault;
use brainstem_memory::Floor;

/// A message as a caller names it: by its whole name or a part of it, with or without its box before that.
///
/// Invariant: the text has no secret in it: a message that is found by its secret would confirm a guess.
#[derive(Clone, Debug)]
pub struct MessageRef {
    pub(super) in_box: Option<NamedBox>,
    pub(super) name: MessageName,
}

/// The name of a message as a caller gives it.
#[derive(Clone, Debug)]
pub(super) enum MessageName {
    /// The whole name.
    Whole(FileName),
    /// A part of one.
    Part(String),
    /// Neither of them. A file may still have this name; a listing names it as unreadable.
    Neither(String, FileNameFault),
}

impl MessageRef {
    /// Reads `file`, a part of it, or `box/file`.
    pub fn parse(floor: &Floor, field: &'static str, text: &str) -> Result<Self, MailError> {
        floor.check_secret(field, text)?;
        let (in_box, name) = match text.split_once('/') {
            Some((mailbox, name)) => (Some(NamedBox::parse(floor, field, mailbox)?), name),
            None => (None, text),
        };
        let name = match FileName::parse(name) {
            Ok(file) => MessageName::Whole(file),
            Err(_) if is_part(name) => MessageName::Part(name.to_owned()),
            Err(fault) => MessageName::Neither(name.to_owned(), fault),
        };
        Ok(Self { in_box, name })
    }
}

impl MessageName {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Whole(file) => file.as_str(),
            Self::Part(text) | Self::Neither(text, _) => text,
        }
    }
}

/// Whether a text can be a part of a name. A path cannot.
fn is_part(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@~-".contains(&byte))
}
