//! A disk that takes a change and does not confirm it: each sync of each verb fails once, and from there on. A refusal
//! means that nothing changed, `store.unconfirmed` that the change is in place or not, whole, and `show` says which.

use crate::refused::{Ask, LABELS, Place, asks, maker, prepared, view};
use crate::world::{CHERRY, PERSON, caller, clock, service};
use brainstem_base::Coded as _;
use brainstem_base::disk::{DiskFault, SimDisk, SyncFailures, UnsyncedFate};
use brainstem_memory::{DelegateRequest, LearnRequest, Memory, Tier, Verdict, WriteTier};
use brainstem_testkit::cases;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The verbs that are asked beside those that are refused elsewhere.
pub(crate) fn all_asks() -> Vec<(&'static str, Ask)> {
    let more: [(&str, Ask); 3] = [
        ("boot delete", |memory| memory.boot_delete(&maker(), "test", None).map(drop)),
        ("delegate", |memory| {
            let request = DelegateRequest {
                task: "bound the loop".into(),
                budget_tokens: 1_200,
                ..DelegateRequest::default()
            };
            memory.delegate(&maker(), &request, &|packet| packet).map(drop)
        }),
        ("demote", |memory| {
            let request = LearnRequest {
                label: "Tabs".into(),
                verdict: Verdict::Wrong,
                note: None,
                tier: Some(WriteTier::Medulla),
            };
            memory.learn(&caller(PERSON, CHERRY), &request).map(drop)
        }),
    ];
    asks().into_iter().chain(more).collect()
}

/// What any verb takes for done. A delegation has an id of its own in each run.
pub(crate) fn seen(disk: &SimDisk) -> BTreeSet<String> {
    let without_id = |line: String| match line.find(" delegate ") {
        Some(at) => line[..at + " delegate".len()].to_owned(),
        None => line,
    };
    view(disk).into_iter().map(without_id).collect()
}

/// Every text that is shown of the claims, live or in history.
pub(crate) fn texts(disk: &SimDisk) -> BTreeSet<String> {
    let memory = service(Arc::new(disk.clone()), &clock());
    let mut texts = BTreeSet::new();
    for (label, tier) in LABELS.iter().flat_map(|label| [(label, Tier::Project), (label, Tier::Medulla)]) {
        let Ok(shown) = show(&memory, label, tier) else { continue };
        texts.extend(shown.claim.into_iter().chain(shown.sides).map(|row| row.text));
        texts.extend(shown.history.into_iter().map(|version| version.text));
    }
    texts
}

fn show(
    memory: &Memory,
    label: &str,
    tier: Tier,
) -> Result<brainstem_memory::Shown, brainstem_memory::MemoryError> {
    use crate::world::Short as _;
    memory.look_at(&maker(), label, tier)
}

/// Asks with one sync failing, or that one and every later one. How many failed.
fn unconfirmed(
    name: &str,
    ask: Ask,
    before: &SimDisk,
    [old, new, kept]: [&BTreeSet<String>; 3],
    (count, failures, fault): (u64, SyncFailures, DiskFault),
) -> u64 {
    let disk = before.reboot(UnsyncedFate::Kept);
    let told = format!("{name}, {failures:?} sync failing after {count}");
    let now = clock();
    now.advance(60_000);
    disk.fail_syncs_after(count, failures, fault);
    let answer = ask(&service(Arc::new(disk.clone()), &now)).map_err(|error| (error.code().name(), error));
    disk.mend_syncs();
    let failed = disk.failed_syncs();
    let after = seen(&disk);
    let differs = |from: &BTreeSet<String>| {
        let (more, less): (Vec<_>, Vec<_>) =
            (after.difference(from).collect(), from.difference(&after).collect());
        format!("{told}: new {more:#?}, gone {less:#?}")
    };
    match &answer {
        Ok(()) => {
            // A version that git took away, and that did not get into history behind the new one, still waits.
            let waits = new.iter().filter(|it| it.starts_with("live")).all(|it| after.contains(it))
                && after.iter().any(|it| it.starts_with("waits") && !new.contains(it));
            assert!(waits || after == *new, "done, but {}", differs(new));
        }
        Err(("store.unconfirmed", error)) => {
            let is_told = after.iter().any(|it| it.starts_with("finding rename_interrupted"))
                || error.to_string().starts_with("the claim is forgotten");
            assert!(is_told || after == *old || after == *new, "half done: {}", differs(old));
            assert!(error.fix().is_some_and(|fix| fix.contains("brainstem show")), "{told}: {error}");
            assert!(!error.to_string().contains("cannot store"), "{told}: {error}");
        }
        // Words of a forgotten claim that cannot be deleted are told with the words that it is forgotten.
        Err(("store.no_space" | "store.failed", error)) => {
            let is_told = error.to_string().starts_with("the claim is forgotten");
            assert!(is_told || after == *old, "refused, but {}", differs(old));
        }
        Err((code, error)) => panic!("{told}: {code} {error}"),
    }
    if !name.starts_with("forget") {
        // Every fate in the soak; in a check two of them, which are others for each sync.
        let fates = UnsyncedFate::all(count);
        let tried =
            if cases(1) > 1 { fates } else { vec![UnsyncedFate::Lost, fates[count as usize % fates.len()]] };
        for fate in tried {
            let left = texts(&disk.reboot(fate));
            let lost: Vec<_> = kept.difference(&left).collect();
            assert!(lost.is_empty(), "{told}, then power lost ({fate:?}): {lost:?}");
        }
    }
    if answer.is_err() && after != *new {
        ask(&service(Arc::new(disk.clone()), &now))
            .unwrap_or_else(|error| panic!("{told}, then repeated: {error}"));
        assert_eq!(seen(&disk), *new, "{told}, then repeated");
    }
    failed
}

fn walk_every_sync(place: Place) {
    let before = prepared(place);
    let (old, kept) = (seen(&before), texts(&before));
    for (name, ask) in all_asks() {
        if place == Place::Home && name.ends_with("git took away") {
            continue;
        }
        let whole = before.reboot(UnsyncedFate::Kept);
        let now = clock();
        now.advance(60_000);
        ask(&service(Arc::new(whole.clone()), &now)).unwrap();
        let new = seen(&whole);
        for (failures, fault) in
            [(SyncFailures::One, DiskFault::NoSpace), (SyncFailures::AllLater, DiskFault::Other)]
        {
            let mut count = 0;
            while unconfirmed(name, ask, &before, [&old, &new, &kept], (count, failures, fault)) > 0 {
                count += 1;
            }
            assert!(count > 0, "{name} in {place:?} syncs something");
        }
    }
}

#[test] // spec: MEM-13a, MEM-13b
fn what_a_disk_does_not_confirm_is_never_called_refused_or_done() {
    walk_every_sync(Place::Home);
}

#[test] // spec: MEM-13a, MEM-13b, MEM-2
fn nor_is_it_with_the_claims_in_a_repository() {
    walk_every_sync(Place::Repository);
}
