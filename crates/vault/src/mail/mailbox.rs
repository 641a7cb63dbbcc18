//! One box, and the paths of its folders.

use super::folder::MailFolder;
use super::root::{MailRoot, is_folder};
use crate::error::StoreError;
use brainstem_base::Disk;
use brainstem_mail::name::MailboxName;
use std::path::{Path, PathBuf};

/// A box below a mail root.
///
/// Invariant: its folder is a real one or missing.
pub struct Mailbox<'a> {
    pub(super) root: &'a MailRoot,
    pub(super) name: MailboxName,
    pub(super) dir: PathBuf,
    /// Whether a box that differs from it by case only keeps it from being made.
    pub(super) spelling: Spelling,
}

/// Whether boxes that differ by case only count when a box is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Its name is known to be right: the name of a session, a tag or an agent.
    Known,
    /// A person or an agent typed its name: another box may have it in another spelling.
    Written,
}

impl Mailbox<'_> {
    /// Its name.
    pub fn name(&self) -> &MailboxName {
        &self.name
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    pub(super) fn disk(&self) -> &dyn Disk {
        &*self.root.disk
    }

    /// The folder of messages in this state.
    pub(super) fn folder(&self, folder: MailFolder) -> PathBuf {
        folder.dir_name().map_or_else(|| self.dir.clone(), |name| self.dir.join(name))
    }

    /// The folder of a state; `None` if it is missing.
    pub(super) fn existing(&self, folder: MailFolder) -> Result<Option<PathBuf>, StoreError> {
        let path = self.folder(folder);
        Ok(is_folder(self.disk(), &path)?.then_some(path))
    }

    /// The folder of a state, made if needed.
    pub(super) fn made(&self, folder: MailFolder) -> Result<PathBuf, StoreError> {
        self.made_dir(self.folder(folder))
    }

    /// A folder inside the box, made if needed. The name of an existing folder is durable already, or becomes durable
    /// with what is put into it.
    pub(super) fn made_dir(&self, path: PathBuf) -> Result<PathBuf, StoreError> {
        if !is_folder(self.disk(), &path)? {
            self.root.make_dirs(&path)?;
        }
        Ok(path)
    }

    pub(super) fn sync(&self, dir: &Path) -> Result<(), StoreError> {
        self.disk().sync_dir(dir).map_err(StoreError::disk("cannot make the message durable"))
    }
}
