//! A disk that is full or read-only refuses the call and leaves every file as it was.

use crate::act_line::Act;
use crate::promote::promote;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, service,
    two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk, DiskFault, FaultyDisk, SimDisk, SyncFailures, UnsyncedFate, verbs};
use brainstem_memory::config::ConfigFile;
use brainstem_memory::{
    Confirmation, EjectRequest, ForgetRequest, InitRequest, MemorizeRequest, Memory, MemoryError, Reaffirm,
    RenameRequest, ResolveRequest, RetractRequest, Tier, WriteTier,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Ask = fn(&Memory) -> Result<(), MemoryError>;

/// Stores under the home, and with the project's in its repository.
fn prepared() -> [SimDisk; 2] {
    [false, true].map(prepared_in)
}

fn prepared_in(repository: bool) -> SimDisk {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    if repository {
        memory.init(&cherry, &InitRequest::default()).unwrap();
    }
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    disk
}

fn asks() -> Vec<(&'static str, Ask)> {
    vec![
        ("birth", |memory| memory.tell(&caller(MAKER, CHERRY), "Timeouts", "ten seconds").map(drop)),
        ("supersede", |memory| memory.tell(&caller(MAKER, CHERRY), "Retry policy", "four times").map(drop)),
        ("affirm", |memory| {
            let request =
                MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Retry policy", "three times") };
            memory.memorize(&caller(MAKER, CHERRY), &request).map(drop)
        }),
        ("doctrine", |memory| {
            memory.memorize(&caller(MAKER, CHERRY), &doctrine("Spaces", "never")).map(drop)
        }),
        ("doctrine superseded", |memory| {
            memory.memorize(&caller(MAKER, CHERRY), &doctrine("Tabs", "use four blanks")).map(drop)
        }),
        ("retract", |memory| memory.take_back(&caller(MAKER, CHERRY), "Retry policy").map(drop)),
        ("retract doctrine", |memory| {
            let tier = Some(WriteTier::Medulla);
            let request = RetractRequest { label: "Tabs".into(), reason: "no longer".into(), tier };
            memory.retract(&caller(MAKER, CHERRY), &request).map(drop)
        }),
        ("promote", |memory| promote(memory, &caller(MAKER, CHERRY), "Retry policy").map(drop)),
        ("bootstrap", |memory| memory.begin(&caller(MAKER, PLUM)).map(drop)),
    ]
}

/// Every file is there with the same bytes; what is new has a temporary name or is an empty lock, or
/// belongs to a brain that is not finished.
fn assert_untouched(before: &SimDisk, after: &SimDisk, told: &str) {
    let (mut before, mut after) = (before.dump(), after.dump());
    // How often an agent wrote within this minute is local state.
    for files in [&mut before, &mut after] {
        files.retain(|path, _| !path.starts_with(Path::new(HOME).join("local")));
    }
    for (path, bytes) in &before {
        assert_eq!(after.remove(path).as_ref(), Some(bytes), "{told}: {}", path.display());
    }
    for (path, bytes) in after {
        let name = path.file_name().unwrap().to_string_lossy();
        let is_lock = bytes.is_empty() && path.parent().unwrap().ends_with(".locks");
        let is_unfinished =
            path.components().any(|part| part.as_os_str().to_string_lossy().starts_with("plum-"));
        assert!(name.starts_with(".tmp-") || is_lock || is_unfinished, "{told}: left {}", path.display());
    }
}

#[test] // spec: MEM-13
fn a_full_disk_refuses_at_every_byte_and_changes_nothing() {
    let [home, repository] = prepared();
    // In a repository at every byte in the soak, and at every eleventh in a check.
    let stride = if brainstem_testkit::cases(1) > 1 { 1 } else { 11 };
    let stores = [(&home, 1), (&repository, stride)];
    for ((before, stride), (name, ask)) in
        stores.iter().flat_map(|it| asks().into_iter().map(move |ask| (it, ask)))
    {
        let mut refused = 0;
        for bytes in (0..).step_by(*stride) {
            let disk = before.reboot(UnsyncedFate::Kept);
            disk.set_space_left(Some(bytes));
            let told = format!("{name} with {bytes} bytes left");
            let answer = code(ask(&service(Arc::new(disk.clone()), &clock())));
            if answer == "ok" {
                break;
            }
            assert_eq!(answer, "store.no_space", "{told}");
            assert_untouched(before, &disk, &told);
            refused += *stride;
            // With room again, the repeat is as good as the first.
            if bytes % 37 == 0 {
                disk.set_space_left(None);
                assert_eq!(code(ask(&service(Arc::new(disk.clone()), &clock()))), "ok", "{told}, then room");
            }
        }
        assert!(refused > 100, "{name} needs space, so it was refused: {refused}");
    }
}

/// A project in its repository from whose checkout git took a claim away.
fn with_a_claim_taken_away() -> SimDisk {
    let disk = with_long_claims(true);
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.tell(&caller(MAKER, CHERRY), "Taken away", "by git clean").unwrap();
    disk.unlink(&Path::new(CHERRY).join(".brainstem/agent-memory/taken-away.light.md")).unwrap();
    disk
}

/// A project with more words than a move makes sure of room for.
fn with_long_claims(repository: bool) -> SimDisk {
    let disk = prepared_in(repository);
    let memory = service(Arc::new(disk.clone()), &clock());
    for label in ["One", "Two", "Three"] {
        memory.tell(&caller(MAKER, CHERRY), label, &"many words ".repeat(1_700)).unwrap();
    }
    disk
}

#[test] // spec: MEM-13a, MEM-13b, MEM-2
fn a_full_disk_refuses_a_move_or_says_that_it_stopped_half_way() {
    let moves: [(&str, SimDisk, Ask); 2] = [
        ("init", with_long_claims(false), |memory| {
            memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).map(drop)
        }),
        ("eject", with_a_claim_taken_away(), |memory| {
            memory.eject(&caller(MAKER, CHERRY), &EjectRequest::default()).map(drop)
        }),
    ];
    for (name, before, ask) in moves {
        let in_checkout = |disk: &SimDisk| {
            let mut files = disk.dump();
            files.retain(|path, _| path.starts_with(CHERRY) && path.to_string_lossy().ends_with(".light.md"));
            files
        };
        let (mut refused, mut stopped) = (0, 0);
        for bytes in (0..).step_by(997) {
            let disk = before.reboot(UnsyncedFate::Kept);
            disk.set_space_left(Some(bytes));
            let told = format!("{name} with {bytes} bytes left");
            let Err(error) = ask(&service(Arc::new(disk.clone()), &clock())) else { break };
            let fix = error.fix().unwrap().to_string();
            match error.code().name() {
                "store.no_space" => {
                    assert_untouched(&before, &disk, &told);
                    refused += 1;
                }
                "store.unconfirmed" => {
                    assert!(
                        error.to_string().contains("half way") && fix.contains("repeat the call"),
                        "{told}: {error}; {fix}"
                    );
                    stopped += 1;
                }
                code => panic!("{told}: {code}"),
            }
            let new = in_checkout(&disk).into_keys().find(|path| !in_checkout(&before).contains_key(path));
            assert!(name == "init" || new.is_none(), "{told}: git sees {new:?}");
            disk.set_space_left(None);
            let memory = service(Arc::new(disk.clone()), &clock());
            let listed = memory.all(&caller(MAKER, CHERRY));
            let is_there = |row: &brainstem_memory::Row| row.label == "Retry policy";
            if !listed.rows.iter().any(is_there) {
                assert!(listed.uncounted, "{told}: {listed:?}");
                assert!(
                    !listed.gaps.iter().any(|gap| gap.detail.contains("check out")),
                    "{told}: {listed:?}"
                );
            }
            assert_eq!(code(ask(&memory)), "ok", "{told}, then room");
            let rows = memory.all(&caller(MAKER, CHERRY)).rows;
            assert!(rows.iter().any(is_there), "{told}: {rows:?}");
            assert!(name == "init" || rows.iter().any(|row| row.text == "by git clean"), "{told}: {rows:?}");
        }
        assert!(refused > 0 && stopped > 0, "{name}: {refused} refused, {stopped} stopped");
    }
}

