//! History follows its claim: where names go round, in a repository as under the home, and whatever a pulled log says.

use crate::world::{
    CHERRY, HOME, MAKER, Short as _, caller, clock, code, files_below, service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{
    Caller, DoctorRequest, EjectRequest, ForgetRequest, InitRequest, Memory, RenameRequest, Tier,
};
use brainstem_vault::Act;
use std::path::Path;
use std::sync::Arc;

const LOG: &str = "/src/cherry/.brainstem/acts.jsonl";

fn maker() -> Caller {
    caller(MAKER, CHERRY)
}

/// Where the claims lie while their names change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    UnderTheHome,
    InTheRepository,
    /// In the repository, and under the home again before anything is forgotten.
    BackUnderTheHome,
}

pub(crate) struct World {
    pub(crate) disk: SimDisk,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) memory: Memory,
}

impl World {
    pub(crate) fn new(kept: Kept) -> Self {
        let (disk, clock) = (two_repositories(), clock());
        disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
        let memory = service(Arc::new(disk.clone()), &clock);
        memory.begin(&maker()).unwrap();
        if kept != Kept::UnderTheHome {
            memory.init(&maker(), &InitRequest::default()).unwrap();
        }
        Self { disk, clock, memory }
    }

    pub(crate) fn tell(&self, label: &str, text: &str) {
        self.memory.tell(&maker(), label, text).unwrap();
        self.clock.advance(1_000);
    }

    pub(crate) fn rename(&self, label: &str, to: &str) {
        let request = RenameRequest { label: label.into(), to: to.into(), tier: None };
        self.memory.rename(&maker(), &request).unwrap();
        self.clock.advance(1_000);
    }

    fn forget(&self, label: &str, confirm: bool) -> Result<usize, brainstem_memory::MemoryError> {
        let request = ForgetRequest { label: label.into(), tier: None, confirm };
        self.memory.forget(&maker(), &request).map(|gone| gone.versions)
    }

    /// The live text and those before it; nothing where nothing is shown.
    fn texts(&self, label: &str) -> Vec<String> {
        let Ok(shown) = self.memory.look_at(&maker(), label, Tier::Project) else { return Vec::new() };
        let past = shown.history.into_iter().map(|version| version.text);
        shown.claim.map(|row| row.text).into_iter().chain(past).collect()
    }

    /// An act that somebody committed: no log under the home has it.
    pub(crate) fn pull(&self, agent: &str, act: &str, subject: &str, data: &str) {
        let id = Act::id_of(act, subject);
        let line = format!(
            r#"{{"id":"{id}","ts":"2026-07-05T01:00:00.000Z","agent":"{agent}","act":"{act}","subject":"{subject}","data":{data}}}"#
        );
        let mut log = self.disk.read(Path::new(LOG), 1 << 20).unwrap();
        log.extend_from_slice(line.as_bytes());
        log.push(b'\n');
        self.disk.write_raw(LOG, &log);
    }

    fn holds(&self, text: &str) -> bool {
        [HOME, CHERRY].into_iter().any(|top| {
            let files = files_below(&self.disk, top);
            files.values().any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        })
    }
}

/// A step: `K=text` says it, `K>T` renames.
fn play(world: &World, steps: &str) {
    for step in steps.split(' ') {
        match step.split_once('=') {
            Some((label, text)) => world.tell(label, text),
            None => {
                let (from, to) = step.split_once('>').unwrap();
                world.rename(from, to);
            }
        }
    }
}

#[test] // spec: MEM-8, MEM-48
fn names_that_go_round_mix_no_two_claims_and_forgetting_one_leaves_the_other_whole() {
    // What is done, the label that is forgotten, and what is shown of every label then.
    let table = [
        ("K=k1 K=k2 K>T T>K T=t1", "T", [("K", "k2 k1"), ("T", "")]),
        ("K=k1 K=k2 L=l1 L=l2 K>T L>K T>L", "K", [("L", "k2 k1"), ("K", "")]),
        ("A=a1 A=a2 A>B A=n1 A=n2 A>C B>A", "C", [("A", "a2 a1"), ("C", "")]),
        ("E=e1 E=e2 E>F F=e3 F>E", "F", [("E", "e3 e2 e1"), ("F", "")]),
        ("E=e1 E=e2 E>F F=e3 F>E F=f1", "E", [("E", ""), ("F", "f1")]),
    ];
    for (steps, goes, left) in table {
        for kept in [Kept::UnderTheHome, Kept::InTheRepository, Kept::BackUnderTheHome] {
            let world = World::new(kept);
            play(&world, steps);
            if kept == Kept::BackUnderTheHome {
                world.memory.eject(&maker(), &EjectRequest::default()).unwrap();
            }
            let _ = world.forget(goes, true);
            for (label, texts) in left {
                assert_eq!(
                    world.texts(label).join(" "),
                    texts,
                    "{label} after {steps}, {goes} went, {kept:?}"
                );
            }
        }
    }
}

#[test] // spec: MEM-10a, MEM-48
fn a_renaming_that_only_the_repositorys_log_has_gives_no_claim_the_history_of_another() {
    let world = World::new(Kept::InTheRepository);
    play(&world, "Victim=v1 Victim=v2 Bait=b1");
    let born = world.memory.look_at(&maker(), "Victim", Tier::Project).unwrap().claim.unwrap().created;
    let born = born.unwrap().ms();
    let data = format!(r#"{{"from":"Victim","to":"Bait","to_slug":"bait","created":{born}}}"#);
    world.pull("human:ana", "rename", &format!("victim@{born}"), &data);
    assert_eq!(world.texts("Bait"), ["b1"]);
    assert_eq!(world.forget("Bait", true).unwrap(), 0);
    assert_eq!(world.texts("Victim"), ["v2", "v1"]);
    assert!(world.holds("v1"));
}

#[test] // spec: MEM-48
fn a_version_of_which_a_copy_alone_is_kept_counts_among_those_that_are_forgotten() {
    // Another clone wrote over it, and this one pulled.
    let live = Path::new(CHERRY).join(".brainstem/agent-memory/k.light.md");
    let other = World::new(Kept::InTheRepository);
    play(&other, "K=one-by-this-home K=two-by-another");
    let fresh = World::new(Kept::InTheRepository);
    play(&fresh, "K=one-by-this-home");
    fresh.disk.write_raw(&live, &other.disk.read(&live, 1 << 20).unwrap());
    assert_eq!(fresh.texts("K"), ["two-by-another", "one-by-this-home"]);
    let asked = fresh.forget("K", false).unwrap_err().to_string();
    assert!(asked.contains("the live claim and 1 version of"), "{asked}");
    let checked = fresh.memory.doctor(&maker(), &DoctorRequest::default(), &|_, _| ()).unwrap();
    assert_eq!(checked.stores.iter().map(|store| store.versions).max(), Some(1));
    assert_eq!(fresh.forget("K", true).unwrap(), 1);
    assert!(!fresh.holds("one-by-this-home"));
    assert_eq!(code(fresh.forget("K", true)), "claim.not_found");
}
