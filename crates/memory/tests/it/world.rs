//! What every test here needs: a service over a disk, callers, and short ways to ask.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_base::ids::CountingIds;
use brainstem_base::{AgentId, Coded as _};
use brainstem_memory::Confidence;
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::{
    Beat, BootstrapRequest, Bootstrapped, Caller, CallerPlace, Embedder, Filter, IndexPace, IndexRequest,
    IndexStart, IndexedStore, Listed, MemorizeRequest, Memorized, Memory, MemoryError, NorthRequest, Parts,
    Principal, RetractRequest, Retraction, RootHints, SeekRequest, ShowRequest, Shown, Sought, Tier,
    WriteTier,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The home of every simulated world.
pub(crate) const HOME: &str = "/home/ana/.brainstem";
/// Two repositories.
pub(crate) const CHERRY: &str = "/src/cherry";
pub(crate) const PLUM: &str = "/src/plum";
/// When every simulated world begins.
pub(crate) const START: i64 = 1_783_209_431_408;

pub(crate) const MAKER: &str = "codex:maker";
pub(crate) const PERSON: &str = "human:ana";

/// A simulated disk with two repositories and no home yet.
pub(crate) fn two_repositories() -> SimDisk {
    let disk = SimDisk::new();
    for root in [CHERRY, PLUM] {
        disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
    }
    disk.make_dirs("/home/ana");
    disk
}

/// A service as a process that has just started has it: nothing is remembered but what is on the disk.
pub(crate) fn service(disk: Arc<dyn Disk>, clock: &Arc<ManualClock>) -> Memory {
    service_at(disk, clock, Path::new(HOME), Some(Path::new("/home/ana")))
}

pub(crate) fn service_at(
    disk: Arc<dyn Disk>,
    clock: &Arc<ManualClock>,
    home: &Path,
    user_home: Option<&Path>,
) -> Memory {
    service_with(disk, clock, home, user_home, Arc::new(brainstem_memory::NoEmbedder))
}

pub(crate) fn service_with(
    disk: Arc<dyn Disk>,
    clock: &Arc<ManualClock>,
    home: &Path,
    user_home: Option<&Path>,
    meanings: Arc<dyn Embedder>,
) -> Memory {
    // Two processes never draw the same ids.
    static PROCESSES: AtomicU64 = AtomicU64::new(1);
    let first = PROCESSES.fetch_add(1, Ordering::SeqCst) << 32;
    Memory::new(Parts {
        disk,
        clock: clock.clone(),
        ids: Arc::new(CountingIds::from(first)),
        home: home.to_owned(),
        user_home: user_home.map(Path::to_owned),
        meanings,
    })
}

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(START))
}

/// Somebody who stands in a folder.
pub(crate) fn caller(agent: &str, cwd: impl AsRef<Path>) -> Caller {
    let hints = RootHints { cwd: Some(cwd.as_ref().to_owned()), ..RootHints::default() };
    Caller::new(principal(agent), CallerPlace::lasting(hints))
}

pub(crate) fn principal(agent: &str) -> Principal {
    let agent = AgentId::parse(agent).unwrap();
    Principal {
        kind: agent.kind(),
        source: IdentitySource::Argument,
        display_name: None,
        self_declared: true,
        unread: Vec::new(),
        mail: Default::default(),
        agent,
    }
}

/// What to remember, with a text alone.
pub(crate) fn claim(label: &str, text: &str) -> MemorizeRequest {
    MemorizeRequest { label: label.into(), text: text.into(), ..MemorizeRequest::default() }
}

pub(crate) fn how_sure(text: &str) -> Option<Confidence> {
    Some(Confidence::parse(text).expect("a confidence"))
}

pub(crate) fn doctrine(label: &str, text: &str) -> MemorizeRequest {
    MemorizeRequest { tier: Some(WriteTier::Medulla), ..claim(label, text) }
}

/// The same verbs with fewer words.
pub(crate) trait Short {
    fn begin(&self, caller: &Caller) -> Result<Bootstrapped, MemoryError>;
    fn tell(&self, caller: &Caller, label: &str, text: &str) -> Result<Memorized, MemoryError>;
    fn take_back(&self, caller: &Caller, label: &str) -> Result<Retraction, MemoryError>;
    fn look_at(&self, caller: &Caller, label: &str, tier: Tier) -> Result<Shown, MemoryError>;
    fn find(&self, caller: &Caller, query: &str, tier: Tier) -> Sought;
    fn all(&self, caller: &Caller) -> Listed;
    fn beat(&self, caller: &Caller, task: &str) -> Beat;
    /// Brings the indexes up, as an idle moment does.
    fn settle(&self, caller: &Caller, tier: Tier) -> Vec<IndexedStore>;
}

impl Short for Memory {
    fn begin(&self, caller: &Caller) -> Result<Bootstrapped, MemoryError> {
        self.bootstrap(caller, &BootstrapRequest::default())
    }

    fn tell(&self, caller: &Caller, label: &str, text: &str) -> Result<Memorized, MemoryError> {
        self.memorize(caller, &claim(label, text))
    }

    fn take_back(&self, caller: &Caller, label: &str) -> Result<Retraction, MemoryError> {
        let request = RetractRequest { label: label.into(), reason: "it was wrong".into(), tier: None };
        self.retract(caller, &request)
    }

    fn look_at(&self, caller: &Caller, label: &str, tier: Tier) -> Result<Shown, MemoryError> {
        self.show(caller, &ShowRequest { label: label.into(), tier, at: None })
    }

    fn find(&self, caller: &Caller, query: &str, tier: Tier) -> Sought {
        self.seek(
            caller,
            &SeekRequest {
                query: query.into(),
                tier,
                scope: None,
                limit: 200,
                filter: Filter::default(),
                by: Default::default(),
            },
        )
        .unwrap()
    }

    fn all(&self, caller: &Caller) -> Listed {
        let request = brainstem_memory::ListRequest {
            tier: Tier::Both,
            limit: 10_000,
            filter: Filter::default(),
            cursor: None,
        };
        self.list(caller, &request).unwrap()
    }

    fn beat(&self, caller: &Caller, task: &str) -> Beat {
        let request = NorthRequest { task: task.into(), budget_tokens: 1_200 };
        self.north(caller, &request).unwrap()
    }

    fn settle(&self, caller: &Caller, tier: Tier) -> Vec<IndexedStore> {
        let request = IndexRequest { tier, start: IndexStart::Existing, pace: IndexPace::Full };
        self.bring_index_up(caller, &request, &|| true, &|_, _| ()).unwrap().stores
    }
}

/// The code of a refusal.
pub(crate) fn code<T>(result: Result<T, MemoryError>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(error) => error.code().name(),
    }
}

/// Every file below a folder, without the locks, the leftovers of interrupted runs and the index.
pub(crate) fn files_below(disk: &SimDisk, dir: impl AsRef<Path>) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = disk.dump();
    files.retain(|path, _| path.starts_with(dir.as_ref()) && !is_scaffold(path));
    files
}

fn is_scaffold(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str().as_encoded_bytes();
        name == b".locks" || name == b"local" || name == b"index" || name.starts_with(b".tmp-")
    })
}
