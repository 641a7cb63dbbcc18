//! The ledger in an export: SQLite is its own disk, so these are real files.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files")]

use crate::world::{CHERRY, MAKER, caller};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_ledger::{AccountId, Append, Ledger as _, NewTopic, SubmitPolicy};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_memory::{Memory, NoEmbedder, Parts};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer};
use std::path::Path;
use std::sync::Arc;

fn ledger(home: &Path) -> SqliteLedger {
    SqliteLedger::in_folder(&home.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock))
}

#[test] // spec: MEM-47, LED-6
fn the_ledger_of_an_export_is_one_whole_file_while_others_append() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    let writer = ledger(&home);
    let new = NewTopic { memo: "m".into(), policy: SubmitPolicy::Everyone, key: "k".into() };
    let topic = writer.create_topic(&new).unwrap().id;
    let submitter = AccountId::local(5).unwrap();
    for number in 0..20 {
        let bytes = format!("message {number}").into_bytes();
        writer.append(&Append { topic, submitter, key: None, bytes }).unwrap();
    }
    let memory = Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home,
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    });
    let out = dir.path().join("copy");
    let request = ExportRequest { scope: ExportScope::All, format: Format::Folder, out: Some(out.clone()) };
    // The log of the writer, which is open still, has what the file has not.
    let done = Transfer::new(&memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap();
    assert!(done.gaps.is_empty(), "{:?}", done.gaps);
    let names: Vec<_> =
        std::fs::read_dir(out.join("ledger")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["ledger.sqlite"]);
    assert_eq!(ledger(&out).size(), Ok(20));
}
