//! Mailbox names: a session, a tag, or the broadcast box.

use crate::limits::{NAME_LEN_MAX, SESSION_TAGS_MAX};
use brainstem_base::{Advice, AgentId, Coded, ErrorCode, codes};
use std::fmt;

/// The box whose messages all readers see.
pub const BROADCAST: &str = "__broadcast";

/// The words for the broadcast box as a recipient. The first always means it, the others if no session and no tag has
/// that name.
const EVERYBODY: [&str; 3] = ["everyone", "all", "broadcast"];

/// Whether a recipient's word always means the broadcast box.
pub fn is_everyone(word: &str) -> bool {
    [EVERYBODY[0], BROADCAST].contains(&word)
}

/// Whether a recipient's word means the broadcast box unless a session or a tag has it as a name.
pub fn may_be_everybody(word: &str) -> bool {
    EVERYBODY.iter().any(|everybody| everybody.eq_ignore_ascii_case(word))
}

/// A mailbox name: one safe path component.
///
/// Invariant: MAIL-2 was checked, so joining it to a path is safe, and it can be in a file name and in
/// a header line as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailboxName(String);

/// Why a text cannot be a mailbox name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NameFault {
    code: ErrorCode,
    message: String,
    fix: Option<String>,
}

impl NameFault {
    fn new(text: &str, why: impl fmt::Display) -> Self {
        let shown: String = text.chars().take(80).collect();
        let message = format!("{shown:?} is not a mailbox name: {why}");
        Self { code: codes::MAIL_BAD_NAME, message, fix: None }
    }

    /// A valid name that cannot be used here, because another spelling of it is in use.
    fn spelled(name: &MailboxName, in_use: &str, why: impl fmt::Display) -> Self {
        let message =
            format!("the name `{name}` cannot be used here: {why}, and the two differ only by case");
        Self { code: codes::MAIL_OTHER_SPELLING, message, fix: Some(format!("write `{in_use}`")) }
    }

    /// More tags than one session carries.
    pub fn too_many_tags(count: usize) -> Self {
        let message = format!("{count} tags are given, and a session carries at most {SESSION_TAGS_MAX}");
        Self {
            code: codes::MAIL_BAD_NAME,
            message,
            fix: Some(format!("give at most {SESSION_TAGS_MAX} tags")),
        }
    }

    /// A word for the broadcast box, where one reader must be named.
    pub fn everybodys(name: &MailboxName) -> Self {
        Self::new(&name.0, "it stands for everybody")
    }

    /// A name that a session, a tag or an agent on record has in another spelling.
    pub fn on_record_in_another_spelling(name: &MailboxName, known: &MailboxName) -> Self {
        Self::spelled(name, known.as_str(), format_args!("`{known}` is a session, a tag or an agent here"))
    }

    /// A recipient that the same call names in another spelling.
    pub fn named_in_two_spellings(name: &MailboxName, other: &MailboxName) -> Self {
        Self::spelled(name, other.as_str(), format_args!("the same call names `{other}`"))
    }

    /// A name that is taken in another spelling.
    pub fn differs_by_case(name: &MailboxName, existing: &str) -> Self {
        Self::spelled(name, existing, format_args!("the box `{existing}` is there"))
    }
}

