//! The frontmatter of a message.

use crate::kind::{MessageKind, Priority};
use crate::limits::HEAD_LEN_MAX;
use crate::scalar::{self, HeadValue};
use brainstem_base::Timestamp;
use std::ops::Range;

/// The keys this program knows, in the order in which it writes them (MAIL-7a).
pub const KEYS: &[&str] = &[
    "from",
    "to",
    "type",
    "timestamp",
    "needs_response",
    "priority",
    "tags",
    "in_reply_to",
    "thread_id",
    "expires",
    "read_at",
    "subject",
];

/// The head of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageHead {
    /// The sender.
    pub from: String,
    /// The recipient.
    pub to: String,
    /// What it is.
    pub kind: MessageKind,
    /// When it was made.
    pub timestamp: Timestamp,
    /// Whether the sender waits for a reply.
    pub needs_response: bool,
    /// How urgent it is.
    pub priority: Priority,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The file name of the message it replies to.
    pub in_reply_to: Option<String>,
    /// The conversation it belongs to.
    pub thread_id: Option<String>,
    /// When it expires.
    pub expires: Option<Timestamp>,
    /// When it was marked read.
    pub read_at: Option<Timestamp>,
    /// What it is about.
    pub subject: String,
    /// Keys this program does not know.
    pub extras: Vec<(String, String)>,
    /// What is unusual about it, although it could be read.
    pub warnings: Vec<String>,
}

/// Why a file cannot be read as a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl MessageHead {
    /// Reads the head from the start of a file; the body may be missing.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let fences = Fences::find(bytes)?;
        Self::read(&entries(fences.inner(bytes)?)?)
    }

    pub(crate) fn read(entries: &[HeadEntry<'_>]) -> Result<Self, Malformed> {
        let mut warnings = Vec::new();
        let mut fields = HeadFields { entries, warnings: &mut warnings };
        let required = |found: Option<String>, key: &str| {
            found
                .filter(|text| !text.is_empty())
                .ok_or_else(|| Malformed(format!("the field `{key}` is missing")))
        };
        let from = required(fields.text("from")?, "from")?;
        let to = required(fields.text("to")?, "to")?;
        let kind = MessageKind::read(&required(fields.text("type")?, "type")?);
        let written = required(fields.text("timestamp")?, "timestamp")?;
        let timestamp = time(&written)
            .ok_or_else(|| Malformed("`timestamp` is not a time such as 2026-01-28T15:30:00Z".into()))?;
        let head = Self {
            from,
            to,
            timestamp,
            needs_response: fields.truth("needs_response")?,
            priority: fields.priority()?,
            tags: fields.list("tags")?,
            in_reply_to: fields.text("in_reply_to")?.filter(|text| !text.is_empty()),
            thread_id: fields.text("thread_id")?.filter(|text| !text.is_empty()),
            expires: fields.time("expires")?,
            read_at: fields.time("read_at")?,
            subject: fields.text("subject")?.unwrap_or_default(),
            extras: fields.extras(),
            warnings: Vec::new(),
            kind,
        };
        if let MessageKind::Other(kind) = &head.kind {
            warnings.push(format!("the type `{kind}` cannot be sent"));
        }
        Ok(Self { warnings, ..head })
    }

    /// The value of a key this program does not know.
    pub fn extra(&self, key: &str) -> Option<&str> {
        self.extras.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Whether it has expired.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// The conversation it belongs to, given its file name.
    pub fn thread(&self, file: &str) -> String {
        self.thread_id.clone().or_else(|| self.in_reply_to.clone()).unwrap_or_else(|| file.to_owned())
    }
}

/// A time in ISO 8601; without a zone it is UTC.
fn time(text: &str) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(text).or_else(|| Timestamp::parse_rfc3339(&format!("{}Z", text.trim())))
}

/// Where the two fences of a message are.
pub(crate) struct Fences {
    /// The bytes between them.
    pub(crate) inside: Range<usize>,
    /// Where the body begins.
    pub(crate) body: usize,
}

const BOM: &[u8] = "\u{feff}".as_bytes();

impl Fences {
    pub(crate) fn find(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut lines = bytes[at..].split_inclusive(|b| *b == b'\n');
        let first = lines.next().unwrap_or_default();
        if !is_fence(first) {
            return Err(Malformed("it does not begin with a line `---`".into()));
        }
        at += first.len();
        let start = at;
        for line in lines {
            if is_fence(line) {
                return Ok(Self { inside: start..at, body: at + line.len() });
            }
            at += line.len();
            if at - start > HEAD_LEN_MAX {
                return Err(Malformed(format!("its frontmatter is larger than {HEAD_LEN_MAX} bytes")));
            }
        }
        Err(Malformed("its frontmatter has no closing line `---`".into()))
    }

    pub(crate) fn inner<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, Malformed> {
        std::str::from_utf8(&bytes[self.inside.clone()]).map_err(|_| Malformed("it is not UTF-8".into()))
    }
}

/// A fence is a line that is exactly `---`; an editor may have ended it with a carriage return.
fn is_fence(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line) == b"---"
}

