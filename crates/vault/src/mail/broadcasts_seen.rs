//! Which reader has seen which broadcast. The message stays for the others.
//!
//! A mark is an empty file, `.seen/<reader>/<name of the message>`. A mark that git tracks came with the repository and
//! does not count: a reader whose mark would have that name gets the next one, `<name>~1`.

use super::folder::SEEN;
use super::mailbox::Mailbox;
use super::root::is_folder;
use super::tracked::TrackedMessages;
use crate::error::StoreError;
use brainstem_base::DiskFault;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::collections::HashSet;
use std::path::PathBuf;

/// How a message's name ends, and what is before the number of a mark.
const END: &str = ".md";
const NUMBER: char = '~';

impl Mailbox<'_> {
    /// The names of the broadcasts that a reader has seen here, under any of its names; empty for any box but the
    /// broadcast box.
    pub fn seen_by(&self, reader: &[MailboxName]) -> Result<HashSet<String>, StoreError> {
        let mut seen = HashSet::new();
        if !self.name.is_broadcast() || !is_folder(self.disk(), &self.dir.join(SEEN))? {
            return Ok(seen);
        }
        let tracked = self.root.tracked();
        for name in reader {
            let dir = self.dir.join(SEEN).join(name.as_str());
            if is_folder(self.disk(), &dir)? {
                let entries =
                    self.disk().list(&dir).map_err(StoreError::disk("cannot list what was seen"))?;
                let marks = entries.into_iter().filter_map(|entry| entry.name.into_string().ok());
                let own = marks.filter(|mark| !self.is_mark_of_git(&tracked, name, mark));
                seen.extend(own.map(|mark| message_of(&mark).to_owned()));
            }
        }
        Ok(seen)
    }

    /// Whether a reader has seen a broadcast, under any of its names; false for any box but the broadcast box.
    pub fn is_seen_by(&self, file: &FileName, reader: &[MailboxName]) -> bool {
        if !self.name.is_broadcast() || reader.is_empty() {
            return false;
        }
        let tracked = self.root.tracked();
        reader.iter().any(|name| {
            let mark = self.first_mark(&tracked, file, name);
            // The plain name too: git may no longer track the mark that had the first one.
            [mark.as_str(), file.as_str(), &format!("{file}{NUMBER}1")].iter().any(|mark| {
                self.disk().stat(&self.mark_path(name, mark)).is_ok()
                    && !self.is_mark_of_git(&tracked, name, mark)
            })
        })
    }

    /// Notes that a reader has seen a message; returns whether it was new.
    pub fn mark_seen(&self, file: &FileName, reader: &MailboxName) -> Result<bool, StoreError> {
        self.made_dir(self.dir.join(SEEN))?;
        let dir = self.made_dir(self.dir.join(SEEN).join(reader.as_str()))?;
        let mark = self.first_mark(&self.root.tracked(), file, reader);
        match self.disk().write_new(&dir.join(mark), b"") {
            Ok(()) => self.sync(&dir).map(|()| true),
            Err(error) if error.fault() == DiskFault::Exists => Ok(false),
            Err(error) => Err(StoreError::disk("cannot note what was seen")(error)),
        }
    }

    /// The name of a reader's mark of a message: the first one that git does not track.
    fn first_mark(&self, tracked: &TrackedMessages, file: &FileName, reader: &MailboxName) -> String {
        let mut mark = file.to_string();
        let mut number = 0;
        while self.is_mark_of_git(tracked, reader, &mark) {
            number += 1;
            mark = format!("{file}{NUMBER}{number}");
        }
        mark
    }

    fn is_mark_of_git(&self, tracked: &TrackedMessages, reader: &MailboxName, mark: &str) -> bool {
        let below = format!("{}/{SEEN}/{reader}/{mark}", self.name);
        tracked.has_mark(&below, &self.mark_path(reader, mark))
    }

    fn mark_path(&self, reader: &MailboxName, mark: &str) -> PathBuf {
        self.dir.join(SEEN).join(reader.as_str()).join(mark)
    }
}

/// The name of the message that a mark is about.
fn message_of(mark: &str) -> &str {
    match mark.rsplit_once(NUMBER) {
        Some((file, _)) if file.ends_with(END) => file,
        Some(_) | None => mark,
    }
}
