//! Which messages git tracks, or tracked when they were moved on here. They came with the repository, or were committed
//! to it: anyone who can write to the repository may have written them, whatever they say about their sender (MAIL-21).
//!
//! Several repositories may hold parts of a mail root: the one around it, and those that begin at it, at a box or at a
//! folder of a box (submodules). A message counts as tracked where any of them tracks it.

use super::mailbox::{Folder, KEYS};
use super::root::MailRoot;
use crate::durable;
use crate::error::StoreError;
use crate::git_index::{GitPlace, Listed};
use brainstem_base::disk::Print;
use brainstem_base::{DiskFault, hash};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, Lease};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where it is noted, below the home, which messages git tracked when they were moved on.
const NOTES: &str = "mail-tracked";
const NOTES_LEN_MAX: u64 = 64 * 1024 * 1024;

/// The messages of a mail root that git tracks, by box and name: which folder of the box they lie in changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tracked {
    messages: HashSet<(String, String)>,
    /// Messages that git tracked when they were moved on. Git may have let go of them since.
    noted: HashSet<(String, String)>,
    /// The keys of sent messages that git tracks, by box and name.
    keys: HashSet<(String, String)>,
    /// Boxes of which it cannot be told what git tracks.
    unknown_boxes: HashSet<String>,
    /// It cannot be told of any box.
    is_unknown: bool,
}

impl Tracked {
    /// Whether git tracks a message, or tracked it when it was moved on, or that cannot be told.
    pub fn has(&self, mailbox: &MailboxName, file: &FileName) -> bool {
        self.is_unknown
            || self.unknown_boxes.contains(mailbox.as_str())
            || self.is_known_for(mailbox, file)
            || is_in(&self.noted, mailbox, file.as_str())
    }

    /// Whether git is known to track a message now; no where the index could not be read.
    pub fn is_known_for(&self, mailbox: &MailboxName, file: &FileName) -> bool {
        is_in(&self.messages, mailbox, file.as_str())
    }

    /// Whether git is known to track the key of a sent message.
    pub(super) fn has_key(&self, mailbox: &MailboxName, name: &str) -> bool {
        is_in(&self.keys, mailbox, name)
    }

    /// How many messages git tracks.
    pub fn count(&self) -> usize {
        self.messages.len()
    }

    /// Whether it cannot be told of the whole mail root, or of one of its boxes, what git tracks.
    pub fn is_uncertain(&self) -> bool {
        self.is_unknown || !self.unknown_boxes.is_empty()
    }

    /// Adds what a repository tracks that begins at a folder of the mail root.
    fn add(&mut self, below: &str, listed: &Listed) {
        // A sparse checkout tracks whole folders: what is in them is not here.
        for path in listed.paths.iter().filter_map(|path| std::str::from_utf8(path).ok()) {
            let path = joined(below, path);
            let mut parts = path.split('/');
            let (Some(mailbox), Some(file)) = (parts.next(), parts.next_back()) else { continue };
            let entry = |name: &str| (mailbox.to_owned(), name.to_owned());
            if file.ends_with(".md") {
                self.messages.insert(entry(file));
            } else if let Some(lease) = Lease::parse(file) {
                // One that is held comes back to its box under its own name.
                self.messages.insert(entry(lease.file.as_str()));
            } else if parts.next() == Some(KEYS) {
                self.keys.insert(entry(file));
            }
        }
    }

    /// Adds that it cannot be told what is tracked below a folder of the mail root.
    fn add_unknown(&mut self, below: &str) {
        match below.split('/').next() {
            None | Some("") => self.is_unknown = true,
            Some(mailbox) => {
                self.unknown_boxes.insert(mailbox.to_owned());
            }
        }
    }
}

fn is_in(entries: &HashSet<(String, String)>, mailbox: &MailboxName, name: &str) -> bool {
    !entries.is_empty() && entries.contains(&(mailbox.to_string(), name.to_owned()))
}

fn joined(below: &str, path: &str) -> String {
    if below.is_empty() { path.to_owned() } else { format!("{below}/{path}") }
}

/// What was read of the indexes last, and the prints by which they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(Arc<Mutex<Option<Read>>>);

#[derive(Debug)]
struct Read {
    /// The folders of the mail root at which a repository begins.
    inner: Vec<String>,
    files: Vec<PathBuf>,
    prints: Vec<Print>,
    tracked: Arc<Tracked>,
}

impl MailRoot {
    /// This mail root, with the place below a home where it is noted which messages git tracked when they were moved on.
    #[must_use]
    pub fn noting_below(mut self, home: &Path) -> Self {
        let name = hash::sha256_hex(self.path().as_os_str().as_encoded_bytes(), 16);
        self.notes = Some(home.join(NOTES).join(name));
        self
    }

