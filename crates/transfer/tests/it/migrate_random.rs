//! Random mixed stores: counts are conserved, every claim is live once, and a rollback restores every byte.

use crate::migrate::{apply, live, places, rollback, without_logs};
use crate::world::{CHERRY, HOME, MAKER, PLUM, START, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{InitRequest, Memory};
use brainstem_testkit::Chance;
use brainstem_transfer::{MigrateRequest, RowFate, Transfer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STORES: u64 = 150;

/// A header, a body and a file name out of everything that the triage looks at, and of much that it does not.
fn anything(chance: &mut Chance, origins: &[String]) -> (String, Vec<u8>) {
    let n = chance.below(12);
    let labels = [
        format!("Note {n}"),
        format!("cherry: {n}"),
        format!("Plum {n}"),
        format!("Größe {n}"),
        format!("a=b {n}"),
    ];
    let label = &labels[chance.below(5) as usize];
    let mut header = String::new();
    if !chance.once_in(6) {
        header += &format!("State: {}\n", ["authored", "verified", "nonsense"][chance.below(3) as usize]);
    }
    if !chance.once_in(5) {
        header += &format!("Created: {}\n", START - chance.below(4) as i64);
    }
    if chance.once_in(2) {
        let known = &origins[chance.below(origins.len() as u64) as usize];
        let others = [known.as_str(), "medulla", CHERRY, "/src/plum/deep", "grape@00000000", "plum"];
        header += &format!("Origin-Brain: {}\n", others[chance.below(6) as usize]);
    }
    if chance.once_in(3) {
        header += ["Tags: cherry\n", "Tags: rule\n", "Tags: plum, x\n"][chance.below(3) as usize];
    }
    if chance.once_in(8) {
        header += "X-Tool:  kept as it is \n";
    }
    let mut body = ["Words.", "See /src/cherry/a.", "", "Two\n\nlines."][chance.below(4) as usize].to_owned();
    if chance.once_in(3) {
        let paths = ["a.rs", "/src/plum/b.rs#L1", "both.rs", "nowhere.rs"];
        body += &format!("\n\n[𝔻 evidence: {}]", paths[chance.below(4) as usize]);
    }
    let mut text = format!("---\nProtocol: L1GHT/1.0\nNode: {label}\n{header}---\n\n# {label}\n\n{body}\n");
    if chance.once_in(5) {
        text = text.replace('\n', "\r\n");
    }
    let slug = brainstem_claims::ClaimSlug::of(&brainstem_claims::Label::parse(label).unwrap());
    let name = if chance.once_in(12) { "named-by-hand".to_owned() } else { slug.to_string() };
    let bytes = if chance.once_in(15) { b"no claim at all".to_vec() } else { text.into_bytes() };
    (format!("{name}.light.md"), bytes)
}

fn random_store(seed: u64) -> (SimDisk, Memory) {
    let mut chance = Chance::new(seed, 0);
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    for (root, file) in [(CHERRY, "a.rs"), (PLUM, "b.rs"), (CHERRY, "both.rs"), (PLUM, "both.rs")] {
        disk.write_raw(format!("{root}/{file}"), b"fn main() {}\n");
    }
    let mut stores: Vec<PathBuf> = vec![Path::new(HOME).join("agent-memory")];
    let mut origins = Vec::new();
    for root in [CHERRY, PLUM, "/src/fig"] {
        disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
        let brain = memory.begin(&caller(MAKER, root)).unwrap().brain;
        origins.push(brain.origin());
        let claims = if root == PLUM && chance.once_in(2) {
            memory.init(&caller(MAKER, PLUM), &InitRequest::default()).unwrap();
            Path::new(PLUM).join(".brainstem/agent-memory")
        } else {
            brain.store_paths().claims
        };
        stores.push(claims);
    }
    for _ in 0..chance.below(40) {
        let (name, bytes) = anything(&mut chance, &origins);
        disk.write_raw(stores[0].join(name), &bytes);
    }
    for store in &stores[1..] {
        for _ in 0..chance.below(4) {
            let (name, bytes) = anything(&mut chance, &origins);
            disk.write_raw(store.join(name), &[&bytes, &b"Its own.\n"[..]].concat());
        }
    }
    if chance.once_in(2) {
        disk.rename(Path::new("/src/fig"), Path::new("/src/gone")).unwrap();
    }
    (disk, memory)
}

/// What the live claims say, whatever their name and store.
fn contents(disk: &SimDisk) -> BTreeMap<String, usize> {
    let mut contents = BTreeMap::new();
    for bytes in live(disk).into_values() {
        // A path of this machine does not go along.
        let text = String::from_utf8(bytes).unwrap();
        let lines = text.split_inclusive('\n');
        let text =
            lines.filter(|line| !line.starts_with("Origin-Brain") && !line.starts_with("[𝔻")).collect();
        *contents.entry(text).or_default() += 1;
    }
    contents
}

#[test] // spec: MEM-42, MEM-6, MEM-3a, MEM-42b
fn whatever_a_mixed_store_holds_nothing_is_lost_and_everything_comes_back() {
    let mut moved = 0;
    for seed in 0..STORES {
        let (disk, memory) = random_store(seed);
        let (before, said) = (without_logs(&disk), contents(&disk));
        let (files, named) = (live(&disk).len(), places(&disk));
        let plan = Transfer::new(&memory).migrate_plan(&MigrateRequest::default()).unwrap();
        assert_eq!(without_logs(&disk), before, "seed {seed}: a plan changes nothing");

        let done = apply(&memory);
        let gates = done.gates.unwrap();
        assert!(gates.hold(), "seed {seed}: {gates:?}");
        assert_eq!(gates.before, plan.rows.len(), "seed {seed}: one claim, one row");
        assert_eq!(live(&disk).len(), files, "seed {seed}: counts are conserved");
        assert_eq!(contents(&disk), said, "seed {seed}: every claim is live once, with its words");
        for (planned, row) in plan.rows.iter().zip(&done.rows) {
            let expected = if planned.fate == RowFate::Moves { RowFate::Moved } else { planned.fate };
            assert_eq!((row.fate, &row.to), (expected, &planned.to), "seed {seed}: done as planned: {row:?}");
        }
        moved += done.rows.iter().filter(|row| row.fate == RowFate::Moved).count();
        assert_eq!(apply(&memory).number, None, "seed {seed}: a second apply has nothing to do");

        if done.number.is_some() {
            rollback(&memory).unwrap();
        }
        assert_eq!(without_logs(&disk), before, "seed {seed}: byte for byte");
        assert_eq!(places(&disk), named);
    }
    assert!(moved > STORES as usize, "the stores were mixed: {moved}");
}
