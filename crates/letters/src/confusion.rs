//! How often memory was misdelivered, by week. Counts only.

use crate::fate::Graph;
use crate::kind::{MEMORY_MISDELIVERY, TRIAGE};
use crate::{Letter, LetterId, MisdeliveryKind, TriageVerdict};
use std::collections::BTreeMap;

/// The sum of the letters of class `memory_misdelivery`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Confirmed events by the ISO week of their own `ts`: `2026-W27`.
    pub weeks: BTreeMap<String, usize>,
    /// Confirmed events without a readable `ts`.
    pub undated: usize,
    /// Events that no triage letter has judged.
    pub unjudged: usize,
    /// Letters of the class with an unknown kind; they are counted nowhere else.
    pub other_kind: usize,
    /// The confirmed events, in the order of the letters.
    pub confirmed: Vec<(LetterId, MisdeliveryKind)>,
}

impl Confusion {
    /// Counts over a graph.
    pub fn of(graph: &Graph<'_>) -> Self {
        let mut confusion = Self::default();
        for letter in graph.letters().filter(|letter| letter.is_class(MEMORY_MISDELIVERY)) {
            let Some(kind) = letter.kind.as_deref().and_then(MisdeliveryKind::parse) else {
                confusion.other_kind += 1;
                continue;
            };
            match verdict(graph, letter) {
                Some(TriageVerdict::Confirmed) => {
                    confusion.confirmed.push((letter.id.clone(), kind));
                    match letter.at() {
                        Some(at) => *confusion.weeks.entry(at.iso_week()).or_default() += 1,
                        None => confusion.undated += 1,
                    }
                }
                Some(TriageVerdict::Dismissed | TriageVerdict::Duplicate) => {}
                None => confusion.unjudged += 1,
            }
        }
        confusion
    }
}

/// The verdict of triage on a letter: the last one, by time and then by id.
pub fn verdict(graph: &Graph<'_>, letter: &Letter) -> Option<TriageVerdict> {
    let answers = graph.deciding(&letter.id).into_iter().filter(|answer| answer.is_class(TRIAGE));
    let judged = answers.filter_map(|answer| {
        let verdict = answer.verdict.as_deref().and_then(TriageVerdict::parse)?;
        Some(((answer.at(), &answer.id), verdict))
    });
    judged.max_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, verdict)| verdict)
}
