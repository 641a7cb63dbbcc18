//! From one folder of a box to the next: a rename that never replaces, durable in both folders.

use super::fault::MailFault;
use super::folder::MailFolder;
use super::listing::MessageLocation;
use super::mailbox::Mailbox;
use super::write_progress::Writing;
use crate::durable::{self, StagedFile};
use crate::error::StoreError;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_mail::head::Malformed;
use brainstem_mail::limits::{MESSAGE_LEN_MAX, SAME_NAME_MAX};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, Message};
use std::path::{Path, PathBuf};

/// What a move did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveOutcome {
    /// The message's name, with a number if the folder had one of that name.
    pub file: FileName,
    /// Where it is now.
    pub path: PathBuf,
    /// The folder it is in.
    pub folder: MailFolder,
    /// It was there, or further on, before.
    pub unchanged: bool,
    /// Why the time could not be noted in a message that was marked read.
    pub unstamped: Option<String>,
}

impl Mailbox<'_> {
    /// Marks a message read: it goes to `read/`, and then is stamped.
    pub fn mark_read(
        &self,
        file: &FileName,
        who: &MailboxName,
        now: Timestamp,
    ) -> Result<MoveOutcome, MailFault> {
        let mut moved = self.advance(file, who, MailFolder::Read)?;
        if moved.folder == MailFolder::Read {
            // The folder is the state: if the stamp fails, on a full disk, the message is still read.
            moved.unstamped = match self.stamp(&moved, now) {
                Ok(ReadMark::Done) => None,
                Ok(ReadMark::BeingWritten) => Some("a program may still be writing it".to_owned()),
                Ok(ReadMark::TooLong(why)) => Some(format!("the time would make it unreadable: {why}")),
                Err(error) => Some(error.to_string()),
            };
        }
        Ok(moved)
    }

    /// Archives a message from wherever in the box it is.
    pub fn archive(&self, file: &FileName, who: &MailboxName) -> Result<MoveOutcome, MailFault> {
        self.advance(file, who, MailFolder::Archive)
    }

    /// Moves a message on, unless another reader holds it.
    fn advance(&self, file: &FileName, who: &MailboxName, to: MailFolder) -> Result<MoveOutcome, MailFault> {
        // Another program may move it meanwhile; then it is searched again.
        for _ in 0..4 {
            let Some(place) = self.first_place(file)? else { break };
            match &place.lease {
                Some(lease) if lease.owner != *who => return Err(MailFault::Held(Box::new(lease.clone()))),
                Some(_) | None => {}
            }
            if place.folder < to && self.writing(file, &place.path) == Writing::Open {
                return Err(MailFault::Unfinished { file: file.to_string() });
            }
            if place.folder >= to {
                let MessageLocation { folder, path, .. } = place;
                return Ok(MoveOutcome {
                    file: file.clone(),
                    path,
                    folder,
                    unchanged: true,
                    unstamped: None,
                });
            }
            if let Some((moved, path)) = self.put(&place.path, to, file)? {
                // The count of its returns is no longer needed.
                let _ = self.disk().unlink(&self.returned_path(file));
                let file = moved;
                return Ok(MoveOutcome { file, path, folder: to, unchanged: false, unstamped: None });
            }
        }
        Err(MailFault::NotFound { file: file.to_string(), mailbox: self.name.clone() })
    }

    fn first_place(&self, file: &FileName) -> Result<Option<MessageLocation>, StoreError> {
        for folder in MailFolder::ALL {
            if let Some(place) = self.place_in(*folder, file)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Renames a file into a folder, under its name or the next that is free; `None` where it is gone.
    ///
    /// Power lost between the two syncs may leave one file under both names; then the old one goes.
    pub(super) fn put(
        &self,
        from: &Path,
        to: MailFolder,
        file: &FileName,
    ) -> Result<Option<(FileName, PathBuf)>, StoreError> {
        let failed = StoreError::disk("cannot move the message");
        let dir = self.made(to)?;
        for number in 0..=SAME_NAME_MAX {
            let name = if number == 0 { file.clone() } else { file.numbered(number) };
            if number > 0 && !self.root.reserve_name(&name)? {
                continue;
            }
            let path = dir.join(name.as_str());
            self.root.note_tracked(&self.name, file, from, &name)?;
            match self.disk().rename_new(from, &path) {
                Ok(()) => {}
                Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
                Err(error) if error.fault() == DiskFault::Exists => {
                    if !self.is_same(from, &path) {
                        continue;
                    }
                    // Another process may have just removed it.
                    let _ = self.disk().unlink(from);
                }
                Err(error) => return Err(failed(error)),
            }
            self.sync(&dir)?;
            // The box last: it has the names of the folders inside it.
            if let Some(old) = from.parent().filter(|old| *old != self.dir) {
                self.sync(old)?;
            }
            self.sync(&self.dir)?;
            return Ok(Some((name, path)));
        }
        Ok(None)
    }

    /// Whether two paths are names of one file.
    pub(super) fn is_same(&self, one: &Path, other: &Path) -> bool {
        let identity = |path: &Path| self.disk().stat(path).ok().and_then(|stat| stat.identity);
        identity(one).is_some_and(|found| identity(other) == Some(found))
    }

    /// Notes in a message when it was read; every other byte stays. A file that is not a message is left alone, and so
    /// is one that a program may still write to: that program would go on in a file that no longer has a name.
    fn stamp(&self, moved: &MoveOutcome, now: Timestamp) -> Result<ReadMark, StoreError> {
        let failed = |error| StoreError::disk("cannot stamp the message")(error);
        let path = &moved.path;
        let Ok(before) = self.disk().stat(path) else { return Ok(ReadMark::Done) };
        let bytes = match self.disk().read(path, MESSAGE_LEN_MAX) {
            Ok(bytes) => bytes,
            Err(error) => match error.fault() {
                DiskFault::NotFound | DiskFault::NotAFile | DiskFault::TooLarge { .. } => {
                    return Ok(ReadMark::Done);
                }
                _ => return Err(failed(error)),
            },
        };
        let Ok(message) = Message::parse(bytes) else { return Ok(ReadMark::Done) };
        if moved.unchanged && message.head.read_at.is_some() {
            return Ok(ReadMark::Done);
        }
        // Beside it, so that the rename is within one folder and power loss cannot halve it.
        let stamped = match message.stamped(now) {
            Ok(stamped) => stamped,
            Err(Malformed(why)) => return Ok(ReadMark::TooLong(why)),
        };
        let staged =
            StagedFile::new(self.disk(), &*self.root.ids, path, stamped.as_bytes()).map_err(failed)?;
        // The old file keeps a second name until it is certain that no program writes into it.
        let kept = durable::temp_in(&self.folder(moved.folder), &*self.root.ids);
        match self.disk().link(path, &kept) {
            Ok(()) => {}
            // A message that was moved on meanwhile goes without its stamp: it must not come back.
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(ReadMark::Done),
            Err(error) => return Err(failed(error)),
        }
        let is_unwritten = |path: &Path| self.disk().stat(path).is_ok_and(|now| now == before);
        let put = if is_unwritten(path) && self.may_replace(&moved.file, path) {
            staged.put().map_err(failed)
        } else {
            let _ = self.disk().unlink(&kept);
            return Ok(ReadMark::BeingWritten);
        };
        // A program that opened it before it was replaced continues to write into the file of the second name.
        let is_quiet = is_unwritten(&kept) && self.may_replace(&moved.file, &kept);
        if put.is_ok() && !is_quiet {
            self.disk()
                .rename(&kept, path)
                .and_then(|()| self.disk().sync_dir(&self.folder(moved.folder)))
                .map_err(failed)?;
            return Ok(ReadMark::BeingWritten);
        }
        let _ = self.disk().unlink(&kept);
        put.map(|()| ReadMark::Done)
    }
}

/// Whether the time of reading could be noted in a message.
enum ReadMark {
    Done,
    BeingWritten,
    /// With the time it would no longer be a readable message; this says why.
    TooLong(String),
}
