//! Boot keys travel with an export.

use crate::exports::import;
use crate::world::{CHERRY, MAKER, PERSON, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::SimDisk;
use brainstem_memory::{Memory, Tier, WriteTier};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer};
use std::sync::Arc;

const OUT: &str = "/src/all.jsonl";

/// A home with a brain.
fn home() -> (SimDisk, Memory) {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    (disk, memory)
}

/// Writes an export of everything to `OUT` on a second disk with a home of its own.
fn carried(memory: &Memory, disk: &SimDisk) -> (SimDisk, Memory) {
    let ana = caller(PERSON, CHERRY);
    let request = ExportRequest { scope: ExportScope::All, format: Format::JsonLines, out: Some(OUT.into()) };
    let done = Transfer::new(memory).export(&ana, &request, &|_, _| ()).unwrap();
    assert!(done.gaps.is_empty(), "{:?}", done.gaps);
    let (there, other) = home();
    there.write_raw(OUT, &disk.dump()[std::path::Path::new(OUT)]);
    (there, other)
}

fn keys(memory: &Memory) -> Vec<(String, String, &'static str, Option<String>)> {
    let rows = memory.boot_list(&caller(MAKER, CHERRY), None, Tier::Both).unwrap().rows;
    rows.into_iter().map(|row| (row.key, row.value, row.tier, row.source_agent)).collect()
}

#[test] // spec: MEM-30, MEM-47
fn boot_keys_are_exported_and_taken_in_with_their_agent_and_time() {
    let (disk, memory) = home();
    memory.boot_set(&caller(MAKER, CHERRY), "test", "cargo test", None).unwrap();
    memory.boot_set(&caller(PERSON, CHERRY), "editor", "tabs", Some(WriteTier::Medulla)).unwrap();
    let (_, there) = carried(&memory, &disk);
    let plan = import(&there, OUT, true);
    assert_eq!((plan.boot_keys, keys(&there)), (2, Vec::new()), "a plan changes nothing");
    let done = import(&there, OUT, false);
    assert_eq!((done.boot_keys, done.not_taken), (2, Vec::new()));
    assert_eq!(keys(&there), keys(&memory));
    // The agent that set a key is known from the import alone, unless it brought the key itself.
    let brought = there.boot_list(&caller(MAKER, CHERRY), None, Tier::Both).unwrap().rows;
    let brought: Vec<_> = brought.into_iter().map(|row| (row.key, row.imported_by)).collect();
    assert_eq!(brought, [("test".to_owned(), None), ("editor".to_owned(), Some(MAKER.to_owned()))]);
    there.boot_set(&caller(PERSON, CHERRY), "editor", "tabs", Some(WriteTier::Medulla)).unwrap();
    let own = there.boot_list(&caller(MAKER, CHERRY), Some("editor"), Tier::Both).unwrap().rows;
    assert_eq!(own[0].imported_by, None, "she says so herself");
    assert_eq!(import(&there, OUT, false).boot_keys, 0, "a second import changes nothing");
}

#[test] // spec: MEM-30, MEM-47
fn a_boot_key_that_is_here_with_another_value_stays_and_is_named() {
    let (disk, memory) = home();
    memory.boot_set(&caller(MAKER, CHERRY), "test", "cargo test", None).unwrap();
    let (_, there) = carried(&memory, &disk);
    there.boot_set(&caller(MAKER, CHERRY), "test", "make test", None).unwrap();
    let done = import(&there, OUT, false);
    assert_eq!(done.boot_keys, 0);
    let gap = done.gaps.iter().find(|gap| gap.name == "boot_differs").unwrap();
    assert!(gap.detail.contains("test") && gap.detail.contains("boot set test VALUE"), "{gap:?}");
    assert_eq!(keys(&there)[0].1, "make test");
}

#[test] // spec: MEM-14, MEM-47
fn a_boot_key_with_a_secret_or_without_a_value_is_not_taken() {
    let (disk, memory) = home();
    memory.boot_set(&caller(MAKER, CHERRY), "test", "cargo test", None).unwrap();
    let (there, other) = carried(&memory, &disk);
    let text = String::from_utf8(there.dump()[std::path::Path::new(OUT)].clone()).unwrap();
    let secret = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    let line = text.lines().find(|line| line.contains("\"boot\"")).unwrap();
    let bad = [("cargo test", secret.as_str()), (MAKER, &secret), ("\"value\"", "\"other\"")];
    let more: String = bad.map(|(was, is)| format!("{}\n", line.replace(was, is))).concat();
    there.write_raw(OUT, format!("{}{more}", text.replace(&format!("{line}\n"), "")).as_bytes());
    let done = import(&other, OUT, false);
    assert_eq!((done.boot_keys, done.not_taken.len()), (0, 3), "{done:?}");
    assert!(!format!("{done:?}").contains(&secret));
    assert_eq!(keys(&other), []);
}

#[test] // spec: MEM-24, MEM-47
fn a_boot_key_that_was_set_in_the_future_has_no_age() {
    let (disk, memory) = home();
    memory.boot_set(&caller(MAKER, CHERRY), "test", "cargo test", None).unwrap();
    let (there, other) = carried(&memory, &disk);
    let text = String::from_utf8(there.dump()[std::path::Path::new(OUT)].clone()).unwrap();
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let boot = lines.iter_mut().find(|line| line["type"] == "boot").unwrap();
    boot["updated"] = 99_999_999_999_999_i64.into();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    there.write_raw(OUT, text.as_bytes());
    assert_eq!(import(&other, OUT, false).boot_keys, 1);
    let rows = other.boot_list(&caller(MAKER, CHERRY), None, Tier::Both).unwrap().rows;
    assert_eq!(rows.iter().map(|row| (row.age_ms, row.stale)).collect::<Vec<_>>(), [(None, false)]);
}
