//! The register of sessions: which were here, with which tags, and when last.
//!
//! One small file each below `local/` of the home. It is local state: losing it loses no message, because a box has the
//! recipient's name, whether it is a session, a tag or an agent.

use super::reader_marks;
use crate::durable;
use crate::error::StoreError;
use brainstem_base::disk::{FileKind, LockGuard};
use brainstem_base::{AgentId, Disk, DiskFault, Ids, Timestamp, hash};
use brainstem_mail::limits::SESSION_TAGS_MAX;
use brainstem_mail::name::MailboxName;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// A session that was not seen for this long counts as gone.
pub const SESSION_LIVE_MS: i64 = 30 * 60 * 1000;
/// One that was not seen for this long is forgotten.
pub(super) const FORGOTTEN_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// How many connections under one name are kept; the one that was not seen for the longest time is dropped.
const CONNECTIONS_MAX: usize = 64;
/// A session that is seen again within this time is not written again.
const TOUCH_MS: i64 = 60 * 1000;
const RECORD_LEN_MAX: u64 = 64 * 1024;

/// What is known about a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Its name, which is its box's.
    pub name: String,
    /// Its id, a UUID of version 7. A record of an earlier program has none until the next call of its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The mail root it belongs to.
    pub root: PathBuf,
    /// The folder around that mail root, in the form of [`folder_stamp`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The agent that runs it.
    #[serde(default)]
    pub agent: Option<String>,
    /// When it was first seen, in ms.
    pub first_seen: i64,
    /// When it was last seen, in ms.
    pub last_seen: i64,
    /// The connections that run it, each with the time in ms at which it was last seen. The session ends with the last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub connections: BTreeMap<String, i64>,
    /// When it ended, in ms, if no call was made under its name since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<i64>,
}

impl SessionRecord {
    /// Whether it was here a moment ago and has not ended.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.left.is_none() && self.was_seen_lately(now)
    }

    /// Whether it was seen a moment ago, whether or not it has left since.
    pub(super) fn was_seen_lately(&self, now: Timestamp) -> bool {
        is_lately(self.last_seen, now)
    }

    /// Whether an agent that is not the caller runs it.
    pub(super) fn is_anothers(&self, is_its: &dyn Fn(&str) -> bool) -> bool {
        self.agent.as_deref().is_some_and(|agent| !is_its(agent))
    }

    /// Whether it was not seen for a month.
    pub(super) fn is_forgotten(&self, now: Timestamp) -> bool {
        now.ms_since(Timestamp::from_ms(self.last_seen)) >= FORGOTTEN_MS
    }
}

/// Whether a time is within the half hour in which a session counts as live. A time far in the future came from a wrong
/// clock.
fn is_lately(seen: i64, now: Timestamp) -> bool {
    now.ms().saturating_sub(seen).saturating_abs() < SESSION_LIVE_MS
}

/// The record of a session that is there and cannot be read. Its name stays taken: which agent runs the session, and
/// with which tags, is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableSession {
    /// The session's name, from the file's name.
    pub name: MailboxName,
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be read.
    pub why: String,
}

impl UnreadableSession {
    /// Returns what is wrong as a sentence for people.
    pub fn sentence(&self) -> String {
        format!(
            "the record of the session {} cannot be read: `{}`: {}",
            self.name,
            self.path.display(),
            self.why
        )
    }
}

impl From<UnreadableSession> for StoreError {
    fn from(unreadable: UnreadableSession) -> Self {
        Self::Damaged { file: unreadable.path.display().to_string(), why: unreadable.why }
    }
}

/// Why a session was not noted.
#[derive(Debug)]
pub enum NotTouched<E> {
    /// The check refused it.
    Refused(E),
    /// Its record cannot be read or written, or the register cannot be locked.
    Store(StoreError),
}