#[test] // spec: MEM-13
fn a_read_only_disk_refuses_and_still_reads() {
    for (before, (name, ask)) in
        prepared().iter().flat_map(|disk| asks().into_iter().map(move |ask| (disk, ask)))
    {
        let disk = before.reboot(UnsyncedFate::Kept);
        disk.set_read_only(true);
        let memory = service(Arc::new(disk.clone()), &clock());
        assert_eq!(code(ask(&memory)), "store.read_only", "{name}");
        assert_eq!(before.dump(), disk.dump(), "{name}");
        let beat = memory.beat(&caller(MAKER, CHERRY), "retry");
        assert_eq!((beat.memory.len(), beat.memory_exists), (2, 2), "{name}: {:?}", beat.gaps);
    }
}

#[test] // spec: MEM-1
fn a_moved_root_is_recognised_on_a_read_only_disk_too() {
    let [disk, _] = prepared();
    disk.rename(Path::new(CHERRY), Path::new("/src/moved")).unwrap();
    disk.set_read_only(true);
    let memory = service(Arc::new(disk.clone()), &clock());
    assert_eq!(memory.beat(&caller(MAKER, "/src/moved"), "retry").memory_exists, 2);
}

/// The verbs that change more than one file: cut short anywhere, what was there is still there, and the
/// repeat completes them.
fn long_asks() -> Vec<(&'static str, Ask)> {
    fn maker() -> brainstem_memory::Caller {
        caller(MAKER, CHERRY)
    }
    vec![
        ("edit", |memory| {
            let editing = memory.begin_edit(&maker(), "Retry policy", None)?;
            let page = editing.page.replace("four times", "five times");
            memory.finish_edit(&maker(), &editing, &page).map(drop)
        }),
        ("rename", |memory| {
            let request = RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier: None };
            memory.rename(&maker(), &request).map(drop)
        }),
        ("forget", |memory| {
            let request =
                ForgetRequest { label: "Cache".into(), tier: None, confirmation: Confirmation::Given };
            memory.forget(&maker(), &request).map(drop)
        }),
        ("import", |memory| {
            let request = ImportRequest {
                path: "/src/plum.jsonl".into(),
                from: None,
                tier: None,
                sort: false,
                dry_run: false,
            };
            let done = Transfer::new(memory).import(&maker(), &request, &|_, _| true)?;
            assert!(done.not_taken.is_empty(), "{done:?}");
            Ok(())
        }),
        ("import of a folder", |memory| {
            let request = ImportRequest {
                path: "/src/old".into(),
                from: None,
                tier: None,
                sort: false,
                dry_run: false,
            };
            let done = Transfer::new(memory).import(&maker(), &request, &|_, _| true)?;
            assert!(done.not_taken.is_empty(), "{done:?}");
            Ok(())
        }),
        ("boot set", |memory| memory.boot_set(&maker(), "test", "new", None).map(drop)),
        ("boot delete", |memory| memory.boot_delete(&maker(), "test", None).map(drop)),
        ("config set", |memory| {
            memory.set(maker().place(), "agent", "claude:maker", ConfigFile::Repository).map(drop)
        }),
        ("config set at home", |memory| {
            memory.set(maker().place(), "agent", "claude:maker", ConfigFile::Home).map(drop)
        }),
        ("promote", |memory| promote(memory, &maker(), "Retry policy").map(drop)),
        ("init", |memory| memory.init(&maker(), &InitRequest::default()).map(drop)),
    ]
}

