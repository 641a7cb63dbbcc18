//! Every finding is made real on a disk, and named.

use super::{Break, Ward, broken_brains, broken_claims, broken_home, broken_record, file};
use brainstem_memory::{Leftovers, Trouble};
use std::collections::BTreeSet;
use std::path::Path;

/// What is wrong, and how it comes about; the answer is where it is to be found.
fn table() -> Vec<(Trouble, Break)> {
    [broken_home::TABLE, broken_brains::TABLE, broken_claims::TABLE, broken_record::TABLE].concat()
}

#[test] // spec: MEM-43, MEM-37, MEM-1, IF-27
fn every_finding_is_named_with_its_place_and_its_fix() {
    let mut covered = BTreeSet::new();
    for (trouble, broken) in table() {
        let ward = Ward::new();
        let place = broken(&ward);
        let before = ward.disk.dump();
        let diagnosis = ward.ask(Leftovers::Named);
        assert_eq!(ward.disk.dump(), before, "{trouble:?}: looking changes nothing");
        let [finding] = diagnosis.findings.as_slice() else {
            panic!("{trouble:?} alone was expected: {:?}", diagnosis.findings)
        };
        assert_eq!((finding.trouble, &finding.place), (trouble, &place), "{finding:?}");
        assert!(!finding.detail.is_empty() && !finding.fix.is_empty(), "{finding:?}");
        assert_eq!(diagnosis.count(trouble.severity()), 1);
        covered.insert(trouble);
    }
    // What is found about letters is tried where they are read, and so is what no part of a diagnosis could read.
    let is_elsewhere = |trouble: &Trouble| {
        trouble.is_about_letters()
            || trouble.is_about_mail()
            || trouble.is_about_the_ledger()
            || trouble.is_about_the_inbox()
    };
    let here = Trouble::ALL.iter().copied().filter(|trouble| !is_elsewhere(trouble));
    let all: BTreeSet<_> = here.filter(|trouble| *trouble != Trouble::NotRead).collect();
    assert_eq!(covered, all, "the table has every finding");
}

#[test] // spec: MEM-43
fn names_of_findings_are_unique() {
    let names: BTreeSet<_> = Trouble::ALL.iter().map(|trouble| trouble.name()).collect();
    assert_eq!(names.len(), Trouble::ALL.len());
}

#[test] // spec: MEM-1, MEM-43
fn of_two_folders_of_one_root_the_one_with_the_history_is_never_to_be_moved() {
    let ward = Ward::new();
    let (_, twice) = table().into_iter().find(|(trouble, _)| *trouble == Trouble::RootTwice).unwrap();
    let empty = twice(&ward).join("cherry-again");
    let is_twice = |finding: &brainstem_memory::Finding| finding.trouble == Trouble::RootTwice;
    let fix =
        |ward: &Ward| ward.ask(Leftovers::Named).findings.into_iter().find(is_twice).unwrap().fix.to_string();
    let named = |path: &Path| format!("`{}`", path.display());
    assert!(fix(&ward).contains(&format!("move {} aside", named(&empty))), "{}", fix(&ward));
    assert!(!fix(&ward).contains(&named(&ward.folder)), "{}", fix(&ward));
    ward.disk.write_raw(empty.join("agent-memory/.history/old.5.light.md"), file("Old", 5, "x").as_bytes());
    assert!(fix(&ward).contains("move none of them aside"), "{}", fix(&ward));
}
