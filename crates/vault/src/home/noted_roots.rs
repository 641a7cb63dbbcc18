//! Projects without a brain that callers were seen in. Those with a brain are on record with it.
//!
//! It is local state: losing it is harmless, and the call is answered even if it cannot be kept.

use super::Home;
use crate::{brain, durable};
use brainstem_base::DiskFault;
use std::path::{Path, PathBuf};

/// The folder of the notes, below the home.
const FOLDER: &str = "local/roots";
/// The longest path that is noted.
const ROOT_LEN_MAX: u64 = 4096;

impl Home {
    /// Notes the root of a project without a brain.
    pub fn note_root(&self, root: &Path) {
        let Some(text) = root.to_str() else { return };
        let dir = self.path.join(FOLDER);
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
        let dir = self.path.join(FOLDER);
        let entries = self.disk.list(&dir).unwrap_or_default().into_iter();
        let texts = entries.filter_map(|entry| {
            let bytes = self.disk.read(&dir.join(entry.name), ROOT_LEN_MAX).ok()?;
            String::from_utf8(bytes).ok()
        });
        let mut roots: Vec<PathBuf> = texts.map(PathBuf::from).filter(|root| root.is_absolute()).collect();
        roots.sort();
        roots
    }
}
