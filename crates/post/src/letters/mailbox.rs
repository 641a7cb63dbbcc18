//! One box: a project's letters, or the medulla's.

use super::desk::Reach;
use super::error::LetterError;
use super::row::{Filter, LetterRow};
use super::unreachable::Unreachable;
use crate::Post;
use brainstem_letters::FateCounts;
use brainstem_memory::Caller;
use std::path::{Path, PathBuf};

/// The medulla, as a brain to ask for.
const MEDULLA: &str = "medulla";

/// What a box holds, with what the spool has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// The root of the project; none is the medulla.
    pub root: Option<PathBuf>,
    /// Its brain (`name@id`), where it has one.
    pub brain: Option<String>,
    /// The letters that were asked for, newest first.
    pub letters: Vec<LetterRow>,
    /// How many more there are of those.
    pub left_out: usize,
    /// Over all letters of the box.
    pub counts: FateCounts,
    /// What could not be read and may hold letters of the box, or answers to them.
    pub unreachable: Vec<Unreachable>,
}

impl Post {
    /// A box. Without a name it is the caller's own: its project's or, for a caller in none, the medulla's.
    /// Of others, only those of registered projects are shown.
    pub fn mailbox(
        &self,
        caller: &Caller,
        brain: Option<&str>,
        filter: &Filter,
    ) -> Result<Mailbox, LetterError> {
        let root = match brain.map(str::trim).filter(|name| !name.is_empty()) {
            Some(MEDULLA) => None,
            Some(name) => Some(self.registered(caller, name)?),
            None => self.own_root(caller)?,
        };
        // Answers may lie anywhere, so the fates are read off everything there is.
        let mut desk = self.letter_desk(Some(caller), Reach::Everything)?;
        let letter_box = self.memory().home().letter_box(root.as_deref());
        if let Some(lost) = desk.unreachable.iter().find(|lost| lost.path == letter_box.path()) {
            let (path, why) = (lost.path.clone(), lost.why.clone());
            return Err(LetterError::BoxUnreadable { path, why });
        }
        let ids = desk.of_box(root.as_deref());
        let graph = desk.graph();
        let mut fated = desk.fated(&graph, |id| ids.contains(id));
        let counts = fated.iter().map(|(_, fate)| *fate).collect();
        let left_out = filter.apply(&mut fated);
        let letters = desk.rows(&graph, &fated);
        let unreachable = desk.lost_to(&ids);
        let brain = desk.places.brains.iter().find(|brain| Some(&brain.root) == root.as_ref());
        let brain = brain.map(|brain| brain.origin());
        Ok(Mailbox { root, brain, letters, left_out, counts, unreachable })
    }

    /// The root of the project the caller stands in. A session whose place has another brain now is refused: the
    /// letters there are of another project.
    pub(crate) fn own_root(&self, caller: &Caller) -> Result<Option<PathBuf>, LetterError> {
        self.memory().check_ground(caller)?;
        Ok(self.memory().route(caller).root().map(Path::to_owned))
    }

    /// The root of a registered project: by its path, or by the name of its brain.
    fn registered(&self, caller: &Caller, name: &str) -> Result<PathBuf, LetterError> {
        let given = caller.hints().cwd.as_deref().map_or_else(|| PathBuf::from(name), |cwd| cwd.join(name));
        let canonical = self.disk().canonical(&given).unwrap_or(given);
        let mut brains = self.memory().home().roster()?.brains;
        brains.extend(self.memory().route(caller).brain().cloned());
        let is_its =
            |root: &Path, origin: &str| root == canonical || root == Path::new(name) || origin == name;
        let found = brains.into_iter().find(|brain| is_its(&brain.root, &brain.origin()));
        found.map(|brain| brain.root).ok_or_else(|| {
            let given = self.memory().floor().mask(name).chars().take(200).collect();
            LetterError::UnknownProject { given }
        })
    }
}