fn prepared_for_long_asks() -> SimDisk {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    let (cherry, plum) = (caller(MAKER, CHERRY), caller(MAKER, PLUM));
    memory.begin(&plum).unwrap();
    for (label, text) in
        [("Imported", "an older plum"), ("Imported", "a plum"), ("Imported too", "two plums")]
    {
        memory.tell(&plum, label, text).unwrap();
        clock.advance(1_000);
    }
    memory.take_back(&plum, "Imported too").unwrap();
    let out = Some("/src/plum.jsonl".into());
    let request = ExportRequest { scope: ExportScope::Project, format: Format::JsonLines, out };
    Transfer::new(&memory).export(&plum, &request, &|_, _| ()).unwrap();
    for n in 1..4 {
        let head =
            format!("---\nProtocol: L1GHT/1.0\nNode: Imported {n}\nState: authored\nCreated: {n}\n---\n");
        let text = format!("{head}\n# Imported {n}\n\nplum {n}\n");
        disk.write_raw(format!("/src/old/imported-{n}.light.md"), text.as_bytes());
    }
    memory.begin(&cherry).unwrap();
    for (label, text) in
        [("Retry policy", "three times"), ("Retry policy", "four times"), ("Cache", "a zebra")]
    {
        memory.tell(&cherry, label, text).unwrap();
        clock.advance(1_000);
    }
    memory.take_back(&cherry, "Cache").unwrap();
    memory.tell(&cherry, "Cache", "two zebras").unwrap();
    memory.boot_set(&cherry, "test", "old", None).unwrap();
    disk.write_raw(format!("{HOME}/config.toml"), b"# mine\nwrites_per_minute = 100\n");
    disk
}

