//! A move between the home and the repository where both hold the same label: whichever of the two files is undecided,
//! every version of both is shown afterwards.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_base::disk::SimDisk;
use brainstem_claims::undecided_file::join;
use brainstem_claims::{Claim, lineage};
use brainstem_memory::{EjectRequest, InitRequest, Memory, ResolveRequest, Tier};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A version that was written over these.
fn version(word: &str, born: i64, before: &[&Claim]) -> Claim {
    let text = format!(
        "---\nProtocol: L1GHT/1.0\nNode: D\nState: authored\nSource-Agent: {MAKER}\nCreated: {born}\n---\n\n# D\n\n{word}\n"
    );
    let mut file = Claim::parse(text.as_bytes()).unwrap().file;
    lineage::follow(&mut file, before);
    Claim::from(file)
}

/// The file that holds these versions.
fn file(versions: &[&Claim]) -> Vec<u8> {
    let files: Vec<String> = versions.iter().map(|version| version.file.render()).collect();
    match files.as_slice() {
        [one] => one.clone().into_bytes(),
        several => join(&several.iter().map(String::as_bytes).collect::<Vec<_>>()),
    }
}

/// The texts that `show` gives of the label: live, as a side, or in history.
fn words(memory: &Memory) -> BTreeSet<String> {
    let shown = memory.look_at(&caller(MAKER, CHERRY), "D", Tier::Project).unwrap();
    let rows = shown.claim.into_iter().chain(shown.sides).map(|row| row.text);
    rows.chain(shown.history.into_iter().map(|version| version.text)).collect()
}

fn init(memory: &Memory) {
    memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap();
}

fn eject(memory: &Memory) {
    memory.eject(&caller(MAKER, CHERRY), &EjectRequest::default()).unwrap();
}

/// A project whose home and whose repository both hold the label, as git leaves it that brings the repository's store
/// back after an eject.
fn with_both(home: &[&Claim], repository: &[&Claim]) -> (SimDisk, Memory) {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    init(&memory);
    let folder = Path::new(CHERRY).join(".brainstem");
    let committed: Vec<_> = disk.dump().into_iter().filter(|(path, _)| path.starts_with(&folder)).collect();
    eject(&memory);
    let brain = memory.begin(&caller(MAKER, CHERRY)).unwrap().brain;
    disk.write_raw(brain.folder.join("agent-memory/d.light.md"), &file(home));
    for (path, bytes) in committed {
        disk.write_raw(path, &bytes);
    }
    disk.write_raw(folder.join("agent-memory/d.light.md"), &file(repository));
    (disk, memory)
}

#[test] // spec: MEM-2, MEM-13, MEM-49
fn every_version_of_the_home_and_of_the_checkout_survives_a_move_over_undecided_files() {
    let (x, w, z) = (version("word-X", 10, &[]), version("word-W", 11, &[]), version("word-Z", 12, &[]));
    let (y, v) = (version("word-Y", 20, &[&x]), version("word-V", 21, &[&w]));
    let xw = version("word-XW", 30, &[&x, &w]);
    let homes = [vec![&x], vec![&x, &w], vec![&xw], vec![&y, &w], vec![&y]];
    let repositories = [vec![&y], vec![&y, &z], vec![&y, &v], vec![&x, &w], vec![&xw]];
    type Move = fn(&Memory);
    let moves: [(&str, [Move; 2]); 2] = [("eject", [eject, init]), ("init", [init, eject])];
    for home in &homes {
        for repository in &repositories {
            let all: BTreeSet<String> =
                home.iter().chain(repository).map(|version| version.text.clone()).collect();
            for (name, [first, second]) in &moves {
                let (_, memory) = with_both(home, repository);
                assert_eq!(words(&memory), all, "before");
                first(&memory);
                assert_eq!(words(&memory), all, "after {name}");
                second(&memory);
                assert_eq!(words(&memory), all, "and back after {name}");
            }
        }
    }
}

