//! Cases of the battery: what went wrong once, written down so that it can be tried again.
//!
//! A case says which claims are in which stores, which agent asks from where, and what the beat must and must not
//! carry. The caller makes that world and asks; this module reads a case, drafts one from a letter, and judges the
//! answers.

mod drafted;
mod proof;

pub use drafted::{NotACase, drafted};

use crate::limits::CASE_LIST_MAX;
use crate::{LetterId, MisdeliveryKind};
use serde::{Deserialize, Serialize};

/// The caller's own project, in a case.
pub const PROJECT: &str = "project";
/// The store that all projects share.
pub const MEDULLA: &str = "medulla";
/// A folder in no project.
pub const NOWHERE: &str = "nowhere";

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseDefinition {
    /// leak, false_absence, wrong_store_write, misattribution or vanished.
    pub kind: String,
    /// What it is about, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The letter it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_letter: Option<String>,
    /// It was made up: nothing like it has happened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
    /// A run saw it fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_failing: Option<SeenFailing>,
    /// A person says that it cannot be seen to fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cannot_fail: Option<CannotFail>,
    /// The claims there are, written one after the other.
    pub given: Vec<GivenClaim>,
    /// The questions.
    pub ask: Vec<CaseQuestion>,
}

/// A run in which the case failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenFailing {
    /// When, as RFC 3339.
    pub at: String,
    /// The fingerprint of the claims and questions then: a case that was changed since was not seen to fail.
    pub of: String,
}

/// The statement of a person that the case cannot be seen to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CannotFail {
    /// The person.
    pub by: String,
    /// When, as RFC 3339.
    pub at: String,
    /// Why.
    pub why: String,
    /// The fingerprint of the claims and questions then.
    pub of: String,
}

/// A claim of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenClaim {
    /// Where its writer is: `project`, `medulla`, the name of another project, or a folder below one (`project/src`).
    pub store: String,
    /// Its label.
    pub label: String,
    /// Its text.
    pub text: String,
    /// The agent that writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A question of a case, and the expected beat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseQuestion {
    /// Where the caller is: as in a claim, or `nowhere`.
    pub from: String,
    /// Its task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// What the beat must carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_carry: Vec<RequiredRow>,
    /// What it must not carry: a text that must be in no label and no text of its rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_not_carry: Vec<String>,
    /// Whether it must, or must not, say that there is no memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims_absence: Option<bool>,
    /// Projects that a listing of all brains must name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<String>,
}

/// A row that a beat must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredRow {
    /// A part of its label or its text.
    pub text: String,
    /// The agent that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The store that the row names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
}

/// A place of a case: a project, the medulla or nowhere, and a folder below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasePlace<'a> {
    /// The name.
    pub name: &'a str,
    /// The folder below it; empty for none.
    pub below: &'a str,
}

impl<'a> CasePlace<'a> {
    /// Reads a place: plain names only, so that a case stays in its own world.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (name, below) = text.split_once('/').unwrap_or((text, ""));
        let is_name = |part: &str| {
            !part.is_empty()
                && part.len() <= 64
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
        };
        let is_shared = [MEDULLA, NOWHERE].contains(&name);
        let fits = is_name(name)
            && (below.is_empty() || !is_shared && below.split('/').all(is_name))
            && !text.ends_with('/');
        fits.then_some(Self { name, below })
    }
}

/// Why a text cannot be read as a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a case of the battery: {0}")]
pub struct CaseFault(pub String);

