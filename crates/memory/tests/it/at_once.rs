//! Calls of two processes at once. At each step of one call another process makes its own call and gets on as far as the
//! locks let it.

use crate::promote::promote;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, DiskStep, ObservedDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_memory::{
    BootstrapRequest, BrainWish, Confirmation, ForgetRequest, GitWish, InitRequest, MemorizeRequest, Memory,
    RenameRequest, Tier, WriteTier,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A process that waits for a lock this long is taken to wait until the other call is done.
const BLOCKED_AFTER: Duration = Duration::from_millis(10);

/// The call of another process, which begins at one step of a call on [`Other::disk`].
pub(crate) struct Other<R> {
    disk: Arc<dyn Disk>,
    running: Arc<Mutex<Option<JoinHandle<R>>>>,
}

impl<R: Send + 'static> Other<R> {
    /// Another process that makes its call at the n-th step. Steps that only take a lock are not counted.
    pub(crate) fn at(
        at: usize,
        disk: &SimDisk,
        clock: &Arc<ManualClock>,
        call: impl Fn(&Memory) -> R + Send + Sync + 'static,
    ) -> Self {
        let (inner, clock, call) = (disk.clone(), clock.clone(), Arc::new(call));
        let running = Arc::new(Mutex::new(None));
        let (started, steps) = (running.clone(), AtomicUsize::new(0));
        let hook = move |step: DiskStep| {
            if step.verb == verbs::LOCK || steps.fetch_add(1, Ordering::SeqCst) != at {
                return;
            }
            // The last step of the other process, and when it came to it.
            let last = Arc::new(Mutex::new((verbs::STAT, Instant::now())));
            let noted = last.clone();
            let note = move |step: DiskStep| *noted.lock().unwrap() = (step.verb, Instant::now());
            let disk = Arc::new(ObservedDisk::new(Arc::new(inner.clone()), note));
            let (clock, call) = (clock.clone(), call.clone());
            let other = thread::spawn(move || call(&service(disk, &clock)));
            loop {
                let (verb, since) = *last.lock().unwrap();
                if other.is_finished() || verb == verbs::LOCK && since.elapsed() > BLOCKED_AFTER {
                    break;
                }
                thread::sleep(Duration::from_micros(200));
            }
            *started.lock().unwrap() = Some(other);
        };
        Self { disk: Arc::new(ObservedDisk::new(Arc::new(disk.clone()), hook)), running }
    }

    /// The disk of the first process.
    pub(crate) fn disk(&self) -> Arc<dyn Disk> {
        self.disk.clone()
    }

    /// What the other process answered; `None` if the first call has fewer steps.
    pub(crate) fn answer(self) -> Option<R> {
        let running = self.running.lock().unwrap().take();
        running.map(|running| running.join().unwrap())
    }
}

/// Two calls at once on copies of a world, for every step of the first; then a look at what they left.
fn at_every_step<A, B: Send + 'static>(
    (disk, clock): (&SimDisk, &Arc<ManualClock>),
    mine: impl Fn(&Memory) -> A,
    theirs: impl Fn(&Memory) -> B + Send + Sync + Clone + 'static,
    check: impl Fn(&str, &SimDisk, &Memory, A, B),
) {
    for at in 0.. {
        let disk = disk.reboot(UnsyncedFate::Kept);
        let other = Other::at(at, &disk, clock, theirs.clone());
        let answer = mine(&service(other.disk(), clock));
        let Some(others) = other.answer() else { return };
        check(&format!("step {at}"), &disk, &service(Arc::new(disk.clone()), clock), answer, others);
    }
}

/// A project whose memory is under the home.
fn project() -> (SimDisk, Arc<ManualClock>, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Salary", "more than yours").unwrap();
    clock.advance(1_000);
    (disk, clock, memory)
}

/// The folders of the home whose records name a root.
fn folders_of(disk: &SimDisk, root: &str) -> Vec<PathBuf> {
    let root = serde_json::Value::from(root);
    let is_its = |bytes: &[u8]| {
        serde_json::from_slice::<serde_json::Value>(bytes).is_ok_and(|record| record["root"] == root)
    };
    let records = disk.dump().into_iter().filter(|(path, _)| path.ends_with("root.json"));
    records.filter(|(_, bytes)| is_its(bytes)).map(|(path, _)| path.parent().unwrap().to_owned()).collect()
}