impl<E> From<StoreError> for NotTouched<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The file that is locked while a name is registered, beside the records.
const LOCK: &str = ".lock";
/// How long registering a name waits for another process that registers one.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// The folder of the register, below the home.
const FOLDER: &str = "local/sessions-register";

/// The mail roots that sessions are on record for. The mail root of a folder of the register never changes, so a caller
/// that asks again passes in the roots that it found before.
pub fn roots_on_record(disk: &dyn Disk, home: &Path, known: &mut BTreeMap<OsString, PathBuf>) {
    let dir = home.join(FOLDER);
    for entry in disk.list(&dir).unwrap_or_default() {
        if known.contains_key(&entry.name) {
            continue;
        }
        let files = disk.list(&dir.join(&entry.name)).unwrap_or_default().into_iter();
        let mut records =
            files.filter_map(|file| read(disk, &dir.join(&entry.name).join(file.name)).ok().flatten());
        if let Some(root) =
            records.find_map(|record| (*key(&record.root) == *entry.name).then_some(record.root))
        {
            known.insert(entry.name, root);
        }
    }
}

/// Every session of an agent, at whatever mail root, the last seen first.
pub fn sessions_of(
    disk: &dyn Disk,
    home: &Path,
    is_its: &dyn Fn(&str) -> bool,
    now: Timestamp,
) -> Vec<SessionRecord> {
    let dir = home.join(FOLDER);
    let mut records: Vec<SessionRecord> = files_of(disk, &dir)
        .filter_map(|path| {
            let record = read(disk, &path).ok().flatten();
            record.filter(|record| path.parent() == Some(&dir.join(key(&record.root))))
        })
        .filter(|record| {
            record.agent.as_deref().is_some_and(is_its) && MailboxName::parse(&record.name).is_ok()
        })
        .filter(|record| !record.is_forgotten(now))
        .collect();
    records.sort_by(|a, b| (b.last_seen, &a.name).cmp(&(a.last_seen, &b.name)));
    records
}

/// The records of this home that cannot be read, at whatever mail root.
pub fn unreadable_sessions(disk: &dyn Disk, home: &Path) -> Vec<UnreadableSession> {
    files_of(disk, &home.join(FOLDER))
        .filter_map(|path| {
            let name = MailboxName::parse(path.file_name()?.to_str()?.strip_suffix(".json")?).ok()?;
            let why = read(disk, &path).err()?;
            Some(UnreadableSession { name, path, why })
        })
        .collect()
}

/// The files in the folders of the register, at whatever mail root.
fn files_of(disk: &dyn Disk, register: &Path) -> impl Iterator<Item = PathBuf> {
    let files_in = move |dir: PathBuf| {
        disk.list(&dir).unwrap_or_default().into_iter().map(move |entry| dir.join(entry.name))
    };
    files_in(register.to_owned()).flat_map(files_in)
}

/// The number and birth of the folder around a mail root, where the file system has them. Notes about a mail root do
/// not apply to another folder that was made at its path.
pub fn folder_stamp(disk: &dyn Disk, mail_root: &Path) -> Option<String> {
    folder_stamp_of(disk, mail_root.parent()?)
}

/// The number and birth of a folder, where the file system tells them.
pub fn folder_stamp_of(disk: &dyn Disk, folder: &Path) -> Option<String> {
    let identity = disk.stat(folder).ok()?.identity?;
    Some(format!("{}-{}", identity.inode, identity.born_ns))
}

fn key(root: &Path) -> String {
    hash::sha256_hex(root.as_os_str().as_encoded_bytes(), 16)
}

/// Whether these bytes are the record of a session.
pub(crate) fn is_session_record(bytes: &[u8]) -> bool {
    serde_json::from_slice::<SessionRecord>(bytes).is_ok()
}

/// The record in a file; `None` where there is no file, and why where it cannot be read.
fn read(disk: &dyn Disk, path: &Path) -> Result<Option<SessionRecord>, String> {
    let bytes = match disk.read(path, RECORD_LEN_MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
        Err(error) => return Err(error.fault().to_string()),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|_| "it is not the record of a session".to_owned())
}

