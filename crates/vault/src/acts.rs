//! `acts.jsonl`: what was done to a store, by which agent and why. Ground state, only appended to.

pub mod codec;
mod committed;

pub use crate::layout::ACTS;
pub use committed::prose;

use crate::StoreError;
use crate::durable;
use crate::real_folder::real_folder;
use brainstem_base::disk::FileStamp;
use brainstem_base::{Disk, DiskFault, Ids};
use brainstem_claims::act::{Act, ActId, DeedKind};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The largest log this program loads.
pub const LOG_LEN_MAX: u64 = 256 * 1024 * 1024;
/// How far back an act is looked for before it is appended: a run that repeats a killed one finds it there. An act that
/// is repeated later is in the log twice, and readers count it once.
const RECENT_LEN: u64 = 1024 * 1024;
/// How much longer a line may get when its subject becomes a hash: two slugs, as in a rename.
const REDACTION_LEN_MAX: usize = 64;
/// How long to wait for another process that appends.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// The log of one store.
#[derive(Clone)]
pub struct ActsLog {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn Ids>,
    path: PathBuf,
    lock: PathBuf,
    /// Of a log in a repository: the log under the home, which has every act that was recorded here, whatever git does
    /// to the one in the repository.
    kept: Option<PathBuf>,
    /// Folders that must be real directories before anything is read or written.
    folders: Vec<PathBuf>,
    /// Of a log that can be committed: the root of its project. No path of this machine gets into it.
    committed_in: Option<PathBuf>,
}

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActsRead {
    /// The acts, oldest first, each once.
    pub acts: Vec<Act>,
    /// How many lines are not acts: torn by a crash, or written by another program.
    pub damaged_lines: usize,
}

impl ActsLog {
    /// The log at `path`, guarded by the lock file `lock`.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, path: PathBuf, lock: PathBuf) -> Self {
        Self { disk, ids, path, lock, kept: None, folders: Vec::new(), committed_in: None }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same log, with a copy of every recorded act at `kept` under the home.
    pub(crate) fn kept_at(self, kept: Option<PathBuf>) -> Self {
        Self { kept, ..self }
    }

    /// The same log, which refuses when one of these folders is a link.
    pub(crate) fn in_folders(self, folders: Vec<PathBuf>) -> Self {
        Self { folders, ..self }
    }

    /// The same log, which can be committed in the project of this root.
    pub(crate) fn committed_in(self, root: Option<PathBuf>) -> Self {
        Self { committed_in: root, ..self }
    }

    /// A log of the same store elsewhere, guarded by the same lock.
    pub(crate) fn at(self, path: PathBuf) -> Self {
        Self { path, kept: None, committed_in: None, ..self }
    }

    /// The log under the home, of a log in a repository.
    fn kept(&self) -> Option<Self> {
        self.kept.clone().map(|kept| self.clone().at(kept))
    }

    fn check_real_folders(&self) -> Result<(), StoreError> {
        self.folders.iter().try_for_each(|dir| real_folder(&*self.disk, dir))
    }

    /// Reserves room on the disk for acts that are recorded after a change, so that a full disk refuses before the
    /// change and not after it. Drop it just before recording.
    pub fn reserve(&self, len: usize) -> Result<ReservedRoom, StoreError> {
        self.check_real_folders()?;
        let mut room = self.room(len)?;
        if let Some(kept) = self.kept() {
            durable::make_dirs(&*self.disk, kept.dir())?;
            room.temps.append(&mut kept.room(len)?.temps);
            kept.check_appendable()?;
        }
        self.check_appendable()?;
        Ok(room)
    }

    /// The folder may permit a write that the file itself does not.
    fn check_appendable(&self) -> Result<(), StoreError> {
        if self.disk.stat(&self.path).is_ok() {
            self.disk.append(&self.path, b"").map_err(StoreError::disk("cannot record the act"))?;
        }
        Ok(())
    }

    /// Reserves room for the log to be written anew.
    pub(crate) fn reserve_rewrite(&self) -> Result<ReservedRoom, StoreError> {
        self.check_real_folders()?;
        let bytes = self.bytes()?;
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        self.room(bytes.len() + lines * REDACTION_LEN_MAX)
    }

    fn room(&self, len: usize) -> Result<ReservedRoom, StoreError> {
        ReservedRoom::in_folder(&self.disk, &*self.ids, self.dir(), len)
    }

    /// Appends an act durably, unless it is among the last acts of the log. Readers count an act once, however often it
    /// is there.
    pub fn record(&self, act: &Act) -> Result<(), StoreError> {
        self.record_all(std::slice::from_ref(act))
    }

