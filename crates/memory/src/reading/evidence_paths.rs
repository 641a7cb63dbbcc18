//! Where the paths of evidence lead, in one project.

use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Where a path of evidence leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EvidencePlace {
    /// To something inside the root.
    Inside(PathBuf),
    /// To nothing, inside the root.
    Nowhere,
    /// Outside of the root, or perhaps so.
    Outside,
}

/// The paths under one root, for one call: the rows of a beat name files of few folders, and each folder is resolved
/// once.
#[derive(Debug)]
pub(crate) struct EvidencePaths {
    /// The root with every link resolved.
    root: PathBuf,
    folders: RefCell<HashMap<PathBuf, EvidencePlace>>,
}

impl EvidencePaths {
    /// The paths under a root; `None` if the root is gone, which says nothing about its files.
    pub(crate) fn under(disk: &dyn Disk, root: &Path) -> Option<Self> {
        let root = disk.canonical(root).ok()?;
        Some(Self { root, folders: RefCell::default() })
    }

    /// Returns where a path that evidence gives leads.
    pub(crate) fn locate(&self, disk: &dyn Disk, text: &str) -> EvidencePlace {
        // A person's own folder is not the project's.
        if text.starts_with('~') {
            return EvidencePlace::Outside;
        }
        let path = self.root.join(text);
        if path.components().any(|part| matches!(part, Component::ParentDir)) || !path.starts_with(&self.root)
        {
            return EvidencePlace::Outside;
        }
        // A slash at the end asks for a folder, which the name alone does not.
        match text.ends_with('/') {
            true => self.resolve(disk, &path),
            false => self.below(disk, &path),
        }
    }

    /// Returns where a path at or under the root leads, by one look at its last part.
    fn below(&self, disk: &dyn Disk, path: &Path) -> EvidencePlace {
        let (Some(parent), Some(name)) =
            (path.parent().filter(|it| it.starts_with(&self.root)), path.file_name())
        else {
            return EvidencePlace::Inside(self.root.clone());
        };
        let folder = match self.folder(disk, parent) {
            EvidencePlace::Inside(folder) => folder,
            nothing => return nothing,
        };
        let whole = folder.join(name);
        match disk.stat(&whole) {
            Ok(stat) if stat.kind == FileKind::Link => self.resolve(disk, &whole),
            Ok(_) => EvidencePlace::Inside(whole),
            Err(error) if error.fault() == DiskFault::NotFound => EvidencePlace::Nowhere,
            Err(_) => EvidencePlace::Outside,
        }
    }

    fn folder(&self, disk: &dyn Disk, path: &Path) -> EvidencePlace {
        if let Some(known) = self.folders.borrow().get(path) {
            return known.clone();
        }
        let found = self.below(disk, path);
        self.folders.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// Resolves every link of a path under the root.
    fn resolve(&self, disk: &dyn Disk, path: &Path) -> EvidencePlace {
        for (at, is_whole) in path.ancestors().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
            match disk.canonical(at) {
                Ok(found) if !found.starts_with(&self.root) => return EvidencePlace::Outside,
                Ok(found) if is_whole => return EvidencePlace::Inside(found),
                Ok(_) => return EvidencePlace::Nowhere,
                // A broken link: its target is not known.
                Err(_) if disk.stat(at).is_ok_and(|stat| stat.kind == FileKind::Link) => {
                    return EvidencePlace::Outside;
                }
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(_) => return EvidencePlace::Outside,
            }
        }
        EvidencePlace::Outside
    }
}
