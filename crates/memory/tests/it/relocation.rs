//! Memory on its way into a repository, back, and between two versions: power is lost before every
//! step, and every word is still there.

use crate::world::{CHERRY, MAKER, PERSON, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{
    EjectRequest, GitWish, InitRequest, Memory, MemoryError, Moving, ResolveRequest, ShowRequest, Tier,
};
use std::path::Path;
use std::sync::Arc;

type Act = fn(&Memory, &SimDisk) -> Result<(), MemoryError>;

fn init(memory: &Memory, _: &SimDisk) -> Result<(), MemoryError> {
    memory.init(&caller(PERSON, CHERRY), &InitRequest::default()).map(|_| ())
}

fn eject(memory: &Memory, _: &SimDisk) -> Result<(), MemoryError> {
    memory.eject(&caller(PERSON, CHERRY), &EjectRequest::default()).map(|_| ())
}

fn rewrite(memory: &Memory, _: &SimDisk) -> Result<(), MemoryError> {
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "five times").map(|_| ())
}

fn take_theirs(memory: &Memory, _: &SimDisk) -> Result<(), MemoryError> {
    let request = ResolveRequest {
        label: Some("Retry policy".into()),
        take: Some("theirs".into()),
        ..ResolveRequest::default()
    };
    memory.resolve(&caller(PERSON, CHERRY), &request).map(|_| ())
}

/// Three labels, one of them with a version in history and one taken back.
fn prepared(before: &[Act]) -> SimDisk {
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let clock = clock();
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for (label, text) in [
        ("Retry policy", "three times"),
        ("Retry policy", "four times"),
        ("Cache", "cleared"),
        ("Old", "gone"),
    ] {
        clock.advance(1_000);
        memory.tell(&maker, label, text).unwrap();
    }
    memory.take_back(&maker, "Old").unwrap();
    for act in before {
        clock.advance(1_000);
        act(&memory, &disk).unwrap();
    }
    disk
}

fn texts(memory: &Memory) -> Vec<String> {
    let mut texts: Vec<String> =
        memory.all(&caller(MAKER, CHERRY)).rows.into_iter().map(|row| row.text).collect();
    texts.sort();
    texts
}

