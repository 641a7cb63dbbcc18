//! Boot keys: set, ridden by every beat, deleted, and whole wherever power fails.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, code, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::UnsyncedFate;
use brainstem_memory::{Booted, Memory, Tier, TierUse, WriteTier};
use std::path::Path;
use std::sync::Arc;

fn pairs(booted: &Booted) -> Vec<(String, String)> {
    booted.rows.iter().map(|row| (format!("{} {}", row.tier, row.key), row.value.clone())).collect()
}

fn all(memory: &Memory, root: &str) -> Vec<(String, String)> {
    pairs(&memory.boot_list(&caller(MAKER, root), None, Tier::Both).unwrap())
}

fn text(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test] // spec: MEM-30, IF-19
fn keys_ride_the_beat_of_their_own_project_and_the_medullas_every_beat() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (maker, plum) = (caller(MAKER, CHERRY), caller(MAKER, PLUM));
    memory.begin(&maker).unwrap();
    memory.begin(&plum).unwrap();
    assert!(memory.boot_set(&maker, "test", "cargo test", None).unwrap().changed);
    assert!(!memory.boot_set(&maker, "test", "cargo test", None).unwrap().changed, "twice is once");
    memory.boot_set(&caller(PERSON, CHERRY), "test", "make check", Some(WriteTier::Medulla)).unwrap();
    assert_eq!(
        all(&memory, CHERRY),
        [text("project test", "cargo test"), text("medulla test", "make check")]
    );
    assert_eq!(all(&memory, PLUM), [text("medulla test", "make check")], "another project's key stays there");

    let beat = memory.beat(&maker, "anything");
    assert_eq!(beat.boot.len(), 2, "a key in both tiers is a pair, each with its tier");
    assert_eq!(beat.boot[0].source_agent.as_deref(), Some(MAKER));
    clock.advance(31 * 24 * 60 * 60 * 1000);
    assert!(memory.beat(&maker, "anything").boot[0].stale);

    memory.boot_delete(&maker, "test", None).unwrap();
    assert_eq!(all(&memory, CHERRY), [text("medulla test", "make check")]);
    let refused = memory.boot_delete(&maker, "test", None).unwrap_err();
    assert_eq!(refused.code().name(), "boot.not_found");
    assert!(
        refused.fix().unwrap().contains("brainstem boot delete test --tier medulla"),
        "{:?}",
        refused.fix()
    );
    let log = disk.dump().into_iter().filter(|(path, _)| path.ends_with("acts.jsonl"));
    let log: String = log.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    assert_eq!((log.matches("boot_set").count(), log.matches("boot_delete").count()), (2, 1), "{log}");
}

#[test] // spec: MEM-14, MEM-30
fn a_key_is_small_and_carries_no_secret() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    assert_eq!(code(memory.boot_set(&maker, "k", "v", None)), "memory.brainless_root");
    memory.begin(&maker).unwrap();
    let token = ["ghp", "_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    assert_eq!(code(memory.boot_set(&maker, "token", &token, None)), "hygiene.secret");
    assert_eq!(code(memory.boot_set(&maker, &token, "x", None)), "hygiene.secret");
    assert_eq!(
        code(memory.boot_set(&maker, "db_password", "falcon77", None)),
        "hygiene.secret",
        "by its key"
    );
    for key in ["", "two words", "a/b", "é", &"x".repeat(65)] {
        assert_eq!(code(memory.boot_set(&maker, key, "x", None)), "input.bad_value", "{key:?}");
    }
    assert_eq!(code(memory.boot_set(&maker, "k", &"x".repeat(4_097), None)), "input.bad_value");
    assert!(!disk.dump().into_values().any(|bytes| String::from_utf8_lossy(&bytes).contains(&token)));
}

#[test] // spec: MEM-14a, MEM-30
fn a_secret_that_only_its_key_gives_away_is_masked_in_every_beat() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.boot_set(&maker, "db_region", "falcon77", None).unwrap();
    assert_eq!(memory.beat(&maker, "").boot[0].value, "falcon77");
    for (path, bytes) in disk.dump() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if path.ends_with("boot_memory_state.json") {
            disk.write_raw(&path, text.replace("db_region", "db_password").as_bytes());
        }
    }
    let row = memory.beat(&maker, "").boot.remove(0);
    assert_eq!((row.key.as_str(), row.value.as_str()), ("db_password", "[secret]"));
}

#[test] // spec: MEM-30, MEM-23
fn keys_that_cannot_be_read_are_named_and_left_alone() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    disk.write_raw(Path::new(HOME).join("boot_memory_state.json"), b"not json");
    let beat = memory.beat(&maker, "");
    assert!(beat.gaps.iter().any(|gap| gap.name == "boot_unreadable"), "{:?}", beat.gaps);
    assert_eq!(
        code(memory.boot_set(&caller(PERSON, CHERRY), "k", "v", Some(WriteTier::Medulla))),
        "store.unreadable"
    );
    assert_eq!(disk.dump()[&Path::new(HOME).join("boot_memory_state.json")], b"not json");
}

