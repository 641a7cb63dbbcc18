//! What is served is what the live file says, with the author that file names: never a mix, never a memory
//! of what it said before.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{DiskStep, ObservedDisk, SimDisk, verbs};
use brainstem_memory::{Memory, Row, Tier};
use brainstem_testkit::cases;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const AUTHORS: [&str; 3] = ["codex:maker", "claude:maker", "human:ana"];

#[derive(Clone, Debug)]
enum Act {
    /// An author writes the next version of a label.
    Tell {
        author: usize,
        label: usize,
    },
    /// An author edits the file in place.
    Edit {
        author: usize,
        label: usize,
    },
    /// A pull or a checkout brings an older version back.
    Checkout {
        label: usize,
        version: usize,
    },
    /// A process starts anew, or brings the index up.
    Restart(usize),
    Settle(usize),
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0..3_usize, 0..3_usize).prop_map(|(author, label)| Act::Tell { author, label }),
        3 => (0..3_usize, 0..3_usize).prop_map(|(author, label)| Act::Edit { author, label }),
        3 => (0..3_usize, 0..9_usize).prop_map(|(label, version)| Act::Checkout { label, version }),
        1 => (0..2_usize).prop_map(Act::Restart),
        2 => (0..2_usize).prop_map(Act::Settle),
    ]
}

/// A text that says who wrote it and which version it is.
fn text_of(author: &str, version: usize) -> String {
    format!("retry the upload, says {author} in version{version}")
}

fn file_of(label: &str, author: &str, created: i64, text: &str) -> String {
    format!(
        "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: {created}\n\
         Source-Agent: {author}\n---\n\n# {label}\n\n{text}\n"
    )
}

/// The text and the author of each live file, read as a person would.
fn live(disk: &SimDisk, claims: &Path) -> BTreeMap<PathBuf, (String, String)> {
    let files = disk.dump().into_iter().filter(|(path, _)| path.parent() == Some(claims));
    let told = |(path, bytes): (PathBuf, Vec<u8>)| {
        let text = String::from_utf8(bytes).unwrap();
        let line =
            |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
        let author = line("Source-Agent: ").trim_start_matches("Source-Agent: ").to_owned();
        (path, (line("retry the upload"), author))
    };
    files.filter(|(path, _)| path.to_string_lossy().ends_with(".light.md")).map(told).collect()
}

fn served(rows: &[Row]) -> BTreeMap<PathBuf, (String, String)> {
    rows.iter()
        .map(|row| (row.path.clone(), (row.text.clone(), row.source_agent.clone().unwrap_or_default())))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(24)))]

    #[test] // spec: MEM-26
    fn what_is_served_is_the_live_file_and_its_own_author(
        acts in proptest::collection::vec(any_act(), 1..30)
    ) {
        let (disk, clock) = (two_repositories(), clock());
        let process = || service(Arc::new(disk.clone()), &clock);
        let mut processes: [Memory; 2] = [process(), process()];
        let cherry = caller(MAKER, CHERRY);
        let claims = process().begin(&cherry).unwrap().brain.store_paths().claims;
        let mut versions: [Vec<Vec<u8>>; 3] = Default::default();
        let label = |label: usize| format!("Label {label}");
        let path = |label: usize| claims.join(format!("label-{label}.light.md"));
        for (version, act) in acts.iter().enumerate() {
            clock.advance(1_000);
            match act {
                Act::Tell { author, label: of } => {
                    let text = text_of(AUTHORS[*author], version);
                    // What a checkout brought back may be refused by the rules of writing.
                    let _ = processes[version % 2].tell(&caller(AUTHORS[*author], CHERRY), &label(*of), &text);
                }
                Act::Edit { author, label: of } => {
                    let text = text_of(AUTHORS[*author], version);
                    let bytes = file_of(&label(*of), AUTHORS[*author], 1_000 + version as i64, &text);
                    disk.write_raw(path(*of), bytes.as_bytes());
                }
                Act::Checkout { label: of, version } => {
                    let all = &versions[*of];
                    if !all.is_empty() {
                        disk.write_raw(path(*of), &all[version % all.len()]);
                    }
                }
                Act::Restart(which) => processes[*which] = process(),
                Act::Settle(which) => drop(processes[*which].settle(&cherry, Tier::Both)),
            }
            for (of, seen) in versions.iter_mut().enumerate() {
                seen.extend(disk.dump().remove(&path(of)).filter(|bytes| !seen.contains(bytes)));
            }
            let expected = live(&disk, &claims);
            for memory in &processes {
                prop_assert_eq!(&served(&memory.find(&cherry, "retry the upload", Tier::Both).rows), &expected);
                prop_assert_eq!(&served(&memory.beat(&cherry, "retry the upload").memory), &expected);
                prop_assert_eq!(&served(&memory.beat(&cherry, "").memory), &expected);
                // The words of a version that is no longer live find nothing of it.
                let gone = memory.find(&cherry, &format!("version{}", version + 1), Tier::Both);
                prop_assert!(gone.rows.is_empty(), "{:?}", gone.rows);
            }
        }
    }
}

