//! What a child was told, line by line, written after each answer and before the next question.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// A claim is live, new or unchanged.
    Memorized { tier: String, slug: String, created: i64, sha256: String, unchanged: bool },
    /// A claim was taken back; `name` is its file in history.
    Retracted { tier: String, slug: String, name: String },
    /// The question was refused, with this code.
    Refused { code: String },
}

/// The journal of one child, over all its lives.
pub(crate) struct Journal(File);

impl Journal {
    pub(crate) fn open(path: &Path) -> Self {
        let mut file =
            OpenOptions::new().create(true).append(true).open(path).expect("a journal can be kept");
        // A life that ended inside a line leaves it as a line of its own.
        file.write_all(b"\n").expect("a journal can be kept");
        Self(file)
    }

    /// Notes an answer in one write, so that a kill leaves all of it or, at worst, a torn line.
    pub(crate) fn note(&mut self, answer: &Answer) {
        let line = serde_json::to_string(answer).expect("plain data") + "\n";
        self.0.write_all(line.as_bytes()).expect("a journal can be kept");
    }
}

/// The answers of one child.
pub(crate) fn read(path: &Path) -> Vec<Answer> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