#[test] // spec: MEM-30, MEM-13
fn a_key_is_old_or_new_wherever_power_fails() {
    let whole = two_repositories();
    let clock = clock();
    let maker = caller(MAKER, CHERRY);
    let memory = service(Arc::new(whole.clone()), &clock);
    memory.begin(&maker).unwrap();
    memory.boot_set(&maker, "test", "old", None).unwrap();
    clock.advance(1_000);
    for steps in 0.. {
        let disk = whole.reboot(UnsyncedFate::Kept);
        disk.lose_power_after(steps);
        let done = service(Arc::new(disk.clone()), &clock).boot_set(&maker, "test", "new", None).is_ok();
        for fate in UnsyncedFate::all(steps) {
            let after = service(Arc::new(disk.reboot(fate)), &clock);
            let now = all(&after, CHERRY);
            let expected = [text("project test", "new")];
            assert!(now == expected || (!done && now == [text("project test", "old")]), "{now:?} at {steps}");
            after.boot_set(&maker, "test", "new", None).unwrap();
            assert_eq!(all(&after, CHERRY), expected, "repeated, it completes");
        }
        if !disk.lost_power() {
            assert!(done);
            break;
        }
    }
}

#[test] // spec: MEM-30, MEM-13
fn a_key_is_there_or_deleted_wherever_power_fails_and_on_record_once() {
    let whole = two_repositories();
    let clock = clock();
    let maker = caller(MAKER, CHERRY);
    let memory = service(Arc::new(whole.clone()), &clock);
    memory.begin(&maker).unwrap();
    memory.boot_set(&maker, "test", "old", None).unwrap();
    memory.boot_set(&maker, "kept", "as it is", None).unwrap();
    let deletions = |disk: &brainstem_base::disk::SimDisk| {
        let logs = disk.dump().into_iter().filter(|(path, _)| path.ends_with("acts.jsonl"));
        let lines =
            logs.flat_map(|(_, bytes)| bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>());
        let acts = lines.filter_map(|line| serde_json::from_slice::<crate::act_line::Act>(&line).ok());
        acts.filter(|act| act.act == "boot_delete").count()
    };
    for steps in 0.. {
        clock.advance(1_000);
        let disk = whole.reboot(UnsyncedFate::Kept);
        disk.lose_power_after(steps);
        let done = service(Arc::new(disk.clone()), &clock).boot_delete(&maker, "test", None).is_ok();
        for fate in UnsyncedFate::all(steps) {
            clock.advance(1_000);
            let found = disk.reboot(fate);
            let after = service(Arc::new(found.clone()), &clock);
            let kept = [text("project kept", "as it is")];
            let now = all(&after, CHERRY);
            let is_there = now == [kept[0].clone(), text("project test", "old")];
            assert!(now == kept || (!done && is_there), "{now:?} at {steps}, {fate:?}");
            let repeated = code(after.boot_delete(&maker, "test", None));
            assert_eq!(repeated, if is_there { "ok" } else { "boot.not_found" }, "at {steps}, {fate:?}");
            assert_eq!(all(&after, CHERRY), kept, "repeated, it completes");
            assert_eq!(deletions(&found), 1, "at {steps}, {fate:?}");
            let later = service(Arc::new(found.reboot(UnsyncedFate::Lost)), &clock);
            assert_eq!(all(&later, CHERRY), kept, "and is certain");
        }
        if !disk.lost_power() {
            assert!(done);
            break;
        }
    }
}

#[test] // spec: MEM-30, MEM-22
fn every_brains_keys_are_listed_where_that_is_asked_for_and_ride_no_other_beat() {
    let memory = service(Arc::new(two_repositories()), &clock());
    for root in [CHERRY, PLUM] {
        let maker = caller(MAKER, root);
        memory.begin(&maker).unwrap();
        memory.boot_set(&maker, "port", root, None).unwrap();
    }
    memory.boot_set(&caller(PERSON, CHERRY), "style", "short", Some(WriteTier::Medulla)).unwrap();
    let cherry = caller(MAKER, CHERRY);
    let listed = |tier| {
        let rows = memory.boot_list(&cherry, None, tier).unwrap().rows;
        rows.into_iter().map(|row| row.value).collect::<Vec<_>>()
    };
    let mut all = listed(Tier::AllBrains);
    all.sort();
    assert_eq!(all, [CHERRY, PLUM, "short"]);
    assert_eq!(listed(Tier::Both), [CHERRY, "short"]);
    assert!(memory.beat(&cherry, "").boot.iter().all(|row| row.value != PLUM));
    assert_eq!(code(WriteTier::parse(TierUse::Boot, Some("all-brains"))), "input.bad_value");
}
