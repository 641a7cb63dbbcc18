//! A dry run says what the deed does: the same refusal, the same lists.

use crate::world::{CHERRY, HOME, MAKER, PERSON, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{EjectRequest, GitWish, InitRequest, Memory, Moving};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is done to a world before both forms of a verb are called.
type Hurt = fn(&SimDisk, &Path);

/// Whether it was so before, what moves, and what comes back.
type Lists = (bool, Vec<String>, Vec<String>);
/// An answer, or the code of the refusal.
type Told = Result<Lists, String>;

/// Two claims under the home or in the repository, and the folder of their brain.
fn world(is_in_repository: bool) -> (SimDisk, PathBuf) {
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n");
    let clock = clock();
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    let folder = memory.begin(&maker).unwrap().brain.folder;
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    memory.tell(&maker, "Timeouts", "ten seconds").unwrap();
    if is_in_repository {
        memory.init(&caller(PERSON, CHERRY), &InitRequest::default()).unwrap();
        let live = Path::new(CHERRY).join(".brainstem/agent-memory/retry-policy.light.md");
        let before = disk.read(&live, 1 << 20).unwrap();
        clock.advance(5);
        memory.tell(&maker, "Retry policy", "four times").unwrap();
        // What git checkout does.
        disk.write_raw(&live, &before);
    }
    (disk, folder)
}

fn told<T, E: brainstem_base::Coded>(answer: Result<T, E>, lists: impl Fn(&T) -> Lists) -> Told {
    answer.map(|done| lists(&done)).map_err(|error| error.code().name().to_owned())
}

fn init(memory: &Memory, dry_run: bool) -> Told {
    let done = memory.init(
        &caller(PERSON, CHERRY),
        &InitRequest { moving: Moving::of_flag(dry_run), ..InitRequest::default() },
    );
    told(done, |done| {
        let moves = done.moves.iter().map(|moving| format!("{moving:?}")).collect();
        (done.existed, moves, done.restored.clone())
    })
}

fn eject(memory: &Memory, dry_run: bool) -> Told {
    let done = memory.eject(
        &caller(PERSON, CHERRY),
        &EjectRequest { moving: Moving::of_flag(dry_run), ..EjectRequest::default() },
    );
    told(done, |done| {
        let moves = done.moves.iter().map(|moving| format!("{moving:?}")).collect();
        (done.existed, moves, done.restored.clone())
    })
}

#[test] // spec: MEM-2, IF-4
fn init_and_eject_do_what_their_dry_runs_say_in_sound_and_damaged_worlds() {
    let hurts: [(&str, Hurt); 6] = [
        ("nothing", |_, _| ()),
        ("the record is damaged", |disk, folder| disk.write_raw(folder.join("root.json"), b"garbage")),
        ("the manifest is damaged", |disk, folder| disk.write_raw(folder.join("brain.json"), b"garbage")),
        ("a newer home", |disk, _| disk.write_raw(format!("{HOME}/home.json"), b"{\"schema\": 99}")),
        ("a claim under the home is torn", |disk, folder| {
            disk.write_raw(folder.join("agent-memory/torn.light.md"), b"---\nProtocol: L1GHT");
        }),
        ("a claim in the repository is torn", |disk, _| {
            disk.write_raw(
                format!("{CHERRY}/.brainstem/agent-memory/torn.light.md"),
                b"---\nProtocol: L1GHT",
            );
        }),
    ];
    for is_in_repository in [false, true] {
        for (what, hurt) in hurts {
            let (disk, folder) = world(is_in_repository);
            hurt(&disk, &folder);
            let memory = || service(Arc::new(disk.clone()), &clock());
            let before = disk.dump();
            let planned = (init(&memory(), true), eject(&memory(), true));
            assert_eq!(disk.dump(), before, "{what}: a dry run changes nothing");
            let (other, folder) = world(is_in_repository);
            hurt(&other, &folder);
            let done = (init(&memory(), false), eject(&service(Arc::new(other.clone()), &clock()), false));
            assert_eq!(planned.0, done.0, "init, {what}, in the repository: {is_in_repository}");
            assert_eq!(planned.1, done.1, "eject, {what}, in the repository: {is_in_repository}");
        }
    }
}

#[test] // spec: MEM-2
fn init_shared_names_the_same_claims_before_it_is_done_and_after() {
    for is_cleaned in [false, true] {
        let (disk, _) = world(false);
        let memory = service(Arc::new(disk.clone()), &clock());
        let ask = |private: bool, shared: bool, dry_run: bool| {
            let request = InitRequest {
                git: GitWish::of_flags(private, shared).unwrap(),
                moving: Moving::of_flag(dry_run),
                ..InitRequest::default()
            };
            memory.init(&caller(PERSON, CHERRY), &request).unwrap()
        };
        ask(true, false, false);
        if is_cleaned {
            let folder = Path::new(CHERRY).join(".brainstem");
            let files = disk.dump().into_keys().filter(|path| path.starts_with(&folder));
            files.collect::<Vec<_>>().iter().for_each(|path| disk.unlink(path).unwrap());
        }
        let told = |dry_run: bool| {
            let notes = ask(false, true, dry_run).notes;
            notes.iter().map(ToString::to_string).find(|note| note.starts_with("it was private")).unwrap()
        };
        let planned = told(true);
        assert!(
            planned.contains(r#"2 claims ("Retry policy", "Timeouts")"#),
            "cleaned: {is_cleaned}, {planned}"
        );
        assert_eq!(planned, told(false), "cleaned: {is_cleaned}");
    }
}
