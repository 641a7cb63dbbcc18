//! What is counted as a claim, and what is only counted.

use super::{Ward, file};
use crate::world::{CHERRY, HOME, MAKER, PLUM, Short as _, caller, service};
use brainstem_memory::{BrainScope, Diagnosis, DoctorRequest, Leftovers, Severity, Tier};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer, mixed_medulla};
use std::path::Path;
use std::sync::Arc;

#[test] // spec: MEM-43
fn a_file_that_is_no_readable_claim_is_not_counted_as_one() {
    let ward = Ward::new();
    let of_cherry = |diagnosis: &Diagnosis| {
        let store = diagnosis.stores.iter().find(|store| store.root.as_deref() == Some(Path::new(CHERRY)));
        store.map(|store| (store.claims, store.unreadable)).unwrap()
    };
    assert_eq!((of_cherry(&ward.ask(Leftovers::Named)), ward.memory.live_claims().0), ((1, 0), 2));
    ward.disk.write_raw(ward.claims().join("torn.light.md"), b"---\nProtocol: L1GHT");
    assert_eq!((of_cherry(&ward.ask(Leftovers::Named)), ward.memory.live_claims().0), ((1, 1), 2));
    // The list of brains, and the bare command, which shows its count, say the same.
    let found = ward.memory.brains(&caller(MAKER, CHERRY)).unwrap();
    let cherry = found.brains.iter().find(|row| row.brain.root == Path::new(CHERRY)).unwrap();
    let gaps: Vec<_> = found.gaps.iter().map(|gap| gap.name).collect();
    assert_eq!((cherry.claims, gaps), (Some(1), vec!["unreadable_claims"]));
    // So does the card of the page.
    let found = ward.memory.instances();
    let (_, card) = found.brains.iter().find(|(brain, _)| brain.root == Path::new(CHERRY)).unwrap();
    let gaps: Vec<_> = found.gaps.iter().map(|gap| gap.name).collect();
    assert_eq!((card.claims, gaps), (Some(1), vec!["unreadable_claims"]));
}

#[test] // spec: MEM-23, MEM-47
fn every_count_leaves_a_file_out_that_cannot_be_read_and_names_it() {
    let ward = Ward::new();
    let cherry = caller(MAKER, CHERRY);
    let counts = || {
        let export = |format, out: &str| {
            let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
            let done = Transfer::new(&ward.memory).export(&cherry, &request, &|_, _| ()).unwrap();
            (done.claims, done.gaps.iter().filter(|gap| gap.name == "unreadable_claim").count())
        };
        let at = ward.disk.dump().len();
        let all = ward.memory.all(&cherry);
        let found = ward.memory.find(&cherry, "quagga", Tier::Both);
        let beat = ward.memory.beat(&cherry, "quagga");
        let exported = [
            export(Format::JsonLines, &format!("/src/{at}.jsonl")),
            export(Format::Folder, &format!("/src/{at}.dir")),
        ];
        ([all.memory_exists, found.memory_exists, beat.memory_exists], exported, found.gaps)
    };
    let (before, exported, _) = counts();
    assert_eq!(exported, [(1, 0), (1, 0)]);
    ward.disk.write_raw(ward.claims().join("torn.light.md"), b"---\nProtocol: L1GHT");
    let (after, exported, gaps) = counts();
    assert_eq!((after, exported), (before, [(1, 1), (1, 1)]));
    let gap = gaps.iter().find(|gap| gap.name == "no_match").unwrap_or_else(|| panic!("{gaps:?}"));
    assert!(gap.detail.contains("beside 1 file that cannot be read, but none was found"), "{gap:?}");
    // Where nothing else is left, nobody says that there is no memory.
    for name in ward.disk.dump().keys().filter(|path| path.extension().is_some_and(|end| end == "md")) {
        if !name.ends_with("torn.light.md") && name.starts_with(HOME) {
            brainstem_base::Disk::unlink(&ward.disk, name).unwrap();
        }
    }
    let fresh = service(Arc::new(ward.disk.clone()), &ward.clock);
    let (beat, found, listed) =
        (fresh.beat(&cherry, ""), fresh.find(&cherry, "quagga", Tier::Both), fresh.all(&cherry));
    assert!(beat.uncounted && found.uncounted && listed.uncounted);
    assert!(!beat.gaps.iter().any(|gap| gap.name == "empty"), "{:?}", beat.gaps);
}

#[test] // spec: MEM-43
fn ten_thousand_bad_files_are_told_in_few_words() {
    let ward = Ward::new();
    for n in 0..10_000 {
        ward.put(&format!("bad-{n}.light.md"), b"no claim");
    }
    let diagnosis = ward.ask(Leftovers::Named);
    assert_eq!(diagnosis.findings.len(), 51);
    assert!(diagnosis.findings[50].detail.contains("9950 more"), "{:?}", diagnosis.findings[50]);
    assert_eq!((diagnosis.stores[1].claims, diagnosis.stores[1].unreadable), (1, 10_000));
}

#[test] // spec: MEM-43, MEM-22
fn what_is_wrong_in_another_project_is_counted_and_named_only_when_asked() {
    let ward = Ward::new();
    ward.put("secret-plan.light.md", b"no claim");
    ward.put("other.light.md", file("Secret label", 5, "one").as_bytes());
    let plum = caller(MAKER, PLUM);
    let told = |brains| {
        let diagnosis = ward
            .memory
            .doctor(&plum, &DoctorRequest { brains, ..DoctorRequest::new(mixed_medulla) }, &|_, _| ())
            .unwrap();
        assert_eq!(diagnosis.count(Severity::Problem), 1);
        format!("{diagnosis:?}").to_lowercase()
    };
    assert!(
        !told(BrainScope::Own).contains("secret") && told(BrainScope::Own).contains("all_brains"),
        "{}",
        told(BrainScope::Own)
    );
    assert!(told(BrainScope::All).contains("secret-plan") && told(BrainScope::All).contains("secret label"));
}
