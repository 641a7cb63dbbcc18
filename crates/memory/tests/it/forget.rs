//! True deletion leaves no trace of the text anywhere.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::disk::{Disk, ObservedDisk, SimDisk};
use brainstem_base::hash;
use brainstem_claims::Claim;
use brainstem_memory::{
    Confirmation, DoctorRequest, ForgetRequest, Forgotten, InitRequest, Leftovers, Memory, MemoryError,
    RenameRequest, RetractRequest, Tier, WriteTier,
};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn forget(memory: &Memory, label: &str) -> Result<Forgotten, MemoryError> {
    let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
    memory.forget(&caller(MAKER, CHERRY), &request)
}

/// The files that hold one of these words, or are named by one, whatever their case.
fn found(disk: &SimDisk, words: &[&str]) -> Vec<PathBuf> {
    let holds = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    let files =
        disk.dump().into_iter().filter(|(path, _)| path.starts_with(HOME) || path.starts_with(CHERRY));
    files
        .filter(|(path, bytes)| holds(bytes) || holds(path.as_os_str().as_encoded_bytes()))
        .map(|(path, _)| path)
        .collect()
}

const WORDS: &[&str] = &["zebra", "quagga", "okapi", "wombat", "stripe", "herd"];

fn world() -> (SimDisk, Arc<brainstem_base::clock::ManualClock>, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Kept", "as it is").unwrap();
    memory.take_back(&maker, "Kept").unwrap();
    memory.tell(&maker, "Kept", "as it was").unwrap();
    (disk, clock, memory)
}

/// A claim with versions, a reason, a rename and leftovers of killed runs.
fn told(disk: &SimDisk, clock: &brainstem_base::clock::ManualClock, memory: &Memory) {
    let maker = caller(MAKER, CHERRY);
    memory.tell(&maker, "Zebra herd", "a quagga is no okapi").unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra herd", "an okapi is no quagga").unwrap();
    let reason = "the wombat said so".to_owned();
    memory.retract(&maker, &RetractRequest { label: "Zebra herd".into(), reason, tier: None }).unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra herd", "quagga and okapi").unwrap();
    clock.advance(1_000);
    let request = RenameRequest { label: "Zebra herd".into(), to: "Stripe".into(), tier: None };
    memory.rename(&maker, &request).unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Stripe", "okapi again").unwrap();
    let brain = memory.brains(&maker).unwrap().brains.remove(0).brain;
    let paths = brain.store_paths();
    let claim = disk.dump().remove(&paths.claims.join("stripe.light.md")).unwrap();
    for dir in [&paths.claims, &paths.history] {
        disk.write_raw(dir.join(".tmp-0123456789abcdef"), &claim);
    }
    let log = disk.dump().remove(&paths.acts).unwrap();
    disk.write_raw(paths.acts.parent().unwrap().join(".tmp-0123456789abcdef"), &log);
    // A line that a crash tore, with half a reason.
    let torn =
        br#"{"id":"1","ts":"x","agent":"y","act":"retract","subject":"stripe@5","data":{"reason":"womb"#;
    disk.append(&paths.acts, torn).unwrap();
}

#[test] // spec: MEM-48
fn nothing_of_a_forgotten_claim_is_left_in_any_file() {
    let (disk, clock, memory) = world();
    told(&disk, &clock, &memory);
    assert!(found(&disk, WORDS).len() > 6);
    let before = disk.dump();

    let unconfirmed =
        ForgetRequest { label: "Stripe".into(), tier: None, confirmation: Confirmation::Missing };
    let refused = memory.forget(&caller(MAKER, CHERRY), &unconfirmed).unwrap_err();
    assert!(refused.to_string().contains("the live claim and 3 versions"), "{refused}");
    assert_eq!(code(Err::<(), _>(refused)), "claim.forget_unconfirmed");
    assert_eq!(disk.dump(), before, "asking changes nothing");

    let gone = forget(&memory, "Stripe").unwrap();
    assert_eq!((gone.live, gone.versions, gone.sha256.len()), (true, 3, 4));
    assert!(gone.notes[0].contains("git"), "{gone:?}");
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);

    // The tombstone has the hashes, and the rest of the record is as it was.
    let maker = caller(MAKER, CHERRY);
    let brain = memory.brains(&maker).unwrap().brains.remove(0).brain;
    let log = String::from_utf8(disk.dump().remove(&brain.store_paths().acts).unwrap()).unwrap();
    let tombs: Vec<_> = log.lines().filter(|line| line.contains("\"act\":\"forget\"")).collect();
    assert_eq!(tombs.len(), 1, "{log}");
    assert!(gone.sha256.iter().all(|hash| tombs[0].contains(hash)) && tombs[0].contains(&gone.tombstone));
    assert!(log.lines().all(|line| serde_json::from_str::<crate::act_line::Act>(line).is_ok()), "{log}");
    assert_eq!(log.matches("\"act\":\"retract\"").count(), 2, "that something was taken back stays: {log}");
    let kept = memory.look_at(&maker, "Kept", Tier::Project).unwrap();
    assert_eq!(kept.history[0].retracted.as_ref().unwrap().deed().reason(), Some("it was wrong"));
    assert_eq!(code(forget(&memory, "Stripe")), "claim.not_found");
    assert_eq!(code(forget(&memory, "Zebra herd")), "claim.not_found");
}

