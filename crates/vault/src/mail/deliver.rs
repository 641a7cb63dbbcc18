//! Delivery: whole and durable, or not at all, and never over another message.

use super::fault::MailFault;
use super::folder::{KEYS, MailFolder};
use super::mailbox::{Mailbox, Spelling};
use super::root::is_folder;
use crate::durable::{self, NewName};
use crate::error::StoreError;
use brainstem_base::{DiskFault, Timestamp, hash};
use brainstem_mail::limits::SAME_NAME_MAX;
use brainstem_mail::{FileName, Message, MessageDraft};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The key in the frontmatter that identifies a repeated send.
const KEY: &str = "key";
const KEY_WAIT: Duration = Duration::from_secs(10);
const MARKER_LEN_MAX: u64 = 1024;
/// How far the end of a message may differ between a send and its repeat, if it was given as a duration.
const CLOCK_SLACK_MS: i64 = 2_000;
/// How many hex digits of the hash of a message are in the note of its key.
const SAYS_LEN: usize = 16;

/// What a delivery did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The message's name.
    pub file: FileName,
    /// Its path.
    pub path: PathBuf,
    /// The box was made for it.
    pub box_made: bool,
    /// It had been sent before, with the same key.
    pub repeated: bool,
    /// It had been sent before and is no longer in the mail root: it was pruned, moved or deleted. `path` is where it
    /// was delivered.
    pub gone: bool,
    /// From this message on this clone of the repository excludes the mail: the repository itself would let git commit it.
    pub kept_out: bool,
}

/// What was made for a delivery.
#[derive(Clone, Copy)]
struct BoxReady {
    box_made: bool,
    kept_out: bool,
}

/// The note under a key: `<ms>` before the message arrives, `<ms> <file> <hash>` once it is in its box.
struct KeyNote {
    meant: Timestamp,
    delivered: Option<(FileName, String)>,
}

impl KeyNote {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let meant = Timestamp::from_ms(words.next()?.parse().ok()?);
        let delivered = words.next().and_then(|file| FileName::parse(file).ok()).zip(words.next());
        Some(Self { meant, delivered: delivered.map(|(file, says)| (file, says.to_owned())) })
    }

    fn text(&self) -> String {
        let ms = self.meant.ms();
        match &self.delivered {
            None => ms.to_string(),
            Some((file, says)) => format!("{ms} {file} {says}"),
        }
    }
}

