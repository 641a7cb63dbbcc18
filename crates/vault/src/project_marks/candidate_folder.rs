//! A folder that may be the one that marks were taken of.

use crate::git::Repository;
use brainstem_base::Disk;
use std::path::{Path, PathBuf};

/// A folder that may be a project, and where the search for its repository ends.
pub(crate) struct CandidateFolder<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) root: &'a Path,
    /// The person's home: a repository there says nothing about the projects in it.
    pub(crate) user_home: Option<&'a Path>,
}

impl CandidateFolder<'_> {
    /// The repository around the folder, and the folder's path from its top.
    pub(super) fn repository(&self) -> Option<(Repository<'_>, PathBuf)> {
        let dirs = self.root.ancestors().take_while(|dir| *dir == self.root || Some(*dir) != self.user_home);
        dirs.filter_map(|dir| {
            let inside = self.root.strip_prefix(dir).expect("an ancestor is a prefix");
            Some((Repository::at(self.disk, dir)?, inside.to_owned()))
        })
        .next()
    }
}
