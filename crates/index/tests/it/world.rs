//! What every test here needs: a store and an index folder on some disk, and what an index says of them.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{
    Changes, Disk, FileStamp, FolderEntry, LockGuard, Mapped, PathFacts, RealDisk, SimDisk, Stat,
    StoppedLock, Watch,
};
use brainstem_base::ids::CountingIds;
use brainstem_base::{Clock, DiskError, DiskFault};
use brainstem_index::{Embedder, HomeIndex, IndexParts, PublishUntil, QuantisedVector, Snapshot, StoreIndex};
use brainstem_recall::rank::{Direction, RankBy, RankQuestion, rank};
use brainstem_recall::scope::RecallScope;
use brainstem_recall::segment::DIMENSIONS;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the tests here take for a secret.
pub(crate) const SECRET: &str = "hush-hush";

/// A store and an index folder.
pub(crate) struct Place {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) claims: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) sim: Option<SimDisk>,
    pub(crate) _top: Option<tempfile::TempDir>,
}

impl Place {
    /// On the disk of the machine. Its clock is an hour ahead, so that a stamp holds from the start.
    pub(crate) fn real() -> Self {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().canonicalize().unwrap();
        std::fs::create_dir_all(path.join("store")).unwrap();
        let now = brainstem_base::clock::SystemClock.now().ms();
        Self {
            disk: Arc::new(RealDisk),
            clock: Arc::new(ManualClock::at(now + 3_600_000)),
            claims: path.join("store"),
            folder: path.join("index"),
            sim: None,
            _top: Some(top),
        }
    }

    /// On the disk of the machine, with its clock.
    pub(crate) fn real_now() -> Self {
        Self { clock: Arc::new(brainstem_base::clock::SystemClock), ..Self::real() }
    }

    /// On a simulated disk, whose time is long over.
    pub(crate) fn simulated() -> (Self, SimDisk) {
        let disk = SimDisk::new();
        disk.make_dirs("/home/store");
        let place = Self {
            disk: Arc::new(disk.clone()),
            clock: Arc::new(ManualClock::at(4_000_000_000_000)),
            claims: "/home/store".into(),
            folder: "/home/index".into(),
            sim: Some(disk.clone()),
            _top: None,
        };
        (place, disk)
    }

    /// The index as a process that has just started has it.
    pub(crate) fn process(&self, embedder: impl Embedder + 'static) -> Arc<StoreIndex> {
        self.process_on(self.disk.clone(), Arc::new(embedder), &self.folder)
    }

    pub(crate) fn process_on(
        &self,
        disk: Arc<dyn Disk>,
        embedder: Arc<dyn Embedder>,
        folder: &Path,
    ) -> Arc<StoreIndex> {
        static PROCESSES: AtomicU64 = AtomicU64::new(1);
        let first = PROCESSES.fetch_add(1, Ordering::SeqCst) << 32;
        let parts = IndexParts {
            disk,
            clock: self.clock.clone(),
            ids: Arc::new(CountingIds::from(first)),
            embedder,
            carries_secret: Arc::new(|claim| claim.file.render().contains(SECRET)),
            folder: folder.to_owned(),
        };
        HomeIndex::new(parts).of(&self.claims)
    }

    /// What an index says that was made from the files alone.
    pub(crate) fn anew(&self, embedder: &Arc<dyn Embedder>) -> Said {
        let process = self.process_on(self.disk.clone(), embedder.clone(), &self.claims.join("no/index"));
        said(&process.refresh().unwrap(), &**embedder)
    }

    pub(crate) fn path(&self, key: &str) -> PathBuf {
        self.claims.join(format!("{key}.light.md"))
    }

    /// Writes a file in place, as an editor does that keeps the file.
    pub(crate) fn edit(&self, key: &str, bytes: &str) {
        match &self.sim {
            Some(sim) => sim.write_raw(self.path(key), bytes.as_bytes()),
            None => std::fs::write(self.path(key), bytes).unwrap(),
        }
    }

