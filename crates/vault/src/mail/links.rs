//! How old messages are connected, kept so that they need not be read again.
//!
//! Derived state, below `local/` of the home: what a message in `read/` or `archive/` answers and whether it waits for
//! a reply, with the stamp of its file. A file with another stamp is read again, so the file always wins; without the
//! kept links, every file is read once more.

use super::folder::MailFolder;
use super::listing::UnreadableMessage;
use super::mailbox::Mailbox;
use crate::durable;
use crate::error::StoreError;
use brainstem_base::disk::FileStamp;
use brainstem_base::{Disk, DiskFault, Ids, hash};
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_mail::thread::Link;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From this many newly read messages on, the links are written.
const KEEP_FROM: usize = 100;
/// More lines than twice the messages and this are written anew.
const SURPLUS_MAX: usize = 1_000;
const FILE_LEN_MAX: u64 = 256 * 1024 * 1024;

/// The links of the messages of one mail root.
pub struct Links {
    disk: Arc<dyn Disk>,
    /// Where they are kept; `None` without a home.
    place: Option<(PathBuf, Arc<dyn Ids>)>,
    boxes: HashMap<MailboxName, CachedFolder>,
}

/// The connections of the messages in a folder of a box.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkedFolder {
    /// The messages, in the order of their names.
    pub links: Vec<(FileName, Link)>,
    /// The files that are not messages.
    pub unreadable: Vec<UnreadableMessage>,
}

#[derive(Default)]
struct CachedFolder {
    rows: HashMap<String, CachedLink>,
    /// The lines of the file.
    lines: usize,
    new: Vec<u8>,
    new_count: usize,
    looks: u64,
    looked: BTreeSet<MailFolder>,
}

struct CachedLink {
    file_stamp: FileStamp,
    link: Link,
    /// The folder in which it was last seen, and at which look; `None` if it was only read from the file.
    seen: Option<(MailFolder, u64)>,
}

/// One line: the name, the three parts of its stamp, what it answers, its conversation, whether it waits, and then
/// sender, agent and the box of what it answers. A line of an older program ends before these and is read anew.
type LinkLine =
    (String, u64, i64, u64, Option<String>, Option<String>, bool, String, Option<String>, Option<String>);

