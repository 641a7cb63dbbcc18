//! Which messages git tracks, or tracked when they were moved on here. They came with the repository, or were committed
//! to it: anyone that can write to the repository may have written them, whatever they say about their sender (MAIL-21).
//!
//! Several repositories may hold parts of a mail root: those around it, one inside the other, and those that begin at it, at
//! a box or at a folder of a box (submodules). A message counts as tracked where any of them tracks it.

use super::folder::{KEYS, MailFolder, SEEN};
use super::tracked_notes::NotedMessages;
use crate::git_index::IndexListing;
use brainstem_base::disk::FileStamp;
use brainstem_base::{Disk, DiskFault};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, Lease};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The messages of a mail root that git tracks.
#[derive(Debug, Default)]
pub struct TrackedMessages {
    /// The paths below the mail root at which git tracks messages, by box and message name in small letters.
    messages: HashMap<(String, String), Vec<String>>,
    /// The paths at which git tracks marks of what was seen, each by its spelling in small letters.
    marks: HashMap<String, Vec<String>>,
    /// Messages that git tracked when they were moved on. Git may no longer track them.
    pub(super) noted: NotedMessages,
    /// The keys of sent messages that git tracks, by box and name.
    keys: HashSet<(String, String)>,
    /// Boxes in which git tracks anything.
    boxes: HashSet<String>,
    /// Boxes for which it is unknown what git tracks.
    unknown_boxes: HashSet<String>,
    /// It is unknown for all boxes.
    is_unknown: bool,
    /// The files that git's paths name; `None` if nothing was read.
    files: Option<RootFiles>,
}

/// The files of a mail root.
#[derive(Clone)]
struct RootFiles {
    disk: Arc<dyn Disk>,
    root: PathBuf,
}

impl std::fmt::Debug for RootFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").field("root", &self.root).finish_non_exhaustive()
    }
}

impl RootFiles {
    /// Whether a path of git in another spelling is exactly this file, on a disk that treats both spellings as one.
    fn is_same(&self, of_git: &str, path: &Path) -> bool {
        let identity = |path: &Path| self.disk.stat(path).ok().and_then(|stat| stat.identity);
        identity(path).is_some_and(|here| identity(&self.root.join(of_git)) == Some(here))
    }

    /// Whether nothing is at a path of git any more.
    fn is_missing(&self, of_git: &str) -> bool {
        let stat = self.disk.stat(&self.root.join(of_git));
        stat.is_err_and(|error| error.fault() == DiskFault::NotFound)
    }
}

impl TrackedMessages {
    /// The state before anything was read of the mail root in this folder.
    pub(super) fn nothing_yet(disk: Arc<dyn Disk>, root: PathBuf) -> Self {
        Self { files: Some(RootFiles { disk, root }), ..Self::default() }
    }

    /// The state if nothing can be read: git may track any message.
    pub(super) fn unknown() -> Self {
        Self { is_unknown: true, ..Self::default() }
    }

    /// Whether git tracks the message at a path, or tracked it when it was moved on, or that is unknown.
    pub fn has(&self, mailbox: &MailboxName, file: &FileName, path: &Path) -> bool {
        self.is_unknown
            || self.unknown_boxes.contains(mailbox.as_str())
            || self.noted.has(mailbox, file)
            || self.is_known_at(mailbox, file, path)
    }

    /// Whether git may track a message of that name, wherever it is.
    pub(super) fn may_have(&self, mailbox: &MailboxName, file: &FileName) -> bool {
        self.is_unknown
            || self.unknown_boxes.contains(mailbox.as_str())
            || self.noted.has(mailbox, file)
            || self.messages.contains_key(&key(mailbox.as_str(), file.as_str()))
    }

    /// Whether git is known to track the message that is at a path; false if the index could not be read.
    ///
    /// The path decides and not the name: anyone that can write to the repository may put a file of the same name
    /// elsewhere in the box. A message whose file is gone from the place where git tracks it was moved on, by a shell.
    pub(super) fn is_known_at(&self, mailbox: &MailboxName, file: &FileName, path: &Path) -> bool {
        if self.messages.is_empty() {
            return false;
        }
        let Some(paths) = self.messages.get(&key(mailbox.as_str(), file.as_str())) else { return false };
        self.noted.has(mailbox, file)
            || paths.iter().any(|of_git| {
                let is_spelled_alike = || {
                    let (first, rest) = of_git.split_once('/').unwrap_or_default();
                    first == mailbox.as_str() && message_name(rest).is_some_and(|name| name == file.as_str())
                };
                self.is_at(of_git, path)
                    || self.files.as_ref().is_some_and(|files| is_spelled_alike() && files.is_missing(of_git))
            })
    }

