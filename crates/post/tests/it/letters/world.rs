//! A machine with a few projects, and short ways to ask.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_base::ids::CountingIds;
use brainstem_base::{AgentId, Fault};
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::{
    BootstrapRequest, Caller, CallerPlace, Memory, NoEmbedder, Parts, Principal, RootHints,
};
use brainstem_post::Post;
use brainstem_post::letters::{
    Distribution, Filing, LetterBoxView, LetterDraft, LetterEnd, LetterError, LetterFilter, LetterSweepReport,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const USER: &str = "/home/ana";
pub(crate) const HOME: &str = "/home/ana/.brainstem";
pub(crate) const SPOOL: &str = "/home/ana/.brainstem/field-reports.jsonl";
pub(crate) const CHERRY: &str = "/home/ana/cherry";
pub(crate) const PLUM: &str = "/home/ana/plum";
/// 2026-07-04T23:57:11.408Z, in the week 2026-W27.
pub(crate) const START: i64 = 1_783_209_431_408;

/// One machine.
pub(crate) struct World {
    pub(crate) disk: SimDisk,
    pub(crate) clock: Arc<ManualClock>,
}

impl World {
    /// Two repositories, of which `cherry` has a brain.
    pub(crate) fn new() -> Self {
        let world = Self { disk: SimDisk::new(), clock: Arc::new(ManualClock::at(START)) };
        world.disk.make_dirs(USER);
        world.repository(CHERRY);
        world.repository(PLUM);
        world.bootstrap(CHERRY);
        world
    }

    /// The same machine on another disk, such as one that was started anew.
    pub(crate) fn on(&self, disk: SimDisk) -> Self {
        Self { disk, clock: self.clock.clone() }
    }

    pub(crate) fn repository(&self, root: &str) {
        self.disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
    }

    pub(crate) fn memory(&self) -> Memory {
        self.memory_on(Arc::new(self.disk.clone()))
    }

    fn memory_on(&self, disk: Arc<dyn Disk>) -> Memory {
        // Two processes never draw the same ids.
        static PROCESSES: AtomicU64 = AtomicU64::new(1);
        Memory::new(Parts {
            disk,
            clock: self.clock.clone(),
            ids: Arc::new(CountingIds::from(PROCESSES.fetch_add(1, Ordering::SeqCst) << 32)),
            home: HOME.into(),
            user_home: Some(USER.into()),
            meanings: Arc::new(NoEmbedder),
        })
    }

    /// The service as a process that has just started has it.
    pub(crate) fn post(&self) -> Post {
        self.post_on(Arc::new(self.disk.clone()))
    }

    /// The same, through another disk.
    pub(crate) fn post_on(&self, disk: Arc<dyn Disk>) -> Post {
        Post::new(&self.memory_on(disk))
            .knowing(["seek", "north", "list", "brains", "memorize"].map(str::to_owned).into())
    }

    pub(crate) fn bootstrap(&self, root: &str) -> String {
        let made = self.memory().bootstrap(&caller(root), &BootstrapRequest::default()).unwrap();
        made.brain.origin()
    }

    /// Another program appends a line.
    pub(crate) fn raw(&self, line: &str) {
        let mut bytes = self.disk.dump().remove(Path::new(SPOOL)).unwrap_or_default();
        bytes.extend(line.as_bytes());
        bytes.push(b'\n');
        self.disk.write_raw(SPOOL, &bytes);
    }

    pub(crate) fn write(&self, from: &str, draft: LetterDraft) -> Result<String, LetterError> {
        self.post().write_letter(&caller(from), draft).map(|written| written.id.to_string())
    }

    pub(crate) fn distribute(&self) -> Distribution {
        self.post().distribute(&caller(USER), Filing::Real, &|_, _| ()).unwrap()
    }

    pub(crate) fn plan(&self) -> Distribution {
        self.post().distribute(&caller(USER), Filing::DryRun, &|_, _| ()).unwrap()
    }

    pub(crate) fn sweep(&self) -> LetterSweepReport {
        let filter = LetterFilter::parse(None, None, Some(10_000)).unwrap();
        self.post().sweep_letters(&caller(USER), &filter).unwrap()
    }

    pub(crate) fn mailbox(&self, from: &str, brain: Option<&str>) -> Result<LetterBoxView, LetterError> {
        let filter = LetterFilter::parse(None, None, Some(10_000)).unwrap();
        self.post().mailbox(&caller(from), brain, &filter)
    }

    /// What the file of a box holds.
    pub(crate) fn box_lines(&self, path: &str) -> Vec<String> {
        let bytes = self.disk.dump().remove(Path::new(path)).unwrap_or_default();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    /// Every file but locks and what may be lost.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = self.disk.dump();
        files.retain(|path, _| {
            !path.starts_with(format!("{HOME}/local"))
                && !path.components().any(|part| part.as_os_str() == ".locks")
        });
        files
    }
}

/// Somebody who stands in a folder.
/// The refusal of a call that is refused.
pub(crate) fn refusal<T>(result: Result<T, LetterError>) -> Fault {
    result.err().expect("it is refused").into()
}

pub(crate) fn caller(cwd: &str) -> Caller {
    let agent = AgentId::parse("codex:maker").unwrap();
    let principal = Principal {
        mail: Default::default(),
        kind: agent.kind(),
        source: IdentitySource::Argument,
        display_name: None,
        self_declared: true,
        unread: Vec::new(),
        agent,
    };
    let hints = RootHints { cwd: Some(cwd.into()), ..RootHints::default() };
    Caller::new(principal, CallerPlace::lasting(hints))
}

/// A letter of a class that says something.
pub(crate) fn draft(class: &str, what: &str) -> LetterDraft {
    LetterDraft { class: class.into(), what: what.into(), ..LetterDraft::default() }
}

/// How many letters were filed, wait, were refused and lay there already.
pub(crate) fn counts(done: &Distribution) -> (usize, usize, usize, usize) {
    (
        done.count(|end| matches!(end, LetterEnd::Filed(_))),
        done.count(|end| matches!(end, LetterEnd::Pending { .. })),
        done.count(|end| matches!(end, LetterEnd::Refused { .. })),
        done.unchanged,
    )
}
