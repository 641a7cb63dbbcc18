//! The readers of a box besides the session of its name: sessions that carry it as a tag, and those of its agent.
//!
//! Derived from the register and kept beside it, an empty file `readers/<box>/<session>` each, so that a send looks
//! only at the sessions that may read the box, and not at a month of them. A mark is checked against the record. A
//! record without a mark, because an older program wrote it, gets one when a search finds no reader.

use super::reader_marks;
use super::sessions::{SessionRecord, SessionRecords, UnreadableSession};
use crate::durable;
use crate::error::StoreError;
use brainstem_base::Timestamp;
use brainstem_base::disk::FileKind;
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::KnownUnderName;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// When the records were last indexed: younger ones may have no marks.
const INDEXED: &str = ".indexed";

/// What is known under a name, and whether one of its readers is here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadersOfName {
    /// What is known under the name.
    pub known: KnownUnderName,
    /// One of its sessions was here a moment ago.
    pub is_live: bool,
    /// When one of its sessions was last seen, in ms.
    pub last_seen: Option<i64>,
    /// One of its sessions, whose record cannot be read: it is unknown whether it is here.
    pub unreadable: Option<UnreadableSession>,
}

/// Which sessions count in a search for another spelling of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionsCounted {
    /// Those that are here.
    Live,
    /// Those that are on record, here or gone.
    OnRecord,
}

impl SessionRecords {
    /// What is known under any of these names of one recipient.
    pub fn readers_of_name(&self, names: &[MailboxName], now: Timestamp) -> ReadersOfName {
        let found = self.look_up(names, now);
        if found.is_live || self.index(now).is_err() {
            return found;
        }
        self.look_up(names, now)
    }

    /// A session that is marked as a reader of a box and whose record cannot be read.
    pub fn unreadable_reader_of(&self, name: &MailboxName) -> Option<UnreadableSession> {
        self.marked_readers(name).iter().find_map(|reader| self.unreadable_record(reader))
    }

    /// Whether any session but this one was here a moment ago.
    pub fn is_anybody_here(&self, but: &MailboxName, now: Timestamp) -> bool {
        let mut files = self.files();
        files.sort_by_key(|(_, changed_ns)| std::cmp::Reverse(*changed_ns));
        // The record of the session that was here last was written last.
        let records = files.iter().filter_map(|(path, _)| self.read(path));
        records
            .take_while(|record| record.was_seen_lately(now) || record.name == but.as_str())
            .any(|record| record.is_live(now) && record.name != but.as_str())
    }

