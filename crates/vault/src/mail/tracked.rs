//! Which messages git tracks. They came with the repository, or were committed to it: whoever can write to the
//! repository may have written them, whatever they say about their sender (MAIL-21).

use super::root::MailRoot;
use crate::git_index::{GitPlace, Unreadable};
use brainstem_base::disk::Print;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The messages of a mail root that git tracks, by box and name: which folder of the box they lie in changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tracked {
    messages: HashSet<(String, String)>,
    /// The index could not be read, so that none of them can be told from the others.
    is_unknown: bool,
}

impl Tracked {
    /// Whether git tracks a message, or that cannot be told.
    pub fn has(&self, mailbox: &MailboxName, file: &FileName) -> bool {
        self.is_unknown || self.is_known_for(mailbox, file)
    }

    /// Whether git is known to track a message; no where the index could not be read.
    pub fn is_known_for(&self, mailbox: &MailboxName, file: &FileName) -> bool {
        !self.messages.is_empty() && self.messages.contains(&(mailbox.to_string(), file.to_string()))
    }

    /// Whether the index could not be read, so that nobody can tell which messages git tracks.
    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// How many messages git tracks.
    pub fn count(&self) -> usize {
        self.messages.len()
    }

    fn of(paths: Result<Vec<Vec<u8>>, Unreadable>) -> Self {
        let Ok(paths) = paths else { return Self { is_unknown: true, ..Self::default() } };
        // A sparse checkout tracks whole folders: what is in them is not here.
        let names = paths.iter().filter_map(|path| std::str::from_utf8(path).ok());
        let messages = names.filter_map(|path| {
            let mut parts = path.split('/');
            let (mailbox, file) = (parts.next()?, parts.next_back()?);
            file.ends_with(".md").then(|| (mailbox.to_owned(), file.to_owned()))
        });
        Self { messages: messages.collect(), is_unknown: false }
    }
}

/// What was read of an index last, and the prints by which it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(Arc<Mutex<Option<Read>>>);

#[derive(Debug)]
struct Read {
    place: GitPlace,
    prints: Vec<Print>,
    tracked: Arc<Tracked>,
}

impl MailRoot {
    /// The messages that git tracks now. The index is read again when it changed.
    pub fn tracked(&self) -> Arc<Tracked> {
        let mut seen = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        let prints = |place: &GitPlace| -> Vec<Print> {
            place.indexes.iter().map(|path| self.disk.print(path).unwrap_or_default()).collect()
        };
        if let Some(read) = seen.as_ref().filter(|read| prints(&read.place) == read.prints) {
            return read.tracked.clone();
        }
        let Some(place) = GitPlace::of(&*self.disk, self.path()) else { return Arc::default() };
        // The prints first: what changes while it is read is read again.
        let prints = prints(&place);
        let tracked = Arc::new(Tracked::of(place.tracked(&*self.disk)));
        *seen = Some(Read { place, prints, tracked: tracked.clone() });
        tracked
    }
}
