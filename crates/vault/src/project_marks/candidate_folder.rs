//! A folder that may be the one that marks were taken of.

use crate::git::Repository;
use brainstem_base::Disk;
use brainstem_base::hash::sha256_hex;
use std::path::{Path, PathBuf};

/// How much of a file that is remembered by its date is compared.
const HASHED_LEN_MAX: u64 = 64 * 1024;
/// How many digits of that hash are remembered.
const HASH_DIGITS: usize = 16;

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

    /// A hash of the first bytes of a file; `None` if it cannot be read.
    pub(super) fn content_hash(&self, path: &str) -> Option<String> {
        let bytes = self.disk.read_others(&self.root.join(path), HASHED_LEN_MAX).ok()?;
        Some(sha256_hex(&bytes, HASH_DIGITS))
    }
}
