//! What is indexed of a claim, and what each of its fields weighs.

use crate::cues::Day;
use crate::words::{TextWord, each_word};

/// One claim, as recall reads it.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The stem of its file: the id that is answered.
    pub key: &'a str,
    /// What tells whether the file is still the one that was read.
    pub stamp: ReadStamp,
    /// What the file holds.
    pub form: ClaimForm,
    /// When it was born, in milliseconds; 0 where it does not say.
    pub created: i64,
    /// Who wrote it.
    pub author: &'a str,
    /// What it was written together with.
    pub group: Option<&'a str>,
    /// The label.
    pub label: &'a str,
    /// The title.
    pub title: &'a str,
    /// The prose.
    pub text: &'a str,
    /// The tags.
    pub tags: &'a [String],
    /// The paths of its evidence.
    pub paths: &'a [&'a str],
}

/// What tells whether a file is still the one that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadStamp {
    /// Its number on its device.
    pub inode: u64,
    /// When it was last written, in nanoseconds.
    pub modified_ns: i64,
    /// Its size.
    pub len: u32,
}

/// What a claim file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimForm {
    /// One claim.
    Claim,
    /// Our side of a merge that waits for a decision; the other side follows.
    Ours,
    /// Their side of it.
    Theirs,
    /// Nothing that can be read as a claim: it is counted, and never ranked.
    Unreadable,
    /// A claim that carries a secret: it is counted, none of its words is indexed, and it is never ranked.
    Secret,
}

impl ClaimForm {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Claim => 0,
            Self::Ours => 1,
            Self::Theirs => 2,
            Self::Unreadable => 3,
            Self::Secret => 4,
        }
    }

    pub(crate) fn of_byte(byte: u8) -> Self {
        match byte {
            0 => Self::Claim,
            1 => Self::Ours,
            2 => Self::Theirs,
            4 => Self::Secret,
            _ => Self::Unreadable,
        }
    }
}

/// Weights are counted in quarters, so that one byte holds what a word weighs in a document.
pub(crate) const QUANTUM: f32 = 0.25;
const TEXT: u8 = 4;
const TITLE: u8 = 6;
const LABEL: u8 = 3;
const TAG: u8 = 4;
const PATH: u8 = 2;
const AUTHOR: u8 = 4;
const DATE: u8 = 4;

impl Document<'_> {
    /// Calls `take` with each word, what it weighs in quarters, and whether it stands in the running
    /// text (title and prose), whose order counts.
    pub(crate) fn each_weighted(&self, mut take: impl FnMut(&str, u8, InRunningText)) {
        let mut field = |text: &str, weight: u8, running: InRunningText| {
            each_word(text, |word, place| {
                take(word, weight, if place == TextWord::Running { running } else { InRunningText::No });
            });
        };
        field(self.title, TITLE, InRunningText::Yes);
        field(self.text, TEXT, InRunningText::Yes);
        field(self.label, LABEL, InRunningText::No);
        self.tags.iter().for_each(|tag| field(tag, TAG, InRunningText::No));
        self.paths.iter().for_each(|path| field(path, PATH, InRunningText::No));
        // Where claims were written together, who speaks and on which day is part of what was said.
        if self.group.is_some() {
            field(self.author, AUTHOR, InRunningText::No);
            if self.created != 0 {
                field(&Day::of_ms(self.created).words(), DATE, InRunningText::No);
            }
        }
    }

    /// The text that a vector stands for.
    pub fn meaning(&self) -> String {
        let mut out = String::with_capacity(self.title.len() + self.text.len() + 16);
        if self.group.is_some() && !self.author.is_empty() {
            out.push_str(self.author);
            out.push_str(": ");
        }
        if has_word(self.label) || (self.title.is_empty() && self.text.trim().is_empty()) {
            out.push_str(self.label);
            out.push_str(". ");
        }
        if !self.title.is_empty() {
            out.push_str(self.title);
            out.push_str(". ");
        }
        out.push_str(self.text);
        out
    }
}

/// Whether a label says anything: one of numbers and codes names a claim, and means nothing.
fn has_word(label: &str) -> bool {
    let words = label.split(|c: char| !c.is_alphanumeric());
    words.into_iter().any(|word| word.chars().count() >= 3 && word.chars().all(char::is_alphabetic))
}

/// Whether a word has a place in the running text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InRunningText {
    Yes,
    No,
}
