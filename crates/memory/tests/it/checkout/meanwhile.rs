//! Git moves files while a verb runs.

use super::{check_out, in_repository, live, maker};
use crate::world::{CHERRY, PERSON, Short as _, caller, claim, clock, how_sure, service};
use brainstem_base::disk::{Disk, ObservedDisk, SimDisk, UnsyncedFate};
use brainstem_memory::{
    BrainScope, EjectRequest, MemorizeRequest, PromoteRequest, PromotionsRequest, Tier, WriteTier,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A disk on which something happens at the n-th call that concerns a claim or its folder.
fn interrupted(disk: &SimDisk, at: usize, happens: impl Fn() + Send + Sync + 'static) -> Arc<dyn Disk> {
    let calls = AtomicUsize::new(0);
    Arc::new(ObservedDisk::new(Arc::new(disk.clone()), move |step| {
        let concerns = step.path.to_string_lossy().contains("agent-memory");
        if concerns && calls.fetch_add(1, Ordering::SeqCst) == at {
            happens();
        }
    }))
}

#[test] // spec: MEM-23, MEM-2
fn what_moves_while_it_is_read_is_found_or_named() {
    let start = in_repository();
    start.tell("Alpha", "first");
    start.tell("Beta", "second");
    let is_told = |gaps: &[brainstem_memory::Gap]| {
        let names = ["changed_meanwhile", "absent_here", "owner_side_claims", "version_absent"];
        gaps.iter().any(|gap| names.contains(&gap.name))
    };
    type Happens = fn(&SimDisk);
    let gone: Happens = |disk| ["alpha", "beta"].iter().for_each(|slug| disk.unlink(&live(slug)).unwrap());
    let moves: [(&str, bool, Happens); 3] = [
        ("a checkout takes all away", false, gone),
        ("a checkout brings all back", true, |disk| {
            for (path, bytes) in disk.dump() {
                let name = path.to_string_lossy().into_owned();
                for slug in ["alpha", "beta"] {
                    if name.contains("/.kept/") && name.contains(&format!("/{slug}.")) {
                        disk.write_raw(live(slug), &bytes);
                    }
                }
            }
        }),
        ("an eject", false, |disk| {
            let memory = service(Arc::new(disk.clone()), &clock());
            memory.eject(&maker(), &EjectRequest::default()).unwrap();
        }),
    ];
    for (what, is_away, happens) in moves {
        for at in 0..60 {
            let disk = start.disk.reboot(brainstem_base::disk::UnsyncedFate::Kept);
            if is_away {
                gone(&disk);
            }
            let later = disk.clone();
            let memory = service(interrupted(&disk, at, move || happens(&later)), &clock());
            let told = format!("{what} at call {at}");
            match at % 3 {
                0 => {
                    let listed = memory.all(&maker());
                    assert!(listed.rows.len() == 2 || is_told(&listed.gaps), "{told}: {listed:?}");
                }
                1 => {
                    let sought = memory.find(&maker(), "first second", Tier::Project);
                    assert!(sought.rows.len() == 2 || is_told(&sought.gaps), "{told}: {sought:?}");
                    let beat = memory.beat(&maker(), "");
                    assert!(beat.memory.len() == 2 || is_told(&beat.gaps), "{told}: {beat:?}");
                }
                _ => {
                    let shown = memory.look_at(&maker(), "Alpha", Tier::Project);
                    let shown = shown.unwrap_or_else(|error| panic!("{told}: {error}"));
                    let mut texts = shown.claim.iter().map(|row| &row.text);
                    let mut past = shown.history.iter().map(|version| &version.text);
                    assert!(texts.any(|text| text == "first") || past.any(|text| text == "first"), "{told}");
                }
            }
        }
    }
}

#[test] // spec: MEM-13, MEM-13a, MEM-34
fn a_checkout_during_a_promotion_costs_no_doctrine_and_shares_no_refused_claim() {
    const DOCTRINE: &str = "the doctrine from before";
    let ana = || caller(PERSON, CHERRY);
    let told = |text: &str, confidence: &str| MemorizeRequest {
        confidence: how_sure(confidence),
        ..claim("Alpha", text)
    };
    let mut refused = 0;
    for has_doctrine in [true, false] {
        let start = in_repository();
        start.memory.memorize(&ana(), &told("weak", "0.6")).unwrap();
        let weak = start.read("alpha");
        start.clock.advance(1_000);
        start.memory.memorize(&ana(), &told("strong", "0.9")).unwrap();
        if has_doctrine {
            let doctrine = MemorizeRequest { tier: Some(WriteTier::Medulla), ..told(DOCTRINE, "0.7") };
            start.memory.memorize(&ana(), &doctrine).unwrap();
        }
        start.clock.advance(1_000);
        for at in 0..120 {
            let disk = start.disk.reboot(UnsyncedFate::Kept);
            let (later, weak) = (disk.clone(), weak.clone());
            let happens = move || later.write_raw(live("alpha"), weak.as_bytes());
            let memory = service(interrupted(&disk, at, happens), &start.clock);
            let request = PromoteRequest {
                label: "Alpha".into(),
                reason: "for all".into(),
                ..PromoteRequest::default()
            };
            let done = memory.promote(&ana(), &request);

            let memory = service(Arc::new(disk.clone()), &start.clock);
            let seen = memory.look_at(&ana(), "Alpha", Tier::Medulla);
            let now = seen.as_ref().ok().and_then(|seen| seen.claim.as_ref()).map(|row| row.text.clone());
            let past = seen.iter().flat_map(|seen| &seen.history).map(|version| version.text.as_str());
            let past: Vec<&str> = past.collect();
            match done {
                Ok(_) => {
                    assert!(!has_doctrine || past == [DOCTRINE], "call {at}: {past:?}");
                    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
                    let promotions = memory.promotions(&ana(), &request).unwrap();
                    let count = (promotions.entries.len(), promotions.unaccounted.len());
                    assert_eq!(count, (1, 0), "call {at}: {promotions:?}");
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(now.as_deref(), has_doctrine.then_some(DOCTRINE), "call {at}: {error}");
                    assert!(past.is_empty(), "call {at}: {past:?}");
                }
            }
        }
    }
    assert!(refused > 0, "some of them meet the call between its copy and its stamp");
}

#[test] // spec: MEM-2, MEM-13
fn an_eject_beside_a_stash_and_its_pop_keeps_every_version_under_the_home() {
    let start = in_repository();
    start.tell("Alpha", "first");
    let committed = start.read("alpha");
    start.tell("Alpha", "second");
    start.tell("Beta", "third");
    let written = start.read("alpha");
    for at in 0..150 {
        for gap in [1, 2, 4, 7, 12, 20, 40] {
            let disk = start.disk.reboot(UnsyncedFate::Kept);
            let (later, calls) = (disk.clone(), AtomicUsize::new(0));
            let (committed, written) = (committed.clone(), written.clone());
            let git = move |step: brainstem_base::disk::DiskStep| {
                if !step.path.to_string_lossy().contains("agent-memory") {
                    return;
                }
                let call = calls.fetch_add(1, Ordering::SeqCst);
                match call {
                    call if call == at => later.write_raw(live("alpha"), committed.as_bytes()),
                    call if call == at + gap => later.write_raw(live("alpha"), written.as_bytes()),
                    _ => {}
                }
            };
            let observed = ObservedDisk::new(Arc::new(disk.clone()), git);
            let ejected = service(Arc::new(observed), &start.clock).eject(&maker(), &EjectRequest::default());
            ejected.unwrap_or_else(|error| panic!("calls {at} and {gap} later: {error}"));
            // What only the checkout has is gone with the next `git checkout -- .` or `git clean`.
            check_out(&disk, &[]);
            let memory = service(Arc::new(disk.clone()), &start.clock);
            let shown = memory.look_at(&maker(), "Alpha", Tier::Project).unwrap();
            let now = shown.claim.iter().map(|row| row.text.clone());
            let texts: Vec<String> = now.chain(shown.history.into_iter().map(|past| past.text)).collect();
            let has = |text: &str| texts.iter().any(|there| there == text);
            assert!(has("first") && has("second"), "calls {at} and {gap} later: {texts:?}");
        }
    }
}