impl CaseDefinition {
    /// Reads a case.
    pub fn parse(bytes: &[u8]) -> Result<Self, CaseFault> {
        let case: Self = serde_json::from_slice(bytes).map_err(|error| CaseFault(error.to_string()))?;
        let fault = |what: String| Err(CaseFault(what));
        if MisdeliveryKind::parse(&case.kind).is_none() {
            return fault(format!("its kind must be one of {}", MisdeliveryKind::words()));
        }
        if case.ask.is_empty() || case.ask.len() > CASE_LIST_MAX || case.given.len() > CASE_LIST_MAX {
            return fault(format!(
                "it must ask something, and has at most {CASE_LIST_MAX} claims and questions"
            ));
        }
        let spots = case.given.iter().map(|given| (&given.store, false));
        for (spot, may_be_nowhere) in spots.chain(case.ask.iter().map(|ask| (&ask.from, true))) {
            let fits = CasePlace::parse(spot).is_some_and(|spot| may_be_nowhere || spot.name != NOWHERE);
            if !fits {
                return fault(format!("{spot:?} is not a place: use project, medulla or a plain name"));
            }
        }
        let expects = |ask: &CaseQuestion| {
            !ask.must_carry.is_empty()
                || !ask.must_not_carry.is_empty()
                || ask.claims_absence.is_some()
                || !ask.lists.is_empty()
        };
        if !case.ask.iter().all(expects) {
            return fault("a question without an expectation cannot fail".into());
        }
        let carried = case.ask.iter().flat_map(|ask| ask.must_carry.iter().map(|carry| &carry.text));
        let absent = case.ask.iter().flat_map(|ask| ask.must_not_carry.iter());
        if carried.chain(absent).any(|text| text.trim().is_empty()) {
            return fault("an empty text is in every row".into());
        }
        Ok(case)
    }

    /// The case as a file.
    pub fn render(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a case is plain data");
        bytes.push(b'\n');
        bytes
    }

    /// The letter it was made from, if it names one.
    pub fn letter(&self) -> Option<LetterId> {
        self.from_letter.as_deref().and_then(LetterId::parse)
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenAnswer {
    /// The rows of the beat.
    pub rows: Vec<SeenRow>,
    /// It said that there is no memory.
    pub claims_absence: bool,
    /// The projects that the listing of brains names.
    pub lists: Vec<String>,
}

/// One row of a beat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenRow {
    /// Its label.
    pub label: String,
    /// Its text.
    pub text: String,
    /// The author, as the row says.
    pub by: String,
    /// The store it is from, as the row says.
    pub store: String,
}

/// What is wrong with an answer; empty if all is as it must be.
pub fn judge(ask: &CaseQuestion, seen: &SeenAnswer) -> Vec<String> {
    let mut wrong = Vec::new();
    let holds = |row: &SeenRow, text: &str| row.label.contains(text) || row.text.contains(text);
    for carry in &ask.must_carry {
        let found: Vec<&SeenRow> = seen.rows.iter().filter(|row| holds(row, &carry.text)).collect();
        let fits = |row: &&SeenRow| {
            carry.by.as_ref().is_none_or(|by| *by == row.by)
                && carry.store.as_ref().is_none_or(|store| *store == row.store)
        };
        match found.first() {
            None => wrong.push(format!("from {}: the beat does not carry {:?}", ask.from, carry.text)),
            Some(_) if found.iter().any(fits) => {}
            Some(row) => wrong.push(format!(
                "from {}: {:?} is said to be by {} in {}",
                ask.from, carry.text, row.by, row.store
            )),
        }
    }
    for text in &ask.must_not_carry {
        if seen.rows.iter().any(|row| holds(row, text)) {
            wrong.push(format!("from {}: the beat carries {text:?}", ask.from));
        }
    }
    match ask.claims_absence {
        Some(true) if !seen.claims_absence => {
            wrong.push(format!("from {}: the beat does not say that there is no memory", ask.from));
        }
        Some(false) if seen.claims_absence => {
            wrong.push(format!("from {}: the beat says that there is no memory", ask.from));
        }
        Some(_) | None => {}
    }
    for name in ask.lists.iter().filter(|name| !seen.lists.contains(name)) {
        wrong.push(format!("from {}: the listing of brains lacks {name}", ask.from));
    }
    wrong
}

#[cfg(test)]
#[path = "battery_tests.rs"]
mod tests;
