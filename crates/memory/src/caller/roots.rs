//! Projects that callers were seen in. Those with a brain are on record with it; the others leave a note.
//!
//! It is local state: losing it is harmless, and the call is answered even if it cannot be kept.

use crate::service::Memory;
use brainstem_base::DiskFault;
use brainstem_caller::git_layout;
use brainstem_vault::{brain, durable};
use std::path::{Component, Path, PathBuf};

/// The folder of the notes, below the home.
const FOLDER: &str = "local/roots";
/// The longest path that is noted.
const ROOT_LEN_MAX: u64 = 4096;

impl Memory {
    /// Notes the root of a project without a brain.
    pub fn note_root(&self, root: &Path) {
        let Some(text) = root.to_str().filter(|_| self.may_count()) else { return };
        let dir = self.home.path().join(FOLDER);
        let path = dir.join(brain::fingerprint(root));
        if self.disk.stat(&path).is_ok() {
            return;
        }
        if let Err(error) = self.disk.write_new(&path, text.as_bytes())
            && error.fault() == DiskFault::NotFound
            && durable::make_dirs(&*self.disk, &dir).is_ok()
        {
            // If this fails too, a later call notes it.
            let _ = self.disk.write_new(&path, text.as_bytes());
        }
    }

    /// The roots of projects without a brain that callers were seen in, sorted.
    pub fn noted_roots(&self) -> Vec<PathBuf> {
        let dir = self.home.path().join(FOLDER);
        let entries = self.disk.list(&dir).unwrap_or_default().into_iter();
        let texts = entries.filter_map(|entry| {
            let bytes = self.disk.read(&dir.join(entry.name), ROOT_LEN_MAX).ok()?;
            String::from_utf8(bytes).ok()
        });
        let mut roots: Vec<PathBuf> = texts.map(PathBuf::from).filter(|root| root.is_absolute()).collect();
        roots.sort();
        roots
    }

    /// Returns where a relative path leads from a root that it may not leave, neither by `..` nor through a link.
    /// `None` if it leaves the root, or if that cannot be seen. A missing path is inside its folder.
    pub fn path_inside(&self, root: &Path, path: &Path) -> Option<PathBuf> {
        let root = self.disk.canonical(root).ok()?;
        let mut at = root.clone();
        for part in path.components() {
            match part {
                Component::CurDir => continue,
                Component::Normal(name) => at.push(name),
                // Everything so far is a real folder, so its parent is the folder above.
                Component::ParentDir => drop(at.pop()),
                Component::RootDir | Component::Prefix(_) => return None,
            }
            match self.disk.canonical(&at) {
                Ok(found) => at = found,
                // A link that leads nowhere yet may lead anywhere later.
                Err(error) if error.fault() == DiskFault::NotFound && self.disk.stat(&at).is_err() => {}
                Err(_) => return None,
            }
            if !at.starts_with(&root) {
                return None;
            }
        }
        Some(at)
    }

    /// The folders of the worktrees that a repository names as its own.
    pub fn worktrees_of(&self, root: &Path) -> Vec<PathBuf> {
        git_layout::worktrees_of(&*self.disk, root)
    }
}
