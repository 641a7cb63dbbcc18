//! A letter as it is shown.

use super::desk::Desk;
use super::limits::{ROWS, ROWS_DEFAULT};
use brainstem_base::{Fault, codes};
use brainstem_letters::fate::Graph;
use brainstem_letters::{Fate, Letter, LetterId};

/// A letter with its fate and its answers. Every secret in it is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterRow {
    /// What it says, with the letters that it answers in prose among its answers.
    pub letter: Letter,
    /// What became of it.
    pub state: Fate,
    /// The letters that answer it.
    pub answered_by: Vec<LetterId>,
    /// Only a repository says that it was written, and by whom: this home has no record of it.
    pub unrecorded: bool,
    /// The boxes that hold it: roots of projects, or `medulla`. Empty while it is in the spool alone.
    pub boxes: Vec<String>,
}

/// Which letters are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `open`, `closed`, or one fate.
    pub state: Option<String>,
    /// One class.
    pub class: Option<String>,
    /// How many, newest first.
    pub limit: Option<usize>,
}

impl Filter {
    /// Leaves those that are wanted, and answers how many more there are.
    pub(crate) fn apply(&self, letters: &mut Vec<(&Letter, Fate)>) -> Result<usize, Fault> {
        let limit = self.limit.unwrap_or(ROWS_DEFAULT);
        if !ROWS.contains(&limit) {
            return Err(bad("limit", &limit.to_string(), "a number from 1 to 10000"));
        }
        let wanted: Option<Vec<Fate>> = match self.state.as_deref() {
            None => None,
            Some("open") => Some(Fate::ALL.iter().copied().filter(|fate| fate.is_open()).collect()),
            Some("closed") => Some(vec![Fate::FiredClay]),
            Some(word) => {
                let takes = "open, closed, wet_ink, in_flight, fired_clay or external";
                Some(vec![Fate::parse(word).ok_or_else(|| bad("state", word, takes))?])
            }
        };
        letters.retain(|(letter, fate)| {
            wanted.as_ref().is_none_or(|wanted| wanted.contains(fate))
                && self.class.as_ref().is_none_or(|class| letter.class.as_ref() == Some(class))
        });
        let left_out = letters.len().saturating_sub(limit);
        letters.truncate(limit);
        Ok(left_out)
    }
}

fn bad(field: &str, value: &str, takes: &str) -> Fault {
    let value: String = value.chars().take(40).collect();
    let fault = Fault::new(codes::INPUT_BAD_VALUE, format!("{value:?} is not a {field}"));
    fault.fix(format!("give {takes}")).field(field).rule("LTR-12")
}

impl Desk<'_> {
    /// The rows of these letters.
    pub(crate) fn rows<'l>(
        &self,
        graph: &Graph<'_>,
        letters: impl IntoIterator<Item = &'l (&'l Letter, Fate)>,
    ) -> Vec<LetterRow> {
        letters.into_iter().map(|(letter, _)| self.row(graph, letter)).collect()
    }

    /// One row.
    pub(crate) fn row(&self, graph: &Graph<'_>, letter: &Letter) -> LetterRow {
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
        LetterRow {
            letter: shown,
            state: self.fate(graph, letter),
            answered_by: graph.answering(&letter.id).into_iter().map(|answer| answer.id.clone()).collect(),
            unrecorded: !self.is_of_this_home(&letter.id),
            boxes: self.boxes_of(&letter.id).into_iter().map(name).collect(),
        }
    }
}
