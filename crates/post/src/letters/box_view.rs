//! One box: a project's letters, or the medulla's.

use super::error::LetterError;
use super::gathered::LetterReach;
use super::unreachable::UnreachableFile;
use super::view::{LetterFilter, LetterView};
use crate::Post;
use brainstem_letters::FateCounts;
use brainstem_memory::Caller;
use std::path::{Path, PathBuf};

/// The name by which a caller asks for the medulla's box.
const MEDULLA: &str = "medulla";

/// What a box holds, with what the spool has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterBoxView {
    /// The root of the project; `None` is the medulla.
    pub root: Option<PathBuf>,
    /// Its brain (`name@id`), where it has one.
    pub brain: Option<String>,
    /// The letters that were asked for, newest first.
    pub letters: Vec<LetterView>,
    /// How many more of them there are.
    pub left_out: usize,
    /// The counts over all letters of the box.
    pub counts: FateCounts,
    /// Files that could not be read and may hold letters of the box, or answers to them.
    pub unreachable: Vec<UnreachableFile>,
}

impl Post {
    /// Returns a box. Without a name it is the caller's own: its project's box or, for a caller outside
    /// projects, the medulla's. Of other projects, only registered ones are shown.
    pub fn mailbox(
        &self,
        caller: &Caller,
        brain: Option<&str>,
        filter: &LetterFilter,
    ) -> Result<LetterBoxView, LetterError> {
        let root = match brain.map(str::trim).filter(|name| !name.is_empty()) {
            Some(MEDULLA) => None,
            Some(name) => Some(self.registered(caller, name)?),
            None => self.own_root(caller)?,
        };
        // An answer may be in any box, so all of them are read for the fates.
        let mut gathered = self.gather_letters(Some(caller), LetterReach::Everything)?;
        let letter_box = self.memory().home().letter_box(root.as_deref());
        if let Some(lost) = gathered.unreachable.iter().find(|lost| lost.path == letter_box.path()) {
            let (path, why) = (lost.path.clone(), lost.why.clone());
            return Err(LetterError::BoxUnreadable { path, why });
        }
        let ids = gathered.of_box(root.as_deref());
        let graph = gathered.graph();
        let mut with_fates = gathered.with_fates(&graph, |id| ids.contains(id));
        let counts = with_fates.iter().map(|(_, fate)| *fate).collect();
        let left_out = filter.apply(&mut with_fates);
        let letters = gathered.rows(&graph, &with_fates);
        let unreachable = gathered.unreachable_for_letters(&ids);
        let brain = gathered.known_projects.brains.iter().find(|brain| Some(&brain.root) == root.as_ref());
        let brain = brain.map(|brain| brain.origin());
        Ok(LetterBoxView { root, brain, letters, left_out, counts, unreachable })
    }

    /// The root of the caller's project. Refuses a session whose folder has another brain now: the letters there belong to
    /// another project.
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
