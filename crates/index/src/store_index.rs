//! The index of one store: refreshed before every question, so that the question sees every file as it is.

use crate::document::hash_of;
use crate::parts::IndexParts;
use crate::read::{self, is_claim, key_of};
use crate::snapshot::{RecentSegment, SharedSegment, Snapshot};
use brainstem_base::disk::{Changes, FileKind, FileStamp, FolderEntry, Watch};
use brainstem_base::{DiskError, DiskFault, hash};
use brainstem_recall::document::ClaimForm;
use brainstem_recall::scope::DeletedDocs;
use brainstem_recall::segment::{Builder, Layout};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// The index of one store.
pub struct StoreIndex {
    pub(crate) parts: IndexParts,
    /// The folder of the claims.
    pub(crate) claims: PathBuf,
    /// The file that processes share.
    pub(crate) file: PathBuf,
    /// The space of the vectors and the folder of the claims, hashed: a file of another store or of another model is
    /// not an index of this one, whatever its name.
    pub(crate) space: u64,
    /// Whether changes are watched; without a watch, every refresh looks at all names.
    watched: bool,
    live: Mutex<Option<StoreView>>,
}

/// What this process knows of the store.
pub(crate) struct StoreView {
    watch: Option<Box<dyn Watch>>,
    /// The inode number of the watched folder: another folder may get its path.
    folder: Option<u64>,
    pub(crate) snapshot: Arc<Snapshot>,
    /// When every file was last looked at, in ms.
    looked_ms: i64,
}

/// A store of at most this many files is checked as a whole before nearly every answer.
const SMALL_FILES_MAX: usize = 1_000;
/// How long such a check is valid: the checks of one answer are one.
const SMALL_LOOK_MS: i64 = 20;
/// A larger store is checked as a whole this often for each so many files.
const LARGE_LOOK_MS: i64 = 2_000;
const LARGE_FILES: usize = 10_000;

/// How long a check of every file is valid. A watch reports every change under the names of the store; only writes
/// through another name of a file, or through a mapping, need the check.
fn look_holds_ms(files: usize) -> i64 {
    match files {
        0..=SMALL_FILES_MAX => SMALL_LOOK_MS,
        _ => LARGE_LOOK_MS.saturating_mul(i64::try_from(files.div_ceil(LARGE_FILES)).unwrap_or(i64::MAX)),
    }
}

impl StoreIndex {
    pub(crate) fn new(parts: IndexParts, claims: PathBuf, watched: bool) -> Self {
        let space = hash_of(&format!("{}\n{}", parts.embedder.space(), claims.to_string_lossy()));
        let file = Self::file_of(&parts.folder, &claims);
        Self { parts, claims, file, space, watched, live: Mutex::new(None) }
    }

    /// The file for the store in this folder.
    pub(crate) fn file_of(folder: &Path, claims: &Path) -> PathBuf {
        let name = hash::sha256_hex(claims.to_string_lossy().as_bytes(), 16);
        folder.join(format!("{name}.segment"))
    }