#[test] // spec: MEM-49, MEM-12
fn a_version_that_waits_for_a_decision_is_not_called_superseded_by_a_repeated_move() {
    let (x, z) = (version("word-X", 10, &[]), version("word-Z", 12, &[]));
    let (_, memory) = with_both(&[&x, &z], &[&z]);
    eject(&memory);
    let shown = memory.look_at(&caller(MAKER, CHERRY), "D", Tier::Project).unwrap();
    assert_eq!((shown.sides.len(), shown.history.len()), (2, 0), "{shown:?}");
}

#[test] // spec: MEM-13, MEM-14
fn a_side_that_holds_markers_of_its_own_stays_under_the_home_until_a_person_took_them_out() {
    // As git leaves it where both sides of a merge were conflicts already, with longer markers inside.
    let nested =
        version("<<<<<<<< HEAD:d.light.md\none\n========\ntwo\n>>>>>>>> 1c850b63:e.light.md", 5, &[]);
    let (other, plain) = (version("three", 6, &[]), version("four", 7, &[]));
    let (disk, memory) = with_both(&[&nested, &other], &[&plain]);
    let before = disk.dump();
    let refused = memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap_err();
    assert_eq!(refused.code().name(), "claim.conflict_markers");
    assert!(refused.fix().unwrap().contains("leave one version in it"), "{refused:?}");
    assert!(!refused.fix().unwrap().contains("forget"), "{refused:?}");
    assert_eq!(disk.dump(), before, "nothing was written");
}

#[test] // spec: MEM-49
fn as_many_versions_as_a_merge_writes_can_be_listed_and_decided() {
    let caller = caller(MAKER, CHERRY);
    // 17 sides, and sides that are together larger than one claim may be.
    for (count, len) in [(17, 20), (5, 252_000)] {
        let disk = two_repositories();
        let memory = service(Arc::new(disk.clone()), &clock());
        init(&memory);
        let versions: Vec<Claim> = (1..=count)
            .map(|n| version(&format!("number {n} {}", "w".repeat(len)), 1_700_000_000_000 + n, &[]))
            .collect();
        let live = Path::new(CHERRY).join(".brainstem/agent-memory/d.light.md");
        disk.write_raw(&live, &file(&versions.iter().collect::<Vec<_>>()));
        let listed = memory.resolve(&caller, &ResolveRequest::default()).unwrap();
        assert_eq!(listed.waiting.len(), count as usize, "{:?}", listed.notes);
        let last = listed.waiting.last().unwrap().side.unwrap().to_owned();
        let request =
            ResolveRequest { label: Some("D".into()), take: Some(last), ..ResolveRequest::default() };
        let decided = memory.resolve(&caller, &request).unwrap();
        assert!(decided.claim.unwrap().text.starts_with(&format!("number {count} ")));
        assert_eq!(words(&memory).len(), count as usize, "every version is shown");
        // What is undecided can go home and come back.
        disk.write_raw(&live, &file(&versions.iter().collect::<Vec<_>>()));
        eject(&memory);
        init(&memory);
        assert_eq!(words(&memory).len(), count as usize, "every version is shown after a move");
    }
}

#[test] // spec: MEM-23, MEM-49
fn resolve_names_every_claim_file_that_it_cannot_read() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    init(&memory);
    let caller = caller(MAKER, CHERRY);
    memory.tell(&caller, "K", "k words").unwrap();
    let live = |name: &str| Path::new(CHERRY).join(format!(".brainstem/agent-memory/{name}.light.md"));
    let clean = memory.resolve(&caller, &ResolveRequest::default()).unwrap();
    assert!(clean.waiting.is_empty() && clean.notes.is_empty(), "{clean:?}");
    disk.write_raw(live("k"), b"garbage");
    disk.write_raw(live("half"), b"<<<<<<< ours\nno claim\n=======\nnone\n>>>>>>> theirs\n");
    let told = format!("{:?}", memory.resolve(&caller, &ResolveRequest::default()).unwrap());
    assert!(told.contains("k.light.md") && told.contains("half.light.md"), "{told}");
    // Many of them are counted.
    for n in 0..40 {
        disk.write_raw(live(&format!("n{n}")), b"garbage");
    }
    let told = format!("{:?}", memory.resolve(&caller, &ResolveRequest::default()).unwrap());
    assert!(told.matches("light.md").count() < 40 && told.contains("more files"), "{told}");
}