    /// Puts a new file over the name, as git and careful editors do.
    pub(crate) fn replace(&self, key: &str, bytes: &str) {
        let temp = self.claims.join(".tmp-new");
        self.disk.write_new(&temp, bytes.as_bytes()).unwrap();
        self.disk.rename(&temp, &self.path(key)).unwrap();
    }

    pub(crate) fn link(&self, key: &str) {
        match &self.sim {
            Some(sim) => sim.make_link("/home/elsewhere", self.path(key)),
            None => std::os::unix::fs::symlink("/nowhere", self.path(key)).unwrap(),
        }
    }

    /// Takes away whatever has a claim's name.
    pub(crate) fn remove(&self, key: &str) {
        let path = self.path(key);
        let _ = self.disk.unlink(&path).or_else(|_| self.disk.remove_dir(&path));
    }

    /// The file that processes share.
    pub(crate) fn shared_file(&self) -> PathBuf {
        let entries = self.disk.list(&self.folder).unwrap();
        let mut names = entries.iter().map(|entry| self.folder.join(&entry.name));
        names.find(|path| path.extension().is_some_and(|kind| kind == "segment")).expect("it is shared")
    }
}

/// A claim file.
pub(crate) fn claim(label: &str, text: &str) -> String {
    claim_by(label, "codex:maker", None, 1_000, text)
}

pub(crate) fn claim_by(label: &str, author: &str, group: Option<&str>, created: i64, text: &str) -> String {
    let group = group.map(|group| format!("Group: {group}\n")).unwrap_or_default();
    format!(
        "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: {created}\n\
         Source-Agent: {author}\n{group}---\n\n# {label}\n\n{text}\n"
    )
}

/// A file that holds two versions which wait for a decision.
pub(crate) fn two_sides(label: &str, ours: &str, theirs: &str) -> String {
    format!("<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n", claim(label, ours), claim(label, theirs))
}

/// All that an index says of its store, to the last bit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) files: usize,
    pub(crate) unreadable: Vec<String>,
    pub(crate) folders: Vec<String>,
    pub(crate) undecided: Vec<String>,
    pub(crate) secret: Vec<String>,
    pub(crate) youngest: Vec<String>,
    pub(crate) answers: Vec<Vec<String>>,
}

pub(crate) const QUESTIONS: [&str; 4] =
    ["retry the upload", "what did ana say about the cache", "deploy policy", "when was the port changed?"];

pub(crate) fn said(snapshot: &Snapshot, embedder: &dyn Embedder) -> Said {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    Said {
        files: snapshot.files(),
        unreadable: sorted(snapshot.unreadable()),
        folders: snapshot.folders().map(str::to_owned).collect(),
        undecided: sorted(snapshot.undecided()),
        secret: sorted(snapshot.secret()),
        youngest: snapshot.youngest(5),
        answers: QUESTIONS.iter().map(|question| answers(snapshot, embedder, question)).collect(),
    }
}

/// The ranked ids, with their scores to the last bit.
pub(crate) fn answers(snapshot: &Snapshot, embedder: &dyn Embedder, question: &str) -> Vec<String> {
    best(snapshot, embedder, question, 500)
}

pub(crate) fn best(
    snapshot: &Snapshot,
    embedder: &dyn Embedder,
    question: &str,
    limit: usize,
) -> Vec<String> {
    let scope = RecallScope::over(&[snapshot.segments()]);
    let meaning = |text: &str| embedder.question(text);
    let standing = |_: &brainstem_recall::rank::StandingBasis<'_>| 1.0;
    let question =
        RankQuestion { text: question, meaning: &meaning, by: RankBy::All, limit, standing: &standing };
    let ranked = rank(&scope, &question);
    let line = |hit: &brainstem_recall::rank::RankedHit<'_>| {
        format!("{} {:?} {:08x} {:?}", hit.found.key, hit.form, hit.score.to_bits(), hit.parts)
    };
    ranked.hits.iter().map(line).collect()
}