#[test] // spec: MEM-48
fn what_only_history_knows_is_forgotten_too() {
    let (disk, _, memory) = world();
    let maker = caller(MAKER, CHERRY);
    memory.tell(&maker, "Zebra", "a quagga").unwrap();
    memory.take_back(&maker, "Zebra").unwrap();
    let gone = forget(&memory, "zebra").unwrap();
    assert_eq!((gone.live, gone.versions), (false, 1));
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    // The label is free, and may be forgotten again.
    memory.tell(&maker, "Zebra", "another quagga").unwrap();
    assert!(forget(&memory, "Zebra").unwrap().live);
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
}

#[test] // spec: MEM-48, MEM-8
fn another_claim_of_the_same_name_is_not_forgotten_along() {
    let (disk, clock, memory) = world();
    let maker = caller(MAKER, CHERRY);
    // One slug, two labels; and a label that was renamed away and given to another claim.
    memory.tell(&maker, "Zebra!", "a quagga").unwrap();
    memory.take_back(&maker, "Zebra!").unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra", "striped").unwrap();
    memory.take_back(&maker, "Zebra").unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra", "striped again").unwrap();
    forget(&memory, "Zebra!").unwrap();
    let shown = memory.look_at(&maker, "Zebra", Tier::Project).unwrap();
    assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("striped again", 1));
    assert_eq!(shown.history[0].retracted.as_ref().unwrap().deed().reason(), Some("it was wrong"));
    assert_eq!(found(&disk, &["quagga"]), [] as [PathBuf; 0]);

    memory.take_back(&maker, "Zebra").unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra", "third").unwrap();
    memory.rename(&maker, &RenameRequest { label: "Zebra".into(), to: "Okapi".into(), tier: None }).unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra", "newcomer").unwrap();
    forget(&memory, "Zebra").unwrap();
    let shown = memory.look_at(&maker, "Okapi", Tier::Project).unwrap();
    assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("third", 2));
    assert!(shown.history.iter().all(|version| version.retracted.is_some()), "their record stays");
}

#[test] // spec: MEM-48
fn doctrine_is_forgotten_where_it_is_asked_for() {
    let (disk, _, memory) = world();
    let person = caller(PERSON, CHERRY);
    memory.memorize(&person, &doctrine("Zebra", "a quagga everywhere")).unwrap();
    assert_eq!(code(forget(&memory, "Zebra")), "claim.not_found", "not in the project");
    let request = ForgetRequest {
        label: "Zebra".into(),
        tier: Some(WriteTier::Medulla),
        confirmation: Confirmation::Given,
    };
    assert_eq!(memory.forget(&person, &request).unwrap().notes.len(), 1);
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    // A maker is let through, told, and on record.
    memory.memorize(&person, &doctrine("Zebra", "a quagga once more")).unwrap();
    let to = RenameRequest { label: "Zebra".into(), to: "Okapi".into(), tier: Some(WriteTier::Medulla) };
    assert!(memory.rename(&caller(MAKER, CHERRY), &to).unwrap().notes[0].contains("on record"));
    let request = ForgetRequest {
        label: "Okapi".into(),
        tier: Some(WriteTier::Medulla),
        confirmation: Confirmation::Given,
    };
    assert!(memory.forget(&caller(MAKER, CHERRY), &request).unwrap().notes[1].contains("on record"));
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    let log = String::from_utf8(disk.dump().remove(&Path::new(HOME).join("acts.jsonl")).unwrap()).unwrap();
    assert_eq!(log.matches("\"act\":\"etiquette_violation\"").count(), 2, "{log}");
}

