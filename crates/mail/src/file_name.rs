//! The names of message files: `{YYYYMMDDTHHMMSSZ}_{from}_{type}.md`.

use crate::kind::MessageKind;
use crate::limits::SAME_NAME_MAX;
use crate::name::MailboxName;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded, ErrorCode, Timestamp, codes};
use std::fmt;

/// The base name of a message's file.
///
/// Invariant: it follows the grammar of MAIL-7, so it is one path component, starts with a digit and ends
/// with `.md`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName(String);

/// Why a text cannot be the name of a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not the name of a message: {why}")]
pub struct FileNameFault {
    text: String,
    why: &'static str,
}

impl Coded for FileNameFault {
    fn code(&self) -> ErrorCode {
        codes::MAIL_BAD_NAME
    }
    fn fix(&self) -> Option<Advice> {
        Some(advice![
            "give the name that `",
            calls::mail_list(),
            "` shows, such as 20260128T153000Z_worker-1_status.md"
        ])
    }
    fn field(&self) -> Option<String> {
        Some("file".into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("MAIL-7")
    }
}

impl FileName {
    /// The name of the message that one sender makes as its `number`th of a type in a second.
    pub fn compose(timestamp: Timestamp, from: &MailboxName, kind: &MessageKind, number: u32) -> Self {
        let prefix = Self::prefix(timestamp, from);
        match number {
            0 => Self(format!("{prefix}_{kind}.md")),
            n => Self(format!("{prefix}~{:04}_{kind}.md", n.min(SAME_NAME_MAX))),
        }
    }

    /// The common start of all names of one sender in one second.
    pub fn prefix(timestamp: Timestamp, from: &MailboxName) -> String {
        format!("{}_{from}", compact(timestamp))
    }

    /// Parses a name: the time up to the first `_`, the type behind the last. The older spelling `2026-01-28T15-30-00`
    /// of a time is read too.
    pub fn parse(text: &str) -> Result<Self, FileNameFault> {
        let refuse = |why| Err(FileNameFault { text: text.chars().take(80).collect(), why });
        let Some(stem) = text.strip_suffix(".md") else { return refuse("it does not end with .md") };
        let Some((time, rest)) = stem.split_once('_') else { return refuse("it has no `_` behind a time") };
        if !is_time(time) {
            return refuse("it does not start with a time such as 20260128T153000Z");
        }
        let Some((from, kind)) = rest.rsplit_once('_') else {
            return refuse("it has no `_` before its type");
        };
        let (from, number) = from.split_once('~').map_or((from, None), |(from, number)| (from, Some(number)));
        if MailboxName::parse(from).is_err() {
            return refuse("its sender is not a mailbox name");
        }
        if number.is_some_and(|number| number.len() != 4 || !number.bytes().all(|b| b.is_ascii_digit())) {
            return refuse("its number does not have four digits");
        }
        let is_kind =
            (1..=32).contains(&kind.len()) && kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !is_kind {
            return refuse("its type is not a plain word");
        }
        Ok(Self(text.to_owned()))
    }

    /// The same name with another number, for a folder in which it is taken.
    pub fn numbered(&self, number: u32) -> Self {
        let (time, rest) = self.0.split_once('_').expect("the grammar has it");
        let (from, kind) = rest.rsplit_once('_').expect("the grammar has it");
        let from = from.split_once('~').map_or(from, |(from, _)| from);
        Self(format!("{time}_{from}~{:04}_{kind}", number.min(SAME_NAME_MAX)))
    }

    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `20260128T153000Z`.
fn compact(timestamp: Timestamp) -> String {
    let text = timestamp.to_rfc3339();
    let seconds = text.split('.').next().unwrap_or(&text);
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

fn is_time(text: &str) -> bool {
    let follows = |shape: &str| {
        text.len() == shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(b, s)| if s == b'0' { b.is_ascii_digit() } else { b == s })
    };
    follows("00000000T000000Z") || follows("0000-00-00T00-00-00") || follows("0000-00-00T00-00-00Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Timestamp {
        Timestamp::parse_rfc3339("2026-01-28T15:30:00.999Z").expect("a time")
    }

    #[test] // spec: MAIL-7
    fn names_sort_by_time_and_then_by_number() {
        let from = MailboxName::parse("worker_bug-069").unwrap();
        let name = |number| FileName::compose(at(), &from, &MessageKind::Status, number).to_string();
        assert_eq!(name(0), "20260128T153000Z_worker_bug-069_status.md");
        assert_eq!(name(1), "20260128T153000Z_worker_bug-069~0001_status.md");
        let mut names = [name(2), name(10), name(0), name(1)];
        names.sort();
        assert_eq!(names, [name(0), name(1), name(2), name(10)]);
        assert_eq!(FileName::parse(&name(0)).unwrap().numbered(3).to_string(), name(3));
        assert_eq!(FileName::parse(&name(7)).unwrap().numbered(3).to_string(), name(3));
    }

    #[test] // spec: MAIL-7
    fn names_are_parsed_from_both_ends() {
        for good in [
            "20260128T153000Z_worker-bug-069_status.md",
            "20260128T160000Z_nexus_announcement.md",
            "2026-01-28T15-30-00_orch_fugue_x_question.md",
            "2026-01-28T15-30-00Z_orch_task.md",
            "20260128T153000Z_a~0042_task.md",
        ] {
            assert_eq!(FileName::parse(good).map(|name| name.to_string()), Ok(good.to_owned()));
        }
    }

    #[test] // spec: MAIL-2, MAIL-7
    fn a_name_is_never_a_path() {
        for bad in [
            "",
            ".md",
            "x.md",
            "20260128T153000Z_task.md",
            "20260128T153000Z__task.md",
            "20260128T153000Z_a_.md",
            "20260128T153000Z_a_task",
            "../20260128T153000Z_a_task.md",
            "20260128T153000Z_a/b_task.md",
            "20260128T153000Z_../../x_task.md",
            "20260128T153000Z_a_task/../x.md",
            "20260128T153000Z_a\0_task.md",
            "20260128T153000Z_a~1_task.md",
            "20260128T153000Z_a~00x1_task.md",
            "20260128T153000Z_a~o~9~1_task.md",
            "20260128T153000Z_a_task.md\n",
            ".tmp/20260128T153000Z_a_task.md",
            "20260128T153000_a_task.md",
            "20260128T153000Z_a_task..md",
        ] {
            assert!(FileName::parse(bad).is_err(), "{bad:?}");
        }
    }
}
