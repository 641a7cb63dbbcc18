//! A message file: the bytes are kept, and the one edit that this program makes changes one line.

use crate::head::{Fences, Malformed, MessageHead, entries};
use crate::limits::MESSAGE_LEN_MAX;
use brainstem_base::Timestamp;

/// A message.
///
/// Invariant: the text is the file's, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says about itself.
    pub head: MessageHead,
    text: String,
    body_at: usize,
}

impl Message {
    /// Reads a whole file.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, Malformed> {
        if bytes.len() as u64 > MESSAGE_LEN_MAX {
            return Err(Malformed(too_large(bytes.len() as u64)));
        }
        let text = String::from_utf8(bytes).map_err(|_| Malformed("it is not UTF-8".into()))?;
        let fences = Fences::find(text.as_bytes())?;
        let head = MessageHead::read(&entries(&text[fences.inside.clone()])?)?;
        Ok(Self { head, body_at: fences.body, text })
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text below the frontmatter, without the one empty line between them.
    pub fn body(&self) -> &str {
        let body = &self.text[self.body_at..];
        body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body)
    }

    /// The text with `read_at` set; every other byte stays. Refused if the longer text would no longer be a readable
    /// message.
    pub fn stamped(&self, read_at: Timestamp) -> Result<String, Malformed> {
        let fences = Fences::find(self.text.as_bytes()).expect("it was parsed");
        let inside = &self.text[fences.inside.clone()];
        let keys = entries(inside).expect("it was parsed");
        let end = if self.text[..fences.inside.start].ends_with("\r\n") { "\r\n" } else { "\n" };
        let line = format!("read_at: {}{end}", read_at.to_rfc3339());
        let place = |key: &str| keys.iter().find(|entry| entry.key == key).map(|entry| entry.span.clone());
        // In the order of keys that this program writes, as far as another program's file has one.
        let span = place("read_at")
            .or_else(|| place("subject").map(|span| span.start..span.start))
            .unwrap_or(inside.len()..inside.len());
        let mut text = self.text.clone();
        let at = fences.inside.start;
        text.replace_range(at + span.start..at + span.end, &line);
        Self::parse(text.into_bytes()).map(|stamped| stamped.text)
    }
}

/// Why a file of so many bytes is not read.
pub fn too_large(len: u64) -> String {
    format!("it has {len} bytes, and a message has at most {MESSAGE_LEN_MAX}")
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