    pub(crate) fn live(&self) -> MutexGuard<'_, Option<StoreView>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same if no thread is reading the store: an idle moment must not wait for a store that hangs.
    pub(crate) fn live_now(&self) -> Option<MutexGuard<'_, Option<StoreView>>> {
        match self.live.try_lock() {
            Ok(live) => Some(live),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The store as it is now: files that changed since the last question are read first.
    pub fn refresh(&self) -> Result<Arc<Snapshot>, DiskError> {
        let mut live = self.live();
        let known = live.take().and_then(|mut known| {
            let intact = known.snapshot.is_intact();
            let here = known.folder == self.folder();
            match known.watch.as_mut().filter(|_| intact && here)?.changes() {
                Changes::Names(names) => Some((known, names)),
                Changes::Unknown => None,
            }
        });
        let now = match known {
            Some((mut known, mut names)) => {
                self.look_over(&mut known, &mut names)?;
                if names.is_empty() { known } else { self.changed(known, names)? }
            }
            None => self.load()?,
        };
        let snapshot = now.snapshot.clone();
        *live = Some(now);
        Ok(snapshot)
    }

    /// Starts from the file that processes share and one look at every name of the folder.
    pub(crate) fn load(&self) -> Result<StoreView, DiskError> {
        // Watched before it is listed, so that no change falls between the two.
        let folder = self.folder();
        let watch = self.watched.then(|| self.parts.disk.watch(&self.claims)).flatten();
        let shared = self.shared();
        let listed = match self.parts.disk.stamps(&self.claims) {
            Ok(listed) => listed,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let snapshot = Arc::new(self.compared(shared, listed));
        Ok(StoreView { watch, folder, snapshot, looked_ms: self.parts.clock.now().ms() })
    }

    /// Adds the names of files that changed since they were read, although no watch reported them.
    fn look_over(&self, known: &mut StoreView, names: &mut Vec<OsString>) -> Result<(), DiskError> {
        let now = self.parts.clock.now().ms();
        let snapshot = &known.snapshot;
        if (0..look_holds_ms(snapshot.files())).contains(&now.saturating_sub(known.looked_ms)) {
            return Ok(());
        }
        known.looked_ms = now;
        let listed = match self.parts.disk.stamps(&self.claims) {
            Ok(listed) => listed,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        for (FolderEntry { name, kind }, file_stamp) in
            listed.into_iter().filter(|(entry, _)| is_claim(&entry.name))
        {
            let read = snapshot.find(&key_of(&name)).map(|(segment, doc)| segment.stamp(doc));
            let is_read = read.is_some_and(|stamp| read::is_same(stamp, file_stamp));
            if kind != FileKind::Dir && !is_read && !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(())
    }

    fn folder(&self) -> Option<u64> {
        self.parts.disk.stamp(&self.claims).ok().map(|file_stamp| file_stamp.inode)
    }

    /// The file that processes share; `None` if it is not a valid index.
    fn shared(&self) -> Option<Arc<SharedSegment>> {
        let file_stamp = self.parts.disk.stamp(&self.file).ok()?;
        let mapped = self.parts.disk.map(&self.file).ok()?;
        let layout = Layout::check(mapped.bytes(), self.space).ok()?;
        Some(Arc::new(SharedSegment { mapped, layout, file_stamp }))
    }

    fn compared(
        &self,
        shared: Option<Arc<SharedSegment>>,
        listed: Vec<(FolderEntry, FileStamp)>,
    ) -> Snapshot {
        let mut folders = BTreeSet::new();
        let mut files = 0;
        let mut dirty: Vec<(OsString, FileStamp)> = Vec::new();
        let segment = shared.as_ref().map(|shared| shared.segment());
        let mut seen = vec![false; segment.map_or(0, |segment| segment.len() as usize)];
        for (FolderEntry { name, kind }, file_stamp) in
            listed.into_iter().filter(|(entry, _)| is_claim(&entry.name))
        {
            if kind == FileKind::Dir {
                folders.insert(name.to_string_lossy().into_owned());
                continue;
            }
            files += 1;
            let key = key_of(&name);
            let known = segment.and_then(|segment| Some((segment, segment.find(&key)?)));
            match known {
                Some((segment, doc)) if read::is_same(segment.stamp(doc), file_stamp) => {
                    seen[doc as usize] = true;
                    let other = doc as usize + 1;
                    if segment.form(doc) == ClaimForm::Ours && other < seen.len() {
                        seen[other] = true;
                    }
                }
                _ => dirty.push((name, file_stamp)),
            }
        }
        let mut deleted = DeletedDocs::default();
        if let Some(segment) = &segment {
            let gone = seen.iter().enumerate().filter(|(_, seen)| !**seen);
            gone.for_each(|(doc, _)| deleted.delete(segment, doc as u32));
        }
        let rebuilt = shared.is_none() && files > 0;
        // A deleted document still lends its vector if the text is the same.
        let before = Snapshot::new(shared.clone(), DeletedDocs::default(), None, 0, BTreeSet::new(), false);
        let mut builder = Builder::new(self.space);
        for (name, file_stamp) in dirty {
            let found = read::add(&self.parts, &self.claims, &name, file_stamp, &before, &mut builder);
            files -= usize::from(!found);
        }
        Snapshot::new(shared, deleted, RecentSegment::of(builder, self.space), files, folders, rebuilt)
    }

    /// Reads the files whose names a watch reported.
    fn changed(&self, known: StoreView, names: Vec<OsString>) -> Result<StoreView, DiskError> {
        let names: Vec<OsString> = names.into_iter().filter(|name| is_claim(name)).collect();
        let before = &known.snapshot;
        if names.is_empty() {
            return Ok(known);
        }
        let mut deleted = before.deleted.clone();
        let mut folders = before.folders.clone();
        let mut files = before.files;
        let mut builder = Builder::new(self.space);
        let keys: Vec<String> = names.iter().map(|name| key_of(name)).collect();
        if let Some(recent) = &before.recent {
            let segment = recent.segment();
            let stays: std::collections::HashSet<&str> = keys.iter().map(String::as_str).collect();
            builder.absorb(&segment, |doc| !stays.contains(segment.key(doc)));
        }
        for (name, key) in names.iter().zip(&keys) {
            files -= usize::from(before.holds(key));
            folders.remove(&*name.to_string_lossy());
            if let Some(shared) = &before.shared {
                let segment = shared.segment();
                if let Some(doc) = segment.find(key) {
                    deleted.delete(&segment, doc);
                    if segment.form(doc) == ClaimForm::Ours {
                        deleted.delete(&segment, doc + 1);
                    }
                }
            }
            let path = self.claims.join(name);
            match self.parts.disk.stat(&path) {
                Ok(stat) if stat.kind == FileKind::Dir => {
                    folders.insert(name.to_string_lossy().into_owned());
                }
                Ok(_) => {
                    let file_stamp = self.parts.disk.stamp(&path).unwrap_or_default();
                    let found = read::add(&self.parts, &self.claims, name, file_stamp, before, &mut builder);
                    files += usize::from(found);
                }
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let recent = RecentSegment::of(builder, self.space);
        let snapshot = Snapshot::new(before.shared.clone(), deleted, recent, files, folders, false);
        Ok(StoreView { snapshot: Arc::new(snapshot), ..known })
    }

    /// Starts anew from the shared file if another process has written a better one, without blocking questions
    /// meanwhile. For idle moments: answers are right without it.
    pub fn adopt_shared_file(&self) {
        let ours = self.live_now().and_then(|live| {
            let live = live.as_ref()?;
            Some(live.snapshot.shared.as_ref().map(|shared| shared.file_stamp))
        });
        let Some(ours) = ours else { return };
        if self.parts.disk.stamp(&self.file).ok() != ours
            && let Ok(fresh) = self.load()
        {
            *self.live() = Some(fresh);
        }
    }

    /// The folder of the claims.
    pub fn claims(&self) -> &Path {
        &self.claims
    }
}
