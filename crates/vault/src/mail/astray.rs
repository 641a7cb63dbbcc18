//! Messages that are in no box: a shell put them where no verb reads. They are named, and left where they are.

use super::folder::MailFolder;
use super::root::MailRoot;
use crate::error::StoreError;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::path::{Path, PathBuf};

/// A place with messages that no verb reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AstrayFolder {
    /// The file, or the folder with messages in it.
    pub path: PathBuf,
    /// Why no verb reads them there.
    pub why: String,
}

/// How many places are named.
const NAMED_MAX: usize = 100;

impl MailRoot {
    /// Returns the files and folders of the mail root that may hold messages and do not belong to a box, each with the
    /// reason. A folder that cannot be listed is one of them: messages may be in it.
    pub fn astray(&self) -> Result<Vec<AstrayFolder>, StoreError> {
        let mut found = Vec::new();
        if !self.exists()? {
            return Ok(found);
        }
        let named = |path: PathBuf, why: &str| AstrayFolder { path, why: why.to_owned() };
        for (path, name, kind) in self.entries(self.path(), &mut found) {
            let is_box = MailboxName::parse(&name).is_ok();
            match kind {
                FileKind::File if is_message(&name) => {
                    found.push(named(path, "it is in the mail root, and a message must be in a box"));
                }
                FileKind::Dir if is_box => self.astray_in_box(&path, &mut found),
                FileKind::Dir if self.holds_messages(&path, &mut found) => {
                    found.push(named(path, "there are messages in it, and no box can have this name"));
                }
                FileKind::File | FileKind::Dir | FileKind::Link | FileKind::Other => {}
            }
        }
        found.truncate(NAMED_MAX);
        Ok(found)
    }

    /// Adds the folders inside a box that do not belong to it and that hold messages.
    fn astray_in_box(&self, dir: &Path, found: &mut Vec<AstrayFolder>) {
        let own = |name: &str| MailFolder::ALL.iter().any(|folder| folder.dir_name() == Some(name));
        for (path, name, kind) in self.entries(dir, found) {
            let inner = match (kind, own(&name)) {
                (FileKind::Dir, true) => self.entries(&path, found),
                (FileKind::Dir, false) => vec![(path, name, kind)],
                (FileKind::File | FileKind::Link | FileKind::Other, _) => continue,
            };
            for (path, name, kind) in inner {
                // A list of the folder around it names a folder with a message's name.
                if kind == FileKind::Dir && !is_message(&name) && self.holds_messages(&path, found) {
                    let why = "there are messages in it, and no box has such a folder";
                    found.push(AstrayFolder { path, why: why.to_owned() });
                }
            }
        }
    }

    fn holds_messages(&self, dir: &Path, found: &mut Vec<AstrayFolder>) -> bool {
        self.entries(dir, found).into_iter().any(|(path, name, kind)| match kind {
            FileKind::File => is_message(&name),
            FileKind::Dir => self.entries(&path, found).iter().any(|(_, name, _)| is_message(name)),
            FileKind::Link | FileKind::Other => false,
        })
    }

    /// Returns the entries of a folder, by name, without hidden names. A folder that cannot be listed is added to
    /// `found`; a folder that is gone has no entries.
    fn entries(&self, dir: &Path, found: &mut Vec<AstrayFolder>) -> Vec<(PathBuf, String, FileKind)> {
        let entries = match self.disk.list(dir) {
            Ok(entries) => entries,
            Err(error) => {
                if error.fault() != DiskFault::NotFound {
                    found.push(AstrayFolder {
                        path: dir.to_owned(),
                        why: format!("it cannot be listed: {error}"),
                    });
                }
                return Vec::new();
            }
        };
        let mut entries: Vec<(PathBuf, String, FileKind)> = entries
            .into_iter()
            .map(|entry| (dir.join(&entry.name), entry.name.to_string_lossy().into_owned(), entry.kind))
            .filter(|(_, name, _)| !name.starts_with('.'))
            .collect();
        entries.sort();
        entries
    }
}

/// Whether a file has the name of a message. A README does not.
fn is_message(name: &str) -> bool {
    FileName::parse(name).is_ok()
}