impl Mailbox<'_> {
    /// Delivers a message: temp, sync, rename without replacing, sync of the box.
    pub fn deliver(&self, draft: &MessageDraft) -> Result<Delivered, MailFault> {
        let BoxReady { box_made, kept_out } = self.ready()?;
        let (file, path) = self.place(draft)?;
        Ok(Delivered { file, path, box_made, repeated: false, gone: false, kept_out })
    }

    /// Delivers a message that its sender may send again under this key: once (MAIL-7). Another message under the key
    /// is refused.
    ///
    /// A key that came with the repository does not count: anyone that can write to the repository may have made it.
    /// This send keeps its own beside it.
    ///
    /// The time is noted before the message arrives, so that the repeat of an interrupted send finds the message, or
    /// sends it with the same time. Its arrival is noted too: a message that was pruned or deleted since is not sent
    /// again.
    pub fn deliver_once(&self, draft: &MessageDraft, key: &str) -> Result<Delivered, MailFault> {
        let BoxReady { box_made, kept_out } = self.ready()?;
        let keys = self.made_dir(self.dir.join(KEYS))?;
        let failed = |error| MailFault::from(StoreError::disk("cannot keep the key of the message")(error));
        let _guard = self.disk().lock(&keys.join("lock"), KEY_WAIT).map_err(failed)?;
        let marker = keys.join(self.key_name(draft.from.as_str(), key));
        let mut draft = draft.clone();
        draft.extras.push((KEY, key.to_owned()));
        let says = hash::sha256_hex(draft.compared_text().as_bytes(), SAYS_LEN);
        let note = KeyNote { meant: draft.timestamp, delivered: None }.text();
        match durable::create(self.disk(), &*self.root.ids, &marker, note.as_bytes()).map_err(failed)? {
            NewName::New => {}
            NewName::Taken => {
                if let Some(sent) = self.sent_under_key(&mut draft, key, &marker)? {
                    return Ok(Delivered { box_made, kept_out, ..sent });
                }
            }
        }
        let (file, path) = self.place(&draft)?;
        // The message is in its box. Without this note a repeat finds it there until it is removed.
        let note = KeyNote { meant: draft.timestamp, delivered: Some((file.clone(), says)) }.text();
        let _ = durable::replace(self.disk(), &*self.root.ids, &marker, note.as_bytes());
        Ok(Delivered { file, path, box_made, repeated: false, gone: false, kept_out })
    }

    /// Refuses a key that was used in this box for another message. Changes nothing.
    pub fn check_key(&self, draft: &MessageDraft, key: &str) -> Result<(), MailFault> {
        let marker = self.dir.join(KEYS).join(self.key_name(draft.from.as_str(), key));
        match self.disk().stat(&marker) {
            Ok(_) => {}
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(()),
            Err(error) => return Err(StoreError::disk("cannot look at the key of the message")(error).into()),
        }
        let mut draft = draft.clone();
        draft.extras.push((KEY, key.to_owned()));
        self.sent_under_key(&mut draft, key, &marker).map(drop)
    }

    /// Returns the message that was delivered under a key. `None` if its delivery was interrupted: the draft then gets
    /// the noted time. Refuses a key of another message.
    fn sent_under_key(
        &self,
        draft: &mut MessageDraft,
        key: &str,
        marker: &Path,
    ) -> Result<Option<Delivered>, MailFault> {
        let failed = |error| MailFault::from(StoreError::disk("cannot keep the key of the message")(error));
        let now = draft.timestamp;
        let kept = self.disk().read(marker, MARKER_LEN_MAX).map_err(failed)?;
        let note = String::from_utf8(kept).ok().and_then(|text| KeyNote::parse(&text));
        draft.timestamp = note.as_ref().map_or(draft.timestamp, |note| note.meant);
        let sent = |file, path, gone| Delivered {
            file,
            path,
            box_made: false,
            repeated: true,
            gone,
            kept_out: false,
        };
        if let Some((file, path)) = self.sent_before(draft, key)? {
            // A message that can no longer be read counts as the one that was sent.
            let is_other = |message: &Message| {
                !draft.says_the_same(message) || !expires_alike(draft, now, message.head.expires)
            };
            if self.find(&file).is_ok_and(|(_, message)| is_other(&message)) {
                return Err(MailFault::KeyReused { file: file.to_string() });
            }
            return Ok(Some(sent(file, path, false)));
        }
        let Some((file, said)) = note.and_then(|note| note.delivered) else { return Ok(None) };
        if said != hash::sha256_hex(draft.compared_text().as_bytes(), SAYS_LEN) {
            return Err(MailFault::KeyReused { file: file.to_string() });
        }
        let path = self.dir.join(file.as_str());
        Ok(Some(sent(file, path, true)))
    }

    /// Makes the box if it is missing, and keeps private mail out of git.
    fn ready(&self) -> Result<BoxReady, MailFault> {
        // Also if the box is there: the `.gitignore` may have been removed since.
        let kept_out = self.root.ensure()?;
        // A shell that has only `mv` needs somewhere to move to. The archive is made last, so if it is there, the box
        // is durable.
        let archive = self.folder(MailFolder::Archive);
        if is_folder(self.disk(), &archive)? {
            return Ok(BoxReady { box_made: false, kept_out });
        }
        // Boxes are made one after the other: of two senders whose names differ by case only, the second sees the box
        // of the first.
        let _guard = self.root.lock_boxes()?;
        if self.spelling == Spelling::Written {
            self.root.mailbox(&self.name)?;
        }
        let box_made = !is_folder(self.disk(), &self.dir)?;
        for dir in [&self.dir, &self.folder(MailFolder::Read), &archive] {
            self.root.make_dirs(dir)?;
        }
        Ok(BoxReady { box_made, kept_out })
    }

    fn place(&self, draft: &MessageDraft) -> Result<(FileName, PathBuf), MailFault> {
        let failed = |error| MailFault::from(StoreError::disk("cannot store the message")(error));
        // In the box itself: a rename within one folder is whole or not at all, and leaves no second name that could
        // survive a power cut alone.
        let temp = durable::temp_in(&self.dir, &*self.root.ids);
        self.disk().write_new(&temp, draft.render().as_bytes()).map_err(failed)?;
        let named = self.take_first_free_name(draft, &temp);
        if named.is_err() {
            // A leftover temporary name is harmless, so a failed removal is ignored.
            let _ = self.disk().unlink(&temp);
        }
        let (file, path) = named?;
        self.sync(&self.dir)?;
        Ok((file, path))
    }

    /// Gives a finished file the first name that no message of the mail root has.
    fn take_first_free_name(
        &self,
        draft: &MessageDraft,
        temp: &Path,
    ) -> Result<(FileName, PathBuf), MailFault> {
        // A shell reserves no name: a name that it used in this box may have moved on to the next folder.
        let further = [self.existing(MailFolder::Read)?, self.existing(MailFolder::Archive)?];
        let held = self.leases()?;
        let name_of = |number| FileName::compose(draft.timestamp, &draft.from, &draft.kind, number);
        for number in self.root.first_number(&name_of)..=SAME_NAME_MAX {
            let file = name_of(number);
            let is_used =
                further.iter().flatten().any(|dir| self.disk().stat(&dir.join(file.as_str())).is_ok());
            if is_used
                || held.iter().any(|(_, lease)| lease.file == file)
                || !self.root.reserve_name(&file)?
            {
                continue;
            }
            let path = self.dir.join(file.as_str());
            match self.disk().rename_new(temp, &path) {
                Ok(()) => return Ok((file, path)),
                Err(error) if error.fault() == DiskFault::Exists => {}
                Err(error) => return Err(StoreError::disk("cannot store the message")(error).into()),
            }
        }
        Err(MailFault::Full { mailbox: self.name.clone() })
    }

    /// Finds the message of a key: its name begins with the noted time.
    fn sent_before(&self, draft: &MessageDraft, key: &str) -> Result<Option<(FileName, PathBuf)>, MailFault> {
        let prefix = FileName::prefix(draft.timestamp, &draft.from);
        for folder in MailFolder::ALL {
            for candidate in self.candidates(*folder)? {
                let Ok(file) = &candidate.file else { continue };
                let is_its =
                    file.as_str().strip_prefix(&prefix).is_some_and(|rest| rest.starts_with(['_', '~']));
                if is_its && self.head_of(&candidate).is_some_and(|head| head.extra(KEY) == Some(key)) {
                    return Ok(Some((file.clone(), candidate.path)));
                }
            }
        }
        Ok(None)
    }
}

/// Whether a repeat at `now` asks for the end that the message has. An end that was given as a duration moves with the
/// clock.
fn expires_alike(draft: &MessageDraft, now: Timestamp, sent: Option<Timestamp>) -> bool {
    match (draft.expires, sent) {
        (None, None) => true,
        (Some(asked), Some(sent)) => {
            let moved = (asked.ms() - sent.ms()) - (now.ms() - draft.timestamp.ms());
            asked == sent || moved.abs() <= CLOCK_SLACK_MS
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

impl Mailbox<'_> {
    /// The name of the note that a sender used a key: the first one that git does not track.
    pub(super) fn key_name(&self, from: &str, key: &str) -> String {
        let tracked = self.root.tracked();
        let first = hash::sha256_hex(format!("{from}\n{key}").as_bytes(), 64);
        let mut name = first.clone();
        let mut number = 0;
        while tracked.has_key(&self.name, &name) {
            number += 1;
            name = format!("{first}~{number}");
        }
        name
    }
}
