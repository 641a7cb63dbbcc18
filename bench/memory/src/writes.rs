//! Durable writes against the bare loop: create, write, sync, rename, sync the folder.

use crate::figures::{Report, in_turn};
use crate::homes::{PROJECT, Place};
use crate::notes::{Groups, note};
use brainstem_base::disk::{ObservedDisk, RealDisk, verbs};
use brainstem_index::BundledEmbedder;
use brainstem_memory::{Caller, MemorizeRequest, Memory};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes of one agent within a minute are bounded, so each agent writes this many.
const WRITES_OF_ONE: usize = 200;
/// Numbers of notes that no store holds.
const UNUSED: u64 = 50_000_000;

pub fn measure(place: &Place, claims: usize, count: usize, report: &mut Report) {
    let memory = place.memory(Arc::new(RealDisk), Arc::new(BundledEmbedder::new()));
    // Beside the claims: what a file system needs to find room for a file depends on the folder.
    let bare_folder = place.store().paths().claims.clone();
    let callers: Vec<Caller> = (0..=2 * count / WRITES_OF_ONE)
        .map(|agent| place.caller(&memory, &format!("bench:writer-{agent}"), PROJECT))
        .collect();
    let bytes = "x".repeat(600);
    let mut writes = 0;
    for (what, version, limit) in [("birth", 0, 1.5), ("supersession", 1, 3.0)] {
        let mut bare =
            |round: usize| bare_write(&bare_folder, &format!("{version}-{round}"), bytes.as_bytes());
        let requests: Vec<MemorizeRequest> = (0..count).map(|round| request(round as u64, version)).collect();
        let mut ours = |round: usize| {
            let caller = &callers[writes / WRITES_OF_ONE];
            writes += 1;
            write(&memory, caller, &requests[round], version);
        };
        let times = in_turn(count, &mut [&mut bare, &mut ours]);
        report.times(claims, "bare durable write", &times[0]);
        report.times(claims, &format!("memorize, {what}"), &times[1]);
        let ratio = times[1].wall() / times[0].wall();
        report.number(claims, &format!("{what} / bare durable write (at most {limit})"), ratio, "×");
    }
    let syncs = syncs(place, count as u64);
    report.number(claims, "syncs of a birth", syncs[0] as f64, "");
    report.number(claims, "syncs of a supersession", syncs[1] as f64, "");
}

fn request(round: u64, version: u64) -> MemorizeRequest {
    let note = note(UNUSED + round, Groups::None);
    MemorizeRequest {
        label: note.label,
        title: Some(note.title),
        text: format!("{} Version {version}.", note.text),
        evidence: note.evidence,
        tags: note.tags,
        ..MemorizeRequest::default()
    }
}

fn write(memory: &Memory, caller: &Caller, request: &MemorizeRequest, version: u64) {
    caller.look_again();
    let done = memory.memorize(caller, request).expect("a durable write");
    assert_eq!(done.history.is_some(), version > 0, "a birth, then a supersession");
}

fn bare_write(folder: &Path, name: &str, bytes: &[u8]) {
    let (temp, path) = (folder.join(format!(".bare-{name}.tmp")), folder.join(format!("bare-{name}")));
    let mut file = File::create_new(&temp).expect("a new file");
    file.write_all(bytes).and_then(|()| file.sync_all()).expect("a durable file");
    std::fs::rename(&temp, &path).expect("a new name");
    File::open(folder).and_then(|folder| folder.sync_all()).expect("a durable name");
}

/// How many syncs one birth and one supersession take.
fn syncs(place: &Place, round: u64) -> [u64; 2] {
    let count = Arc::new(AtomicU64::new(0));
    let seen = count.clone();
    let disk = ObservedDisk::new(Arc::new(RealDisk), move |step| {
        // Counts of writes may be lost, and are not synced by a real disk.
        let is_count = step.path.components().any(|part| part.as_os_str() == "local");
        let syncs = [verbs::WRITE_NEW, verbs::APPEND, verbs::SYNC_DIR].contains(&step.verb) && !is_count;
        seen.fetch_add(u64::from(syncs), Ordering::Relaxed);
    });
    let memory = place.memory(Arc::new(disk), Arc::new(BundledEmbedder::new()));
    let caller = place.caller(&memory, "bench:counter", PROJECT);
    [0, 1].map(|version| {
        let before = count.load(Ordering::Relaxed);
        write(&memory, &caller, &request(round, version), version);
        count.load(Ordering::Relaxed) - before
    })
}