impl Links {
    /// The links of a mail root, kept below a home.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, home: &Path, mail_root: &Path) -> Self {
        let of = hash::sha256_hex(mail_root.as_os_str().as_encoded_bytes(), 16);
        // A look must not create a home.
        let place = disk.stat(home).is_ok().then(|| (home.join("local/mail-links").join(of), ids));
        Self { disk, place, boxes: HashMap::new() }
    }

    /// Looks at a folder of a box. In `read/` and `archive/`, only unknown files are read.
    pub fn look(&mut self, mailbox: &Mailbox<'_>, folder: MailFolder) -> Result<LinkedFolder, StoreError> {
        let candidates = mailbox.candidates(folder)?;
        let is_kept = matches!(folder, MailFolder::Read | MailFolder::Archive);
        if is_kept && !self.boxes.contains_key(mailbox.name()) {
            let kept = self.load(mailbox.name());
            self.boxes.insert(mailbox.name().clone(), kept);
        }
        let mut kept = self.boxes.get_mut(mailbox.name()).filter(|_| is_kept);
        if let Some(kept) = &mut kept {
            kept.looks += 1;
            kept.looked.insert(folder);
        }
        let mut looked = LinkedFolder::default();
        for candidate in candidates {
            let known = kept.as_mut().and_then(|kept| {
                let look = kept.looks;
                let row = kept
                    .rows
                    .get_mut(&candidate.shown)
                    .filter(|row| row.file_stamp == candidate.file_stamp)?;
                row.seen = Some((folder, look));
                Some(row.link.clone())
            });
            if let (Ok(file), Some(link)) = (&candidate.file, known) {
                looked.links.push((file.clone(), link));
                continue;
            }
            match mailbox.judge(&candidate) {
                Ok(None) => {}
                Ok(Some((file, message))) => {
                    let link = Link::of(&message.head);
                    // A file that changed a moment ago may change again with the same stamp.
                    if let Some(kept) = kept.as_mut().filter(|_| !mailbox.is_fresh(&candidate.file_stamp)) {
                        kept.learn(&candidate.shown, candidate.file_stamp, &link, folder);
                    }
                    looked.links.push((file, link));
                }
                Err(why) => {
                    let mailbox = mailbox.name().clone();
                    let (file, path) = (candidate.shown, candidate.path);
                    looked.unreadable.push(UnreadableMessage { file, mailbox, path, why });
                }
            }
        }
        if let Some(kept) = kept {
            let look = kept.looks;
            kept.rows.retain(|_, row| row.seen.is_none_or(|(at, when)| at != folder || when == look));
        }
        Ok(looked)
    }

    /// Keeps the new links if there are enough of them. A failed write loses nothing.
    pub fn keep(&mut self) {
        let Some((dir, ids)) = &self.place else { return };
        for (name, kept) in &mut self.boxes {
            let path = dir.join(format!("{name}.jsonl"));
            let lines = kept.lines.saturating_add(kept.new_count);
            let there = kept.rows.values().filter(|row| row.seen.is_some()).count();
            if kept.looked.len() == 2 && lines > 2 * there + SURPLUS_MAX {
                kept.rows.retain(|_, row| row.seen.is_some());
                let all: Vec<u8> =
                    kept.rows.iter().flat_map(|(file, row)| line(file, &row.file_stamp, &row.link)).collect();
                let put = durable::make_dirs(&*self.disk, dir)
                    .is_ok_and(|()| durable::replace(&*self.disk, &**ids, &path, &all).is_ok());
                kept.lines = if put { kept.rows.len() } else { kept.lines };
            } else if kept.new_count >= KEEP_FROM && durable::make_dirs(&*self.disk, dir).is_ok() {
                // Two processes may append the same line, which does no harm.
                let _ = self.disk.append(&path, &kept.new);
                kept.lines = lines;
            } else {
                continue;
            }
            kept.new.clear();
            kept.new_count = 0;
        }
    }

    fn load(&self, name: &MailboxName) -> CachedFolder {
        let mut kept = CachedFolder::default();
        let Some((dir, _)) = &self.place else { return kept };
        let bytes = match self.disk.read(&dir.join(format!("{name}.jsonl")), FILE_LEN_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return kept,
            // The file is replaced, whatever it holds.
            Err(_) => {
                kept.lines = usize::MAX / 4;
                return kept;
            }
        };
        for text in bytes.split(|byte| *byte == b'\n').filter(|text| !text.is_empty()) {
            kept.lines += 1;
            let Ok(line) = serde_json::from_slice::<LinkLine>(text) else { continue };
            let (
                file,
                inode,
                changed_ns,
                len,
                in_reply_to,
                thread_id,
                needs_response,
                from,
                from_agent,
                reply_box,
            ) = line;
            let link = Link { from, from_agent, in_reply_to, reply_box, thread_id, needs_response };
            let file_stamp = FileStamp { inode, changed_ns, len };
            kept.rows.insert(file, CachedLink { file_stamp, link, seen: None });
        }
        kept
    }
}

impl CachedFolder {
    fn learn(&mut self, file: &str, file_stamp: FileStamp, link: &Link, folder: MailFolder) {
        self.new.extend(line(file, &file_stamp, link));
        self.new_count += 1;
        let seen = Some((folder, self.looks));
        self.rows.insert(file.to_owned(), CachedLink { file_stamp, link: link.clone(), seen });
    }
}

fn line(file: &str, file_stamp: &FileStamp, link: &Link) -> Vec<u8> {
    let line = (
        file,
        file_stamp.inode,
        file_stamp.changed_ns,
        file_stamp.len,
        &link.in_reply_to,
        &link.thread_id,
        link.needs_response,
        &link.from,
        &link.from_agent,
        &link.reply_box,
    );
    let mut bytes = serde_json::to_vec(&line).expect("plain data");
    bytes.push(b'\n');
    bytes
}