/// What each label of cherry says, live and before, its boot keys and its settings.
fn seen(disk: &SimDisk) -> BTreeMap<String, Vec<String>> {
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    let mut seen = BTreeMap::new();
    for label in [
        "Retry policy",
        "Attempts",
        "Cache",
        "Imported",
        "Imported too",
        "Imported 1",
        "Imported 2",
        "Imported 3",
    ] {
        let Ok(shown) = memory.look_at(&maker, label, Tier::Project) else { continue };
        let live = shown.claim.map_or("-".to_owned(), |row| row.text);
        let history = shown.history.into_iter().map(|version| version.text);
        seen.insert(label.to_owned(), std::iter::once(live).chain(history).collect());
    }
    if let Ok(shown) = memory.look_at(&maker, "Retry policy", Tier::Medulla) {
        seen.insert("medulla".into(), shown.claim.into_iter().map(|row| row.text).collect());
    }
    let boot = memory.boot_list(&maker, None, Tier::Both).unwrap().rows;
    seen.insert("boot".into(), boot.into_iter().map(|row| row.value).collect());
    let config = memory.config(maker.place());
    assert!(config.broken.is_empty(), "{config:?}");
    seen.insert("agent".into(), config.agent().iter().map(ToString::to_string).collect());
    seen
}

/// Every log of acts.
fn logs(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    disk.dump().into_iter().filter(|(path, _)| path.ends_with("acts.jsonl")).collect()
}

/// Asks on a disk that becomes full, looks, and asks once more with room.
fn refused_then_done(
    name: &str,
    ask: Ask,
    before: &SimDisk,
    full: &SimDisk,
    disk: Arc<dyn Disk>,
    told: &str,
) -> bool {
    let now = clock();
    now.advance(60_000);
    let refused = match ask(&service(disk, &now)) {
        Ok(()) => return false,
        Err(refused) => refused,
    };
    match refused.code().name() {
        // A part of it stays: to take it back needs space as well.
        "store.unconfirmed" => {}
        code => {
            assert_eq!(code, "store.no_space", "{told}");
            assert!(refused.fix().is_some_and(|fix| fix.contains("free some space")), "{told}: {refused}");
            if name.starts_with("import") {
                assert_eq!(logs(full), logs(before), "{told}: it says that nothing was changed");
            }
        }
    }
    full.set_space_left(None);
    let (old, cut) = (seen(before), seen(full));
    let words: String =
        full.dump().into_values().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    for (label, texts) in &old {
        let is_kept = |text: &String| match name {
            // A claim on its way into the repository lies in one of the two places.
            "init" => words.contains(text.as_str()),
            _ => cut.values().flatten().any(|there| there == text),
        };
        assert!(texts.iter().all(is_kept), "{told}: of {label:?} {texts:?} is left {cut:?}");
    }
    now.advance(60_000);
    ask(&service(Arc::new(full.clone()), &now)).unwrap_or_else(|error| panic!("{told}, then room: {error}"));
    let whole = before.reboot(UnsyncedFate::Kept);
    ask(&service(Arc::new(whole.clone()), &now)).unwrap();
    assert_eq!(seen(full), seen(&whole), "{told}, then room");
    let acts = |disk: &SimDisk| {
        let store = caller(MAKER, CHERRY);
        let brains = service(Arc::new(disk.clone()), &now).brains(&store).unwrap().brains;
        let brain = brains.into_iter().find(|row| row.brain.root == Path::new(CHERRY)).unwrap().brain;
        let medulla = disk.dump().remove(&Path::new(HOME).join("acts.jsonl")).unwrap_or_default();
        let bytes = [disk.dump().remove(&brain.store_paths().acts).unwrap(), medulla].concat();
        let lines = bytes.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Act>(line).ok());
        let mut acts: Vec<String> = lines.map(|act| act.act).collect();
        acts.sort();
        acts
    };
    assert_eq!(acts(full), acts(&whole), "{told}: each act once");
    true
}