#[test] // spec: MEM-48, MEM-2
fn a_claim_in_a_repository_is_forgotten_there_and_in_the_home() {
    let (disk, clock, memory) = world();
    let brain = memory.brains(&caller(MAKER, CHERRY)).unwrap().brains.remove(0).brain;
    let manifest = disk.dump().remove(&brain.folder.join("brain.json")).unwrap();
    disk.write_raw(Path::new(CHERRY).join(".brainstem/brain.json"), &manifest);
    let memory_in_repo = service(Arc::new(disk.clone()), &clock);
    told(&disk, &clock, &memory_in_repo);
    assert!(found(&disk, WORDS).iter().any(|path| path.starts_with(CHERRY)));
    forget(&memory_in_repo, "Stripe").unwrap();
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
}

#[test] // spec: MEM-48
fn a_claim_is_forgotten_under_every_name_its_files_have() {
    let (disk, clock, memory) = world();
    let maker = caller(MAKER, CHERRY);
    told(&disk, &clock, &memory);
    memory.init(&maker, &brainstem_memory::InitRequest::default()).unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Stripe", "okapi in the repository").unwrap();
    let brain = memory.brains(&maker).unwrap().brains.remove(0).brain;
    let paths = brain.store_paths();
    let files = disk.dump();
    let live = &files[&paths.claims.join("stripe.light.md")];
    let past = files.iter().find(|(path, _)| path.starts_with(&paths.history)).unwrap().1;
    // Copied by hand, left by an editor, named by hand, and copied among the versions and the copies.
    disk.write_raw(paths.claims.join("my notes.light.md"), live);
    disk.write_raw(paths.claims.join("notes.light.md"), live);
    disk.write_raw(paths.claims.join("kept.light.md.orig"), live);
    disk.write_raw(brain.folder.join("agent-memory/saved.light.md"), live);
    disk.write_raw(paths.history.join("saved.1783209431409.light.md"), past);
    disk.write_raw(paths.history.join("old copy.light.md"), past);
    disk.write_raw(paths.kept.unwrap().join("saved/1783209431409.light.md"), live);

    let unconfirmed =
        ForgetRequest { label: "Stripe".into(), tier: None, confirmation: Confirmation::Missing };
    let refused = memory.forget(&maker, &unconfirmed).unwrap_err().to_string();
    assert!(refused.contains("6 files with it under other names"), "{refused}");
    let gone = forget(&memory, "Stripe").unwrap();
    assert!(gone.notes.iter().any(|note| note.contains("6 files")), "{gone:?}");
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    assert_eq!(memory.look_at(&maker, "Kept", Tier::Project).unwrap().claim.unwrap().text, "as it was");
}

#[test] // spec: MEM-48, MEM-2
fn the_copies_of_a_repository_are_forgotten_after_it_was_left() {
    let (disk, clock, memory) = world();
    let maker = caller(MAKER, CHERRY);
    memory.init(&maker, &brainstem_memory::InitRequest::default()).unwrap();
    for text in ["a quagga", "an okapi"] {
        memory.tell(&maker, "Stripe", text).unwrap();
        clock.advance(1_000);
    }
    memory.eject(&maker, &brainstem_memory::EjectRequest::default()).unwrap();
    forget(&memory, "Stripe").unwrap();
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
}

