//! Sweeping: expired messages are archived, overdue ones given back, and leftovers of a crash removed.

use super::folder::{KEYS, MailFolder, SEEN, TEMP};
use super::listing::ListedMessage;
use super::mailbox::Mailbox;
use super::root::is_folder;
use super::take::GivenBack;
use super::write_progress::Writing;
use crate::durable::TEMP_PREFIX;
use crate::error::StoreError;
use brainstem_base::{DiskFault, Fault, Timestamp};
use brainstem_mail::FileName;
use std::path::{Path, PathBuf};

/// A temporary file older than this belongs to no running write.
const TEMP_AGE_MS: i64 = 60 * 60 * 1000;

/// How long after the send the key of a pruned message is remembered: ninety days.
const KEY_KEPT_MS: i64 = 90 * 24 * 60 * 60 * 1000;

/// What a sweep did to a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoxSweep {
    /// Messages that came back because their lease had ended.
    pub given_back: Vec<FileName>,
    /// Messages whose time had passed, now in `archive/`.
    pub expired: Vec<FileName>,
    /// Messages that had moved on already and were still in the box.
    pub completed: Vec<FileName>,
    /// Temporary files that were removed.
    pub temps: usize,
    /// What could not be done, each with the reason.
    pub stuck: Vec<String>,
}

/// Whether a prune removes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// It only says what would go.
    DryRun,
    /// It removes messages for good.
    Real,
}

/// What pruning removed, or would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrunedMessages {
    /// The messages.
    pub files: Vec<FileName>,
    /// Files that are not messages, and so stay.
    pub unreadable: Vec<String>,
    /// What could not be done, each with the reason. The messages in `files` were removed all the same.
    pub stuck: Vec<Fault>,
}

impl Mailbox<'_> {
    /// Sweeps the box. A step that fails is reported and does not stop the others.
    pub fn sweep(&self, now: Timestamp) -> BoxSweep {
        let mut swept = BoxSweep::default();
        match self.give_back(now) {
            Ok(GivenBack { leases, stuck }) => {
                swept.given_back = leases.into_iter().map(|lease| lease.file).collect();
                swept.stuck.extend(stuck.into_iter().map(|(lease, why)| format!("{}: {why}", lease.file)));
            }
            Err(error) => swept.stuck.push(Fault::from(error).message),
        }
        let unread = match self.list(MailFolder::Unread) {
            Ok(unread) => unread,
            Err(error) => {
                swept.stuck.push(Fault::from(error).message);
                return swept;
            }
        };
        for found in unread.found {
            if self.complete(&found.file) {
                swept.completed.push(found.file);
            } else if found.head.is_expired(now) && found.writing != Writing::Open {
                match self.put(&found.place.path, MailFolder::Archive, &found.file) {
                    Ok(Some(_)) => swept.expired.push(found.file),
                    Ok(None) => {}
                    Err(error) => swept.stuck.push(format!("{}: {error}", found.file)),
                }
            }
        }
        for dir in [self.dir.clone(), self.dir.join(TEMP), self.folder(MailFolder::Read)] {
            match self.sweep_temps(&dir, now) {
                Ok(count) => swept.temps += count,
                Err(error) => swept.stuck.push(Fault::from(error).message),
            }
        }
        swept
    }

    /// Finishes a move that a power cut interrupted: the same file is in a later folder too.
    fn complete(&self, file: &FileName) -> bool {
        let here = self.dir.join(file.as_str());
        let further =
            [MailFolder::Read, MailFolder::Archive].map(|folder| self.folder(folder).join(file.as_str()));
        further.iter().any(|path| self.is_same(&here, path)) && self.disk().unlink(&here).is_ok()
    }

    fn sweep_temps(&self, dir: &Path, now: Timestamp) -> Result<usize, StoreError> {
        if !is_folder(self.disk(), dir)? {
            return Ok(0);
        }
        let entries = self.disk().stamps(dir).map_err(StoreError::disk("cannot list temporary files"))?;
        let is_old = |changed_ns: i64| now.ms_since(Timestamp::from_ms(changed_ns / 1_000_000)) > TEMP_AGE_MS;
        let old = entries.into_iter().filter(|(entry, file_stamp)| {
            entry.name.to_str().is_some_and(|name| name.starts_with(TEMP_PREFIX))
                && is_old(file_stamp.changed_ns)
        });
        Ok(old.filter(|(entry, _)| self.disk().unlink(&dir.join(&entry.name)).is_ok()).count())
    }

    /// Removes archived messages that were made before then, with the notes about them. A message that cannot be
    /// removed is reported and does not stop the others.
    pub fn prune(&self, before: Timestamp, pruning: Pruning) -> PrunedMessages {
        let dry_run = pruning == Pruning::DryRun;
        let listing = match self.list(MailFolder::Archive) {
            Ok(listing) => listing,
            Err(error) => return PrunedMessages { stuck: vec![error.into()], ..PrunedMessages::default() },
        };
        let unreadable = listing.unreadable.into_iter().map(|bad| bad.file).collect();
        let mut pruned = PrunedMessages { unreadable, ..PrunedMessages::default() };
        let now = self.root.clock.now();
        for found in listing.found.into_iter().filter(|found| found.head.timestamp < before) {
            match if dry_run { Ok(()) } else { self.disk().unlink(&found.place.path) } {
                Ok(()) => {}
                // Another process removed it a moment ago.
                Err(error) if error.fault() == DiskFault::NotFound => continue,
                Err(error) => {
                    pruned.stuck.push(StoreError::disk("cannot remove an archived message")(error).into());
                    continue;
                }
            }
            if !dry_run {
                self.forget_about(&found, now);
            }
            pruned.files.push(found.file);
        }
        if !dry_run && !pruned.files.is_empty() {
            pruned.stuck.extend(self.sync(&self.folder(MailFolder::Archive)).err().map(Fault::from));
        }
        pruned
    }

    /// Removes the notes about a message that is gone. A note that stays is harmless. The note of its key stays for as
    /// long as a sender may repeat the send.
    fn forget_about(&self, found: &ListedMessage, now: Timestamp) {
        let is_old = now.ms().saturating_sub(found.head.timestamp.ms()) > KEY_KEPT_MS;
        let key = found.head.extra("key").filter(|_| is_old);
        let kept = key.map(|key| self.dir.join(KEYS).join(self.key_name(&found.head.from, key)));
        let about = kept.into_iter().chain([self.returned_path(&found.file)]);
        for path in about.chain(self.markers(&found.file)) {
            let _ = self.disk().unlink(&path);
        }
    }

    /// The marks of all readers that saw a broadcast.
    fn markers(&self, file: &FileName) -> Vec<PathBuf> {
        let seen = self.dir.join(SEEN);
        if !self.name.is_broadcast() {
            return Vec::new();
        }
        let readers = self.disk().list(&seen).unwrap_or_default();
        readers.into_iter().map(|entry| seen.join(entry.name).join(file.as_str())).collect()
    }
}
