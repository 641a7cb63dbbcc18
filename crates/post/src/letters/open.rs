//! How much is open: for a beat, and for a listing of brains.

use super::desk::Reach;
use super::error::LetterError;
use super::kept::OpenLetters;
use super::limits::{OPEN_CHARS_MAX, OPEN_LEN_MAX, OPEN_NAMED_MAX};
use super::places::Places;
use crate::Post;
use brainstem_base::Fault;
use brainstem_letters::FateCounts;
use brainstem_memory::Caller;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How much of a box is open; why, where it could not be read.
pub type OpenCount = Result<usize, String>;

impl Post {
    /// The open letters of the caller's project, or of the medulla for a caller in none. A beat is not kept
    /// waiting: where there are too many letters to read in a moment, it says so.
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
            && self.disk().stat(&home.path().join(super::projects::FILE)).is_err()
        {
            return OpenLetters { count: Some(0), ..OpenLetters::default() };
        }
        match self.counted(caller, root.as_deref()) {
            Ok(open) => open,
            Err(error) => unknown(Fault::from(error).message),
        }
    }

    fn counted(&self, caller: &Caller, root: Option<&Path>) -> Result<OpenLetters, LetterError> {
        let projects = self.projects()?;
        let mut places = Places::new(self, &projects, Some(caller))?;
        // Taken before anything is read: what changes meanwhile makes another slot.
        let slot = self.open_slot(root, &projects, &places);
        if let Some(open) = slot.as_ref().and_then(|slot| self.kept_open(slot, &mut places)) {
            return Ok(open);
        }
        let mut desk = self.letter_desk(Some(caller), Reach::Near(root))?;
        let path = self.memory().home().letter_box(root).path().to_owned();
        if let Some(lost) = desk.lost(&path) {
            let why = format!("`{}` cannot be read: {}", lost.path.display(), lost.why);
            return Ok(OpenLetters { count: None, why: Some(why), newest: Vec::new() });
        }
        let ids = desk.of_box(root);
        let graph = desk.graph();
        let mut open = desk.fated(&graph, |id| ids.contains(id));
        open.retain(|(_, fate)| fate.is_open());
        let mut newest = desk.rows(&graph, open.iter().take(OPEN_NAMED_MAX));
        for row in &mut newest {
            row.letter.what = row.letter.what.as_deref().map(cut);
        }
        let open = OpenLetters { count: Some(open.len()), why: None, newest };
        // Without all spools it is a part, which is told by others and not kept.
        if let Some(slot) = slot.filter(|_| desk.unreachable.is_empty()) {
            self.keep_open(&slot, &desk.places, &open);
        }
        Ok(open)
    }

    /// How much is open in the boxes of these projects and in the medulla's (none), in one pass over all.
    pub fn open_counts<'c>(
        &self,
        caller: impl Into<Option<&'c Caller>>,
        roots: &[PathBuf],
    ) -> HashMap<Option<PathBuf>, OpenCount> {
        let wanted = roots.iter().cloned().map(Some).chain([None]);
        let mut desk = match self.letter_desk(caller.into(), Reach::Everything) {
            Ok(desk) => desk,
            Err(error) => {
                let why = Fault::from(error).message;
                return wanted.map(|root| (root, Err(why.clone()))).collect();
            }
        };
        let boxes = desk.meant_for_boxes();
        let graph = desk.graph();
        let open = |root: &Option<PathBuf>| {
            let path = self.memory().home().letter_box(root.as_deref()).path().to_owned();
            if let Some(lost) = desk.lost(&path) {
                return Err(lost.why.clone());
            }
            let ids = boxes.get(root).into_iter().flatten();
            let letters = ids.filter_map(|id| desk.held(id)).map(|held| &held.lettered.letter);
            let counts: FateCounts = letters.map(|letter| desk.fate(&graph, letter)).collect();
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