    /// The session of another agent whose agent box has this name, here or gone.
    pub fn agent_box_of_another(
        &self,
        name: &MailboxName,
        is_its: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Option<SessionRecord> {
        // A caller without a session is on record under the name of its agent's box.
        let records = self.readers_of(name).into_iter().chain(self.find(name));
        records
            .filter(|record| record.agent_box().as_ref() == Some(name))
            .find(|record| !record.is_forgotten(now) && record.is_anothers(is_its))
    }

    /// The live session of another agent that carries a name as a tag.
    pub fn live_tag_of_another(
        &self,
        name: &MailboxName,
        is_its: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Option<SessionRecord> {
        let carries = |record: &SessionRecord| record.tags.iter().any(|tag| tag == name.as_str());
        self.readers_of(name)
            .into_iter()
            .find(|record| carries(record) && record.is_live(now) && record.is_anothers(is_its))
    }

    /// The name of a session, a tag or an agent on record that is this one in another spelling; `None` if exactly this
    /// one is on record too.
    pub fn other_spelling(
        &self,
        name: &MailboxName,
        counts: SessionsCounted,
        now: Timestamp,
    ) -> Option<MailboxName> {
        let is_known = |name: &MailboxName| match counts {
            SessionsCounted::Live => {
                let standing = self.look_up(std::slice::from_ref(name), now);
                standing.is_live || standing.unreadable.is_some()
            }
            SessionsCounted::OnRecord => {
                self.look_up(std::slice::from_ref(name), now).known != KnownUnderName::default()
            }
        };
        let others = self.named_like(&|other| name.differs_only_by_case(other));
        others.into_iter().find(is_known).filter(|_| !is_known(name))
    }

    /// The names of sessions, tags and agents on record that `is_like` accepts. No other record is read.
    pub fn names_like(&self, is_like: &dyn Fn(&str) -> bool, now: Timestamp) -> BTreeSet<MailboxName> {
        let is_known = |name: &MailboxName| {
            self.look_up(std::slice::from_ref(name), now).known != KnownUnderName::default()
        };
        self.named_like(is_like).into_iter().filter(is_known).collect()
    }

    /// The names that `is_like` accepts among those that have a record or a reader, as the files are called.
    fn named_like(&self, is_like: &dyn Fn(&str) -> bool) -> Vec<MailboxName> {
        let boxes = self.disk.list(&reader_marks::all(self.dir())).unwrap_or_default().into_iter();
        let boxes = boxes.filter_map(|entry| entry.name.into_string().ok());
        let names = self.file_names().into_iter().chain(boxes).filter(|name| is_like(name));
        names.filter_map(|name| MailboxName::parse(&name).ok()).collect()
    }

    /// The sessions that are marked as readers of a box.
    fn readers_of(&self, name: &MailboxName) -> Vec<SessionRecord> {
        self.marked_readers(name).iter().filter_map(|reader| self.find(reader)).collect()
    }

    /// The names of the sessions that are marked as readers of a box.
    fn marked_readers(&self, name: &MailboxName) -> Vec<MailboxName> {
        let entries = self.disk.list(&reader_marks::folder(self.dir(), name)).unwrap_or_default().into_iter();
        entries.filter_map(|entry| MailboxName::parse(entry.name.to_str()?).ok()).collect()
    }

    fn look_up(&self, names: &[MailboxName], now: Timestamp) -> ReadersOfName {
        let mut standing = ReadersOfName::default();
        for name in names {
            match self.look(name) {
                Ok(Some(record)) if !record.is_forgotten(now) => {
                    standing.known.is_session = true;
                    standing.is_live |= record.is_live(now);
                    standing.last_seen = standing.last_seen.max(Some(record.last_seen));
                }
                Ok(_) => {}
                Err(unreadable) => {
                    standing.known.is_session = true;
                    standing.unreadable = Some(unreadable);
                }
            }
            let dir = reader_marks::folder(self.dir(), name);
            for entry in self.disk.list(&dir).unwrap_or_default() {
                let reader = entry.name.to_str().and_then(|reader| MailboxName::parse(reader).ok());
                let record = match reader.map_or(Ok(None), |reader| self.look(&reader)) {
                    Ok(record) => record,
                    Err(unreadable) => {
                        // Only the mark says what it reads: a name with a dot is an agent's box.
                        let is_agent = name.as_str().contains('.');
                        standing.known.is_agent |= is_agent;
                        standing.known.is_tag |= !is_agent;
                        standing.unreadable = Some(unreadable);
                        continue;
                    }
                };
                let Some(record) = record.filter(|record| !record.is_forgotten(now) && record.reads(name))
                else {
                    // It belongs to a session that is forgotten, or that reads other boxes now.
                    let _ = self.disk.unlink(&dir.join(entry.name));
                    continue;
                };
                let is_tag = record.tags.iter().any(|tag| tag == name.as_str());
                standing.known.is_tag |= is_tag;
                standing.known.is_agent |= !is_tag;
                standing.is_live |= record.is_live(now);
                standing.last_seen = standing.last_seen.max(Some(record.last_seen));
            }
        }
        standing
    }

    /// Marks the sessions of records that changed since the last time, and forgets those that were not seen for a
    /// month.
    fn index(&self, now: Timestamp) -> Result<(), StoreError> {
        let failed = |error| StoreError::disk("cannot go through the register")(error);
        let stamp = self.dir().join(INDEXED);
        let since = self.disk.stat(&stamp).map_or(i128::MIN, |stat| stat.modified_ns);
        // Made before the first look, so that a record which changes meanwhile is younger.
        let new_stamp = durable::temp_in(self.dir(), &*self.ids);
        self.disk.reserve(&new_stamp).map_err(failed)?;
        let mut is_whole = true;
        for (path, changed_ns) in self.files() {
            let is_new = i128::from(changed_ns) >= since;
            let may_be_old =
                now.ms_since(Timestamp::from_ms(changed_ns / 1_000_000)) > super::sessions::FORGOTTEN_MS;
            if !is_new && !may_be_old {
                continue;
            }
            let Ok(record) = self.read_checked(&path) else {
                is_whole = false;
                continue;
            };
            let Some(record) = record else { continue };
            if record.is_forgotten(now) {
                let _ = self.disk.unlink(&path);
            } else if is_new && record.root == self.root() {
                self.mark(&record);
            }
        }
        if !is_whole {
            // A record that becomes readable later may have no marks, so the next look goes through them again.
            let _ = self.disk.unlink(&new_stamp);
            return Ok(());
        }
        self.disk.rename(&new_stamp, &stamp).map_err(failed)
    }

    /// The files of the records, each with when it last changed.
    fn files(&self) -> Vec<(PathBuf, i64)> {
        let entries = self.disk.stamps(self.dir()).unwrap_or_default().into_iter();
        let files = entries.filter(|(entry, _)| {
            entry.kind == FileKind::File && entry.name.to_str().is_some_and(|name| name.ends_with(".json"))
        });
        files.map(|(entry, file_stamp)| (self.dir().join(entry.name), file_stamp.changed_ns)).collect()
    }
}