    /// The messages that git tracks now, and those of which it is noted that it did. An index is read again when it
    /// changed.
    pub fn tracked(&self) -> Arc<Tracked> {
        let mut seen = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        let prints = |files: &[PathBuf]| -> Vec<Print> {
            files.iter().map(|path| self.disk.print(path).unwrap_or_default()).collect()
        };
        let Some(inner) = self.inner_repositories() else {
            return Arc::new(Tracked { is_unknown: true, ..Tracked::default() });
        };
        if let Some(read) = seen.as_ref()
            && read.inner == inner
            && prints(&read.files) == read.prints
        {
            return read.tracked.clone();
        }
        let outer = GitPlace::of(&*self.disk, self.path());
        let places: Vec<(String, Option<GitPlace>)> = inner
            .iter()
            .map(|below| (below.clone(), GitPlace::at_top(&*self.disk, &self.path().join(below))))
            .collect();
        let indexes = outer.iter().chain(places.iter().filter_map(|(_, place)| place.as_ref()));
        let files: Vec<PathBuf> =
            indexes.flat_map(|place| place.indexes.clone()).chain(self.notes.clone()).collect();
        // The prints first: what changes while it is read is read again.
        let prints = prints(&files);
        let tracked = Arc::new(self.gathered(outer.as_ref(), &places));
        // A repository that is made around the mail later has no file here that would show it.
        *seen = outer.is_some().then(|| Read { inner, files, prints, tracked: tracked.clone() });
        tracked
    }

    /// The folders of the mail root at which a repository begins: the root itself, boxes, and folders of boxes; `None`
    /// where the root cannot be listed.
    fn inner_repositories(&self) -> Option<Vec<String>> {
        let boxes = self.boxes().ok()?;
        let of_boxes = boxes.iter().flat_map(|name| {
            Folder::ALL.iter().map(move |folder| match folder.dir_name() {
                Some(dir) => format!("{name}/{dir}"),
                None => name.to_string(),
            })
        });
        let begins = |below: &String| self.disk.stat(&self.path().join(below).join(".git")).is_ok();
        Some(std::iter::once(String::new()).chain(of_boxes).filter(begins).collect())
    }

    fn gathered(&self, outer: Option<&GitPlace>, inner: &[(String, Option<GitPlace>)]) -> Tracked {
        let mut tracked = Tracked::default();
        let mut submodules: Vec<String> = Vec::new();
        let outer = outer.map(|place| (String::new(), Some(place)));
        let all = outer.into_iter().chain(inner.iter().map(|(below, place)| (below.clone(), place.as_ref())));
        for (below, place) in all {
            match place.map(|place| place.tracked(&*self.disk)) {
                Some(Ok(listed)) => {
                    tracked.add(&below, &listed);
                    let paths = listed.submodules.iter().map(|path| String::from_utf8_lossy(path));
                    submodules.extend(paths.map(|path| joined(&below, &path)));
                }
                Some(Err(_)) | None => tracked.add_unknown(&below),
            }
        }
        for below in submodules.iter().filter(|below| may_hold_messages(below)) {
            let place = inner.iter().find(|(at, _)| at == below).and_then(|(_, place)| place.as_ref());
            let is_readable = place.is_some_and(|place| self.disk.stat(&place.indexes[0]).is_ok());
            if !is_readable {
                tracked.add_unknown(below);
            }
        }
        match self.notes.as_deref().map(|path| self.disk.read(path, NOTES_LEN_MAX)) {
            Some(Ok(bytes)) => {
                let text = String::from_utf8_lossy(&bytes);
                let entries = text.lines().filter_map(|line| line.split_once('/'));
                tracked.noted =
                    entries.map(|(mailbox, file)| (mailbox.to_owned(), file.to_owned())).collect();
            }
            Some(Err(error)) if error.fault() != DiskFault::NotFound => tracked.is_unknown = true,
            Some(Err(_)) | None => {}
        }
        tracked
    }

    /// Notes of a message that is about to be moved on, perhaps under another name, that git tracks it. A commit that
    /// lets go of it takes away only the file that git knows: the moved one keeps its mark.
    pub(super) fn note_tracked(
        &self,
        mailbox: &MailboxName,
        file: &FileName,
        name: &FileName,
    ) -> Result<(), StoreError> {
        let Some(path) = &self.notes else { return Ok(()) };
        let tracked = self.tracked();
        let came_with_it =
            tracked.is_known_for(mailbox, file) || is_in(&tracked.noted, mailbox, file.as_str());
        if !came_with_it || is_in(&tracked.noted, mailbox, name.as_str()) {
            return Ok(());
        }
        let dir = path.parent().expect("a note lies in a folder");
        durable::make_dirs(&*self.disk, dir)?;
        let fault = || StoreError::disk("cannot note that git tracks the message");
        // A line that a crash tore stays a line of its own.
        self.disk.append(path, format!("\n{mailbox}/{name}\n").as_bytes()).map_err(fault())?;
        self.disk.sync_dir(dir).map_err(fault())
    }
}

/// Whether messages can lie in a submodule that begins at this path of a mail root.
fn may_hold_messages(below: &str) -> bool {
    match below.split_once('/') {
        None => true,
        Some((_, rest)) => Folder::ALL.iter().any(|folder| folder.dir_name() == Some(rest)),
    }
}