/// The folders of brains that have files and no record: no call made them as a brain.
fn strays(disk: &SimDisk) -> Vec<PathBuf> {
    let brains = Path::new(HOME).join("project-brains");
    let has = |folder: &Path| disk.stat(&folder.join("root.json")).is_ok();
    let folders = disk.list(&brains).unwrap().into_iter().map(|entry| brains.join(entry.name));
    folders.filter(|folder| !has(folder)).collect()
}

#[test] // spec: MEM-2
fn a_project_that_is_made_private_stays_private_whatever_init_runs_beside_it() {
    let (disk, clock, _) = project();
    let init = |private| {
        move |memory: &Memory| {
            let request =
                InitRequest { git: GitWish::of_flags(private, false).unwrap(), ..InitRequest::default() };
            memory.init(&caller(MAKER, CHERRY), &request).map(drop)
        }
    };
    for private in [true, false] {
        let check = |step: &str, _: &SimDisk, memory: &Memory, mine: Result<_, _>, theirs: Result<_, _>| {
            let asked = if private { &mine } else { &theirs };
            let is_private = memory.home().is_out_of_git(Path::new(CHERRY));
            assert!(asked.is_err() || is_private, "{step}: {mine:?}, {theirs:?}");
        };
        at_every_step((&disk, &clock), init(private), init(!private), check);
    }
}

#[test] // spec: MEM-1, MEM-2
fn the_first_calls_in_a_clone_or_a_moved_repository_find_one_folder() {
    const TEAM: &str = "/src/team";
    for (is_moved, is_home) in [(true, true), (true, false), (false, false)] {
        let (disk, clock, memory) = project();
        if !is_home {
            memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap();
        }
        if is_moved {
            disk.rename(Path::new(CHERRY), Path::new(TEAM)).unwrap();
        } else {
            for (path, bytes) in disk.dump() {
                if let Ok(below) = path.strip_prefix(CHERRY) {
                    disk.write_raw(Path::new(TEAM).join(below), &bytes);
                }
            }
        }
        let tell = |label: &'static str| {
            move |memory: &Memory| memory.tell(&caller(MAKER, TEAM), label, "text").map(drop)
        };
        let check =
            |step: &str, disk: &SimDisk, memory: &Memory, mine: Result<_, _>, theirs: Result<_, _>| {
                assert!(
                    mine.is_ok() && theirs.is_ok(),
                    "moved {is_moved}, at home {is_home}, {step}: {mine:?}, {theirs:?}"
                );
                assert_eq!(folders_of(disk, TEAM).len(), 1, "moved {is_moved}, at home {is_home}, {step}");
                assert_eq!(strays(disk), [] as [PathBuf; 0], "moved {is_moved}, at home {is_home}, {step}");
                assert_eq!(
                    memory.all(&caller(MAKER, TEAM)).rows.len(),
                    3,
                    "moved {is_moved}, at home {is_home}, {step}"
                );
            };
        at_every_step((&disk, &clock), tell("One"), tell("Two"), check);
    }
}

#[test] // spec: MEM-1b, MEM-13
fn what_is_written_while_a_brain_is_set_aside_is_in_no_folder_of_its_own() {
    let (disk, clock, memory) = project();
    let brain = memory.home().brain_at(Path::new(CHERRY)).unwrap().origin();
    let tell = |memory: &Memory| memory.tell(&caller(MAKER, CHERRY), "Late", "text").map(drop);
    let word = brain.clone();
    let aside = move |memory: &Memory| memory.set_aside(&caller(PERSON, CHERRY), &word, "to try").map(drop);
    let check = |step: &str, disk: &SimDisk, memory: &Memory, told: Result<_, _>, aside: Result<_, _>| {
        assert_eq!(strays(disk), [] as [PathBuf; 0], "{step}: {told:?}, {aside:?}");
        if aside.is_ok() {
            let request =
                BootstrapRequest { brain: BrainWish::TakeUp(brain.clone()), ..BootstrapRequest::default() };
            let taken = memory.bootstrap(&caller(PERSON, CHERRY), &request);
            assert!(taken.is_ok(), "{step}: {taken:?}");
        }
        let shown = memory.look_at(&caller(MAKER, CHERRY), "Late", Tier::Project);
        assert_eq!(told.is_ok(), shown.is_ok(), "{step}: {told:?}, {shown:?}");
    };
    at_every_step((&disk, &clock), tell, aside.clone(), check);
    let other_way =
        |step: &str, disk: &SimDisk, memory: &Memory, aside, told| check(step, disk, memory, told, aside);
    at_every_step((&disk, &clock), aside, tell, other_way);
}

