//! The mail root: the folder that holds a project's boxes.

use super::fault::MailFault;
use super::mailbox::Mailbox;
use super::tracked::Seen;
use crate::durable::{self, Named};
use crate::error::StoreError;
use brainstem_base::disk::FileKind;
use brainstem_base::{Clock, Disk, DiskFault, Ids};
use brainstem_mail::name::{MailboxName, NameFault};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the folder in a project.
const FOLDER: &str = ".mail";
const IGNORE_FILE: &str = ".gitignore";
const IGNORE_LEN_MAX: u64 = 64 * 1024;
const FORCED_LOG: &str = ".forced.jsonl";

/// What git is told about a mail root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignore {
    /// Nothing of it is committed.
    Everything,
    /// Messages are committed; what holds only here and now is not.
    Scaffold,
}

impl Ignore {
    fn text(self) -> &'static str {
        match self {
            Self::Everything => "*\n",
            Self::Scaffold => ".tmp/\n.tmp-*\n.claimed/\n.seen/\n.keys/\n.names/\n",
        }
    }
}

/// A mail root.
#[derive(Clone)]
pub struct MailRoot {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) seen: Seen,
    path: PathBuf,
}

impl MailRoot {
    /// The mail root of a project.
    pub fn of_project(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>, project: &Path) -> Self {
        Self::at(disk, ids, clock, project.join(FOLDER))
    }

    /// A mail root that somebody named.
    pub fn at(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>, path: PathBuf) -> Self {
        Self { disk, ids, clock, seen: Seen::default(), path }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is there.
    pub fn exists(&self) -> Result<bool, StoreError> {
        is_folder(&*self.disk, &self.path)
    }

    /// Makes it, with what git is told. One that is there stays as it is: whoever made it without a word to
    /// git may want it committed. Where it has no box yet, making it was cut off.
    pub fn ensure(&self, ignore: Ignore) -> Result<(), StoreError> {
        if self.exists()?
            && (self.disk.stat(&self.path.join(IGNORE_FILE)).is_ok() || !self.boxes()?.is_empty())
        {
            return Ok(());
        }
        durable::make_dirs(&*self.disk, &self.path)?;
        let path = self.path.join(IGNORE_FILE);
        let named = durable::create(&*self.disk, &*self.ids, &path, ignore.text().as_bytes());
        match named.map_err(StoreError::disk("cannot tell git about the mail"))? {
            Named::New | Named::Taken => Ok(()),
        }
    }

    /// Tells git something else.
    pub fn set_ignore(&self, ignore: Ignore) -> Result<(), StoreError> {
        durable::make_dirs(&*self.disk, &self.path)?;
        durable::replace(&*self.disk, &*self.ids, &self.path.join(IGNORE_FILE), ignore.text().as_bytes())
            .map_err(StoreError::disk("cannot tell git about the mail"))
    }

    /// Whether git leaves all of it alone. Where nobody told git so, it may be committed.
    pub fn is_private(&self) -> bool {
        let told = self.disk.read(&self.path.join(IGNORE_FILE), IGNORE_LEN_MAX).unwrap_or_default();
        let text = String::from_utf8_lossy(&told).into_owned();
        let mut rules = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        // A rule that takes something back may let messages in again.
        rules.clone().any(|rule| rule == "*") && !rules.any(|rule| rule.starts_with('!'))
    }

    /// The boxes that are there, by name. Folders whose names no box can have are somebody else's.
    pub fn boxes(&self) -> Result<Vec<MailboxName>, StoreError> {
        if !self.exists()? {
            return Ok(Vec::new());
        }
        let entries = self.disk.list(&self.path).map_err(StoreError::disk("cannot list the boxes"))?;
        let folders = entries.into_iter().filter(|entry| entry.kind == FileKind::Dir);
        let mut names: Vec<MailboxName> =
            folders.filter_map(|entry| MailboxName::parse(entry.name.to_str()?).ok()).collect();
        names.sort();
        Ok(names)
    }

    /// A box, there or not. One that differs from a box that is there only by case is refused.
    pub fn mailbox(&self, name: &MailboxName) -> Result<Mailbox<'_>, MailFault> {
        let boxes = self.boxes()?;
        let other = boxes.iter().find(|other| name.differs_only_by_case(other.as_str()));
        if let Some(other) = other.filter(|_| !boxes.contains(name)) {
            return Err(NameFault::differs_by_case(name, other.as_str()).into());
        }
        let dir = self.path.join(name.as_str());
        is_folder(&*self.disk, &dir)?;
        Ok(Mailbox { root: self, name: name.clone(), dir })
    }

    /// Records that a person did something to a box that is not theirs.
    pub fn record_forced(&self, line: &str) -> Result<(), StoreError> {
        self.disk
            .append(&self.path.join(FORCED_LOG), format!("{line}\n").as_bytes())
            .map_err(StoreError::disk("cannot record what was forced"))
    }
}

/// Whether a folder is there. A link or anything else of its name is refused: no message is read or
/// written through it.
pub(super) fn is_folder(disk: &dyn Disk, path: &Path) -> Result<bool, StoreError> {
    let what = match disk.stat(path) {
        Ok(stat) => match stat.kind {
            FileKind::Dir => return Ok(true),
            FileKind::Link => "a link",
            FileKind::File | FileKind::Other => "no folder",
        },
        Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
        Err(error) => return Err(StoreError::disk("cannot look at the mail")(error)),
    };
    Err(StoreError::NotAFolder { path: path.display().to_string(), what })
}