    /// Appends those acts durably that are not among the last acts of the log, in this order. The cost of an append
    /// does not grow with the log.
    pub fn record_all(&self, acts: &[Act]) -> Result<(), StoreError> {
        self.record_new(acts).map(drop)
    }

    /// Records acts, then makes the change that they are about. If the change fails, the acts are taken back: what was
    /// refused is not on record as done. If the change fails and is left in place, the acts stay. If the acts cannot be
    /// taken back, the error says that the change is left in place.
    pub(crate) fn record_for<T, E: ChangeError>(
        &self,
        acts: &[Act],
        change: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let recorded = self.record_new(acts)?;
        change().map_err(|error| {
            if error.is_left_in_place() {
                return error;
            }
            match self.take_back(&recorded) {
                Ok(()) => error,
                Err(left) => left.into(),
            }
        })
    }

    /// The acts that were recorded here and that the log in the repository does not have: git took them away.
    pub fn taken_away(&self) -> Result<Vec<Act>, StoreError> {
        self.check_real_folders()?;
        let Some(kept) = self.kept() else { return Ok(Vec::new()) };
        let known = ids_in(&self.bytes()?);
        Ok(parse(&kept.bytes()?).acts.into_iter().filter(|act| !known.contains(act.id())).collect())
    }

    /// Appends the acts that git took away to the log in the repository again, and returns their number.
    pub fn bring_back(&self) -> Result<usize, StoreError> {
        let acts = self.taken_away()?;
        if !acts.is_empty() {
            self.append_new(&acts)?;
        }
        Ok(acts.len())
    }

    /// Takes the paths of this machine out of the lines of a log that can be committed: of lines that were written
    /// before it could be committed, or by an older program. The log under the home keeps each act as it was recorded.
    pub fn keep_paths_out(&self) -> Result<(), StoreError> {
        let Some(root) = &self.committed_in else { return Ok(()) };
        self.rewrite(|line| match line {
            LogLine::Act(act) => match committed::without_paths(act, root) {
                Some(fitting) => Rewritten::To(Box::new(fitting)),
                None => Rewritten::AsIs,
            },
            LogLine::Damaged(_) => Rewritten::AsIs,
        })
    }

    /// Takes back acts that were recorded a moment ago for a change that failed. After an error that is left in place a
    /// log still has them; after any other error the disk did not confirm that they are gone.
    fn take_back(&self, recorded: &RecordedActs) -> Result<(), StoreError> {
        let kept = self.kept().map_or(Ok(()), |kept| kept.remove(&recorded.in_kept));
        self.remove(&recorded.in_log).and(kept)
    }

    /// The same for what was appended to this one log.
    fn remove(&self, appended: &Appended) -> Result<(), StoreError> {
        if appended.ids.is_empty() {
            return Ok(());
        }
        let locked = durable::lock(&*self.disk, &self.lock, LOCK_WAIT);
        let _guard = locked
            .map_err(StoreError::disk("cannot lock the acts log"))
            .map_err(StoreError::left_in_place)?;
        self.take_back_locked(appended)
    }

    /// The same with the lock of the log held.
    fn take_back_locked(&self, appended: &Appended) -> Result<(), StoreError> {
        let Appended { ids, lines, len_before } = appended;
        let has_len = match self.disk.stat(&self.path) {
            Ok(stat) => stat.len == *len_before,
            Err(error) => error.fault() == DiskFault::NotFound && *len_before == 0,
        };
        if has_len {
            // Nothing of it reached the log.
            return Ok(());
        }
        let len_after = len_before + lines.len() as u64;
        // Git may have put another log in its place.
        let is_it = self.disk.read_end(&self.path, lines.len() as u64).map_or(true, |end| end == *lines);
        match is_it && self.disk.cut_back(&self.path, len_after, *len_before).unwrap_or(false) {
            // An append of nothing makes the new length durable.
            true => match self.disk.append(&self.path, b"") {
                Err(error) if error.is_unconfirmed() => Err(StoreError::unconfirmed(error)),
                Ok(()) | Err(_) => Ok(()),
            },
            false => self.rewrite_locked(|line| without(ids, line)).map_err(|error| match error {
                unconfirmed @ StoreError::Unconfirmed { .. } => unconfirmed,
                other => other.left_in_place(),
            }),
        }
    }