/// The sessions of one mail root.
pub struct SessionRecords {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) ids: Arc<dyn Ids>,
    dir: PathBuf,
    root: PathBuf,
    folder: Option<String>,
    is_void: fn(&SessionRecord) -> bool,
    /// The connection of the caller.
    connection: Option<String>,
}

impl SessionRecords {
    /// The sessions of a mail root, below a home.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, home: &Path, mail_root: &Path) -> Self {
        let folder = folder_stamp(&*disk, mail_root);
        let (dir, root) = (home.join(FOLDER).join(key(mail_root)), mail_root.to_owned());
        Self { disk, ids, dir, root, folder, is_void: |_| false, connection: None }
    }

    /// The same, for a caller with a connection: a session that it registers ends with that connection, unless another
    /// connection runs it too.
    #[must_use]
    pub fn over_connection(self, connection: Option<String>) -> Self {
        Self { connection, ..self }
    }

    /// The same without the records that `is_void` accepts: each of them counts as missing, and another agent may write
    /// its own in its place.
    pub fn without(self, is_void: fn(&SessionRecord) -> bool) -> Self {
        Self { is_void, ..self }
    }

    /// The records that count as missing.
    pub fn void(&self, now: Timestamp) -> Vec<(PathBuf, SessionRecord)> {
        let names = self.file_names().into_iter().filter_map(|name| MailboxName::parse(&name).ok());
        let mut void: Vec<(PathBuf, SessionRecord)> = names
            .filter_map(|name| {
                let record = read(&*self.disk, &self.path(&name)).ok()??;
                let is_here = record.name == name.as_str() && record.root == self.root;
                let counts = is_here && !record.is_forgotten(now) && (self.is_void)(&record);
                counts.then(|| (self.path(&name), record))
            })
            .collect();
        void.sort_by(|a, b| a.0.cmp(&b.0));
        void
    }

    /// Refuses if the register cannot be listed, so that no caller takes that for an empty one.
    pub fn check_listed(&self) -> Result<(), StoreError> {
        match self.disk.list(&self.dir) {
            Ok(_) => Ok(()),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(()),
            Err(error) => Err(StoreError::disk("cannot list the sessions")(error)),
        }
    }

    /// Every session that is on record, by name; those in [`SessionRecords::unreadable`] are left out.
    pub fn all(&self, now: Timestamp) -> Vec<SessionRecord> {
        let entries = self.disk.list(&self.dir).unwrap_or_default();
        let files = entries.into_iter().filter(|entry| entry.kind == FileKind::File);
        let mut records: Vec<SessionRecord> = files
            .filter_map(|entry| self.read(&self.dir.join(entry.name)))
            .filter(|record| record.root == self.root && MailboxName::parse(&record.name).is_ok())
            .filter(|record| !record.is_forgotten(now))
            .collect();
        records.sort_by(|a, b| a.name.cmp(&b.name));
        records
    }

    /// The sessions of an agent, under any of its ids, the last seen first.
    pub fn of_agent(&self, is_its: &dyn Fn(&str) -> bool, now: Timestamp) -> Vec<SessionRecord> {
        let mut records = self.all(now);
        records.retain(|record| record.agent.as_deref().is_some_and(is_its));
        records.sort_by(|a, b| (b.last_seen, &a.name).cmp(&(a.last_seen, &b.name)));
        records
    }

    /// The sessions whose records cannot be read, by name.
    pub fn unreadable(&self) -> Vec<UnreadableSession> {
        let names = self.file_names().into_iter().filter_map(|name| MailboxName::parse(&name).ok());
        let mut unreadable: Vec<UnreadableSession> =
            names.filter_map(|name| self.unreadable_record(&name)).collect();
        unreadable.sort_by(|a, b| a.name.cmp(&b.name));
        unreadable
    }

    /// The record of a session, where it is there and cannot be read.
    pub fn unreadable_record(&self, name: &MailboxName) -> Option<UnreadableSession> {
        self.look(name).err()
    }

    /// One session; `None` if it is not on record.
    pub fn look(&self, name: &MailboxName) -> Result<Option<SessionRecord>, UnreadableSession> {
        let path = self.path(name);
        match read(&*self.disk, &path) {
            Ok(record) => Ok(record.filter(|record| {
                self.counts(record) && record.root == self.root && record.name == name.as_str()
            })),
            Err(why) => Err(UnreadableSession { name: name.clone(), path, why }),
        }
    }

    /// One session; `None` if it is not on record, or its record cannot be read.
    pub fn find(&self, name: &MailboxName) -> Option<SessionRecord> {
        self.look(name).ok().flatten()
    }

    /// The names of all sessions and tags.
    pub fn names(&self, now: Timestamp) -> BTreeSet<MailboxName> {
        let records = self.all(now);
        let names = records.iter().flat_map(|record| record.tags.iter().chain([&record.name]));
        names.filter_map(|name| MailboxName::parse(name).ok()).collect()
    }

    /// Notes that a session is here, unless `check` refuses it; its tags are joined with those it had. A record that
    /// cannot be read stays as it is: a new one would be without its tags, and perhaps another agent's.
    ///
    /// The check runs after the record was looked at, and once more under the register's lock before anything is
    /// written: of several agents that come at once under one name, only the first gets it.
    pub fn touch<E>(
        &self,
        name: &MailboxName,
        tags: &[MailboxName],
        agent: Option<&str>,
        check: &dyn Fn() -> Result<(), E>,
        now: Timestamp,
    ) -> Result<SessionRecord, NotTouched<E>> {
        let before = self.look(name).map_err(StoreError::from)?;
        check().map_err(NotTouched::Refused)?;
        let (record, is_news) = self.touched(name, tags, agent, before, now);
        if !is_news {
            return Ok(record);
        }
        let _guard = self.lock()?;
        check().map_err(NotTouched::Refused)?;
        let before = self.look(name).map_err(StoreError::from)?;
        let (record, _) = self.touched(name, tags, agent, before, now);
        self.write(name, &record)?;
        Ok(record)
    }

    /// Returns the record of a session that is here now, and whether it must be written.
    fn touched(
        &self,
        name: &MailboxName,
        tags: &[MailboxName],
        agent: Option<&str>,
        before: Option<SessionRecord>,
        now: Timestamp,
    ) -> (SessionRecord, bool) {
        let mut record = before.clone().unwrap_or_else(|| SessionRecord {
            name: name.to_string(),
            id: None,
            tags: Vec::new(),
            root: self.root.clone(),
            folder: None,
            agent: None,
            first_seen: now.ms(),
            last_seen: now.ms(),
            connections: BTreeMap::new(),
            left: None,
        });
        let connections = before.as_ref().filter(|before| before.is_live(now));
        record.connections = self.connected(connections, now);
        record.left = None;
        record.folder = self.folder.clone().or(record.folder);
        for tag in tags {
            if !record.tags.iter().any(|known| known == tag.as_str()) {
                record.tags.push(tag.to_string());
            }
        }
        // The tags that a session gives now come before its earlier ones.
        let said = |tag: &String| tags.iter().any(|said| said.as_str() == tag);
        while record.tags.len() > SESSION_TAGS_MAX {
            let Some(oldest) = record.tags.iter().position(|tag| !said(tag)) else { break };
            record.tags.remove(oldest);
        }
        // A call for another agent under the name of a live session does not give the session to that agent.
        let is_live = before.as_ref().is_some_and(|before| before.is_live(now));
        record.agent = match record.agent {
            Some(runs_it) if is_live => Some(runs_it),
            before => agent.map(str::to_owned).or(before),
        };
        record.id = Some(self.id_of(before.as_ref(), record.agent.as_deref(), now));
        let age_ms = now.ms().saturating_sub(record.last_seen).saturating_abs();
        if before.as_ref() == Some(&record) && age_ms < TOUCH_MS {
            return (record, false);
        }
        record.last_seen = if record.is_live(now) { now.ms().max(record.last_seen) } else { now.ms() };
        (record, true)
    }

    /// Returns the id of a session: the one on record as long as the same agent runs it, else a new one.
    fn id_of(&self, before: Option<&SessionRecord>, agent: Option<&str>, now: Timestamp) -> Uuid {
        let same = before.filter(|before| before.agent.is_none() || before.agent.as_deref() == agent);
        same.and_then(|before| before.id).unwrap_or_else(|| self.ids.uuid_v7(now))
    }

    /// Returns the connections of a session with the caller's among them. Those that were not seen for half an hour are
    /// left out: their processes ended without saying so.
    fn connected(&self, before: Option<&SessionRecord>, now: Timestamp) -> BTreeMap<String, i64> {
        let mut connections = before.map(|before| before.connections.clone()).unwrap_or_default();
        connections.retain(|_, seen| is_lately(*seen, now));
        if let Some(own) = &self.connection {
            let seen = connections.entry(own.clone()).or_insert(now.ms());
            if now.ms().saturating_sub(*seen).saturating_abs() >= TOUCH_MS {
                *seen = now.ms();
            }
        }
        while connections.len() > CONNECTIONS_MAX {
            let oldest = connections.iter().min_by_key(|(_, seen)| **seen).map(|(id, _)| id.clone());
            oldest.map(|id| connections.remove(&id));
        }
        connections
    }

    fn lock(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        durable::make_dirs(&*self.disk, &self.dir)?;
        let lock = self.disk.lock(&self.dir.join(LOCK), LOCK_WAIT);
        lock.map_err(StoreError::disk("cannot lock the register of sessions"))
    }

    /// Registers a session with exactly these tags, unless `check` refuses it. The check runs under the register's
    /// lock.
    pub fn register<E: From<StoreError>>(
        &self,
        name: &MailboxName,
        tags: &[MailboxName],
        agent: Option<&str>,
        check: &dyn Fn() -> Result<(), E>,
        now: Timestamp,
    ) -> Result<SessionRecord, E> {
        // Of two processes that register one name, the second sees the record of the first.
        let _guard = self.lock()?;
        check()?;
        let before = self.find(name);
        let first_seen = before.as_ref().map_or(now.ms(), |record| record.first_seen);
        // A live session keeps its agent and its connections.
        let live = before.as_ref().filter(|record| record.is_live(now));
        let connections = self.connected(live, now);
        let runs_it = live.and_then(|record| record.agent.clone()).or_else(|| agent.map(str::to_owned));
        let record = SessionRecord {
            name: name.to_string(),
            id: Some(self.id_of(before.as_ref(), runs_it.as_deref(), now)),
            tags: tags.iter().map(ToString::to_string).collect(),
            root: self.root.clone(),
            folder: self.folder.clone(),
            agent: runs_it,
            first_seen,
            last_seen: now.ms(),
            connections,
            left: None,
        };
        self.write(name, &record)?;
        Ok(record)
    }

    /// The live session of another agent that has this name.
    pub fn live_of_another(
        &self,
        name: &MailboxName,
        is_its: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Option<SessionRecord> {
        self.find(name).filter(|record| record.is_live(now) && record.is_anothers(is_its))
    }

    /// Notes that the caller's connection to an agent's session has ended. With its last connection the session has
    /// ended: it is on record, and no longer live. A call under its name makes it live again. If another agent's
    /// session has the name by now, it stays as it is.
    pub fn leave(
        &self,
        name: &MailboxName,
        is_its: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let is_its_own =
            |record: &SessionRecord| record.left.is_none() && record.agent.as_deref().is_none_or(is_its);
        if self.find(name).is_none_or(|record| !is_its_own(&record)) {
            return Ok(());
        }
        let _guard = self.lock()?;
        let Some(mut record) = self.find(name).filter(is_its_own) else { return Ok(()) };
        let own = self.connection.as_deref();
        record.connections.retain(|id, seen| Some(id.as_str()) != own && is_lately(*seen, now));
        match record.connections.values().copied().max() {
            // The remaining connections say when it was last seen.
            Some(last_seen) => record.last_seen = last_seen,
            None => record.left = Some(now.ms()),
        }
        self.write(name, &record)
    }

    /// Drops the sessions that were not seen for a month; returns how many.
    pub fn forget_old(&self, now: Timestamp) -> usize {
        let entries = self.disk.list(&self.dir).unwrap_or_default();
        let paths = entries.into_iter().map(|entry| self.dir.join(entry.name));
        let is_old = |path: &PathBuf| {
            read(&*self.disk, path).is_ok_and(|record| record.is_some_and(|record| record.is_forgotten(now)))
        };
        paths.filter(is_old).filter(|path| self.disk.unlink(path).is_ok()).count()
    }

    fn write(&self, name: &MailboxName, record: &SessionRecord) -> Result<(), StoreError> {
        let text = serde_json::to_string(record).expect("a record is plain data");
        let path = self.path(name);
        let written = durable::replace(&*self.disk, &*self.ids, &path, text.as_bytes());
        let written = match written {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(&*self.disk, &self.dir)?;
                durable::replace(&*self.disk, &*self.ids, &path, text.as_bytes())
            }
            written => written,
        };
        written.map_err(StoreError::disk("cannot register the session"))?;
        self.mark(record);
        Ok(())
    }

    /// Marks which boxes a session reads.
    pub(super) fn mark(&self, record: &SessionRecord) {
        reader_marks::mark(&*self.disk, &self.dir, &record.name, &record.boxes());
    }

    /// The folder of the records.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The names of the sessions that have a file, whatever its content.
    pub(super) fn file_names(&self) -> Vec<String> {
        let entries = self.disk.list(&self.dir).unwrap_or_default().into_iter();
        let names = entries.filter_map(|entry| entry.name.into_string().ok());
        names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect()
    }

    /// The mail root they belong to.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a record, unless it does not count here.
    pub(super) fn read(&self, path: &Path) -> Option<SessionRecord> {
        self.read_checked(path).ok().flatten()
    }

    /// As [`read`](Self::read), with the reason if it cannot be read.
    pub(super) fn read_checked(&self, path: &Path) -> Result<Option<SessionRecord>, String> {
        Ok(read(&*self.disk, path)?.filter(|record| self.counts(record)))
    }

    /// Whether a record counts: it was made for the folder that is here now, as far as is known, and is not void.
    fn counts(&self, record: &SessionRecord) -> bool {
        let is_of_this_folder =
            record.folder.is_none() || self.folder.is_none() || record.folder == self.folder;
        is_of_this_folder && !(self.is_void)(record)
    }

    fn path(&self, name: &MailboxName) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }
}

impl SessionRecord {
    /// The boxes it reads besides its own: those of its tags, and its agent's.
    pub(super) fn boxes(&self) -> Vec<MailboxName> {
        let tags = self.tags.iter().filter_map(|tag| MailboxName::parse(tag).ok());
        tags.chain(self.agent_box()).filter(|name| name.as_str() != self.name).collect()
    }

    pub(super) fn reads(&self, name: &MailboxName) -> bool {
        self.boxes().contains(name)
    }

    pub(super) fn agent_box(&self) -> Option<MailboxName> {
        let agent = AgentId::parse(self.agent.as_deref()?).ok()?;
        Some(MailboxName::of_agent(&agent))
    }
}