/// Every claim text that lies anywhere on the disk.
fn words_on(disk: &SimDisk) -> String {
    disk.dump().into_values().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

/// How often a log records a retraction; what a power cut tore is no record.
fn retractions(log: &[u8]) -> usize {
    let lines =
        log.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    lines.filter(|act| act["act"] == "retract").count()
}

/// Loses power before every step of `act`, tries every fate, looks, and repeats it.
fn check(name: &str, before: &[Act], act: Act, expected: &[&str]) {
    let whole = prepared(before);
    let later = clock();
    later.advance(1_000_000);
    let kept: Vec<&str> = ["three times", "four times", "cleared", "gone"].to_vec();
    for steps in 0.. {
        let disk = whole.reboot(UnsyncedFate::Kept);
        disk.lose_power_after(steps);
        let answered = act(&service(Arc::new(disk.clone()), &later), &disk).is_ok();
        let lost_power = disk.lost_power();
        for fate in UnsyncedFate::all(steps) {
            let after = disk.reboot(fate);
            let words = words_on(&after);
            for text in &kept {
                assert!(words.contains(text), "{name}: {text:?} is lost at step {steps}, {fate:?}");
            }
            let memory = service(Arc::new(after.clone()), &later);
            if answered {
                assert_eq!(texts(&memory), expected, "{name}: answered at step {steps}, {fate:?}");
            } else {
                let listed = memory.all(&caller(MAKER, CHERRY));
                let silent = listed.rows.len() < 2 && listed.gaps.is_empty();
                assert!(!silent, "{name}: an absence without a word at step {steps}, {fate:?}");
                // Repeated, it completes; a decision that was made already has nothing left to decide.
                let repeated = act(&memory, &after);
                assert!(
                    repeated.is_ok() || name == "resolve",
                    "{name}: {repeated:?} at step {steps}, {fate:?}"
                );
                assert_eq!(texts(&memory), expected, "{name}: repeated after step {steps}, {fate:?}");
            }
            let acts = after
                .dump()
                .into_iter()
                .filter(|(path, _)| path.ends_with("acts.jsonl"))
                .map(|(_, bytes)| retractions(&bytes))
                .max();
            assert_eq!(acts, Some(1), "{name}: the retraction is on record once, step {steps}, {fate:?}");
        }
        if !lost_power {
            assert!(answered, "{name}");
            break;
        }
    }
}

#[test] // spec: MEM-2, MEM-13
fn a_move_into_the_repository_loses_nothing_wherever_power_fails() {
    check("init", &[], init, &["cleared", "four times"]);
    check("init again", &[init], init, &["cleared", "four times"]);
}

#[test] // spec: MEM-2, MEM-13, IF-15
fn a_move_back_loses_nothing_wherever_power_fails() {
    check("eject", &[init], eject, &["cleared", "four times"]);
}

#[test] // spec: MEM-2, MEM-13
fn a_write_into_the_repository_is_old_or_new_wherever_power_fails() {
    check("supersede in the repository", &[init], rewrite, &["cleared", "five times"]);
}

/// Two versions of one label, as a merge leaves them.
fn disagree(_: &Memory, disk: &SimDisk) -> Result<(), MemoryError> {
    let path = Path::new(CHERRY).join(".brainstem/agent-memory/retry-policy.light.md");
    let ours = disk.read(&path, 1 << 20).unwrap();
    let theirs = String::from_utf8(ours.clone())
        .unwrap()
        .replace("four times", "six times")
        .replace("Created: ", "Created: 1");
    disk.unlink(&path).unwrap();
    disk.write_new(&path, &join(&[&ours, theirs.as_bytes()])).unwrap();
    disk.sync_dir(path.parent().unwrap()).unwrap();
    Ok(())
}

#[test] // spec: MEM-49, MEM-13
fn a_decision_keeps_both_sides_wherever_power_fails() {
    check("resolve", &[init, disagree], take_theirs, &["cleared", "six times"]);
}

#[test] // spec: MEM-14, MEM-2
fn a_secret_that_was_put_into_the_store_by_hand_never_gets_into_the_repository() {
    let disk = prepared(&[]);
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    let brain = memory.brains(&maker).unwrap().brains.remove(0).brain;
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let by_hand = |label: &str| {
        format!(
            "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: 5\n---\n\n# {label}\n\nit is {secret}\n"
        )
    };
    let file = brain.folder.join("agent-memory/by-hand.light.md");
    disk.write_raw(&file, by_hand("By hand").as_bytes());
    let before = disk.dump();
    let in_repository = |disk: &SimDisk| {
        let files = disk.dump().into_iter().filter(|(path, _)| path.starts_with(CHERRY));
        files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&secret)).count()
    };
    for dry_run in [true, false] {
        for private in [true, false] {
            let request = InitRequest {
                moving: Moving::of_flag(dry_run),
                git: GitWish::of_flags(private, false).unwrap(),
                ..InitRequest::default()
            };
            let fault = brainstem_base::Fault::from(memory.init(&maker, &request).unwrap_err());
            assert_eq!((fault.code.name(), fault.rule), ("hygiene.secret", Some("MEM-14")));
            let told = format!("{} {}", fault.message, fault.fix.unwrap());
            assert!(told.contains("by-hand.light.md") && told.contains("rule github"), "{told}");
            assert!(!told.contains(&secret[4..20]), "{told}");
        }
    }
    let after = disk.dump();
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)), "every file is as it was");
    assert_eq!(in_repository(&disk), 0);

    // Without it, init goes; put there afterwards, no write of its label takes it along.
    disk.unlink(&file).unwrap();
    init(&memory, &disk).unwrap();
    disk.write_raw(&file, by_hand("By hand").as_bytes());
    let refused = memory.tell(&maker, "By hand", "something else").unwrap_err();
    assert_eq!(brainstem_base::Coded::code(&refused).name(), "hygiene.secret");
    assert_eq!(brainstem_base::Fault::from(init(&memory, &disk).unwrap_err()).code.name(), "hygiene.secret");
    assert_eq!(in_repository(&disk), 0);
}

#[test] // spec: MEM-2, MEM-23
fn a_claim_that_git_took_away_is_not_denied() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    memory.tell(&cherry, "Retry policy", "five times").unwrap();
    disk.unlink(&Path::new(CHERRY).join(".brainstem/agent-memory/retry-policy.light.md")).unwrap();
    let told = memory.take_back(&cherry, "Retry polici").unwrap_err().to_string();
    assert!(told.starts_with("no claim is called"), "{told}");
    let request = ShowRequest { label: "Retry policy".into(), tier: Tier::Both, at: None };
    let shown = memory.show(&cherry, &request).unwrap();
    assert!(shown.claim.is_none() && shown.gaps[0].name == "absent_here", "{shown:?}");
    assert_eq!((shown.history[0].text.as_str(), shown.history[0].missing), ("five times", true));
    let told = memory.take_back(&cherry, "Retry policy").unwrap_err().to_string();
    assert!(
        told.starts_with("\"Retry policy\" was written in cherry@") && told.ends_with("not in this checkout"),
        "{told}"
    );
}