impl Coded for NameFault {
    fn code(&self) -> ErrorCode {
        self.code
    }
    fn fix(&self) -> Option<Advice> {
        let usual =
            "use letters, digits and . _ @ -, at most 64, for example worker-feat-104 or orchestrator";
        Some(self.fix.clone().unwrap_or_else(|| usual.to_owned()).into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("MAIL-2")
    }
}

impl MailboxName {
    /// Parses a name, or says which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, NameFault> {
        let refuse = |why: &str| Err(NameFault::new(text, why));
        let mut bytes = text.bytes();
        match bytes.next() {
            None => return refuse("it is empty"),
            Some(b) if b.is_ascii_alphanumeric() || b == b'_' => {}
            Some(_) => return refuse("it starts with something other than a letter, a digit or '_'"),
        }
        if !bytes.all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(&b)) {
            return refuse("only ASCII letters, digits and . _ @ - are allowed");
        }
        if text.len() > NAME_LEN_MAX {
            return refuse("it is longer than 64 bytes");
        }
        if text.contains("..") {
            return refuse("it has two dots in a row");
        }
        let lower = text.to_ascii_lowercase();
        if matches!(lower.as_str(), "read" | "archive") {
            return refuse("a folder inside every box has that name");
        }
        if lower == BROADCAST && text != BROADCAST {
            return refuse("it differs from __broadcast only by case");
        }
        if is_device(&lower) {
            return refuse("some systems keep that name for a device");
        }
        Ok(Self(text.to_owned()))
    }

    /// The broadcast box.
    pub fn broadcast() -> Self {
        Self(BROADCAST.to_owned())
    }

    /// The box of an agent: its id with `:` written `.` (MAIL-3a). If no box can have that name, `_` is put before it.
    pub fn of_agent(agent: &AgentId) -> Self {
        let name = agent.mail_name();
        Self::parse(&name).unwrap_or_else(|_| {
            let mut spared = format!("_{}", name.replace("..", ".-"));
            spared.truncate(NAME_LEN_MAX);
            Self(spared)
        })
    }

    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the broadcast box.
    pub fn is_broadcast(&self) -> bool {
        self.0 == BROADCAST
    }

    /// Whether another name is this one in another spelling.
    pub fn differs_only_by_case(&self, other: &str) -> bool {
        self.0 != other && self.0.eq_ignore_ascii_case(other)
    }
}

impl fmt::Display for MailboxName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a name is one that some systems give to devices, with anything behind a dot.
fn is_device(lower: &str) -> bool {
    let stem = lower.split('.').next().unwrap_or(lower);
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|n| n.len() == 1 && (b'1'..=b'9').contains(&n.as_bytes()[0]))
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-2
    fn names_are_one_safe_path_component() {
        for good in [
            "worker-feat-104",
            "orchestrator",
            "__broadcast",
            "a",
            "9",
            "_x",
            "codex.maker",
            "a@b.c",
            "console",
        ] {
            assert_eq!(MailboxName::parse(good).map(|name| name.to_string()), Ok(good.to_owned()));
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            "a..b",
            "a/b",
            "/etc",
            "../x",
            "a\\b",
            "-a",
            ".hidden",
            "a b",
            "a~b",
            "a\0b",
            "a\nb",
            "é",
            "read",
            "Archive",
            "READ",
            "con",
            "NUL",
            "com1",
            "lpt9.txt",
            "aux.md",
            "__broadCast",
            &long,
        ] {
            assert!(MailboxName::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test] // spec: MAIL-3a
    fn every_agent_has_a_box() {
        let name = |id: &str| MailboxName::of_agent(&AgentId::parse(id).unwrap()).to_string();
        assert_eq!(name("codex:maker"), "codex.maker");
        assert_eq!(name("human:ana"), "human.ana");
        // Ids whose plain spelling no box can have.
        for (id, expected) in [("read", "_read"), ("nul", "_nul"), ("__x", "__x"), ("a..b", "_a.-b")] {
            assert_eq!(name(id), expected);
        }
        for id in ["a.:b", "__:__", &format!("a.:{}", "b".repeat(61)), "a..", "a...", "com1:x"] {
            let made = name(id);
            assert_eq!(MailboxName::parse(&made).map(|name| name.to_string()), Ok(made), "{id}");
        }
    }

    #[test] // spec: MAIL-2
    fn two_spellings_of_one_name_are_known() {
        let name = MailboxName::parse("Worker").unwrap();
        assert!(name.differs_only_by_case("worker") && !name.differs_only_by_case("Worker"));
    }
}
