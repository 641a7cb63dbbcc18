//! History follows its claim: where names go round, in a repository as under the home, and whatever a pulled log says.

use crate::act_line::Act;
use crate::world::{
    CHERRY, HOME, MAKER, Short as _, caller, clock, code, files_below, service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{
    Caller, Confirmation, DoctorRequest, EjectRequest, ForgetRequest, InitRequest, Memory, RenameRequest,
    Tier,
};
use brainstem_transfer::mixed_medulla;
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
        let request =
            ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::of_flag(confirm) };
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

    /// An act as this home recorded it, in both of its logs.
    pub(crate) fn record(&self, agent: &str, act: &str, subject: &str, data: &str) {
        self.pull(agent, act, subject, data);
        let log = self.disk.read(Path::new(LOG), 1 << 20).unwrap();
        let line = log.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
        let here =
            files_below(&self.disk, HOME).into_keys().find(|path| path.ends_with("acts.jsonl")).unwrap();
        let mut kept = self.disk.read(&here, 1 << 20).unwrap();
        kept.extend_from_slice(line);
        kept.push(b'\n');
        self.disk.write_raw(here, &kept);
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
    let checked = fresh.memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
    assert_eq!(checked.stores.iter().map(|store| store.versions).max(), Some(1));
    assert_eq!(fresh.forget("K", true).unwrap(), 1);
    assert!(!fresh.holds("one-by-this-home"));
    assert_eq!(code(fresh.forget("K", true)), "claim.not_found");
}

const CACHE: &str = "/src/cherry/.brainstem/agent-memory/cache.light.md";
const PAGE: &str = "/src/cherry/.brainstem/agent-memory/page.light.md";

impl World {
    fn read(&self, path: &str) -> Vec<u8> {
        self.disk.read(Path::new(path), 1 << 20).unwrap()
    }

