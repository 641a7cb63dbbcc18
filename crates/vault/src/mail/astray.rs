//! Messages that lie in no box: a shell put them where no verb reads. They are named, and left where they are.

use super::mailbox::Folder;
use super::root::MailRoot;
use crate::error::StoreError;
use brainstem_base::disk::FileKind;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::path::{Path, PathBuf};

/// A place where messages lie that no verb reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Astray {
    /// The file, or the folder with messages in it.
    pub path: PathBuf,
    /// Why no verb reads them there.
    pub why: String,
}

/// How many places are named.
const NAMED_MAX: usize = 100;

impl MailRoot {
    /// The files and folders of the mail root that may hold messages and are no part of a box, each with the reason.
    pub fn astray(&self) -> Result<Vec<Astray>, StoreError> {
        let mut found = Vec::new();
        if !self.exists()? {
            return Ok(found);
        }
        let named = |path: PathBuf, why: &str| Astray { path, why: why.to_owned() };
        for (path, name, kind) in self.entries(self.path())? {
            let is_box = MailboxName::parse(&name).is_ok();
            match kind {
                FileKind::File if is_message(&name) => {
                    found.push(named(path, "it lies in the mail root, and a message lies in a box"));
                }
                FileKind::Dir if is_box => self.astray_in_box(&path, &mut found)?,
                FileKind::Dir if self.holds_messages(&path)? => {
                    found.push(named(path, "messages lie in it, and no box can have this name"));
                }
                FileKind::File | FileKind::Dir | FileKind::Link | FileKind::Other => {}
            }
        }
        found.truncate(NAMED_MAX);
        Ok(found)
    }

    /// Adds the folders of a box that no box has and that hold messages.
    fn astray_in_box(&self, dir: &Path, found: &mut Vec<Astray>) -> Result<(), StoreError> {
        let own = |name: &str| Folder::ALL.iter().any(|folder| folder.dir_name() == Some(name));
        for (path, name, kind) in self.entries(dir)? {
            let inner = match (kind, own(&name)) {
                (FileKind::Dir, true) => self.entries(&path)?,
                (FileKind::Dir, false) => vec![(path, name, kind)],
                (FileKind::File | FileKind::Link | FileKind::Other, _) => continue,
            };
            for (path, name, kind) in inner {
                // A folder with a message's name is told of where the folder around it is listed.
                if kind == FileKind::Dir && !is_message(&name) && self.holds_messages(&path)? {
                    let why = "messages lie in it, and no box has such a folder";
                    found.push(Astray { path, why: why.to_owned() });
                }
            }
        }
        Ok(())
    }

    fn holds_messages(&self, dir: &Path) -> Result<bool, StoreError> {
        for (path, name, kind) in self.entries(dir)? {
            let holds = match kind {
                FileKind::File => is_message(&name),
                FileKind::Dir => self.entries(&path)?.iter().any(|(_, name, _)| is_message(name)),
                FileKind::Link | FileKind::Other => false,
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What lies in a folder, by name. Hidden names are a program's.
    fn entries(&self, dir: &Path) -> Result<Vec<(PathBuf, String, FileKind)>, StoreError> {
        let entries = self.disk.list(dir).map_err(StoreError::disk("cannot list the boxes"))?;
        let mut entries: Vec<(PathBuf, String, FileKind)> = entries
            .into_iter()
            .map(|entry| (dir.join(&entry.name), entry.name.to_string_lossy().into_owned(), entry.kind))
            .filter(|(_, name, _)| !name.starts_with('.'))
            .collect();
        entries.sort();
        Ok(entries)
    }
}

/// Whether a file has the name of a message. A README is none.
fn is_message(name: &str) -> bool {
    FileName::parse(name).is_ok()
}
