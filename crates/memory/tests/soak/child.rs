//! One writing process: asks, notes the answer, and may kill itself before any step of its disk.

use crate::journal::{self, Answer, Journal};
use crate::{caller, memory_at};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::{DiskStep, ObservedDisk, RealDisk, verbs};
use brainstem_base::ids::SystemIds;
use brainstem_base::{Clock, Coded, Disk, Timestamp, hash};
use brainstem_claims::{Confidence, State};
use brainstem_memory::limits::LIST_ROWS;
use brainstem_memory::{
    Caller, ListRequest, MemorizeRequest, Memory, MemoryError, Parts, Reaffirm, RetractRequest, Tier,
    WriteTier,
};
use brainstem_testkit::Chance;
use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// How many changing steps a write takes, about.
pub(crate) const STEPS_PER_WRITE: u64 = 9;
/// Labels that all children write.
const SHARED: u64 = 48;
/// Labels that one child writes.
const OWN: u64 = 12;

/// What a child is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) home: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) journal: PathBuf,
    pub(crate) seed: u64,
    pub(crate) index: u64,
    pub(crate) generation: u64,
    pub(crate) writes: u64,
    /// Kill itself once in so many steps.
    pub(crate) steps_to_death: Option<u64>,
}

/// Codes a child may be refused with. Anything else is a failure of the program.
const REFUSALS: [&str; 4] = ["claim.would_downgrade", "claim.slug_taken", "claim.not_found", "store.busy"];

pub(crate) fn run(task: &str) {
    let task: Task = serde_json::from_str(task).expect("the parent wrote it");
    let mut child = Writer::new(&task);
    let done = journal::read(&task.journal).len() as u64;
    let mut journal = Journal::open(&task.journal);
    for n in done..task.writes {
        let answer = match child.ask(n) {
            Ok(answer) => answer,
            Err(error) => Answer::Refused { code: error.code().name().to_owned() },
        };
        if let Answer::Refused { code } = &answer {
            assert!(REFUSALS.contains(&code.as_str()), "an answer nobody expects: {code}");
        }
        journal.note(&answer);
        if child.chance.once_in(400) {
            child.look();
        }
    }
}

struct Writer {
    memory: Memory,
    caller: Caller,
    chance: Chance,
    /// Its number and its life, in every text it writes: no two texts are the same by accident.
    name: String,
    index: u64,
    writes: u64,
    last: Option<MemorizeRequest>,
}

impl Writer {
    fn new(task: &Task) -> Self {
        let part = task.index * 10_000 + task.generation;
        let disk: Arc<dyn Disk> = match task.steps_to_death {
            None => Arc::new(RealDisk),
            Some(steps) => {
                let fate = Mutex::new(Chance::new(task.seed, 7_000_000_000 + part));
                Arc::new(ObservedDisk::new(Arc::new(RealDisk), move |step| maybe_die(&fate, steps, &step)))
            }
        };
        let memory = match task.index % 5 {
            0..=2 => memory_at(&task.home, disk),
            odd => Memory::new(Parts {
                disk,
                clock: Arc::new(OddClock { coarse: odd == 3 }),
                ids: Arc::new(SystemIds),
                home: task.home.clone(),
                user_home: None,
                meanings: Arc::new(brainstem_memory::NoEmbedder),
            }),
        };
        let role = if task.index.is_multiple_of(2) { "orchestrator" } else { "maker" };
        Self {
            memory,
            caller: caller(&format!("soak{}:{role}", task.index), &task.root),
            chance: Chance::new(task.seed, part),
            name: format!("{}.{}", task.index, task.generation),
            index: task.index,
            writes: task.writes,
            last: None,
        }
    }

    fn ask(&mut self, n: u64) -> Result<Answer, MemoryError> {
        let tier = self.chance.once_in(12).then_some(WriteTier::Medulla);
        let label = self.label(n);
        match self.chance.below(100) {
            0..=7 if !label.starts_with("once") => {
                self.retract(RetractRequest { label, reason: format!("{} said so", self.name), tier })
            }
            8..=13 if self.last.is_some() => {
                let again = self.last.clone().expect("there is one");
                let reaffirm = match self.chance.once_in(3) {
                    true => Reaffirm::Always,
                    false => Reaffirm::WhenStale,
                };
                self.memorize(MemorizeRequest { reaffirm, ..again })
            }
            kind => {
                // Strength rises with time; some are weak, and refused unless the label is free.
                let (confidence, state) = match kind {
                    0..=17 => (30, State::Authored),
                    18..=29 => (90, State::Authored),
                    _ => (60 + 10 * (4 * n / self.writes), State::Verified),
                };
                let text = format!("write {n} of {}\n\n{}", self.name, "word ".repeat(n as usize % 80));
                self.memorize(MemorizeRequest {
                    label,
                    text,
                    confidence: Some(Confidence::parse(&format!("0.{confidence}")).expect("a confidence")),
                    state: Some(state),
                    tier,
                    ..MemorizeRequest::default()
                })
            }
        }
    }

    fn label(&mut self, n: u64) -> String {
        match self.chance.below(100) {
            0..=64 => format!("shared {}", self.chance.below(SHARED)),
            // The slug of a shared label, and another label.
            65..=67 => format!("Shared: {}", self.chance.below(SHARED)),
            68..=94 => format!("own {} {}", self.index, self.chance.below(OWN)),
            _ => format!("once {} {n}", self.name),
        }
    }

    fn memorize(&mut self, request: MemorizeRequest) -> Result<Answer, MemoryError> {
        let done = self.memory.memorize(&self.caller, &request)?;
        assert_eq!(done.claim.text, request.text.trim_end_matches('\n'), "an answer about another text");
        self.last = Some(request);
        Ok(Answer::Memorized {
            tier: done.tier.to_owned(),
            slug: done.slug.to_string(),
            created: done.claim.created.expect("a written claim has a birth stamp").ms(),
            sha256: hash::sha256_hex(done.claim.text.as_bytes(), 64),
            unchanged: done.unchanged,
        })
    }

    fn retract(&self, request: RetractRequest) -> Result<Answer, MemoryError> {
        let done = self.memory.retract(&self.caller, &request)?;
        let name = done.history.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        Ok(Answer::Retracted { tier: done.tier.to_owned(), slug: done.slug.to_string(), name })
    }

    /// A reader beside the writers never sees half a claim. Where claims never hold still the answer says so (MEM-23).
    fn look(&self) {
        let request = ListRequest {
            tier: Tier::Both,
            limit: *LIST_ROWS.end(),
            filter: brainstem_memory::Filter::default(),
            cursor: None,
        };
        let listed = self.memory.list(&self.caller, &request).expect("a store can be listed");
        let is_told = |gap: &brainstem_memory::Gap| gap.name == "changed_meanwhile";
        assert!(listed.gaps.iter().all(is_told), "{:?}", listed.gaps);
    }
}

/// Before a step that changes something, once in so many times, ends this process as a crash would.
fn maybe_die(fate: &Mutex<Chance>, steps: u64, step: &DiskStep) {
    let changes = !matches!(step.verb, verbs::READ | verbs::LIST | verbs::STAT | verbs::CANONICAL);
    if changes && fate.lock().expect("one thread").once_in(steps) {
        kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    }
}

/// A clock that is seconds behind, and that may know only every tenth second: two writes of one
/// label often meet in one stamp.
struct OddClock {
    coarse: bool,
}

impl Clock for OddClock {
    fn now(&self) -> Timestamp {
        let ms = SystemClock.now().ms();
        Timestamp::from_ms(if self.coarse { ms - ms % 10_000 } else { ms - 3_000 })
    }
}
