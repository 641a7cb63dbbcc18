//! `sweep` returns every letter within reach, each once, with its fate.

use super::distribute::{DistributedLetter, LetterEnd};
use super::error::LetterError;
use super::floor;
use super::gathered::{FloorCheck, GatheredLetters, LetterReach};
use super::unreachable::UnreachableFile;
use super::view::{LetterFilter, LetterView};
use crate::Post;
use brainstem_letters::plan::LetterDestination;
use brainstem_letters::{FateCounts, LetterId};
use brainstem_memory::Caller;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a sweep found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterSweepReport {
    /// The letters that were asked for, newest first.
    pub letters: Vec<LetterView>,
    /// How many more of them there are.
    pub left_out: usize,
    /// The counts over all letters.
    pub counts: FateCounts,
    /// Boxes and spools that could not be read.
    pub unreachable: Vec<UnreachableFile>,
    /// Letters that wait for a project, and those that the floor keeps in the spool.
    pub stuck: Vec<DistributedLetter>,
    /// Letters that have a box and are not in it yet.
    pub unfiled: usize,
    /// Projects with a box and no brain.
    pub without_brain: Vec<PathBuf>,
    /// Lines that are no letters.
    pub unreadable: usize,
}

impl Post {
    /// Reads the spools and every known box.
    pub fn sweep_letters(
        &self,
        caller: &Caller,
        filter: &LetterFilter,
    ) -> Result<LetterSweepReport, LetterError> {
        let mut gathered = self.gather_letters(Some(caller), LetterReach::Everything)?;
        let (mut stuck, mut unfiled) = (Vec::new(), 0);
        for (id, destination, held) in gathered.destinations(FloorCheck::Applied) {
            match destination {
                LetterDestination::Pending { spelled, several, plain } => {
                    let spelled = floor::spelled(&gathered.floor, &spelled);
                    stuck.push(DistributedLetter { id, end: LetterEnd::Pending { spelled, several, plain } });
                }
                LetterDestination::Refused { rule } => {
                    stuck.push(DistributedLetter { id, end: LetterEnd::Refused { rule } })
                }
                LetterDestination::Project(_) | LetterDestination::Medulla => unfiled += usize::from(!held),
            }
        }
        let graph = gathered.graph();
        let mut with_fates = gathered.with_fates(&graph, |_| true);
        let counts = with_fates.iter().map(|(_, fate)| *fate).collect();
        let left_out = filter.apply(&mut with_fates);
        let letters = gathered.rows(&graph, &with_fates);
        Ok(LetterSweepReport {
            letters,
            left_out,
            counts,
            unreachable: gathered.unreachable.clone(),
            stuck,
            unfiled,
            without_brain: gathered.without_brain(),
            unreadable: gathered.bad_lines.len(),
        })
    }

    /// One letter and its thread: the letters that it answers, then those that answer it.
    pub fn show_letter(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<(LetterView, Vec<LetterView>), LetterError> {
        let gathered = self.gather_letters(Some(caller), LetterReach::Everything)?;
        let id = gathered.find(id)?;
        let graph = gathered.graph();
        let letter = &gathered.get(&id).expect("it was found").with_line.letter;
        let around = graph.answered(&id).into_iter().chain(graph.answering(&id));
        let around = around.map(|letter| gathered.row(&graph, letter)).collect();
        Ok((gathered.row(&graph, letter), around))
    }
}

impl GatheredLetters<'_> {
    /// The letter with this id, or the only one whose id begins like this.
    pub(crate) fn find(&self, text: &str) -> Result<LetterId, LetterError> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(held) = LetterId::parse(&text).and_then(|id| self.get(&id)) {
            return Ok(held.with_line.letter.id.clone());
        }
        let ids = self.letters.iter().map(|held| &held.with_line.letter.id);
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
        let mut roots: Vec<PathBuf> = filled
            .filter_map(|(root, _)| root.clone())
            .filter(|root| !self.known_projects.has_brain(root))
            .collect();
        roots.sort();
        roots
    }
}
