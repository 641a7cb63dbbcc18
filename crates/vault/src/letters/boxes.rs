//! Boxes: a project's letters, in its repository, and the medulla's, in the home.

use super::spool::missing;
use super::{AppendCheck, LineFile};
use crate::layout::BOX;
use crate::real_folder::real_folder;
use crate::sharing::GitSharing;
use crate::{Home, StoreError, durable, repo};
use brainstem_base::disk::FileKind;
use brainstem_letters::LetterId;
use brainstem_letters::lines::{LetterLines, Tail};
use std::path::{Path, PathBuf};

/// A box. Lines that came with git, and were never in the spool, stay in it untouched.
#[derive(Clone)]
pub struct LetterBox {
    file: LineFile,
    /// The root of its project; none for the medulla's.
    root: Option<PathBuf>,
    home: Home,
}

impl Home {
    /// The box of the project at a root, or the medulla's.
    pub fn letter_box(&self, root: Option<&Path>) -> LetterBox {
        let dir = root.map_or_else(|| self.path().to_owned(), repo::folder);
        let file = self.line_file(dir.join(BOX), "boxes");
        LetterBox { file, root: root.map(Path::to_owned), home: self.clone() }
    }
}

impl LetterBox {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Whether there is such a file.
    pub fn exists(&self) -> bool {
        self.file.disk.stat(&self.file.path).is_ok()
    }

    /// Its lines; empty if there is no box yet. A box behind a link, or in a folder that is gone, is an error.
    pub fn read(&self) -> Result<LetterLines, StoreError> {
        self.check_real_folders()?;
        Ok(LetterLines::read(&self.file.read()?, Tail::Counts))
    }

    /// Its length; zero if there is none.
    pub fn len(&self) -> u64 {
        self.file.disk.stat(&self.file.path).map_or(0, |stat| stat.len)
    }

    /// Whether it has no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the lines that it does not have, durably, and returns their ids. The rule for git that merges two boxes
    /// is written first.
    pub fn file(&self, lines: &[&[u8]]) -> Result<Vec<LetterId>, StoreError> {
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        self.check_real_folders()?;
        if let Some(root) = &self.root {
            self.home.ready_repo_folder(root)?;
            durable::make_shared_dirs_below(&*self.file.disk, root, &repo::folder(root))?;
            if self.file.disk.stat(&root.join(".git")).is_ok() {
                repo::write_missing(&*self.file.disk, &*self.file.ids, root, GitSharing::Committed)?;
            }
        }
        self.file.append(|there| missing(there, Tail::Counts, lines.iter().copied()), AppendCheck::Whole)
    }

    /// Checks that a box is in real folders, and that its project exists.
    fn check_real_folders(&self) -> Result<(), StoreError> {
        let Some(root) = &self.root else { return Ok(()) };
        let stat = self.file.disk.stat(root).map_err(StoreError::disk("the project is not here"))?;
        if stat.kind != FileKind::Dir {
            return Err(StoreError::NotAFolder { path: root.display().to_string(), what: "no folder" });
        }
        real_folder(&*self.file.disk, &repo::folder(root))
    }
}
