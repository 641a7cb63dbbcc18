//! A view of the unread messages of a box that is refreshed again and again: a look costs the unread messages, and
//! opens only new files.

use super::folder::MailFolder;
use super::listing::MessageLocation;
use super::mailbox::Mailbox;
use super::root::MailRoot;
use super::tracked::TrackedMessages;
use super::write_progress::Writing;
use crate::error::StoreError;
use brainstem_base::DiskFault;
use brainstem_base::disk::{FileKind, FileStamp};
use brainstem_mail::limits::HEAD_LEN_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_mail::thread::Link;
use brainstem_mail::{FileName, MessageHead};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// How many messages of a box are watched: the youngest.
const WATCHED_MAX: usize = 5_000;
/// How many read messages are searched for questions when a watch begins: the youngest.
const QUESTIONS_MAX: usize = 1_000;

/// The unread messages of a box, as of the last look.
#[derive(Debug, Default)]
pub struct UnreadView(BTreeMap<String, KnownMessage>);

#[derive(Debug)]
struct KnownMessage {
    file_stamp: FileStamp,
    /// `None` for a file that is not a readable message, or not yet.
    message: Option<(FileName, MessageHead)>,
    /// A program had it open for writing, so it is looked at again whatever its stamp is.
    is_open: bool,
}

/// What changed since the last look.
#[derive(Debug, Default)]
pub struct UnreadChanges {
    /// Messages that were not there at the last look.
    pub arrived: Vec<(FileName, MessageHead)>,
    /// Messages that no longer are.
    pub gone: Vec<(FileName, MessageHead)>,
}

impl UnreadView {
    /// The messages, by name.
    pub fn messages(&self) -> impl Iterator<Item = (&FileName, &MessageHead)> {
        self.0.values().filter_map(|known| known.message.as_ref()).map(|(file, head)| (file, head))
    }
}

impl MailRoot {
    /// Whether a reply, by its box, folder and name, answers the message of that name in that box, and not another
    /// message of the same name. A reply that git tracks answers only a question that git tracks too: anyone that can
    /// write to the repository may have written it, and must not affect messages from outside the repository (MAIL-21).
    pub fn is_answer(
        &self,
        tracked: &TrackedMessages,
        (reply_box, reply_folder, reply_file, reply): (&MailboxName, MailFolder, &FileName, &Link),
        file: &str,
        mailbox: &MailboxName,
    ) -> bool {
        let places = |name: &MailboxName| -> Vec<MessageLocation> {
            let Ok(file) = FileName::parse(file) else { return Vec::new() };
            let Ok(other) = self.listed(name) else { return Vec::new() };
            let places = MailFolder::ALL.iter().map(|folder| other.place_in(*folder, &file));
            places.filter_map(|place| place.ok().flatten()).collect()
        };
        if !reply.answers(file, mailbox, &|name| !places(name).is_empty()) {
            return false;
        }
        if !tracked.may_have(reply_box, reply_file) {
            return true;
        }
        let place = self.listed(reply_box).and_then(|mailbox| mailbox.place_in(reply_folder, reply_file));
        // A reply that was moved on meanwhile answers nothing before the next look.
        if let Ok(Some(place)) = place
            && !tracked.has(reply_box, reply_file, &place.path)
        {
            return true;
        }
        let Ok(asked) = FileName::parse(file) else { return false };
        let asked_at = places(mailbox);
        !asked_at.is_empty() && asked_at.iter().all(|place| tracked.is_known_at(mailbox, &asked, &place.path))
    }
}