#[test] // spec: MEM-48
fn the_history_of_a_renamed_claim_is_not_taken_for_copies_of_the_next_of_its_name() {
    let (disk, clock, memory) = world();
    let maker = caller(MAKER, CHERRY);
    for text in ["one", "two"] {
        memory.tell(&maker, "Zebra", text).unwrap();
        clock.advance(1_000);
    }
    memory.rename(&maker, &RenameRequest { label: "Zebra".into(), to: "Okapi".into(), tier: None }).unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Zebra", "newcomer").unwrap();
    let paths = memory.brains(&maker).unwrap().brains.remove(0).brain.store_paths();
    let copy = disk.dump().remove(&paths.claims.join("zebra.light.md")).unwrap();
    disk.write_raw(paths.claims.join("copy.light.md"), &copy);
    // The name of a copy is no claim's.
    assert_eq!(code(forget(&memory, "copy")), "claim.not_found");
    assert_eq!(memory.look_at(&maker, "Zebra", Tier::Project).unwrap().claim.unwrap().text, "newcomer");
    forget(&memory, "Zebra").unwrap();
    assert_eq!(found(&disk, &["newcomer"]), [] as [PathBuf; 0]);
    let okapi = memory.look_at(&maker, "Okapi", Tier::Project).unwrap();
    assert_eq!((okapi.claim.unwrap().text.as_str(), okapi.history.len()), ("two", 1));
    // And the other way round: its earlier label belongs to the next by now.
    clock.advance(1_000);
    memory.tell(&maker, "Zebra", "third").unwrap();
    forget(&memory, "Okapi").unwrap();
    assert_eq!(memory.look_at(&maker, "Zebra", Tier::Project).unwrap().claim.unwrap().text, "third");
}

#[test] // spec: MEM-48
fn no_word_stays_in_an_index_whoever_settles_meanwhile() {
    let (disk, clock, memory) = world();
    told(&disk, &clock, &memory);
    let maker = caller(MAKER, CHERRY);
    memory.settle(&maker, Tier::Both);
    let in_index = |disk: &SimDisk| {
        let files = found(disk, WORDS).into_iter();
        files.filter(|path| path.starts_with(Path::new(HOME).join("index"))).count()
    };
    assert_eq!(in_index(&disk), 1, "the words are there to be forgotten");

    // Before every step another process settles: one that has just started, and one that was there all along.
    let (long, cold) = (service(Arc::new(disk.clone()), &clock), {
        let (disk, clock) = (disk.clone(), clock.clone());
        move || service(Arc::new(disk.clone()), &clock)
    });
    long.settle(&maker, Tier::Both);
    let others = {
        let maker = maker.clone();
        move |_| {
            for other in [&long, &cold()] {
                other.find(&maker, "zebra okapi", Tier::Both);
                other.settle(&maker, Tier::Both);
                other.adopt_indexes();
            }
        }
    };
    let observed = ObservedDisk::new(Arc::new(disk.clone()), others);
    let forgetting = service(Arc::new(observed), &clock);
    forget(&forgetting, "Stripe").unwrap();
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    for process in [&memory, &forgetting, &service(Arc::new(disk.clone()), &clock)] {
        process.find(&maker, "zebra okapi", Tier::Both);
        process.settle(&maker, Tier::Both);
        assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    }
}

#[test] // spec: MEM-48, MEM-2
fn what_a_store_left_in_an_index_where_it_lay_before_is_forgotten_too() {
    let (disk, clock, memory) = world();
    told(&disk, &clock, &memory);
    let maker = caller(MAKER, CHERRY);
    // Indexed under the home, then in the repository.
    memory.settle(&maker, Tier::Both);
    memory.init(&maker, &brainstem_memory::InitRequest::default()).unwrap();
    memory.settle(&maker, Tier::Both);
    memory.settle(&caller(PERSON, PLUM), Tier::Both);
    forget(&memory, "Stripe").unwrap();
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
    // And the other way round.
    memory.tell(&maker, "Zebra", "a quagga").unwrap();
    memory.settle(&maker, Tier::Both);
    memory.eject(&maker, &brainstem_memory::EjectRequest::default()).unwrap();
    forget(&memory, "Zebra").unwrap();
    assert_eq!(found(&disk, WORDS), [] as [PathBuf; 0]);
}

#[test] // spec: MEM-48
fn no_power_loss_brings_the_words_of_an_index_back() {
    let (disk, clock, memory) = world();
    told(&disk, &clock, &memory);
    let maker = caller(MAKER, CHERRY);
    memory.settle(&maker, Tier::Both);
    memory.init(&maker, &brainstem_memory::InitRequest::default()).unwrap();
    memory.settle(&maker, Tier::Both);
    disk.sync_dir(&Path::new(HOME).join("index")).unwrap();
    disk.sync_dir(Path::new(HOME)).unwrap();
    forget(&memory, "Stripe").unwrap();
    for fate in brainstem_base::disk::UnsyncedFate::all(7) {
        assert_eq!(found(&disk.reboot(fate), WORDS), [] as [PathBuf; 0], "{fate:?}");
    }
}