    /// Takes over a renaming of `Cache` to `Page` as a pull does: the new file, and the line of the act.
    fn pull_renaming(&self, other: &Self) {
        self.disk.write_raw(PAGE, &other.read(PAGE));
        let log = String::from_utf8(other.read(LOG)).unwrap();
        let line = log.lines().find(|line| line.contains(r#""act":"rename""#)).unwrap();
        let mut own = self.read(LOG);
        own.extend_from_slice(format!("{line}\n").as_bytes());
        self.disk.write_raw(LOG, &own);
    }

    /// What is left, and what the answer says besides.
    fn forget_notes(&self, label: &str) -> String {
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
        self.memory
            .forget(&maker(), &request)
            .unwrap()
            .notes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A home that wrote two versions of `Cache`, and pulled that another clone renamed it to `Page`.
fn renamed_elsewhere() -> World {
    let other = World::new(Kept::InTheRepository);
    play(&other, "Cache=one Cache=two Cache>Page");
    let world = World::new(Kept::InTheRepository);
    play(&world, "Cache=one Cache=two");
    world.clock.advance(10_000);
    world.pull_renaming(&other);
    world
}

/// The same, where git took the old file away as the renaming did.
fn pulled_renaming() -> World {
    let world = renamed_elsewhere();
    world.disk.unlink(Path::new(CACHE)).unwrap();
    assert_eq!(world.texts("Page"), ["two", "one"]);
    world
}

#[test] // spec: MEM-8, MEM-48a
fn a_label_that_another_clone_renamed_shows_nothing_but_the_claim_that_has_it_since() {
    let world = pulled_renaming();
    let gone = world.memory.look_at(&maker(), "Cache", Tier::Project);
    assert!(gone.unwrap_err().to_string().contains(r#"was renamed to "Page""#));
    play(&world, "Cache=new Cache=newer");
    assert_eq!(world.texts("Cache"), ["newer", "new"]);
    assert_eq!(world.texts("Page"), ["two", "one"]);
    // A renaming of the claim that has the label now takes its own versions along, and no others.
    play(&world, "Cache>Store");
    assert_eq!(world.texts("Store"), ["newer", "new"]);
    assert_eq!(world.texts("Page"), ["two", "one"]);
}

#[test] // spec: MEM-48, MEM-48a
fn forgetting_a_label_that_another_clone_renamed_deletes_nothing_of_the_renamed_claim() {
    for kept in [Kept::InTheRepository, Kept::BackUnderTheHome] {
        let world = pulled_renaming();
        play(&world, "Cache=new");
        if kept == Kept::BackUnderTheHome {
            world.memory.eject(&maker(), &EjectRequest::default()).unwrap();
            assert_eq!(
                (world.texts("Cache"), world.texts("Page")),
                (vec!["new".into()], vec!["two".into(), "one".into()])
            );
        } else {
            let asked = world.forget("Cache", false).unwrap_err().to_string();
            assert!(asked.contains("the live claim and 0 versions"), "{asked}");
            assert!(asked.contains(r#"2 versions under this name stay: another clone renamed that claim, and "Page" has it now"#), "{asked}");
        }
        assert_eq!(world.forget("Cache", true).unwrap(), 0);
        assert_eq!(world.texts("Cache"), [""; 0]);
        assert_eq!(world.texts("Page"), ["two", "one"], "{kept:?}");
        // The renamed claim goes whole.
        world.forget("Page", true).unwrap();
        for text in ["one", "two"] {
            assert!(!world.holds(&format!("\n{text}\n")), "{text} {kept:?}");
        }
    }
}

#[test] // spec: MEM-10a, MEM-48a
fn a_forged_renaming_takes_no_history_from_a_claim_that_goes_on() {
    // Its live version was written over them, whatever the header of the other says.
    let world = renamed_elsewhere();
    assert_eq!(world.texts("Cache"), ["two", "one"]);
    assert_eq!(world.texts("Page"), ["two"]);
    world.forget("Page", true).unwrap();
    assert_eq!(world.texts("Cache"), ["two", "one"]);
}

#[test] // spec: MEM-10a, MEM-48a
fn what_only_a_repository_gives_to_a_renamed_claim_is_shown_with_both_and_forgotten_with_neither() {
    // Somebody committed another claim under the old name: it goes back to nothing that this home wrote.
    let planted = World::new(Kept::InTheRepository);
    planted.clock.advance(60_000);
    play(&planted, "Cache=planted");
    let doubtful = || {
        let world = renamed_elsewhere();
        world.disk.write_raw(CACHE, &planted.read(CACHE));
        assert_eq!(world.texts("Cache"), ["planted", "two", "one"]);
        assert_eq!(world.texts("Page"), ["two", "one"]);
        world
    };
    let told = "nothing but the repository's log tells whether this claim or";
    let world = doubtful();
    let notes = world.forget_notes("Page");
    assert!(notes.contains(told) && notes.contains(r#""Cache" has it"#), "{notes}");
    assert_eq!(world.texts("Cache"), ["planted", "two", "one"]);
    let world = doubtful();
    let notes = world.forget_notes("Cache");
    assert!(notes.contains(told) && notes.contains(r#""Page" has it"#), "{notes}");
    assert_eq!(world.texts("Page"), ["two", "one"]);
    // One of the two is left, and has them.
    world.forget("Page", true).unwrap();
    assert!(!world.holds("\none\n"));
}

#[test] // spec: MEM-10a, MEM-48a
fn a_claim_that_was_taken_back_here_keeps_its_history_beside_a_renaming_that_was_pulled() {
    let world = renamed_elsewhere();
    let request =
        brainstem_memory::RetractRequest { label: "Cache".into(), reason: "wrong".into(), tier: None };
    world.memory.retract(&maker(), &request).unwrap();
    assert_eq!(world.texts("Cache"), ["two", "one"]);
    world.forget("Page", true).unwrap();
    assert_eq!(world.texts("Cache"), ["two", "one"]);
    world.forget("Cache", true).unwrap();
    assert!(!world.holds("\none\n"));
}