/// The keys alone.
pub(crate) fn found(process: &StoreIndex, question: &str) -> Vec<String> {
    let snapshot = process.refresh().unwrap();
    let lines = answers(&snapshot, &brainstem_index::NoEmbedder, question);
    lines.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

pub(crate) fn settle(process: &StoreIndex, until: PublishUntil) -> brainstem_index::PublishReport {
    process.publish(until, &|| true, &|_| ())
}

/// Vectors of words: those of single words at once, and those of pairs of words where `better`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hashed {
    pub(crate) better: bool,
}

impl Hashed {
    fn vector(text: &str, salt: u64) -> QuantisedVector {
        let mut values = [0_i8; DIMENSIONS];
        for word in text.split_whitespace() {
            let word = word.to_lowercase();
            let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325 ^ salt, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
            for part in 0..4 {
                let at = (hash >> (part * 16)) as usize % DIMENSIONS;
                values[at] = values[at].saturating_add(if hash >> (part + 60) & 1 == 0 { 17 } else { -9 });
            }
        }
        let length: f32 = values.iter().map(|value| f32::from(*value).powi(2)).sum::<f32>().sqrt();
        QuantisedVector { values, scale: if length > 0.0 { 1.0 / length } else { 0.0 } }
    }
}

impl Embedder for Hashed {
    fn space(&self) -> &str {
        "hashed"
    }

    fn embed_static(&self, text: &str) -> Option<QuantisedVector> {
        Some(Self::vector(text, 1))
    }

    fn embed_encoded(&self, text: &str) -> Option<QuantisedVector> {
        self.better.then(|| Self::vector(text, 2))
    }

    fn has_better(&self) -> bool {
        self.better
    }

    fn question(&self, text: &str) -> Option<Direction> {
        let QuantisedVector { values, scale } = Self::vector(text, if self.better { 2 } else { 1 });
        (scale > 0.0).then_some(Direction { values, scale })
    }
}

/// What a watch is good for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sight {
    /// The system cannot watch.
    None,
    /// It can, and always loses count.
    Overflowing,
    /// The system cannot watch, nor open the file of the claim `shut`.
    Shut,
}

/// A disk that watches badly.
pub(crate) struct Blind(pub(crate) Arc<dyn Disk>, pub(crate) Sight);

struct Overflowing;

impl Watch for Overflowing {
    fn changes(&mut self) -> Changes {
        Changes::Unknown
    }
}

impl Disk for Blind {
    fn watch(&self, _: &Path) -> Option<Box<dyn Watch>> {
        match self.1 {
            Sight::None | Sight::Shut => None,
            Sight::Overflowing => Some(Box::new(Overflowing)),
        }
    }
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        match self.1 {
            Sight::Shut if path.ends_with("shut.light.md") => {
                Err(DiskError::new("read", path, DiskFault::Other))
            }
            Sight::None | Sight::Overflowing | Sight::Shut => self.0.read(path, len_max),
        }
    }
    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.0.list(dir)
    }
    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        self.0.stamps(dir)
    }
    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        self.0.stamp(path)
    }
    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.0.map(path)
    }
    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.0.stat(path)
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.0.canonical(path)
    }
    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.0.make_dir(dir)
    }
    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.0.write_new(path, bytes)
    }
    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.0.link(from, to)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.0.rename(from, to)
    }
    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        self.0.unlink(path)
    }
    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.0.remove_dir(dir)
    }
    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.0.sync_dir(dir)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.0.append(path, bytes)
    }
    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        self.0.lock(path, wait)
    }
    fn facts(&self, path: &Path) -> PathFacts {
        self.0.facts(path)
    }
    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        self.0.stopped_locks(dir)
    }
}