/// A key with its value, and the bytes both take.
pub(crate) struct HeadEntry<'a> {
    pub(crate) key: String,
    first: &'a str,
    below: Vec<&'a str>,
    pub(crate) span: Range<usize>,
}

/// Cuts frontmatter into its keys; the lines below a key that are indented, empty or items of a list
/// belong to it.
pub(crate) fn entries(text: &str) -> Result<Vec<HeadEntry<'_>>, Malformed> {
    let mut entries: Vec<HeadEntry<'_>> = Vec::new();
    let mut at = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let span = at..at + line.len();
        at = span.end;
        let line = line.trim_end_matches(['\n', '\r']);
        let goes_on =
            line.is_empty() || line.starts_with([' ', '\t']) || line == "-" || line.starts_with("- ");
        match entries.last_mut() {
            Some(entry) if goes_on => {
                entry.below.push(line);
                // Empty lines behind a value belong to no key.
                if !line.trim().is_empty() {
                    entry.span.end = span.end;
                }
                continue;
            }
            None if line.trim().is_empty() => continue,
            _ if line.starts_with('#') => continue,
            _ => {}
        }
        let Some((key, first)) = key_of(line) else {
            return Err(Malformed(format!("line {} of its frontmatter is not `key: value`", n + 1)));
        };
        if entries.iter().any(|entry| entry.key == key) {
            return Err(Malformed(format!("the key `{key}` is twice in its frontmatter")));
        }
        entries.push(HeadEntry { key: key.to_owned(), first, below: Vec::new(), span });
    }
    Ok(entries)
}

fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = match line.split_once(": ") {
        Some(parts) => parts,
        None => (line.strip_suffix(':')?, ""),
    };
    let key = key.trim_end();
    let bare =
        ['"', '\''].iter().find_map(|mark| key.strip_prefix(*mark)?.strip_suffix(*mark)).unwrap_or(key);
    let is_key = !bare.is_empty()
        && !bare.contains(['"', '\'', '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@']);
    is_key.then_some((bare, value))
}

/// The fields of a head, read by name.
struct HeadFields<'a> {
    entries: &'a [HeadEntry<'a>],
    warnings: &'a mut Vec<String>,
}

impl HeadFields<'_> {
    fn value(&self, key: &str) -> Result<Option<HeadValue>, Malformed> {
        let Some(entry) = self.entries.iter().find(|entry| entry.key == key) else { return Ok(None) };
        let bad = |why| Malformed(format!("`{key}` cannot be read: {why}"));
        scalar::read(entry.first, &entry.below).map(Some).map_err(bad)
    }

    fn text(&self, key: &str) -> Result<Option<String>, Malformed> {
        match self.value(key)? {
            None => Ok(None),
            Some(HeadValue::Text(text)) => Ok(Some(text)),
            Some(HeadValue::List(_)) => Err(Malformed(format!("`{key}` is a list, not a text"))),
        }
    }

    fn list(&self, key: &str) -> Result<Vec<String>, Malformed> {
        Ok(match self.value(key)? {
            None => Vec::new(),
            Some(HeadValue::Text(text)) if text.is_empty() => Vec::new(),
            Some(HeadValue::Text(text)) => vec![text],
            Some(HeadValue::List(items)) => items,
        })
    }

    fn truth(&mut self, key: &str) -> Result<bool, Malformed> {
        let text = self.text(key)?.unwrap_or_default().to_ascii_lowercase();
        Ok(match text.as_str() {
            "true" | "yes" | "on" => true,
            "" | "false" | "no" | "off" => false,
            _ => {
                self.warnings.push(format!("`{key}` is neither true nor false and counts as false"));
                false
            }
        })
    }

    fn priority(&mut self) -> Result<Priority, Malformed> {
        let text = self.text("priority")?.unwrap_or_default();
        Ok(match Priority::find(&text) {
            Some(priority) => priority,
            None if text.is_empty() => Priority::Normal,
            None => {
                self.warnings
                    .push("`priority` is none of urgent, normal, low and counts as normal".to_owned());
                Priority::Normal
            }
        })
    }

    fn time(&mut self, key: &str) -> Result<Option<Timestamp>, Malformed> {
        let Some(text) = self.text(key)?.filter(|text| !text.is_empty()) else { return Ok(None) };
        let found = time(&text);
        if found.is_none() {
            self.warnings.push(format!("`{key}` is not a time and does not count"));
        }
        Ok(found)
    }

    fn extras(&self) -> Vec<(String, String)> {
        let unknown = self.entries.iter().filter(|entry| !KEYS.contains(&entry.key.as_str()));
        let value = |entry: &HeadEntry<'_>| match scalar::read(entry.first, &entry.below) {
            Ok(HeadValue::Text(text)) => text,
            Ok(HeadValue::List(items)) => items.join(", "),
            // A value that cannot be parsed is kept as it is in the file.
            Err(_) => entry.first.trim().to_owned(),
        };
        unknown.map(|entry| (entry.key.clone(), value(entry))).collect()
    }
}
