//! Reading boxes: every file is listed, as a message or with the reason why it is not one.

use super::fault::MailFault;
use super::folder::MailFolder;
use super::mailbox::Mailbox;
use super::write_progress::{FORGOTTEN_MS, RECENT_MS, Writing};
use crate::error::StoreError;
use brainstem_base::disk::{FileKind, FileStamp};
use brainstem_base::{DiskError, DiskFault, Fault, Timestamp};
use brainstem_mail::limits::{HEAD_LEN_MAX, MESSAGE_LEN_MAX};
use brainstem_mail::message::too_large;
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, Lease, Message, MessageHead};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The ending of the file that counts how often a held message came back.
pub(super) const RETURNED: &str = "~returned";
/// A file that another program may be writing at this moment is looked at again: so often, so far apart.
const TRIES: usize = 5;
const TRY_PAUSE: Duration = Duration::from_millis(20);
/// Where a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageLocation {
    /// The folder.
    pub folder: MailFolder,
    /// Its path.
    pub path: PathBuf,
    /// The lease, if a reader holds it.
    pub lease: Option<Lease>,
}

/// A message of a box, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedMessage {
    /// Its name.
    pub file: FileName,
    /// The box.
    pub mailbox: MailboxName,
    /// Its path.
    pub place: MessageLocation,
    /// What it says about itself.
    pub head: MessageHead,
    /// How far its writer is.
    pub writing: Writing,
}

/// A file in a box that cannot be read as a message. It stays where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableMessage {
    /// Its name, as far as it can be shown.
    pub file: String,
    /// The box.
    pub mailbox: MailboxName,
    /// Its path.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// The content of some folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The messages.
    pub found: Vec<ListedMessage>,
    /// The files that are not messages.
    pub unreadable: Vec<UnreadableMessage>,
}

impl Listing {
    /// Joins another listing to this one.
    pub fn extend(&mut self, other: Self) {
        self.found.extend(other.found);
        self.unreadable.extend(other.unreadable);
    }
}

/// A name in a folder that may be a message.
pub(super) struct MessageCandidate {
    pub(super) file: Result<FileName, String>,
    pub(super) shown: String,
    pub(super) path: PathBuf,
    pub(super) lease: Option<Lease>,
    pub(super) file_stamp: FileStamp,
    pub(super) kind: FileKind,
}

