//! One file of a host, and what of it is ours.

use crate::json::{self, Dialect};
use crate::steps::{Draft, Step, append_block};
use crate::{section, toml};
use serde_json::Value;

/// A file of a host with what is to be in it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The path below the project's root.
    pub file: &'static str,
    /// What is to be in it.
    pub content: Content,
}

/// What is to be in a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// Values in a file of JSON.
    Json {
        /// Which JSON the host reads.
        dialect: Dialect,
        /// The values.
        wants: Vec<Want>,
    },
    /// A table in a file of TOML.
    Toml {
        /// The names of the table, outermost first.
        table: &'static [&'static str],
        /// Its lines, without the header.
        lines: &'static [&'static str],
        /// The lines that earlier versions of this program wrote.
        before: &'static [&'static [&'static str]],
    },
    /// A section between markers.
    Section {
        /// The text between them.
        text: String,
    },
}

/// One value in a file of JSON.
#[derive(Clone, Debug)]
pub struct Want {
    pub(crate) path: &'static [&'static str],
    pub(crate) item: Value,
    /// An item of the list at the path, instead of the value there.
    pub(crate) is_item: bool,
    /// Only set where nothing is; whatever is there will do.
    pub(crate) is_default: bool,
    /// What earlier versions of this program put there.
    pub(crate) before: Vec<Value>,
}

impl Want {
    /// The value at a path.
    pub(crate) fn value_at(path: &'static [&'static str], value: Value) -> Self {
        Self { path, item: value, is_item: false, is_default: false, before: Vec::new() }
    }

    /// An item of the list at a path.
    pub(crate) fn item_of(path: &'static [&'static str], item: Value) -> Self {
        Self { path, item, is_item: true, is_default: false, before: Vec::new() }
    }

    /// A value that has to be there, whatever it is.
    pub(crate) fn some_at(path: &'static [&'static str], value: Value) -> Self {
        Self { path, item: value, is_item: false, is_default: true, before: Vec::new() }
    }

    /// The same, where an earlier version of this program put another value.
    pub(crate) fn before(mut self, value: Value) -> Self {
        self.before.push(value);
        self
    }

    pub(crate) fn value(&self) -> Value {
        if self.is_item { Value::Array(vec![self.item.clone()]) } else { self.item.clone() }
    }

    /// Whether an item calls this program, whatever else was changed about it.
    pub(crate) fn is_ours(&self, item: &Value) -> bool {
        match item {
            Value::String(text) => {
                let mut words = text.split_whitespace();
                let program = words.next().unwrap_or_default();
                let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
                program.trim_end_matches(".exe") == crate::host::PROGRAM && words.next() == Some("hook")
            }
            Value::Array(items) => items.iter().any(|item| self.is_ours(item)),
            Value::Object(members) => members.values().any(|value| self.is_ours(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unfit {
    /// What is the matter.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

/// A file with our part in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inserted {
    /// The whole text.
    pub text: String,
    /// What was inserted, in order.
    pub steps: Vec<Step>,
    /// Whether taking the steps back leaves nothing of ours.
    pub exact: bool,
    /// The keys that had to be made; an empty one for the whole document.
    pub made: Vec<String>,
    /// Something of ours was there before.
    pub was_there: bool,
    /// The values that were there before, each by the keys that lead to it, with `/` between them.
    pub there: Vec<String>,
    /// What the person should know.
    pub notes: Vec<String>,
}

/// A file without our part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The whole text, or nothing when nothing is left.
    pub text: Option<String>,
    /// Something of ours was there.
    pub found: bool,
    /// What the person should know.
    pub notes: Vec<String>,
}

impl Content {
    /// Puts our part into a text. What is there already stays as it is.
    pub fn insert(&self, text: &str) -> Result<Inserted, Unfit> {
        match self {
            Self::Json { dialect, wants } => {
                let older = json::without_older(text, *dialect, wants)?;
                Ok(renewed(json::insert(older.as_deref().unwrap_or(text), *dialect, wants)?, older.is_some()))
            }
            Self::Toml { table, lines, before } => {
                let older = toml::without_older(text, table, before)?;
                Ok(renewed(toml::insert(older.as_deref().unwrap_or(text), table, lines)?, older.is_some()))
            }
            Self::Section { text: wanted } => section::insert(text, wanted),
        }
    }

    /// Takes our part out of a text, wherever it stands, where it is as we wrote it. Of a file of JSON the values in `keep`
    /// stay: they were there before.
    pub fn remove(&self, text: &str, made: Option<&[String]>, keep: &[String]) -> Result<Removed, Unfit> {
        match self {
            Self::Json { dialect, wants } => {
                let ours = wants.iter().filter(|want| !keep.contains(&want.path.join("/")));
                json::remove(text, *dialect, &ours.cloned().collect::<Vec<_>>(), made)
            }
            Self::Toml { table, lines, before } => {
                let older = before.iter().copied().find(|before| toml::is_written(text, table, before));
                toml::remove(text, table, older.unwrap_or(lines))
            }
            Self::Section { .. } => section::remove(text),
        }
    }

    /// Whether anything of ours is in a text.
    pub fn is_in(&self, text: &str) -> bool {
        self.insert(text).is_ok_and(|inserted| inserted.was_there)
    }
}

/// What was inserted in place of an older form: its steps lead back to a text without that form and not to the one
/// that was there, so they do not count.
fn renewed(inserted: Inserted, was_older: bool) -> Inserted {
    if was_older {
        Inserted { steps: Vec::new(), exact: false, was_there: true, ..inserted }
    } else {
        inserted
    }
}

/// A block at the end of a text, as an insertion.
pub(crate) fn appended(text: &str, block: &str) -> Inserted {
    let mut draft = Draft::new(text);
    append_block(&mut draft, block);
    Inserted { text: draft.text, steps: draft.steps, exact: true, ..Inserted::default() }
}