#[test] // spec: MEM-1b, MEM-30
fn a_boot_key_that_is_set_while_a_brain_is_set_aside_is_in_no_folder_of_its_own() {
    let (disk, clock, memory) = project();
    let brain = memory.home().brain_at(Path::new(CHERRY)).unwrap().origin();
    let set = |memory: &Memory| memory.boot_set(&caller(MAKER, CHERRY), "late", "text", None).map(drop);
    let word = brain.clone();
    let aside = move |memory: &Memory| memory.set_aside(&caller(PERSON, CHERRY), &word, "to try").map(drop);
    let check = |step: &str, disk: &SimDisk, memory: &Memory, set: Result<_, _>, aside: Result<_, _>| {
        assert_eq!(strays(disk), [] as [PathBuf; 0], "{step}: {set:?}, {aside:?}");
        if aside.is_ok() {
            let request =
                BootstrapRequest { brain: BrainWish::TakeUp(brain.clone()), ..BootstrapRequest::default() };
            let taken = memory.bootstrap(&caller(PERSON, CHERRY), &request);
            assert!(taken.is_ok(), "{step}: {taken:?}");
        }
        let listed = memory.boot_list(&caller(MAKER, CHERRY), Some("late"), Tier::Project).unwrap();
        assert_eq!(set.is_ok(), !listed.rows.is_empty(), "{step}: {set:?}, {listed:?}");
    };
    at_every_step((&disk, &clock), set, aside.clone(), check);
    let other_way =
        |step: &str, disk: &SimDisk, memory: &Memory, aside, set| check(step, disk, memory, set, aside);
    at_every_step((&disk, &clock), aside, set, other_way);
}

#[test] // spec: MEM-1b, MEM-2
fn a_brain_that_is_set_aside_while_its_claims_go_into_the_repository_is_whole_in_one_place() {
    let (disk, clock, memory) = project();
    let brain = memory.home().brain_at(Path::new(CHERRY)).unwrap().origin();
    memory.tell(&caller(MAKER, CHERRY), "Salary", "a later text").unwrap();
    clock.advance(1_000);
    let init = |memory: &Memory| memory.init(&caller(PERSON, CHERRY), &InitRequest::default()).map(drop);
    let word = brain.clone();
    let aside = move |memory: &Memory| memory.set_aside(&caller(PERSON, CHERRY), &word, "to try").map(drop);
    let check = |step: &str, disk: &SimDisk, memory: &Memory, init: Result<_, _>, aside: Result<_, _>| {
        assert_eq!(strays(disk), [] as [PathBuf; 0], "{step}: {init:?}, {aside:?}");
        if aside.is_ok() {
            let request =
                BootstrapRequest { brain: BrainWish::TakeUp(brain.clone()), ..BootstrapRequest::default() };
            let taken = memory.bootstrap(&caller(PERSON, CHERRY), &request);
            assert!(taken.is_ok(), "{step}: {init:?}, {taken:?}");
        }
        let shown = memory.look_at(&caller(MAKER, CHERRY), "Salary", Tier::Project).unwrap();
        assert_eq!(shown.history.len(), 1, "{step}: {init:?}, {aside:?}");
    };
    at_every_step((&disk, &clock), init, aside.clone(), check);
    let other_way =
        |step: &str, disk: &SimDisk, memory: &Memory, aside, init| check(step, disk, memory, init, aside);
    at_every_step((&disk, &clock), aside, init, other_way);
}

#[test] // spec: MEM-1b
fn no_empty_brain_begins_beside_one_that_is_set_aside() {
    let (disk, clock, memory) = project();
    let brain = memory.home().brain_at(Path::new(CHERRY)).unwrap().origin();
    let begin = |memory: &Memory| memory.begin(&caller(PERSON, CHERRY)).map(|done| done.existed);
    let aside = move |memory: &Memory| memory.set_aside(&caller(PERSON, CHERRY), &brain, "to try").map(drop);
    let check = |step: &str, _: &SimDisk, _: &Memory, began: Result<bool, _>, aside: Result<_, _>| {
        assert!(
            began.as_ref().is_ok_and(|existed| *existed) || began.is_err(),
            "{step}: {began:?}, {aside:?}"
        );
    };
    at_every_step((&disk, &clock), begin, aside.clone(), check);
    let other_way = |step: &str, disk: &SimDisk, memory: &Memory, aside, began| {
        check(step, disk, memory, began, aside);
    };
    at_every_step((&disk, &clock), aside, begin, other_way);
}

