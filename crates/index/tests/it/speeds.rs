//! Vectors come at two speeds: one at once, and a better one when there is time.

use crate::world::{Hashed, Place, answers, claim, settle};
use brainstem_index::{Embedder, PublishUntil, QuantisedVector};
use brainstem_recall::rank::Direction;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Better vectors that never come.
struct Stuck(AtomicUsize, Mutex<()>);

impl Embedder for Stuck {
    fn space(&self) -> &str {
        "hashed"
    }

    fn embed_static(&self, text: &str) -> Option<QuantisedVector> {
        Hashed { better: true }.embed_static(text)
    }

    fn embed_encoded(&self, _: &str) -> Option<QuantisedVector> {
        self.0.fetch_add(1, Ordering::SeqCst);
        // The test holds it until its end.
        drop(self.1.lock());
        None
    }

    fn has_better(&self) -> bool {
        true
    }

    fn question(&self, text: &str) -> Option<Direction> {
        Hashed { better: true }.question(text)
    }
}

#[test] // spec: MEM-25, MEM-26
fn no_question_waits_for_a_better_vector() {
    let place = Place::real_now();
    place.edit("one", &claim("one", "upload"));
    let stuck = Arc::new(Stuck(AtomicUsize::new(0), std::sync::Mutex::new(())));
    let process = place.process_on(place.disk.clone(), stuck.clone(), &place.folder);
    process.refresh().unwrap();
    let held = stuck.1.lock().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| settle(&process, PublishUntil::Encoded));
        while stuck.0.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        // While the encoder hangs, questions, new claims and other processes go on.
        for number in 0..5 {
            let key = format!("new-{number}");
            place.edit(&key, &claim(&key, &format!("upload {number}")));
            let other = place.process_on(place.disk.clone(), stuck.clone(), &place.folder);
            for process in [&process, &other] {
                let snapshot = process.refresh().unwrap();
                assert_eq!(answers(&snapshot, &*stuck, "upload").len(), number + 2);
                assert!(process.has_unpublished());
                process.adopt_shared_file();
            }
            // One process of many makes them.
            assert_eq!(settle(&other, PublishUntil::EncodedSoon).encoded, 0);
        }
        drop(held);
    });
    assert_eq!(stuck.0.load(Ordering::SeqCst), 1, "nobody else waited for the encoder");
}

#[test] // spec: MEM-25, MEM-26
fn a_text_that_did_not_change_keeps_its_better_vector() {
    let place = Place::real();
    let better = Hashed { better: true };
    for number in 0..10 {
        let key = format!("claim-{number}");
        place.edit(&key, &claim(&key, &format!("retry the upload {number}")));
    }
    let process = place.process(better);
    assert_eq!(process.refresh().unwrap().unencoded(), 10);
    let settled = settle(&process, PublishUntil::Encoded);
    assert_eq!((settled.encoded, settled.left), (10, 0));
    assert_eq!(process.refresh().unwrap().unencoded(), 0);
    assert_eq!(settle(&process, PublishUntil::Encoded).encoded, 0, "nothing is made twice");
    assert!(!process.has_unpublished());

    // Rewritten with the same words, also under another author and birth; and with others.
    place.replace("claim-1", &claim("claim-1", "retry the upload 1"));
    place.edit("claim-2", &crate::world::claim_by("claim-2", "ana", None, 9_999, "retry the upload 2"));
    place.edit("claim-3", &claim("claim-3", "the cache was changed"));
    for process in [&process, &place.process(better)] {
        assert_eq!(process.refresh().unwrap().unencoded(), 1);
    }
    assert_eq!(settle(&process, PublishUntil::Encoded).encoded, 1);
    assert_eq!(place.process(better).refresh().unwrap().unencoded(), 0);
}

#[test] // spec: MEM-26
fn what_is_left_is_counted_when_it_is_cut_short() {
    let place = Place::real();
    for number in 0..100 {
        let key = format!("claim-{number}");
        place.edit(&key, &claim(&key, &format!("retry the upload {number}")));
    }
    let process = place.process(Hashed { better: true });
    process.refresh().unwrap();
    let asked = AtomicUsize::new(0);
    let keep_on = || asked.fetch_add(1, Ordering::SeqCst) < 40;
    let settled = process.publish(PublishUntil::Encoded, &keep_on, &|_| ());
    assert_eq!((settled.encoded, settled.left), (40, 60));
    assert_eq!(process.refresh().unwrap().unencoded(), 60, "what was made is kept");
    let settled = settle(&process, PublishUntil::EncodedSoon);
    assert_eq!((settled.encoded, settled.left), (60, 0));
}

#[test] // spec: MEM-26
fn what_cannot_be_kept_is_told_as_missing() {
    let (place, disk) = Place::simulated();
    for number in 0..5 {
        let key = format!("claim-{number}");
        place.edit(&key, &claim(&key, "upload"));
    }
    let process = place.process(Hashed { better: true });
    process.refresh().unwrap();
    settle(&process, PublishUntil::Shared);
    disk.set_space_left(Some(10));
    let settled = settle(&process, PublishUntil::Encoded);
    assert_eq!(settled.left, 5);
    assert_eq!(process.refresh().unwrap().unencoded(), 5);
}

#[test] // spec: MEM-25
fn what_another_process_is_at_is_not_told_as_done() {
    let place = Place::real();
    for number in 0..9 {
        place.edit(&format!("claim-{number}"), &claim("Claim", &format!("number {number}")));
    }
    let process = place.process(Hashed { better: true });
    process.refresh().unwrap();
    settle(&process, PublishUntil::Shared);
    let encoding = place.disk.lock(&place.shared_file().with_extension("encoding"), Duration::ZERO).unwrap();
    for until in [PublishUntil::Encoded, PublishUntil::EncodedSoon] {
        assert_eq!(settle(&process, until).left, 9);
    }
    drop(encoding);
    assert_eq!(settle(&process, PublishUntil::EncodedSoon).left, 0);
}