    /// Whether git tracks the mark of a seen broadcast at this path below the mail root.
    pub(super) fn has_mark(&self, below: &str, path: &Path) -> bool {
        let marks = self.marks.get(&below.to_ascii_lowercase());
        marks.is_some_and(|marks| marks.iter().any(|of_git| self.is_at(of_git, path)))
    }

    /// Whether a path of git names the file at this path.
    fn is_at(&self, of_git: &str, path: &Path) -> bool {
        let Some(files) = &self.files else { return false };
        path.strip_prefix(&files.root).is_ok_and(|below| below == Path::new(of_git))
            || files.is_same(of_git, path)
    }

    /// Whether git is known to track the key of a sent message.
    pub(super) fn has_key(&self, mailbox: &MailboxName, name: &str) -> bool {
        !self.keys.is_empty() && self.keys.contains(&(mailbox.to_string(), name.to_owned()))
    }

    /// Whether git tracks anything in a box, or that is unknown.
    pub(super) fn may_have_brought(&self, mailbox: &MailboxName) -> bool {
        self.is_unknown
            || self.unknown_boxes.contains(mailbox.as_str())
            || self.boxes.contains(mailbox.as_str())
    }

    /// The messages that git tracks, as `box/message`.
    pub(super) fn spelled(&self) -> impl Iterator<Item = String> {
        self.messages.values().flatten().filter_map(|of_git| {
            let (mailbox, rest) = of_git.split_once('/')?;
            Some(format!("{mailbox}/{}", message_name(rest)?))
        })
    }

    /// How many messages git tracks, without marks, keys and other files.
    pub fn count(&self) -> usize {
        self.messages.values().map(Vec::len).sum()
    }

    /// Whether it is unknown what git tracks, in the whole mail root or in one of its boxes.
    pub fn is_uncertain(&self) -> bool {
        self.is_unknown || !self.unknown_boxes.is_empty()
    }

    /// Adds what a repository tracks that begins at a folder of the mail root.
    pub(super) fn add(&mut self, below: &str, listed: &IndexListing) {
        for path in listed.paths.iter().filter_map(|path| std::str::from_utf8(path).ok()) {
            let path = joined(below, path);
            let Some((mailbox, rest)) = path.split_once('/') else { continue };
            self.boxes.insert(mailbox.to_owned());
            if let Some(name) = message_name(rest) {
                push_new(self.messages.entry(key(mailbox, name)).or_default(), path);
            } else if rest.split_once('/').is_some_and(|(folder, _)| folder.eq_ignore_ascii_case(SEEN)) {
                push_new(self.marks.entry(path.to_ascii_lowercase()).or_default(), path);
            } else if let Some((KEYS, key)) = rest.split_once('/') {
                self.keys.insert((mailbox.to_owned(), key.to_owned()));
            }
        }
    }

    /// Adds that it is unknown what is tracked below a folder of the mail root.
    pub(super) fn add_unknown(&mut self, below: &str) {
        match below.split('/').next() {
            None | Some("") => self.is_unknown = true,
            Some(mailbox) => {
                self.unknown_boxes.insert(mailbox.to_owned());
            }
        }
    }
}

/// The name of the message at a path below its box; `None` if no message can be at that path.
fn message_name(below_box: &str) -> Option<&str> {
    match below_box.split_once('/') {
        None => below_box.ends_with(".md").then_some(below_box),
        Some((_, file)) if file.contains('/') => None,
        Some((folder, file)) => {
            let is =
                |known: MailFolder| known.dir_name().is_some_and(|name| name.eq_ignore_ascii_case(folder));
            if is(MailFolder::Read) || is(MailFolder::Archive) {
                return file.ends_with(".md").then_some(file);
            }
            // A held message comes back to its box under its own name.
            let lease = Lease::parse(file).filter(|_| is(MailFolder::Held))?;
            file.get(..lease.file.as_str().len())
        }
    }
}

fn key(mailbox: &str, file: &str) -> (String, String) {
    (mailbox.to_ascii_lowercase(), file.to_ascii_lowercase())
}

fn push_new(paths: &mut Vec<String>, path: String) {
    if !paths.contains(&path) {
        paths.push(path);
    }
}

pub(super) fn joined(below: &str, path: &str) -> String {
    if below.is_empty() { path.to_owned() } else { format!("{below}/{path}") }
}

/// What was read of the indexes last, and the stamps by which they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexesSeen(pub(super) Arc<Mutex<Option<IndexRead>>>);

#[derive(Debug)]
pub(super) struct IndexRead {
    /// The folders around the mail root at which a repository begins.
    pub(super) outer: Vec<PathBuf>,
    /// The folders of the mail root at which a repository begins.
    pub(super) inner: Vec<String>,
    pub(super) files: Vec<PathBuf>,
    pub(super) file_stamps: Vec<FileStamp>,
    pub(super) tracked: Arc<TrackedMessages>,
}