#[test] // spec: MEM-13, MEM-47, MEM-48
fn a_verb_of_many_steps_loses_nothing_on_a_full_disk_and_is_completed_with_room() {
    let before = prepared_for_long_asks();
    for (name, ask) in long_asks() {
        let mut refused = 0;
        // A prime step meets the edges of every write sooner or later.
        for bytes in (0..).step_by(13) {
            let disk = before.reboot(UnsyncedFate::Kept);
            disk.set_space_left(Some(bytes));
            let told = format!("{name} with {bytes} bytes left");
            if !refused_then_done(name, ask, &before, &disk, Arc::new(disk.clone()), &told) {
                break;
            }
            refused += 1;
        }
        assert!(refused > 1, "{name} needs space, so it was refused: {refused}");
    }
}

#[test] // spec: MEM-13, MEM-47, MEM-48
fn a_disk_that_is_full_from_any_step_on_loses_nothing() {
    let before = prepared_for_long_asks();
    // Forgetting makes its own room, which is no room for names here.
    for (name, ask) in long_asks().into_iter().filter(|(name, _)| *name != "forget") {
        for steps in 0.. {
            let disk = before.reboot(UnsyncedFate::Kept);
            let full = FullAfter { steps, ..FullAfter::NEVER }.on(&disk);
            let told = format!("{name}, full after {steps} steps");
            if !refused_then_done(name, ask, &before, &disk, full, &told) {
                assert!(steps > 1, "{name} needs space");
                break;
            }
        }
    }
}

/// What is live in the repository, without temporary names.
fn live(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let is_live = |path: &PathBuf| path.starts_with(Path::new(CHERRY).join(".brainstem/agent-memory"));
    let is_file = |path: &PathBuf| !path.to_string_lossy().contains("/.tmp-");
    disk.dump().into_iter().filter(|(path, _)| is_live(path) && is_file(path)).collect()
}

/// A file that a merge left with two versions.
fn with_an_undecided_file(disk: &SimDisk) {
    let path = format!("{CHERRY}/.brainstem/agent-memory/retry-policy.light.md");
    let ours = String::from_utf8(disk.read(Path::new(&path), 10_000).unwrap()).unwrap();
    let theirs = ours.replace("three times", "nine times");
    disk.write_raw(&path, format!("<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n").as_bytes());
}

#[test] // spec: MEM-13a, MEM-13b
fn what_a_full_disk_does_not_let_be_taken_back_is_called_unconfirmed_and_not_refused() {
    let mut asks = asks();
    asks.retain(|(name, _)| ["supersede", "affirm", "promote"].contains(name));
    asks.push(("respell", |memory| {
        let request = RenameRequest { label: "Retry policy".into(), to: "RETRY policy".into(), tier: None };
        memory.rename(&caller(MAKER, CHERRY), &request).map(drop)
    }));
    asks.push(("resolve", |memory| {
        let (label, take) = (Some("Retry policy".into()), Some("theirs".into()));
        let request = ResolveRequest { label, take, text: None, tier: None };
        memory.resolve(&caller(MAKER, CHERRY), &request).map(drop)
    }));
    for (name, ask) in asks {
        let before = prepared_in(true);
        if name == "resolve" {
            with_an_undecided_file(&before);
        }
        let mut unconfirmed = 0;
        for renames in 0.. {
            let disk = before.reboot(UnsyncedFate::Kept);
            let full = FullAfter { renames, ..FullAfter::NEVER }.on(&disk);
            let told = format!("{name}, no renames after {renames}");
            match code(ask(&service(full, &clock()))) {
                "ok" => break,
                "store.no_space" => assert_eq!(live(&before), live(&disk), "{told}"),
                "store.unconfirmed" => unconfirmed += 1,
                other => panic!("{told}: {other}"),
            }
            if name == "resolve" {
                let is_version = |path: &PathBuf| !path.to_string_lossy().contains("/.tmp-");
                let all = disk.dump().into_iter().filter(|(path, _)| is_version(path));
                let all: String =
                    all.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()).collect();
                assert!(all.contains("three times") && all.contains("nine times"), "{told}");
                continue;
            }
            assert_eq!(code(ask(&service(Arc::new(disk.clone()), &clock()))), "ok", "{told}, then room");
        }
        assert!(unconfirmed > 0, "{name}: one rename is of a change that cannot be taken back");
    }
}

