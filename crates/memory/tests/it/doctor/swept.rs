//! What `doctor` removes when it is asked to sweep.

use super::{Ward, file};
use crate::world::{CHERRY, HOME, MAKER, START, caller, code};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{DoctorRequest, Leftovers, Severity, Trouble};
use brainstem_transfer::mixed_medulla;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[test] // spec: MEM-43
fn sweeping_removes_old_leftovers_and_nothing_else() {
    let ward = Ward::new();
    let old = b"\n\n";
    let swept: Vec<PathBuf> = [
        ward.claims().join(".tmp-0000000000000001"),
        ward.claims().join(".history/.tmp-0000000000000002"),
        ward.folder.join(".tmp-0000000000000003"),
        ward.claims().join(".kept/.tmp-0000000000000009"),
        PathBuf::from(HOME).join(".tmp-0000000000000004"),
    ]
    .into();
    for path in &swept {
        ward.disk.write_raw(path, old);
    }
    // A second name of the live claim, as a write that was cut off leaves it, holds nothing new.
    let second = ward.claims().join(".tmp-0000000000000005");
    ward.disk.link(&ward.live(), &second).unwrap();
    let kept = ward.put(".tmp-0000000000000006", file("Retry policy", 9, "never seen").as_bytes());
    let torn = ward.put(".tmp-0000000000000007", b"---\nProtocol: L1");
    ward.put(".tmp-mine", b"not ours");
    ward.disk.set_time_ns(i128::from(START) * 1_000_000);
    let young = ward.put(".tmp-0000000000000008", b"");
    let before = ward.disk.dump();

    let named = ward.ask(Leftovers::Named);
    assert_eq!(named.findings.len(), 8, "{:?}", named.findings);
    assert!(named.findings.iter().all(|finding| finding.trouble.severity() != Severity::Problem));
    assert_eq!(ward.disk.dump(), before);

    // While a lock of the store is held, nothing in the store is swept.
    let lock = ward.claims().join(".locks/07");
    let held = ward.disk.lock(&lock, std::time::Duration::ZERO).unwrap();
    let busy = ward.ask(Leftovers::Swept);
    assert_eq!(busy.swept, [swept[4].clone(), swept[2].clone()]);
    drop(held);

    let done = ward.ask(Leftovers::Swept);
    assert_eq!(done.swept, [swept[0].clone(), second.clone(), swept[3].clone(), swept[1].clone()]);
    let left: BTreeSet<_> = done.findings.iter().map(|finding| finding.place.clone()).collect();
    assert_eq!(left, BTreeSet::from([kept, torn]));
    let mut after = ward.disk.dump();
    after.remove(&lock);
    let mut expected = before;
    expected.retain(|path, _| !swept.contains(path) && *path != second);
    assert_eq!(after, expected);
    assert!(after.contains_key(&young));
}

#[test] // spec: MEM-1, MEM-43
fn a_newer_home_is_looked_over_and_never_swept() {
    let ward = Ward::new();
    ward.put(".tmp-0123456789abcdef", b"");
    ward.disk.write_raw(format!("{HOME}/home.json"), b"{\"schema\": 99}");
    let before = ward.disk.dump();
    let sweep = DoctorRequest { leftovers: Leftovers::Swept, ..DoctorRequest::new(mixed_medulla) };
    assert_eq!(code(ward.memory.doctor(&caller(MAKER, CHERRY), &sweep, &|_, _| ())), "home.newer_schema");
    let found: Vec<_> =
        ward.ask(Leftovers::Named).findings.into_iter().map(|finding| finding.trouble).collect();
    assert_eq!(found, [Trouble::HomeNewer, Trouble::LeftoverFile]);
    assert_eq!(ward.disk.dump(), before);
}