impl Mailbox<'_> {
    /// Everything in a folder of the box, in the order of the names.
    pub fn list(&self, folder: MailFolder) -> Result<Listing, StoreError> {
        self.list_if(folder, &mut |_, _| true)
    }

    /// The messages in a folder that `wanted` accepts, read whole, and the files that are not messages.
    pub fn list_if(
        &self,
        folder: MailFolder,
        wants: &mut dyn FnMut(&FileName, &Message) -> bool,
    ) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        for candidate in self.candidates(folder)? {
            let place =
                MessageLocation { folder, path: candidate.path.clone(), lease: candidate.lease.clone() };
            match self.judge(&candidate) {
                Ok(None) => {}
                Ok(Some((file, message))) if wants(&file, &message) => {
                    let (mailbox, writing) = (self.name.clone(), self.writing_of(&candidate));
                    listing.found.push(ListedMessage { file, mailbox, place, head: message.head, writing });
                }
                Ok(Some(_)) => {}
                Err(why) => listing.unreadable.push(UnreadableMessage {
                    file: candidate.shown,
                    mailbox: self.name.clone(),
                    path: candidate.path,
                    why,
                }),
            }
        }
        Ok(listing)
    }

    /// The file of exactly this name, if no message can have this name.
    pub fn misnamed(&self, name: &str) -> Option<UnreadableMessage> {
        let all = MailFolder::ALL.iter().filter_map(|folder| self.candidates(*folder).ok()).flatten();
        let (path, why) = all
            .filter(|candidate| candidate.shown == name)
            .find_map(|candidate| Some((candidate.path, candidate.file.err()?)))?;
        Some(UnreadableMessage { file: name.to_owned(), mailbox: self.name.clone(), path, why })
    }

    /// A message of a folder by its name, with its head; `None` if it is missing or is not a message. An error if the
    /// disk fails.
    pub fn found_in(
        &self,
        folder: MailFolder,
        file: &FileName,
    ) -> Result<Option<(ListedMessage, String)>, StoreError> {
        let Some(place) = self.place_in(folder, file)? else { return Ok(None) };
        match self.read(&place.path) {
            Ok(message) => Ok(Some(self.found(file, place, message))),
            Err(NotReadReason::Gone | NotReadReason::Bad(_)) => Ok(None),
            Err(NotReadReason::Failed(error)) => Err(StoreError::disk("cannot read the message")(error)),
        }
    }

    /// A message that was read, and what it says.
    pub fn found(
        &self,
        file: &FileName,
        place: MessageLocation,
        message: Message,
    ) -> (ListedMessage, String) {
        let body = message.body().to_owned();
        let (mailbox, writing) = (self.name.clone(), self.writing(file, &place.path));
        (ListedMessage { file: file.clone(), mailbox, writing, place, head: message.head }, body)
    }

    /// Finds a message by its name in any folder of the box; of two, the one nearest to its start.
    pub fn find(&self, file: &FileName) -> Result<(MessageLocation, Message), MailFault> {
        // A message may be on its way from one folder to the next.
        for _ in 0..3 {
            for folder in MailFolder::ALL {
                let Some(place) = self.place_in(*folder, file)? else { continue };
                match self.read(&place.path) {
                    Ok(message) => return Ok((place, message)),
                    Err(NotReadReason::Gone) => {}
                    Err(NotReadReason::Bad(why)) => {
                        return Err(MailFault::Unreadable { file: file.to_string(), why });
                    }
                    Err(NotReadReason::Failed(error)) => {
                        return Err(StoreError::disk("cannot read the message")(error).into());
                    }
                }
            }
        }
        // A link, a pipe or a folder with the name of a message is listed as unreadable.
        for folder in [MailFolder::Unread, MailFolder::Read, MailFolder::Archive] {
            let Some(dir) = self.existing(folder)? else { continue };
            if self.disk().stat(&dir.join(file.as_str())).is_ok_and(|stat| stat.kind != FileKind::File) {
                return Err(MailFault::Unreadable {
                    file: file.to_string(),
                    why: "it is no plain file".into(),
                });
            }
        }
        Err(MailFault::NotFound { file: file.to_string(), mailbox: self.name.clone() })
    }

    /// Where a message is in a folder; `None` if it is not there.
    pub(super) fn place_in(
        &self,
        folder: MailFolder,
        file: &FileName,
    ) -> Result<Option<MessageLocation>, StoreError> {
        let Some(dir) = self.existing(folder)? else { return Ok(None) };
        if folder == MailFolder::Held {
            let held = self.leases()?.into_iter().find(|(_, lease)| lease.file == *file);
            return Ok(held.map(|(path, lease)| MessageLocation { folder, path, lease: Some(lease) }));
        }
        let path = dir.join(file.as_str());
        let is_there = match self.disk().stat(&path) {
            Ok(stat) => stat.kind == FileKind::File,
            Err(error) if error.fault() == DiskFault::NotFound => false,
            Err(error) => return Err(StoreError::disk("cannot look for the message")(error)),
        };
        Ok(is_there.then_some(MessageLocation { folder, path, lease: None }))
    }

    /// The held messages of the box, by file name.
    pub(super) fn leases(&self) -> Result<Vec<(PathBuf, Lease)>, StoreError> {
        let Some(dir) = self.existing(MailFolder::Held)? else { return Ok(Vec::new()) };
        let entries = self.disk().list(&dir).map_err(StoreError::disk("cannot list what is held"))?;
        let lease = |name: &std::ffi::OsStr| Lease::parse(name.to_str()?);
        let mut held: Vec<(PathBuf, Lease)> = entries
            .into_iter()
            .filter_map(|entry| Some((dir.join(&entry.name), lease(&entry.name)?)))
            .collect();
        held.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(held)
    }

    /// The file that counts how often a held message came back.
    pub(super) fn returned_path(&self, file: &FileName) -> PathBuf {
        self.folder(MailFolder::Held).join(format!("{file}{RETURNED}"))
    }

    /// The entries of a folder that are not the box's own: messages, held ones, and other files.
    pub(super) fn candidates(&self, folder: MailFolder) -> Result<Vec<MessageCandidate>, StoreError> {
        let Some(dir) = self.existing(folder)? else { return Ok(Vec::new()) };
        let entries = self.disk().stamps(&dir).map_err(StoreError::disk("cannot list the box"))?;
        let mut candidates: Vec<MessageCandidate> = entries
            .into_iter()
            .filter_map(|(entry, file_stamp)| {
                let shown = entry.name.to_string_lossy().into_owned();
                // Hidden names are the box's own or a program's; a folder is a message's only by its name.
                let is_folder = entry.kind == FileKind::Dir && !shown.ends_with(".md");
                if shown.starts_with('.') || is_folder || shown.ends_with(RETURNED) {
                    return None;
                }
                let lease = if folder == MailFolder::Held { Lease::parse(&shown) } else { None };
                let file = match &lease {
                    Some(lease) => Ok(lease.file.clone()),
                    None if folder == MailFolder::Held => Err(
                        "its name does not say which reader holds it until when; move it back to the box, under its own name"
                            .to_owned(),
                    ),
                    None => FileName::parse(&shown).map_err(|fault| fault.to_string()),
                };
                Some(MessageCandidate { file, shown, path: dir.join(&entry.name), lease, file_stamp, kind: entry.kind })
            })
            .collect();
        candidates.sort_by(|a, b| a.shown.cmp(&b.shown));
        Ok(candidates)
    }

    /// The files among the held messages that are not held messages: they are never given back.
    pub fn damaged_leases(&self) -> Result<Vec<UnreadableMessage>, StoreError> {
        let damaged =
            self.candidates(MailFolder::Held)?.into_iter().filter(|candidate| candidate.lease.is_none());
        Ok(damaged
            .filter_map(|candidate| {
                let why = candidate.file.err()?;
                let (file, mailbox, path) = (candidate.shown, self.name.clone(), candidate.path);
                Some(UnreadableMessage { file, mailbox, path, why })
            })
            .collect())
    }

    /// Reads a candidate: a message, or the reason why it is not one; `None` if it is gone meanwhile.
    pub(super) fn judge(&self, candidate: &MessageCandidate) -> Result<Option<(FileName, Message)>, String> {
        if candidate.kind != FileKind::File {
            return Err("it is no regular file".into());
        }
        let file = candidate.file.clone().map_err(|why| match self.fitting_name(candidate) {
            Some(name) => format!("{why}; its name should be {name}"),
            None => why,
        })?;
        match self.read(&candidate.path) {
            Ok(message) => Ok(Some((file, message))),
            Err(NotReadReason::Gone) => Ok(None),
            Err(NotReadReason::Bad(why)) => Err(why),
            Err(NotReadReason::Failed(error)) => {
                Err(Fault::from(StoreError::disk("the disk failed to read it")(error)).message)
            }
        }
    }

    /// The name that a file would need to be a message, if only its name is wrong.
    fn fitting_name(&self, candidate: &MessageCandidate) -> Option<FileName> {
        let head = self.head_of(candidate).filter(|_| candidate.lease.is_none())?;
        let name = FileName::compose(head.timestamp, &MailboxName::parse(&head.from).ok()?, &head.kind, 0);
        FileName::parse(name.as_str()).ok()
    }

    /// The head of a candidate, read without the rest of its file; `None` if it is not a plain file.
    pub(super) fn head_of(&self, candidate: &MessageCandidate) -> Option<MessageHead> {
        if candidate.kind != FileKind::File {
            return None;
        }
        // The two fences, and a line ending each.
        let len = HEAD_LEN_MAX as u64 + 16;
        let start = self.disk().read_start(&candidate.path, len).ok()?;
        MessageHead::parse(&start).ok()
    }

    /// Reads a whole message. If it cannot be parsed and changed a moment ago, it is read again.
    fn read(&self, path: &Path) -> Result<Message, NotReadReason> {
        let mut why = String::new();
        for n in 0..TRIES {
            if n > 0 {
                std::thread::sleep(TRY_PAUSE);
            }
            match self.disk().read(path, MESSAGE_LEN_MAX) {
                Ok(bytes) => match Message::parse(bytes) {
                    Ok(message) => return Ok(message),
                    Err(bad) => why = bad.0,
                },
                Err(error) => {
                    return Err(match error.fault() {
                        DiskFault::NotFound => NotReadReason::Gone,
                        DiskFault::TooLarge { len } => NotReadReason::Bad(too_large(len)),
                        DiskFault::NotAFile => NotReadReason::Bad("it is no regular file".into()),
                        _ => NotReadReason::Failed(error),
                    });
                }
            }
            let is_fresh = self.disk().stamp(path).is_ok_and(|file_stamp| self.is_fresh(&file_stamp));
            if !is_fresh && self.disk().is_open_for_writing(path) != Some(true) {
                return Err(NotReadReason::Bad(why));
            }
        }
        Err(NotReadReason::Bad(format!("{why} (it may still be written: look again in a moment)")))
    }

    /// As [`writing`](Self::writing), for a candidate of a listing. A file that has not changed for long costs no
    /// further look.
    pub(super) fn writing_of(&self, candidate: &MessageCandidate) -> Writing {
        let changed = Timestamp::from_ms(candidate.file_stamp.changed_ns / 1_000_000);
        match &candidate.file {
            Ok(file) if self.root.clock.now().ms_since(changed) < FORGOTTEN_MS => {
                self.writing(file, &candidate.path)
            }
            Ok(_) | Err(_) => Writing::Done,
        }
    }

    pub(super) fn is_fresh(&self, file_stamp: &FileStamp) -> bool {
        let changed = Timestamp::from_ms(file_stamp.changed_ns / 1_000_000);
        let now = self.root.clock.now();
        now.ms_since(changed).max(changed.ms_since(now)) < RECENT_MS
    }
}

/// Why a message was not read.
enum NotReadReason {
    /// It is not there.
    Gone,
    /// The file cannot be read as a message.
    Bad(String),
    /// The disk failed. The content of the file is unknown.
    Failed(DiskError),
}