#[test] // spec: MEM-8, MEM-48
fn of_a_renaming_and_a_deletion_at_once_one_is_refused() {
    for tier in [None, Some(WriteTier::Medulla)] {
        let (disk, clock, memory) = project();
        let told = MemorizeRequest { tier, ..claim("Old", "some text") };
        memory.memorize(&caller(PERSON, CHERRY), &told).unwrap();
        clock.advance(1_000);
        let forget = move |memory: &Memory| {
            let request = ForgetRequest { label: "Old".into(), tier, confirmation: Confirmation::Given };
            memory.forget(&caller(PERSON, CHERRY), &request).map(drop)
        };
        let rename = move |memory: &Memory| {
            let request = RenameRequest { label: "Old".into(), to: "New".into(), tier };
            memory.rename(&caller(PERSON, CHERRY), &request).map(drop)
        };
        let check = |step: &str, _: &SimDisk, memory: &Memory, gone: Result<_, _>, named: Result<_, _>| {
            assert_ne!(gone.is_ok(), named.is_ok(), "{tier:?}, {step}: {gone:?}, {named:?}");
            let shown = memory.look_at(&caller(PERSON, CHERRY), "New", Tier::Both);
            assert_eq!(shown.is_ok(), named.is_ok(), "{tier:?}, {step}: {gone:?}, {shown:?}");
            let life = shown.iter().flat_map(|shown| &shown.life).filter(|step| step.what == "renamed");
            assert_eq!(life.count(), usize::from(named.is_ok()), "{tier:?}, {step}: {shown:?}");
        };
        at_every_step((&disk, &clock), forget, rename, check);
        let other_way =
            |step: &str, disk: &SimDisk, memory: &Memory, named, gone| check(step, disk, memory, gone, named);
        at_every_step((&disk, &clock), rename, forget, other_way);
    }
}

#[test] // spec: MEM-48
fn a_deletion_names_the_copy_that_a_promotion_makes_beside_it() {
    let (disk, clock, _) = project();
    let forget = |memory: &Memory| {
        let request = ForgetRequest { label: "Salary".into(), tier: None, confirmation: Confirmation::Given };
        memory.forget(&caller(PERSON, CHERRY), &request)
    };
    let share = |memory: &Memory| promote(memory, &caller(PERSON, CHERRY), "Salary").map(drop);
    at_every_step((&disk, &clock), forget, share, |step, _, _, gone, shared: Result<_, _>| {
        let notes = gone.unwrap_or_else(|error| panic!("{step}: {error}")).notes;
        let names_it = notes.iter().any(|note| note.contains("medulla"));
        assert_eq!(names_it, shared.is_ok(), "{step}: {notes:?}, {shared:?}");
    });
}

#[test] // spec: MEM-1b
fn of_two_folders_that_take_up_one_brain_one_gets_it() {
    let (disk, clock, memory) = project();
    let brain = memory.home().brain_at(Path::new(CHERRY)).unwrap().origin();
    memory.set_aside(&caller(PERSON, CHERRY), &brain, "to try").unwrap();
    let take_up = |root: &'static str| {
        let wish = BrainWish::TakeUp(brain.clone());
        move |memory: &Memory| {
            let request = BootstrapRequest { brain: wish.clone(), ..BootstrapRequest::default() };
            memory.bootstrap(&caller(PERSON, root), &request).map(drop)
        }
    };
    let check = |step: &str, disk: &SimDisk, _: &Memory, mine: Result<_, _>, theirs: Result<_, _>| {
        assert_ne!(mine.is_ok(), theirs.is_ok(), "{step}: {mine:?}, {theirs:?}");
        let root = if mine.is_ok() { CHERRY } else { PLUM };
        assert_eq!(folders_of(disk, root).len(), 1, "{step}");
        let log = disk.read(&Path::new(HOME).join("acts.jsonl"), 1 << 20).unwrap();
        let log = String::from_utf8(log).unwrap();
        assert_eq!(log.lines().filter(|line| line.contains("\"take_up\"")).count(), 1, "{step}: {log}");
    };
    at_every_step((&disk, &clock), take_up(CHERRY), take_up(PLUM), check);
}
