//! How much is open: for a beat, and for a listing of brains.

use super::desk::Reach;
use super::limits::{OPEN_CHARS_MAX, OPEN_LEN_MAX, OPEN_NAMED_MAX};
use super::row::LetterRow;
use crate::Post;
use brainstem_base::Fault;
use brainstem_letters::Counts;
use brainstem_memory::Caller;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The open letters of a project, for its beat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenLetters {
    /// How many; `None` where they could not be counted.
    pub count: Option<usize>,
    /// Why they could not.
    pub why: Option<String>,
    /// The newest few, each cut short.
    pub newest: Vec<LetterRow>,
}

/// How much of a box is open; why, where it could not be read.
pub type OpenCount = Result<usize, String>;

impl Post {
    /// The open letters of the caller's project, or of the medulla for a caller in none. A beat is not kept
    /// waiting: where there are too many letters to read in a moment, it says so.
    pub fn open_letters(&self, caller: &Caller) -> OpenLetters {
        let root = self.own_root(caller);
        let home = self.memory().home();
        let boxes = [home.letter_box(None), home.letter_box(root.as_deref())];
        let spool_len = self.disk().stat(home.spool().path()).map_or(0, |stat| stat.len);
        let len = spool_len + boxes.iter().map(|one| one.len()).sum::<u64>();
        let unknown = |why: String| OpenLetters { count: None, why: Some(why), newest: Vec::new() };
        if len > OPEN_LEN_MAX {
            return unknown("there are too many letters to count for a beat; sweep counts them".into());
        }
        if len == 0
            && !boxes[1].exists()
            && self.disk().stat(&home.path().join(super::projects::FILE)).is_err()
        {
            return OpenLetters { count: Some(0), ..OpenLetters::default() };
        }
        match self.counted(caller, root.as_deref()) {
            Ok(open) => open,
            Err(fault) => unknown(fault.message),
        }
    }

    fn counted(&self, caller: &Caller, root: Option<&Path>) -> Result<OpenLetters, Fault> {
        let mut desk = self.letter_desk(Some(caller), Reach::Near(root))?;
        let path = self.memory().home().letter_box(root).path().to_owned();
        if let Some(lost) = desk.unreachable.iter().find(|lost| lost.path == path) {
            let why = format!("`{}` cannot be read: {}", path.display(), lost.why);
            return Ok(OpenLetters { count: None, why: Some(why), newest: Vec::new() });
        }
        let ids = desk.of_box(root);
        let graph = desk.graph();
        let mut rows = desk.rows(&graph, |id| ids.contains(id));
        rows.retain(|row| row.state.is_open());
        let count = Some(rows.len());
        rows.truncate(OPEN_NAMED_MAX);
        for row in &mut rows {
            row.what = row.what.as_deref().map(cut);
        }
        Ok(OpenLetters { count, why: None, newest: rows })
    }

    /// How much is open in the boxes of these projects and in the medulla's (none), in one pass over all.
    pub fn open_counts(&self, caller: &Caller, roots: &[PathBuf]) -> HashMap<Option<PathBuf>, OpenCount> {
        let wanted = roots.iter().cloned().map(Some).chain([None]);
        let mut desk = match self.letter_desk(Some(caller), Reach::Everything) {
            Ok(desk) => desk,
            Err(fault) => return wanted.map(|root| (root, Err(fault.message.clone()))).collect(),
        };
        let boxes = desk.meant_for_boxes();
        let graph = desk.graph();
        let open = |root: &Option<PathBuf>| {
            let path = self.memory().home().letter_box(root.as_deref()).path().to_owned();
            if let Some(lost) = desk.unreachable.iter().find(|lost| lost.path == path) {
                return Err(lost.why.clone());
            }
            let ids = boxes.get(root).into_iter().flatten();
            let letters = ids.filter_map(|id| desk.held(id)).map(|held| &held.lettered.letter);
            let counts: Counts = letters.map(|letter| desk.fate(&graph, letter)).collect();
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
