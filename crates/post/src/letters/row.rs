//! A letter as it is shown.

use super::desk::Desk;
use super::floor::shown;
use super::limits::{ROWS, ROWS_DEFAULT};
use brainstem_base::{Fault, codes};
use brainstem_letters::fate::Graph;
use brainstem_letters::{Fate, Letter, LetterId};

/// A letter with its fate and its answers. Every secret in it is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterRow {
    /// Its id.
    pub id: LetterId,
    /// When, as written.
    pub ts: Option<String>,
    /// Who.
    pub agent: Option<String>,
    /// What sort of letter.
    pub class: Option<String>,
    /// Of a misdelivery: which.
    pub kind: Option<String>,
    /// The project it names.
    pub repo: Option<String>,
    /// The brain it names.
    pub brain: Option<String>,
    /// The tool it is about.
    pub tool: Option<String>,
    /// What happened.
    pub what: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What was seen.
    pub snippet: Option<String>,
    /// Of a triage: its verdict.
    pub verdict: Option<String>,
    /// What became of it.
    pub state: Fate,
    /// The letters it answers, as it says.
    pub answers: Vec<String>,
    /// The letters that answer it.
    pub answered_by: Vec<LetterId>,
    /// The boxes that hold it: roots of projects, or `medulla`. Empty while it is in the spool alone.
    pub boxes: Vec<String>,
}

/// Which letters are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `open`, or one fate.
    pub state: Option<String>,
    /// One class.
    pub class: Option<String>,
    /// How many, newest first.
    pub limit: Option<usize>,
}

impl Filter {
    /// The rows that are wanted, newest first, and how many more there are.
    pub(crate) fn apply(&self, mut rows: Vec<LetterRow>) -> Result<(Vec<LetterRow>, usize), Fault> {
        let limit = self.limit.unwrap_or(ROWS_DEFAULT);
        if !ROWS.contains(&limit) {
            return Err(bad("limit", &limit.to_string(), "a number from 1 to 10000"));
        }
        let wanted: Option<Vec<Fate>> = match self.state.as_deref() {
            None => None,
            Some("open") => Some(Fate::ALL.iter().copied().filter(|fate| fate.is_open()).collect()),
            Some(word) => {
                let takes = "open, wet_ink, in_flight, fired_clay or external";
                Some(vec![Fate::parse(word).ok_or_else(|| bad("state", word, takes))?])
            }
        };
        rows.retain(|row| {
            wanted.as_ref().is_none_or(|wanted| wanted.contains(&row.state))
                && self.class.as_ref().is_none_or(|class| row.class.as_ref() == Some(class))
        });
        let left_out = rows.len().saturating_sub(limit);
        rows.truncate(limit);
        Ok((rows, left_out))
    }
}

fn bad(field: &str, value: &str, takes: &str) -> Fault {
    let value: String = value.chars().take(40).collect();
    let fault = Fault::new(codes::INPUT_BAD_VALUE, format!("{value:?} is not a {field}"));
    fault.fix(format!("give {takes}")).field(field).rule("LTR-12")
}

impl Desk<'_> {
    /// The rows of these letters, newest first; those without a time come last.
    pub(crate) fn rows(&self, graph: &Graph<'_>, wanted: impl Fn(&LetterId) -> bool) -> Vec<LetterRow> {
        let letters = self.letters.iter().map(|held| &held.lettered.letter);
        let mut letters: Vec<&Letter> = letters.filter(|letter| wanted(&letter.id)).collect();
        letters.sort_by(|a, b| b.at().cmp(&a.at()).then_with(|| a.id.cmp(&b.id)));
        letters.into_iter().map(|letter| self.row(graph, letter)).collect()
    }

    /// One row.
    pub(crate) fn row(&self, graph: &Graph<'_>, letter: &Letter) -> LetterRow {
        let mut answers: Vec<String> =
            letter.answers.iter().map(|text| brainstem_memory::without_secrets(text)).collect();
        for id in self.referred(&letter.id) {
            if !answers.iter().any(|known| known == id.as_str()) {
                answers.push(id.to_string());
            }
        }
        let name = |root: &Option<std::path::PathBuf>| {
            root.as_ref().map_or_else(|| "medulla".to_owned(), |root| root.display().to_string())
        };
        LetterRow {
            id: letter.id.clone(),
            ts: shown(&letter.ts),
            agent: shown(&letter.agent),
            class: shown(&letter.class),
            kind: shown(&letter.kind),
            repo: shown(&letter.repo),
            brain: shown(&letter.brain),
            tool: shown(&letter.tool),
            what: shown(&letter.what),
            expected: shown(&letter.expected),
            snippet: shown(&letter.snippet),
            verdict: shown(&letter.verdict),
            state: self.fate(graph, letter),
            answers,
            answered_by: graph.answering(&letter.id).into_iter().map(|answer| answer.id.clone()).collect(),
            boxes: self.boxes_of(&letter.id).into_iter().map(name).collect(),
        }
    }
}
