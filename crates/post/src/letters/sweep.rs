//! `sweep`: every letter within reach, each once, with its fate.

use super::desk::{Ask, Desk, Reach};
use super::distribute::{End, Ended};
use super::error::LetterError;
use super::floor;
use super::row::{Filter, LetterRow};
use super::unreachable::Unreachable;
use crate::Post;
use brainstem_letters::plan::LetterDestination;
use brainstem_letters::{FateCounts, LetterId};
use brainstem_memory::Caller;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Everything that letters say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The letters that were asked for, newest first.
    pub letters: Vec<LetterRow>,
    /// How many more there are of those.
    pub left_out: usize,
    /// Over all letters.
    pub counts: FateCounts,
    /// Boxes and spools that could not be read.
    pub unreachable: Vec<Unreachable>,
    /// Letters that wait for a project, and those that the floor keeps in the spool.
    pub stuck: Vec<Ended>,
    /// Letters that have a box and are not filed there yet.
    pub unfiled: usize,
    /// Projects with a box and no brain.
    pub without_brain: Vec<PathBuf>,
    /// Lines that are no letters.
    pub unreadable: usize,
}

impl Post {
    /// Reads the spools and every known box.
    pub fn sweep_letters(&self, caller: &Caller, filter: &Filter) -> Result<Swept, LetterError> {
        let mut desk = self.letter_desk(Some(caller), Reach::Everything)?;
        let (mut stuck, mut unfiled) = (Vec::new(), 0);
        for (id, destination, held) in desk.ends(Ask::Floor) {
            match destination {
                LetterDestination::Pending { spelled, several, plain } => {
                    let spelled = floor::spelled(&desk.floor, &spelled);
                    stuck.push(Ended { id, end: End::Pending { spelled, several, plain } });
                }
                LetterDestination::Refused { rule } => stuck.push(Ended { id, end: End::Refused { rule } }),
                LetterDestination::Project(_) | LetterDestination::Medulla => unfiled += usize::from(!held),
            }
        }
        let graph = desk.graph();
        let mut fated = desk.fated(&graph, |_| true);
        let counts = fated.iter().map(|(_, fate)| *fate).collect();
        let left_out = filter.apply(&mut fated);
        let letters = desk.rows(&graph, &fated);
        Ok(Swept {
            letters,
            left_out,
            counts,
            unreachable: desk.unreachable.clone(),
            stuck,
            unfiled,
            without_brain: desk.without_brain(),
            unreadable: desk.bad_lines.len(),
        })
    }

    /// One letter, and the thread around it: what it answers, then what answers it.
    pub fn show_letter(&self, caller: &Caller, id: &str) -> Result<(LetterRow, Vec<LetterRow>), LetterError> {
        let desk = self.letter_desk(Some(caller), Reach::Everything)?;
        let id = desk.find(id)?;
        let graph = desk.graph();
        let letter = &desk.held(&id).expect("it was found").lettered.letter;
        let around = graph.answered(&id).into_iter().chain(graph.answering(&id));
        let around = around.map(|letter| desk.row(&graph, letter)).collect();
        Ok((desk.row(&graph, letter), around))
    }
}

impl Desk<'_> {
    /// The letter of an id, or of the beginning of one that fits no other.
    pub(crate) fn find(&self, text: &str) -> Result<LetterId, LetterError> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(held) = LetterId::parse(&text).and_then(|id| self.held(&id)) {
            return Ok(held.lettered.letter.id.clone());
        }
        let ids = self.letters.iter().map(|held| &held.lettered.letter.id);
        let found: BTreeSet<&LetterId> =
            ids.filter(|id| text.len() >= 4 && id.as_str().starts_with(&text)).collect();
        let found: Vec<&LetterId> = found.into_iter().collect();
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            several => {
                let given = text.chars().take(40).collect();
                Err(match several.is_empty() {
                    true => LetterError::NotFound { given },
                    false => LetterError::Several { given },
                })
            }
        }
    }

    /// The projects that have letters and no brain.
    pub(crate) fn without_brain(&self) -> Vec<PathBuf> {
        let filled = self.boxes.iter().filter(|(_, ids)| !ids.is_empty());
        let mut roots: Vec<PathBuf> =
            filled.filter_map(|(root, _)| root.clone()).filter(|root| !self.places.has_brain(root)).collect();
        roots.sort();
        roots
    }
}