    /// As [`record_all`](Self::record_all); returns the acts that were not on record before.
    fn record_new(&self, acts: &[Act]) -> Result<RecordedActs, StoreError> {
        if acts.is_empty() {
            return Ok(RecordedActs::default());
        }
        self.check_real_folders()?;
        let Some(kept) = self.kept() else {
            return Ok(RecordedActs { in_log: self.append_new(acts)?, in_kept: Appended::default() });
        };
        durable::make_dirs(&*self.disk, kept.dir())?;
        // A full disk refuses before either log has the acts.
        let lines = acts.iter().map(|act| codec::line(act).len() + 2);
        let room = kept.room(lines.sum())?;
        let in_log = self.append_new(acts)?;
        drop(room);
        match kept.append_new(acts) {
            Ok(in_kept) => Ok(RecordedActs { in_log, in_kept }),
            // An act that stays in the log of the repository counts.
            Err(error) => Err(self.remove(&in_log).err().unwrap_or(error)),
        }
    }

    /// Appends those acts that are not among the last acts of this one log, and returns what it appended.
    fn append_new(&self, acts: &[Act]) -> Result<Appended, StoreError> {
        let fault = || StoreError::disk("cannot record the act");
        let _guard = durable::lock(&*self.disk, &self.lock, LOCK_WAIT)
            .map_err(StoreError::disk("cannot lock the acts log"))?;
        let bytes = match self.disk.read_end(&self.path, RECENT_LEN) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot read the acts log")(error)),
        };
        let fitting: Vec<Act>;
        let acts = match &self.committed_in {
            Some(root) => {
                let fit = |act: &Act| committed::without_paths(act, root).unwrap_or_else(|| act.clone());
                fitting = acts.iter().map(fit).collect();
                fitting.as_slice()
            }
            None => acts,
        };
        let new = missing(&bytes, acts);
        if new.is_empty() {
            // Perhaps by a run that was killed before it was durable.
            self.disk.append(&self.path, b"").map_err(fault())?;
            return self.disk.sync_dir(self.dir()).map_err(fault()).map(|()| Appended::default());
        }
        let ids: Vec<ActId> = new.iter().map(|act| act.id().clone()).collect();
        let mut lines = Vec::new();
        // A line that a crash tore stays a line of its own; the new act is never joined to it.
        if bytes.last().is_some_and(|last| *last != b'\n') {
            lines.push(b'\n');
        }
        for act in new {
            lines.extend_from_slice(codec::line(act).as_bytes());
            lines.push(b'\n');
        }
        // An append to a full disk leaves a part of the line; a new file is whole or missing.
        drop(self.room(lines.len())?);
        let len_before = match bytes.len() as u64 {
            RECENT_LEN => self.disk.stat(&self.path).map_err(fault())?.len,
            whole => whole,
        };
        let appended = self.disk.append(&self.path, &lines).and_then(|()| self.disk.sync_dir(self.dir()));
        let added = Appended { ids, lines, len_before };
        // The caller gets the error, so no line of it may stay.
        match appended.map_err(fault()) {
            Ok(()) => Ok(added),
            Err(error) => Err(self.take_back_locked(&added).err().unwrap_or(error)),
        }
    }

    /// Writes the log anew, whole or not at all, with each line as `change` returns it. Three callers do this:
    /// forgetting, a change that failed after its act was recorded, and a log that begins to be committed. Every other
    /// change appends.
    pub(crate) fn rewrite(&self, change: impl Fn(LogLine<'_>) -> Rewritten<'_>) -> Result<(), StoreError> {
        self.check_real_folders()?;
        let _guard = durable::lock(&*self.disk, &self.lock, LOCK_WAIT)
            .map_err(StoreError::disk("cannot lock the acts log"))?;
        self.rewrite_locked(change)
    }

    /// The same with the lock of the log held.
    fn rewrite_locked(&self, change: impl Fn(LogLine<'_>) -> Rewritten<'_>) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot rewrite the acts log");
        let bytes = self.bytes()?;
        let mut lines = Vec::with_capacity(bytes.len());
        for raw in bytes.split_inclusive(|b| *b == b'\n') {
            let text = raw.strip_suffix(b"\n").unwrap_or(raw);
            let act = codec::read(text);
            match change(act.as_ref().map_or(LogLine::Damaged(text), LogLine::Act)) {
                Rewritten::AsIs => lines.extend_from_slice(raw),
                Rewritten::Gone => {}
                Rewritten::To(act) => {
                    lines.extend_from_slice(codec::line(&act).as_bytes());
                    lines.push(b'\n');
                }
                Rewritten::Upon(act, subject) => {
                    lines.extend_from_slice(codec::redacted(act, &subject).as_bytes());
                    lines.push(b'\n');
                }
            }
        }
        if lines == bytes {
            // A killed run may have rewritten it before the change was durable.
            return match self.disk.sync_dir(self.dir()) {
                Err(error) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        durable::replace(&*self.disk, &*self.ids, &self.path, &lines).map_err(fault())
    }

    /// Whether an act is in the log.
    pub fn has(&self, id: &ActId) -> Result<bool, StoreError> {
        self.check_real_folders()?;
        let kept = self.kept().map_or_else(|| Ok(Vec::new()), |kept| kept.bytes())?;
        Ok(holds(&self.bytes()?, id) || holds(&kept, id))
    }

    /// Changes whenever the log changes; `None` if there is no log or it cannot be looked at.
    pub fn stamp(&self) -> Option<FileStamp> {
        self.disk.stamp(&self.path).ok()
    }

    /// The acts in the last bytes of the log, from whole lines only; empty if it cannot be read.
    pub fn last(&self, len: u64) -> Vec<Act> {
        let read = self
            .check_real_folders()
            .ok()
            .and_then(|()| self.disk.read_end(&self.path, len.min(RECENT_LEN)).ok());
        let bytes = read.unwrap_or_default();
        let lines = bytes.split(|b| *b == b'\n');
        lines.filter_map(codec::read).collect()
    }

    /// The acts of these kinds, each once. Lines that name none of these kinds are not parsed.
    pub fn of_kinds(&self, kinds: &[DeedKind]) -> Result<Vec<Act>, StoreError> {
        self.check_real_folders()?;
        let quoted: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", kind.as_str())).collect();
        let of_kinds_in = |bytes: &[u8]| {
            let mut known = HashSet::new();
            let lines = bytes.split(|b| *b == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
            let likely = lines.filter(|line| quoted.iter().any(|name| line.contains(name.as_str())));
            let acts = likely.filter_map(|line| codec::read(line.as_bytes()));
            let acts = acts.filter(|act| act.kind().is_some_and(|kind| kinds.contains(&kind)));
            acts.filter(|act| known.insert(act.id().clone())).collect::<Vec<Act>>()
        };
        let kept = self.kept().map(|kept| kept.bytes()).transpose()?;
        Ok(together(of_kinds_in(&self.bytes()?), kept.map(|kept| of_kinds_in(&kept))))
    }

    /// Everything in the log, and the acts that were recorded here and that git took away. Only the log itself counts
    /// for `damaged_lines`.
    pub fn read(&self) -> Result<ActsRead, StoreError> {
        self.check_real_folders()?;
        let ActsRead { acts, damaged_lines } = parse(&self.bytes()?);
        let kept = self.kept().map(|kept| kept.bytes()).transpose()?;
        Ok(ActsRead { acts: together(acts, kept.map(|kept| parse(&kept).acts)), damaged_lines })
    }

    /// The acts of one kind in this one log; other lines are passed over unparsed.
    pub(crate) fn read_only(&self, kind: DeedKind) -> Result<Vec<Act>, StoreError> {
        self.check_real_folders()?;
        let bytes = self.bytes()?;
        let name = kind.as_str().as_bytes();
        let is_candidate = |line: &&[u8]| line.windows(name.len()).any(|word| word == name);
        let lines = bytes.split(|b| *b == b'\n').filter(is_candidate);
        Ok(lines.filter_map(codec::read).filter(|act| act.kind() == Some(kind)).collect())
    }

    fn dir(&self) -> &Path {
        self.path.parent().expect("a log lies in a folder")
    }

    fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        match self.disk.read(&self.path, LOG_LEN_MAX) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read the acts log")(error)),
        }
    }

    /// Makes the folders the log needs.
    pub fn prepare(&self) -> Result<(), StoreError> {
        let folder = |path: &Path| path.parent().expect("a log lies in a folder").to_owned();
        let log = folder(&self.path);
        match log.parent().filter(|_| self.kept.is_some()) {
            // In a repository, which another process may move away meanwhile.
            Some(root) => durable::make_dirs_below(&*self.disk, root, &log)?,
            None => durable::make_dirs(&*self.disk, &log)?,
        }
        for path in [&self.lock].into_iter().chain(&self.kept) {
            durable::make_dirs(&*self.disk, &folder(path))?;
        }
        Ok(())
    }
}

/// The error of a change that acts were recorded for.
pub(crate) trait ChangeError: From<StoreError> {
    /// Whether a part of the change is in place ([`StoreError::is_left_in_place`]).
    fn is_left_in_place(&self) -> bool;
}

impl ChangeError for StoreError {
    fn is_left_in_place(&self) -> bool {
        StoreError::is_left_in_place(self)
    }
}

/// Acts that were recorded, by the log they were appended to.
#[derive(Default)]
struct RecordedActs {
    in_log: Appended,
    in_kept: Appended,
}

/// Acts that were added to a log.
#[derive(Default)]
struct Appended {
    /// Their ids.
    ids: Vec<ActId>,
    /// What was appended.
    lines: Vec<u8>,
    /// How long the log was before, in bytes.
    len_before: u64,
}

/// The acts of a log in a repository together with those of the log under the home (`None` where there is none). An act
/// in both is as the home recorded it; an act that only the home has is placed by its time.
fn together(mut acts: Vec<Act>, kept: Option<Vec<Act>>) -> Vec<Act> {
    let Some(kept) = kept else { return acts };
    let mut recorded: HashMap<ActId, Act> = kept.iter().map(|act| (act.id().clone(), act.clone())).collect();
    for act in &mut acts {
        match recorded.remove(act.id()) {
            Some(own) => *act = own,
            None => act.set_foreign(),
        }
    }
    for act in kept.into_iter().filter(|act| recorded.contains_key(act.id())) {
        let at = acts.iter().rposition(|known| known.at() <= act.at()).map_or(0, |at| at + 1);
        acts.insert(at, act);
    }
    acts
}

/// A line of the log, for the function that rewrites it.
pub(crate) enum LogLine<'a> {
    /// An act.
    Act(&'a Act),
    /// Something else: a line that a crash tore, or the line of another program.
    Damaged(&'a [u8]),
}

/// What becomes of a line.
pub(crate) enum Rewritten<'a> {
    /// It stays, byte for byte.
    AsIs,
    /// It goes.
    Gone,
    /// It says this instead.
    To(Box<Act>),
    /// Its words are removed: it says only that the same was done, upon this subject.
    Upon(&'a Act, String),
}

/// Room on the disk that stays reserved until this is dropped.
pub struct ReservedRoom {
    disk: Arc<dyn Disk>,
    temps: Vec<PathBuf>,
}

impl ReservedRoom {
    /// Reserves so many bytes in a folder.
    pub(crate) fn in_folder(
        disk: &Arc<dyn Disk>,
        ids: &dyn Ids,
        dir: &Path,
        len: usize,
    ) -> Result<Self, StoreError> {
        let temp = durable::temp_in(dir, ids);
        disk.write_new(&temp, &vec![b'\n'; len]).map_err(StoreError::disk("cannot write into the store"))?;
        Ok(Self { disk: disk.clone(), temps: vec![temp] })
    }
}

impl Drop for ReservedRoom {
    fn drop(&mut self) {
        for temp in &self.temps {
            // A leftover temporary name is harmless, so a failed removal is ignored.
            let _ = self.disk.unlink(temp);
        }
    }
}

/// Removes the acts with these ids from the line of a log.
fn without<'a>(ids: &[ActId], line: LogLine<'a>) -> Rewritten<'a> {
    match line {
        LogLine::Act(act) if ids.contains(act.id()) => Rewritten::Gone,
        LogLine::Act(_) | LogLine::Damaged(_) => Rewritten::AsIs,
    }
}

/// Those of the acts that a log does not have.
fn missing<'a>(bytes: &[u8], acts: &'a [Act]) -> Vec<&'a Act> {
    if let [act] = acts {
        return if holds(bytes, act.id()) { Vec::new() } else { vec![act] };
    }
    let mut known = ids_in(bytes);
    acts.iter().filter(|act| known.insert(act.id().clone())).collect()
}

/// Whether a log has an act. An id is hex and appears in its line unchanged, so most logs are searched without parsing.
fn holds(bytes: &[u8], id: &ActId) -> bool {
    String::from_utf8_lossy(bytes).contains(id.as_str()) && ids_in(bytes).contains(id)
}

fn ids_in(bytes: &[u8]) -> HashSet<ActId> {
    parse(bytes).acts.into_iter().map(|act| act.id().clone()).collect()
}

fn parse(bytes: &[u8]) -> ActsRead {
    let mut read = ActsRead::default();
    let mut known = HashSet::new();
    for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        match codec::read(line) {
            Some(act) if !known.insert(act.id().clone()) => {}
            Some(act) => read.acts.push(act),
            None => read.damaged_lines += 1,
        }
    }
    read
}
