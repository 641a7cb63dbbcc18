//! How many letters are open: for a beat, and for a listing of brains.

use super::error::LetterError;
use super::gathered::LetterReach;
use super::known_projects::KnownProjects;
use super::limits::{OPEN_CHARS_MAX, OPEN_LEN_MAX, OPEN_NAMED_MAX};
use super::open_cache::OpenLetters;
use crate::Post;
use brainstem_base::Fault;
use brainstem_letters::FateCounts;
use brainstem_memory::Caller;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The number of open letters in a box, or why it could not be read.
pub type OpenCount = Result<usize, String>;

impl Post {
    /// The open letters of the caller's project, or of the medulla for a caller outside projects. If there are
    /// too many letters to read in a moment, the answer says so instead of keeping the beat waiting.
    pub fn open_letters(&self, caller: &Caller) -> OpenLetters {
        let unknown = |why: String| OpenLetters { count: None, why: Some(why), newest: Vec::new() };
        let root = match self.own_root(caller) {
            Ok(root) => root,
            Err(error) => return unknown(Fault::from(error).message),
        };
        let home = self.memory().home();
        let boxes = [home.letter_box(None), home.letter_box(root.as_deref())];
        let spool = self.disk().stat(home.spool().path());
        let spool_len = spool.as_ref().map_or(0, |stat| stat.len);
        let len = spool_len + boxes.iter().map(|one| one.len()).sum::<u64>();
        if len > OPEN_LEN_MAX {
            return unknown("there are too many letters to count for a beat; sweep counts them".into());
        }
        if spool.is_err()
            && len == 0
            && !boxes[1].exists()
            && self.disk().stat(&home.path().join(super::projects_file::FILE)).is_err()
        {
            return OpenLetters { count: Some(0), ..OpenLetters::default() };
        }
        match self.counted(caller, root.as_deref()) {
            Ok(open) => open,
            Err(error) => unknown(Fault::from(error).message),
        }
    }

    fn counted(&self, caller: &Caller, root: Option<&Path>) -> Result<OpenLetters, LetterError> {
        let projects_file = self.projects_file()?;
        let mut known_projects = KnownProjects::new(self, &projects_file, Some(caller))?;
        // Computed before anything is read: a file that changes meanwhile gives another key.
        let cache_entry = self.open_cache_entry(root, &projects_file, &known_projects);
        if let Some(open) =
            cache_entry.as_ref().and_then(|cache_entry| self.cached_open(cache_entry, &mut known_projects))
        {
            return Ok(open);
        }
        let mut gathered = self.gather_letters(Some(caller), LetterReach::Near(root))?;
        let path = self.memory().home().letter_box(root).path().to_owned();
        if let Some(lost) = gathered.unreachable_for(&path) {
            let why = format!("`{}` cannot be read: {}", lost.path.display(), lost.why);
            return Ok(OpenLetters { count: None, why: Some(why), newest: Vec::new() });
        }
        let ids = gathered.of_box(root);
        let graph = gathered.graph();
        let mut open = gathered.with_fates(&graph, |id| ids.contains(id));
        open.retain(|(_, fate)| fate.is_open());
        let mut newest = gathered.rows(&graph, open.iter().take(OPEN_NAMED_MAX));
        for row in &mut newest {
            row.letter.what = row.letter.what.as_deref().map(cut);
        }
        let open = OpenLetters { count: Some(open.len()), why: None, newest };
        // If a spool could not be read, the count is a part of the truth. It is returned with that gap and is not cached.
        if let Some(cache_entry) = cache_entry.filter(|_| gathered.unreachable.is_empty()) {
            self.cache_open(&cache_entry, &gathered.known_projects, &open);
        }
        Ok(open)
    }

    /// The number of open letters in the boxes of these projects and in the medulla's (`None`), in one pass over all letters.
    pub fn open_counts<'c>(
        &self,
        caller: impl Into<Option<&'c Caller>>,
        roots: &[PathBuf],
    ) -> HashMap<Option<PathBuf>, OpenCount> {
        let wanted = roots.iter().cloned().map(Some).chain([None]);
        let mut gathered = match self.gather_letters(caller.into(), LetterReach::Everything) {
            Ok(gathered) => gathered,
            Err(error) => {
                let why = Fault::from(error).message;
                return wanted.map(|root| (root, Err(why.clone()))).collect();
            }
        };
        let boxes = gathered.meant_for_boxes();
        let graph = gathered.graph();
        let open = |root: &Option<PathBuf>| {
            let path = self.memory().home().letter_box(root.as_deref()).path().to_owned();
            if let Some(lost) = gathered.unreachable_for(&path) {
                return Err(lost.why.clone());
            }
            let ids = boxes.get(root).into_iter().flatten();
            let letters = ids.filter_map(|id| gathered.get(id)).map(|held| &held.with_line.letter);
            let counts: FateCounts = letters.map(|letter| gathered.fate(&graph, letter)).collect();
            Ok(counts.open())
        };
        wanted.map(|root| (root.clone(), open(&root))).collect()
    }
}

/// The beginning of a text, on one line.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(OPEN_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