#[test] // spec: MEM-13a, MEM-13b
fn a_claim_that_a_disk_does_not_let_be_taken_out_again_is_not_called_refused() {
    let before = prepared_in(true);
    let disk = before.reboot(UnsyncedFate::Kept);
    let full = FullAfter { renames: 0, keeps_names: true, ..FullAfter::NEVER }.on(&disk);
    let birth = |memory: &Memory| memory.tell(&caller(MAKER, CHERRY), "Timeouts", "ten seconds");
    assert_eq!(code(birth(&service(full, &clock()))), "store.unconfirmed");
    assert_eq!(live(&disk).len(), live(&before).len() + 1, "it is there");
    assert_eq!(code(birth(&service(Arc::new(disk.clone()), &clock()))), "ok", "and the repeat finds it");
}

#[test] // spec: MEM-13a, MEM-13b
fn a_boot_key_that_a_disk_does_not_let_be_taken_back_is_not_called_refused() {
    let before = prepared_in(true);
    let keys = |memory: &Memory| {
        let listed = memory.boot_list(&caller(MAKER, CHERRY), None, Tier::Project).unwrap();
        listed.rows.into_iter().map(|row| row.value).collect::<Vec<_>>()
    };
    let mut left = 0;
    for syncs in 0.. {
        let disk = before.reboot(UnsyncedFate::Kept);
        disk.fail_syncs_after(syncs, SyncFailures::AllLater, DiskFault::NoSpace);
        // The new file gets its name, and the one before does not get it back.
        let full = FullAfter { renames: 1, ..FullAfter::NEVER }.on(&disk);
        let memory = service(full, &clock());
        let answer = code(memory.boot_set(&caller(MAKER, CHERRY), "build", "cargo build", None));
        if answer == "ok" {
            break;
        }
        let is_set = keys(&memory) == ["cargo build"];
        assert!(!is_set || answer == "store.unconfirmed", "{answer} after {syncs} syncs");
        left += usize::from(is_set);
    }
    assert!(left > 0, "one of them is the sync of the change itself");
}

/// A disk on which, after so many operations that need space, none finds any: names included.
#[derive(Clone, Copy)]
struct FullAfter {
    steps: u64,
    /// How many files may take the place of another, or a name of their own.
    renames: u64,
    /// No name goes.
    keeps_names: bool,
}

impl FullAfter {
    /// One that has room for everything.
    const NEVER: Self = Self { steps: u64::MAX, renames: u64::MAX, keeps_names: false };

    fn on(self, disk: &SimDisk) -> Arc<dyn Disk> {
        let inner = disk.clone();
        let [steps, renames] = [self.steps, self.renames].map(AtomicU64::new);
        let spend = |left: &AtomicU64| {
            let spent = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            spent.is_err().then_some(DiskFault::NoSpace)
        };
        Arc::new(FaultyDisk::new(Arc::new(disk.clone()), move |step| {
            let is_there = inner.stat(&step.path).is_ok();
            // The name that it had makes room for the temporary one.
            let is_aside = step.path.to_string_lossy().contains("/.tmp-");
            match step.verb {
                verbs::WRITE_NEW | verbs::LINK | verbs::APPEND => spend(&steps),
                verbs::MAKE_DIR | verbs::LOCK if !is_there => spend(&steps),
                verbs::RENAME if is_there || is_aside => spend(&renames),
                verbs::RENAME => spend(&renames).or_else(|| spend(&steps)),
                verbs::UNLINK => self.keeps_names.then_some(DiskFault::NoSpace),
                _ => None,
            }
        }))
    }
}
