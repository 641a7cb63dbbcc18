//! Where a path of a call leads.

use crate::service::Memory;
use brainstem_base::DiskFault;
use std::path::{Component, Path, PathBuf};

impl Memory {
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
}