impl Mailbox<'_> {
    /// Looks at the unread messages, and returns what changed since the last look. Only new and changed files are
    /// opened.
    pub fn look_again(&self, waiting: &mut UnreadView) -> Result<UnreadChanges, StoreError> {
        let mut candidates = self.candidates(MailFolder::Unread)?;
        candidates.retain(|candidate| candidate.kind == FileKind::File && candidate.file.is_ok());
        let surplus = candidates.len().saturating_sub(WATCHED_MAX);
        let mut before = std::mem::take(&mut waiting.0);
        let mut changed = UnreadChanges::default();
        for candidate in candidates.into_iter().skip(surplus) {
            let known = match before.remove(&candidate.shown) {
                // A file that could not be parsed may still be written; its stamp shows it.
                Some(known) if known.file_stamp == candidate.file_stamp && !known.is_open => {
                    waiting.0.insert(candidate.shown, known);
                    continue;
                }
                known => known,
            };
            let is_open = self.writing_of(&candidate) == Writing::Open;
            if is_open {
                // A message is not reported before its writer has closed it. One that was reported before stays
                // reported.
                let message = known.and_then(|known| known.message);
                waiting.0.insert(
                    candidate.shown,
                    KnownMessage { file_stamp: FileStamp::default(), message, is_open },
                );
                continue;
            }
            let message = candidate.file.as_ref().ok().cloned().zip(self.head_of(&candidate));
            // Another file with other words under the same name is another message; an editor that saves makes another
            // file too.
            let is_same = known.as_ref().is_some_and(|known| match (&known.message, &message) {
                (Some(before), Some(now)) => {
                    known.is_open || known.file_stamp.inode == candidate.file_stamp.inode || before == now
                }
                (before, _) => before.is_some(),
            });
            if !is_same {
                changed.gone.extend(known.and_then(|known| known.message));
                changed.arrived.extend(message.clone());
            }
            waiting
                .0
                .insert(candidate.shown, KnownMessage { file_stamp: candidate.file_stamp, message, is_open });
        }
        changed.gone.extend(before.into_values().filter_map(|known| known.message));
        Ok(changed)
    }

    /// Whether a message is unread at this moment for a reader with these names.
    pub fn waits_for(&self, file: &FileName, reader: &[MailboxName]) -> bool {
        let stat = self.disk().stat(&self.dir.join(file.as_str()));
        stat.is_ok_and(|stat| stat.kind == FileKind::File) && !self.is_seen_by(file, reader)
    }

    /// Whether a message was taken or read, and not archived yet.
    pub fn is_at_work(&self, file: &FileName) -> bool {
        [MailFolder::Held, MailFolder::Read]
            .iter()
            .any(|folder| self.place_in(*folder, file).is_ok_and(|place| place.is_some()))
    }

    /// The questions among the messages that were read last.
    pub fn questions_read(&self) -> Result<Vec<(FileName, MessageHead)>, StoreError> {
        let mut names = self.names(MailFolder::Read)?;
        names.sort_by_cached_key(|file| std::cmp::Reverse(stamp(file.as_str())));
        names.truncate(QUESTIONS_MAX);
        let dir = self.folder(MailFolder::Read);
        let heads = names.into_iter().filter_map(|file| {
            let head = self.head_at(&dir.join(file.as_str()))?;
            Some((file, head))
        });
        Ok(heads.filter(|(_, head)| head.needs_response).collect())
    }

    /// Which of these messages of a box are answered in this box, in any folder. A reply is younger than its question,
    /// so nothing older than the oldest question is opened.
    pub fn replies_to(
        &self,
        mailbox: &MailboxName,
        asked: &HashSet<&str>,
    ) -> Result<HashSet<String>, StoreError> {
        let Some(oldest) = asked.iter().map(|file| stamp(file)).min() else { return Ok(HashSet::new()) };
        let mut links = Vec::new();
        for folder in [MailFolder::Unread, MailFolder::Read, MailFolder::Archive] {
            let found = self.links_since(folder, &oldest)?.into_iter();
            links.extend(found.map(|(file, link)| (folder, file, link)));
        }
        links.extend(self.leases()?.into_iter().filter_map(|(path, lease)| {
            Some((MailFolder::Held, lease.file, Link::of(&self.head_at(&path)?)))
        }));
        let tracked = self.root.tracked();
        let answered = links.into_iter().filter_map(|(folder, reply, link)| {
            let file = link.in_reply_to.as_deref().filter(|file| asked.contains(file))?;
            let is_answer = self.root.is_answer(&tracked, (&self.name, folder, &reply, &link), file, mailbox);
            is_answer.then(|| file.to_owned())
        });
        Ok(answered.collect())
    }

    /// The links of the messages in a folder whose names say that they are not older than this message. The others are
    /// not opened.
    pub fn links_not_before(
        &self,
        folder: MailFolder,
        file: &str,
    ) -> Result<Vec<(FileName, Link)>, StoreError> {
        self.links_since(folder, &stamp(file))
    }

    fn links_since(&self, folder: MailFolder, oldest: &str) -> Result<Vec<(FileName, Link)>, StoreError> {
        let dir = self.folder(folder);
        let young = self.names(folder)?.into_iter().filter(|file| *stamp(file.as_str()) >= *oldest);
        let links = young.filter_map(|file| {
            let head = self.head_at(&dir.join(file.as_str()))?;
            Some((file, Link::of(&head)))
        });
        Ok(links.collect())
    }

    /// The names of the messages in a folder, without opening them.
    pub fn files(&self, folder: MailFolder) -> Result<Vec<FileName>, StoreError> {
        if folder == MailFolder::Held {
            return Ok(self.leases()?.into_iter().map(|(_, lease)| lease.file).collect());
        }
        self.names(folder)
    }

    fn names(&self, folder: MailFolder) -> Result<Vec<FileName>, StoreError> {
        let Some(dir) = self.existing(folder)? else { return Ok(Vec::new()) };
        let entries = match self.disk().list(&dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the box")(error)),
        };
        let files = entries.into_iter().filter(|entry| entry.kind == FileKind::File);
        Ok(files.filter_map(|entry| FileName::parse(entry.name.to_str()?).ok()).collect())
    }

    fn head_at(&self, path: &Path) -> Option<MessageHead> {
        let start = self.disk().read_start(path, HEAD_LEN_MAX as u64 + 16).ok()?;
        MessageHead::parse(&start).ok()
    }
}

/// The digits of the time in a name: both spellings of it sort alike.
fn stamp(file: &str) -> String {
    file.chars().take_while(|sign| *sign != '_').filter(char::is_ascii_digit).collect()
}