/// A world with one claim, whose file turns into another each time it is read; the turns are `turn`'s.
fn turning(
    turn: impl Fn(usize) -> Option<String> + Send + Sync + 'static,
) -> (SimDisk, Memory, Arc<AtomicUsize>) {
    let (disk, clock) = (two_repositories(), clock());
    disk.set_time_ns(1_000_000_007);
    let cherry = caller(MAKER, CHERRY);
    let plain = service(Arc::new(disk.clone()), &clock);
    let claims = plain.begin(&cherry).unwrap().brain.store_paths().claims;
    let path = claims.join("port.light.md");
    disk.write_raw(&path, file_of("Port", "human:ana", 1, "the upload goes to 8080").as_bytes());
    disk.write_raw(
        claims.join("other.light.md"),
        file_of("Other", "human:bo", 1, "the upload is slow").as_bytes(),
    );
    plain.find(&cherry, "upload", Tier::Both);
    plain.settle(&cherry, Tier::Both);
    let reads = Arc::new(AtomicUsize::new(0));
    let observed = ObservedDisk::new(Arc::new(disk.clone()), {
        let (disk, reads) = (disk.clone(), reads.clone());
        move |step: DiskStep| {
            if step.verb == verbs::READ && step.path == path {
                let read = reads.fetch_add(1, Ordering::SeqCst);
                if let Some(bytes) = turn(read) {
                    disk.set_time_ns(2_000_000_007 + read as i128 * 1_000);
                    disk.write_raw(&path, bytes.as_bytes());
                }
            }
        }
    });
    (disk, service(Arc::new(observed), &clock), reads)
}

#[test] // spec: MEM-26
fn a_claim_that_changes_between_the_ranking_and_the_reading_is_ranked_anew() {
    // It is not about the question any more: it is no answer.
    let other = file_of("Port", "human:bo", 2, "the cache is warm");
    let (_, memory, reads) = turning(move |read| (read == 0).then(|| other.clone()));
    let sought = memory.find(&caller(MAKER, CHERRY), "upload", Tier::Both);
    let texts: Vec<&str> = sought.rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["the upload is slow"]);
    assert!(reads.load(Ordering::SeqCst) > 0, "it changed while it was read");

    // It is about it in other words: it has the score of these words, and its new author.
    let better = file_of("Port", "human:bo", 2, "upload upload");
    let (disk, memory, _) = turning(move |read| (read == 0).then(|| better.clone()));
    let sought = memory.find(&caller(MAKER, CHERRY), "upload", Tier::Both);
    let fresh = service(Arc::new(disk), &clock()).find(&caller(MAKER, CHERRY), "upload", Tier::Both);
    assert_eq!(format!("{:?}", sought.rows), format!("{:?}", fresh.rows));
    let row = sought.rows.iter().find(|row| row.id == "port").unwrap();
    assert_eq!((row.text.as_str(), row.source_agent.as_deref()), ("upload upload", Some("human:bo")));

    // It is gone.
    let (disk, memory, _) = turning(|_| None);
    let path = disk.dump().into_keys().find(|path| path.ends_with("port.light.md")).unwrap();
    let sought = memory.find(&caller(MAKER, CHERRY), "upload", Tier::Both);
    assert_eq!(sought.rows.len(), 2);
    brainstem_base::disk::Disk::unlink(&disk, &path).unwrap();
    assert_eq!(memory.find(&caller(MAKER, CHERRY), "upload", Tier::Both).rows.len(), 1);
}

#[test] // spec: MEM-26
fn a_claim_that_never_holds_still_is_whole_or_left_out() {
    let versions = [
        file_of("Port", "human:ana", 1, "the upload goes to ana"),
        file_of("Port", "human:bo", 2, "the cache belongs to bo"),
    ];
    // Whichever version the index reads, the other one is there when it is served.
    for shift in 0..2 {
        let versions = versions.clone();
        let (_, memory, _) = turning(move |read| Some(versions[(read + shift) % 2].clone()));
        for round in 0..6 {
            let sought = memory.find(&caller(MAKER, CHERRY), "upload", Tier::Both);
            for row in sought.rows.iter().filter(|row| row.id == "port") {
                let told = (row.text.as_str(), row.source_agent.as_deref());
                assert_eq!(told, ("the upload goes to ana", Some("human:ana")), "{shift} {round}");
            }
            assert!(sought.rows.iter().any(|row| row.id == "other"), "{shift} {round}");
        }
    }
}
