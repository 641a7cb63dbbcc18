//! What is indexed of a claim, and the weight of each field.

use crate::cues::Day;
use crate::words::{TextWord, each_word};

/// One claim, as recall reads it.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The stem of its file: the id in answers.
    pub key: &'a str,
    /// The stamp by which the file is recognised later.
    pub stamp: ReadStamp,
    /// What the file holds.
    pub form: ClaimForm,
    /// When it was born, in milliseconds; 0 if it does not say.
    pub created: i64,
    /// The agent that wrote it.
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

/// The stamp by which a file is recognised as the one that was read.
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
    /// Not a claim: it is counted, and never ranked.
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

/// Weights are counted in quarters, so that the weight of a word in a document fits into one byte.
pub(crate) const QUANTUM: f32 = 0.25;
const TEXT: u8 = 4;
const TITLE: u8 = 6;
const LABEL: u8 = 3;
const TAG: u8 = 4;
const PATH: u8 = 2;
const AUTHOR: u8 = 4;
const DATE: u8 = 4;

impl Document<'_> {
    /// Calls `take` with each word, its weight in quarters, and whether it is in the running text (title and prose),
    /// whose order counts.
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
        // In claims that were written together, the speaker and the day are part of the text.
        if self.group.is_some() {
            field(self.author, AUTHOR, InRunningText::No);
            if self.created != 0 {
                field(&Day::of_ms(self.created).words(), DATE, InRunningText::No);
            }
        }
    }

    /// The text that a vector is made from.
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

/// Whether a label has a word: a label of numbers and codes has no meaning for a vector.
fn has_word(label: &str) -> bool {
    let words = label.split(|c: char| !c.is_alphanumeric());
    words.into_iter().any(|word| word.chars().count() >= 3 && word.chars().all(char::is_alphabetic))
}

/// Whether a word has a position in the running text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InRunningText {
    Yes,
    No,
}