#[test] // spec: MEM-48, LTR-17
fn copies_that_a_killed_run_of_the_battery_left_go_too() {
    let (disk, clock, memory) = world();
    told(&disk, &clock, &memory);
    let left = format!("{HOME}/local/battery/0011/home/project-brains/x/agent-memory/stripe.light.md");
    disk.write_raw(&left, b"okapi again");
    let notes = forget(&memory, "Stripe").unwrap().notes;
    assert_eq!(found(&disk, WORDS), Vec::<PathBuf>::new(), "{notes:?}");
    assert!(notes.iter().all(|note| !note.contains("battery")), "{notes:?}");
}

#[test] // spec: MEM-48, LTR-17
fn copies_that_a_run_of_the_battery_uses_are_told_and_swept_later() {
    let (disk, _clock, memory) = world();
    memory.tell(&caller(MAKER, CHERRY), "Stripe", "okapi").unwrap();
    let left = PathBuf::from(format!("{HOME}/local/battery/0011/home/agent-memory/stripe.light.md"));
    disk.write_raw(&left, b"okapi");
    let running = disk.lock(&Path::new(HOME).join("local/battery.lock"), std::time::Duration::ZERO).unwrap();
    let notes = forget(&memory, "Stripe").unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("doctor --sweep")), "{notes:?}");
    let sweep = DoctorRequest { leftovers: Leftovers::Swept, ..DoctorRequest::new(mixed_medulla) };
    let ask = || memory.doctor(&caller(MAKER, CHERRY), &sweep, &|_, _| ()).unwrap();
    assert!(ask().swept.is_empty() && disk.dump().contains_key(&left), "a run that goes on is left alone");
    drop(running);
    assert_eq!(ask().swept, [PathBuf::from(format!("{HOME}/local/battery/0011"))]);
    assert!(!disk.dump().contains_key(&left));
}

#[test] // spec: MEM-48, MEM-14
fn no_hash_of_a_secret_is_told_or_recorded_and_its_return_is_marked() {
    for is_in_repository in [false, true] {
        let (disk, clock, memory) = world();
        let maker = caller(MAKER, CHERRY);
        if is_in_repository {
            memory.init(&caller(PERSON, CHERRY), &InitRequest::default()).unwrap();
        }
        memory.tell(&maker, "Deploy", "the first word").unwrap();
        clock.advance(1_000);
        memory.tell(&maker, "Deploy", "words of the pass").unwrap();
        let mut files = disk.dump().into_iter();
        let (live, bytes) = files.find(|(path, _)| path.ends_with("deploy.light.md")).expect("it is live");
        let text = String::from_utf8(bytes).unwrap().replace("words of the pass", "password = kq8Fz2Lw9xTT");
        disk.write_raw(&live, text.as_bytes());
        let done = forget(&memory, "Deploy").unwrap();
        assert_eq!((done.live, done.sha256.len()), (true, 1), "the version before held none: {done:?}");
        assert!(done.notes.iter().any(|note| note.contains("held a secret")), "{done:?}");
        // Neither the hash of the file nor that of the version without its stamps, nor what is made of them.
        let claim = Claim::parse(text.as_bytes()).unwrap();
        let plain = [text.clone(), claim.unstamped().render(), claim.outdated().render()];
        let plain = plain.map(|text| hash::sha256_hex(text.as_bytes(), 12));
        let words: Vec<&str> = plain.iter().map(String::as_str).chain(["kq8fz2lw9xtt"]).collect();
        assert_eq!(found(&disk, &words), Vec::<PathBuf>::new());
        assert!(!plain.iter().any(|hash| format!("{done:?}").contains(hash)), "{done:?}");
        // A pull or a backup brings it back.
        disk.write_raw(&live, text.as_bytes());
        let shown = memory.look_at(&maker, "Deploy", Tier::Project);
        assert!(shown.unwrap().claim.unwrap().forgotten);
        // Forgotten again it is on record once; a new claim of that label is another one.
        forget(&memory, "Deploy").unwrap();
        clock.advance(1_000);
        memory.tell(&maker, "Deploy", "with the agent").unwrap();
        let shown = memory.look_at(&maker, "Deploy", Tier::Project);
        assert!(!shown.unwrap().claim.unwrap().forgotten);
    }
}
