//! A letter as it is shown.

use super::error::LetterError;
use super::gathered::GatheredLetters;
use super::limits::{ROWS, ROWS_DEFAULT};
use brainstem_letters::fate::Graph;
use brainstem_letters::{Fate, Letter, LetterId};

/// A letter with its fate and its answers. Every secret in it is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterView {
    /// What it says, with the letters that it answers in prose among its answers.
    pub letter: Letter,
    /// What became of it.
    pub state: Fate,
    /// The letters that answer it.
    pub answered_by: Vec<LetterId>,
    /// Only a repository says that this agent wrote it: this home has no record of it.
    pub unrecorded: bool,
    /// The boxes that hold it: roots of projects, or `medulla`. Empty while only the spool has it.
    pub boxes: Vec<String>,
}

/// The letters that a caller wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterFilter {
    /// Their fate.
    state: Option<WantedFate>,
    /// Their class.
    class: Option<String>,
    /// How many, newest first; within [`ROWS`].
    limit: usize,
}

/// The fate of the letters that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WantedFate {
    /// They are not answered, or not mended.
    Open,
    /// They are mended.
    Closed,
    /// This one.
    One(Fate),
}

impl Default for LetterFilter {
    fn default() -> Self {
        Self { state: None, class: None, limit: ROWS_DEFAULT }
    }
}

impl LetterFilter {
    /// Reads a caller's words: `open`, `closed` or one fate, a class, and how many.
    pub fn parse(
        state: Option<&str>,
        class: Option<String>,
        limit: Option<usize>,
    ) -> Result<Self, LetterError> {
        let limit = limit.unwrap_or(ROWS_DEFAULT);
        if !ROWS.contains(&limit) {
            return Err(no_filter("limit", &limit.to_string(), "a number from 1 to 10000"));
        }
        Ok(Self { state: state.map(WantedFate::parse).transpose()?, class, limit })
    }

    /// Keeps the wanted letters, and returns how many of them the limit left out.
    pub(crate) fn apply(&self, letters: &mut Vec<(&Letter, Fate)>) -> usize {
        letters.retain(|(letter, fate)| {
            self.state.is_none_or(|state| state.is(*fate))
                && self.class.as_ref().is_none_or(|class| letter.class.as_ref() == Some(class))
        });
        let left_out = letters.len().saturating_sub(self.limit);
        letters.truncate(self.limit);
        left_out
    }
}

impl WantedFate {
    fn parse(word: &str) -> Result<Self, LetterError> {
        let takes = "open, closed, wet_ink, in_flight, fired_clay or external";
        Ok(match word {
            "open" => Self::Open,
            "closed" => Self::Closed,
            word => Self::One(Fate::parse(word).ok_or_else(|| no_filter("state", word, takes))?),
        })
    }

    fn is(self, fate: Fate) -> bool {
        match self {
            Self::Open => fate.is_open(),
            Self::Closed => fate == Fate::FiredClay,
            Self::One(one) => fate == one,
        }
    }
}

fn no_filter(field: &'static str, given: &str, takes: &'static str) -> LetterError {
    LetterError::NoFilter { field, given: given.chars().take(40).collect(), takes }
}

impl GatheredLetters<'_> {
    /// The views of these letters.
    pub(crate) fn rows<'l>(
        &self,
        graph: &Graph<'_>,
        letters: impl IntoIterator<Item = &'l (&'l Letter, Fate)>,
    ) -> Vec<LetterView> {
        letters.into_iter().map(|(letter, _)| self.row(graph, letter)).collect()
    }

    /// The view of one letter.
    pub(crate) fn row(&self, graph: &Graph<'_>, letter: &Letter) -> LetterView {
        let name = |root: &Option<std::path::PathBuf>| {
            root.as_ref().map_or_else(|| "medulla".to_owned(), |root| root.display().to_string())
        };
        let mut shown = letter.clone().with_texts(|text| self.floor.mask(text).into_owned());
        shown.former = None;
        for id in self.referred(&letter.id) {
            if !shown.answers.iter().any(|known| known == id.as_str()) {
                shown.answers.push(id.to_string());
            }
        }
        LetterView {
            letter: shown,
            state: self.fate(graph, letter),
            answered_by: graph.answering(&letter.id).into_iter().map(|answer| answer.id.clone()).collect(),
            unrecorded: !self.is_of_this_home(&letter.id),
            boxes: self.boxes_of(&letter.id).into_iter().map(name).collect(),
        }
    }
}
