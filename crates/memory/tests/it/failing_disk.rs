//! A disk on which some kind of operation fails: once, or from some moment of a call on for good. A call that is refused
//! has changed nothing that any verb shows; otherwise the answer is that of the deed, or `store.unconfirmed`.

use crate::refused::{Ask, Place, maker, prepared};
use crate::unconfirmed::{all_asks, seen, texts};
use crate::world::{CHERRY, PERSON, caller, claim, clock, files_below, service};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Failing, FailingFor, FaultyDisk, ObservedDisk, SimDisk, UnsyncedFate};
use brainstem_memory::{MemorizeRequest, PromoteAs, PromoteRequest, Reaffirm};
use brainstem_testkit::cases;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many operations of a kind fail in a check, for each verb.
const CHECKED: u64 = 3;

/// The verbs that change a claim, an act or a boot key.
fn each_ask() -> Vec<(&'static str, Ask)> {
    fn settle(
        memory: &brainstem_memory::Memory,
        request: PromoteRequest,
    ) -> Result<(), brainstem_memory::MemoryError> {
        let request =
            PromoteRequest { label: "Cache".into(), reason: "it holds here alone".into(), ..request };
        memory.promote(&caller(PERSON, CHERRY), &request).map(drop)
    }
    let more: [(&str, Ask); 3] = [
        ("reaffirm", |memory| {
            let request = MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Cache", "two zebras") };
            memory.memorize(&maker(), &request).map(drop)
        }),
        ("propose", |memory| {
            settle(memory, PromoteRequest { how: PromoteAs::Propose, ..PromoteRequest::default() })
        }),
        ("decline", |memory| {
            settle(memory, PromoteRequest { how: PromoteAs::Decline, ..PromoteRequest::default() })
        }),
    ];
    all_asks().into_iter().chain(more).collect()
}

/// The store, in which a claim is proposed.
fn proposed(place: Place) -> SimDisk {
    let disk = prepared(place);
    let request = PromoteRequest {
        label: "Cache".into(),
        reason: "it holds in plum too".into(),
        how: PromoteAs::Propose,
        ..PromoteRequest::default()
    };
    service(Arc::new(disk.clone()), &clock()).promote(&maker(), &request).unwrap();
    disk
}

/// What a store shows before a call and after it, and which texts must stay.
struct Shown {
    old: BTreeSet<String>,
    new: BTreeSet<String>,
    texts: BTreeSet<String>,
}

fn differs(after: &BTreeSet<String>, from: &BTreeSet<String>) -> String {
    let (more, less): (Vec<_>, Vec<_>) = (after.difference(from).collect(), from.difference(after).collect());
    format!("new {more:#?}, gone {less:#?}")
}

/// What is not as it should be, of one call on a failing disk.
fn wrong(
    (name, ask): (&str, Ask),
    before: &SimDisk,
    shown: &Shown,
    (failing, long, passes): (Failing, FailingFor, u64),
) -> Vec<String> {
    let disk = before.reboot(UnsyncedFate::Kept);
    let now = clock();
    now.advance(60_000);
    let faulty = FaultyDisk::after(Arc::new(disk.clone()), failing, long, passes);
    let answer =
        ask(&service(Arc::new(faulty), &now)).map_err(|error| (error.code().name(), error.to_string()));
    if answer.is_err() && files_below(&disk, "/") == files_below(before, "/") {
        return Vec::new();
    }
    let after = seen(&disk);
    let mut wrong = Vec::new();
    let is_forgotten = matches!(&answer, Err((_, told)) if told.starts_with("the claim is forgotten"));
    match &answer {
        // A second name of a version that could not be found to be taken away loses nothing.
        Ok(()) if shown.new.iter().filter(|it| !it.starts_with("past")).all(|it| after.contains(it)) => {}
        Ok(()) => wrong.push(format!("done, but {}", differs(&after, &shown.new))),
        Err(("store.unconfirmed", _)) => {}
        Err(_) if is_forgotten || after == shown.old => {}
        Err((code, told)) => {
            wrong.push(format!("refused with {code} ({told}), but {}", differs(&after, &shown.old)));
        }
    }
    let lost: Vec<_> = shown.texts.difference(&texts(&disk)).cloned().collect();
    if answer.is_err() && !name.starts_with("forget") && !lost.is_empty() {
        wrong.push(format!("{answer:?}: lost {lost:?}"));
    }
    if answer.is_err() && after != shown.new {
        let again = ask(&service(Arc::new(disk.clone()), &now));
        let lost = shown.new.iter().filter(|it| it.starts_with("live")).any(|it| !seen(&disk).contains(it));
        if again.is_err() || lost {
            wrong
                .push(format!("{answer:?}, then repeated: {again:?}, {}", differs(&seen(&disk), &shown.new)));
        }
    }
    wrong
}

/// How many operations of a kind a call asks for.
fn operations(ask: Ask, before: &SimDisk, failing: Failing) -> u64 {
    let now = clock();
    now.advance(60_000);
    let disk = Arc::new(ObservedDisk::counting(Arc::new(before.reboot(UnsyncedFate::Kept))));
    ask(&service(disk.clone(), &now)).unwrap();
    let counts = disk.counts().into_iter();
    counts.filter(|(verb, _)| failing.fault(verb).is_some()).map(|(_, count)| count).sum()
}

fn walk(place: Place) {
    let before = proposed(place);
    let (old, kept) = (seen(&before), texts(&before));
    let mut all_wrong = Vec::new();
    for (index, (name, ask)) in (0..).zip(each_ask()) {
        if place == Place::Home && name.ends_with("git took away") {
            continue;
        }
        let whole = before.reboot(UnsyncedFate::Kept);
        let now = clock();
        now.advance(60_000);
        ask(&service(Arc::new(whole.clone()), &now)).unwrap();
        let shown = Shown { old: old.clone(), new: seen(&whole), texts: kept.clone() };
        for failing in Failing::EACH {
            let count = operations(ask, &before, failing);
            assert!(count > 0, "{name} in {place:?} asks for {failing:?}");
            // Every operation in the soak; in a check every few, which are others for each verb. What git took away lies as a
            // copy under the home alone, so that more of its steps are looked at.
            let stride = match (cases(1) > 1, name.ends_with("git took away"), failing) {
                (true, _, _) | (false, true, Failing::Reads) => 1,
                (false, true, Failing::All) => 5,
                (false, _, _) => count.div_ceil(CHECKED),
            };
            for passes in (index % stride..count).step_by(stride as usize) {
                for long in [FailingFor::Once, FailingFor::Good] {
                    let wrong = wrong((name, ask), &before, &shown, (failing, long, passes));
                    let told = format!("{name}, {failing:?} failing for {long:?} after {passes}");
                    all_wrong.extend(wrong.into_iter().map(|it| format!("{told}: {it}")));
                }
            }
        }
    }
    assert!(all_wrong.is_empty(), "{} wrong:\n{}", all_wrong.len(), all_wrong.join("\n"));
}

#[test] // spec: MEM-13a, MEM-13b
fn what_a_failing_disk_refuses_is_done_nowhere() {
    walk(Place::Home);
}

#[test] // spec: MEM-13a, MEM-13b, MEM-2
fn nor_is_it_done_with_the_claims_in_a_repository() {
    walk(Place::Repository);
}
