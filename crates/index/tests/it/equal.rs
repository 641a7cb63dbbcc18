//! Drop it, rebuild it, compare: whatever happened, an index says what one says that was made from the
//! files alone, to the last bit of every score.

use crate::world::{Hashed, Place, Said, best, claim, claim_by, said, settle, two_sides};
use brainstem_index::{Embedder, NoEmbedder, PublishUntil, StoreIndex};
use brainstem_testkit::cases;
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Act {
    /// A file is written in place, or put over the name.
    Write {
        key: usize,
        text: String,
        author: usize,
        group: usize,
        created: i64,
        in_place: bool,
    },
    TwoSides(usize, String, String),
    NoClaim(usize),
    Folder(usize),
    Link(usize),
    Remove(usize),
    /// One of the processes asks, settles, takes over what another settled, or starts anew.
    Ask(usize),
    Settle(usize),
    Encode(usize),
    Adopt(usize),
    Restart(usize),
    /// The shared file goes.
    Drop,
}

const KEYS: usize = 14;

fn any_text() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "retry", "the", "upload", "cache", "deploy", "policy", "port", "when", "monday", "changed?", "Ana",
        "3", "parseURL",
    ]);
    proptest::collection::vec(word, 0..9).prop_map(|words| words.join(" "))
}

fn any_act() -> impl Strategy<Value = Act> {
    let key = || 0..KEYS;
    let process = || 0..2_usize;
    let write = (key(), any_text(), 0..3_usize, 0..4_usize, 0..6_i64, any::<bool>()).prop_map(
        |(key, text, author, group, created, in_place)| Act::Write {
            key,
            text,
            author,
            group,
            created,
            in_place,
        },
    );
    prop_oneof![
        24 => write,
        2 => (key(), any_text(), any_text()).prop_map(|(key, ours, theirs)| Act::TwoSides(key, ours, theirs)),
        1 => key().prop_map(Act::NoClaim),
        1 => key().prop_map(Act::Folder),
        1 => key().prop_map(Act::Link),
        4 => key().prop_map(Act::Remove),
        3 => process().prop_map(Act::Ask),
        3 => process().prop_map(Act::Settle),
        2 => process().prop_map(Act::Encode),
        2 => process().prop_map(Act::Adopt),
        1 => process().prop_map(Act::Restart),
        1 => Just(Act::Drop),
    ]
}

fn do_act(place: &Place, embedder: &Arc<dyn Embedder>, processes: &mut [Arc<StoreIndex>; 2], act: &Act) {
    let name = |key: usize| format!("claim-{key}");
    // A file in the way of another kind of file goes first.
    let room = |key: usize| place.remove(&name(key));
    match act {
        Act::Write { key, text, author, group, created, in_place } => {
            let author = ["ana", "bo", "codex:maker"][*author];
            let group = [None, Some("s"), Some("s"), Some("t")][*group];
            let bytes = claim_by(&name(*key), author, group, 1_783_209_431_408 + created * 90_000_000, text);
            let is_file = place.disk.read(&place.path(&name(*key)), u64::MAX).is_ok();
            if !is_file {
                room(*key);
            }
            if *in_place { place.edit(&name(*key), &bytes) } else { place.replace(&name(*key), &bytes) }
        }
        Act::TwoSides(key, ours, theirs) => {
            room(*key);
            place.edit(&name(*key), &two_sides(&name(*key), ours, theirs));
        }
        Act::NoClaim(key) => {
            room(*key);
            place.edit(&name(*key), "Dear diary\n");
        }
        Act::Folder(key) => {
            room(*key);
            place.disk.make_dir(&place.path(&name(*key))).unwrap();
        }
        Act::Link(key) => {
            room(*key);
            place.link(&name(*key));
        }
        Act::Remove(key) => room(*key),
        Act::Ask(process) => drop(processes[*process].refresh().unwrap()),
        Act::Settle(process) => drop(settle(&processes[*process], PublishUntil::Shared)),
        Act::Encode(process) => drop(settle(&processes[*process], PublishUntil::Encoded)),
        Act::Adopt(process) => processes[*process].adopt_shared_file(),
        Act::Restart(process) => {
            processes[*process] = place.process_on(place.disk.clone(), embedder.clone(), &place.folder);
        }
        Act::Drop => {
            for entry in place.disk.list(&place.folder).unwrap_or_default() {
                if entry.name.to_string_lossy().ends_with(".segment") {
                    place.disk.unlink(&place.folder.join(entry.name)).unwrap();
                }
            }
        }
    }
}

/// Compares answer by answer, so that a difference can be read.
fn alike(one: &Said, other: &Said) -> Result<(), TestCaseError> {
    for (one, other) in one.answers.iter().flatten().zip(other.answers.iter().flatten()) {
        prop_assert_eq!(one, other);
    }
    prop_assert_eq!(one, other);
    Ok(())
}

fn check(place: &Place, embedder: Arc<dyn Embedder>, acts: &[Act]) -> Result<(), TestCaseError> {
    let process = || place.process_on(place.disk.clone(), embedder.clone(), &place.folder);
    let mut processes = [process(), process()];
    for key in 0..KEYS / 2 {
        // A conversation that is there from the start, so that later claims join it across the parts.
        let name = format!("claim-{key}");
        place.edit(
            &name,
            &claim_by(&name, "ana", Some("s"), 1_783_209_431_408 + key as i64, "retry the cache"),
        );
    }
    processes[0].refresh().unwrap();
    settle(&processes[0], PublishUntil::Shared);
    for act in acts {
        do_act(place, &embedder, &mut processes, act);
        if !embedder.has_better() {
            let expected = place.anew(&embedder);
            for process in &processes {
                alike(&said(&process.refresh().unwrap(), &*embedder), &expected)?;
            }
        }
    }
    // With the better vectors everywhere, both are the same again.
    let elsewhere = place.claims.parent().unwrap().join("rebuilt");
    let rebuilt = place.process_on(place.disk.clone(), embedder.clone(), &elsewhere);
    for process in processes.iter().chain([&rebuilt, &process()]) {
        process.refresh().unwrap();
        settle(process, PublishUntil::Encoded);
    }
    let expected = said(&rebuilt.refresh().unwrap(), &*embedder);
    for process in processes.iter().chain([&process()]) {
        process.adopt_shared_file();
        let snapshot = process.refresh().unwrap();
        if embedder.has_better() {
            prop_assert_eq!(snapshot.unencoded(), 0);
        }
        alike(&said(&snapshot, &*embedder), &expected)?;
    }
    Ok(())
}

fn any_meanings() -> impl Strategy<Value = usize> {
    0..3_usize
}

fn embedder(which: usize) -> Arc<dyn Embedder> {
    match which {
        0 => Arc::new(NoEmbedder),
        1 => Arc::new(Hashed { better: false }),
        _ => Arc::new(Hashed { better: true }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(48)))]

    #[test] // spec: MEM-26
    fn whatever_happened_on_a_simulated_disk_a_rebuild_says_the_same(
        which in any_meanings(), acts in proptest::collection::vec(any_act(), 1..30)
    ) {
        let (place, _disk) = Place::simulated();
        check(&place, embedder(which), &acts)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(16)))]

    #[test] // spec: MEM-26
    fn whatever_happened_on_a_real_disk_a_rebuild_says_the_same(
        which in any_meanings(), acts in proptest::collection::vec(any_act(), 1..30)
    ) {
        check(&Place::real_now(), embedder(which), &acts)?;
    }
}

#[test] // spec: MEM-26
fn many_claims_that_say_the_same_are_ranked_alike_by_every_index() {
    for which in [0, 1] {
        let (place, _disk) = Place::simulated();
        let embedder = embedder(which);
        let process = place.process_on(place.disk.clone(), embedder.clone(), &place.folder);
        // The later half comes first by name, and last in the parts of this process.
        for number in (0..600).rev() {
            let key = format!("claim-{number:04}");
            place.edit(&key, &claim("Same", "retry the upload"));
            if number == 300 {
                process.refresh().unwrap();
                settle(&process, PublishUntil::Shared);
            }
        }
        for (question, limit) in [("upload", 20), ("retry the upload", 3)] {
            let top = |process: &StoreIndex| {
                let snapshot = process.refresh().unwrap();
                best(&snapshot, &*embedder, question, limit)
            };
            let folder = place.claims.join("no/index");
            let fresh = place.process_on(place.disk.clone(), embedder.clone(), &folder);
            assert_eq!(top(&process), top(&fresh), "{which}");
        }
    }
}

#[test] // spec: MEM-26
fn who_no_longer_speaks_moves_no_rank() {
    // Ana wrote all there was; then others write over it, each beside her, until nothing of hers is left.
    for leaves_the_group in [false, true] {
        let (place, _disk) = Place::simulated();
        let embedder = embedder(0);
        let process = place.process_on(place.disk.clone(), embedder.clone(), &place.folder);
        let tell = |key: usize, author: &str, group: Option<&str>| {
            let name = format!("claim-{key}");
            let text = ["retry the cache when Ana did", "the upload port"][key % 2];
            place.edit(&name, &claim_by(&name, author, group, 1_783_209_431_408 + key as i64, text));
        };
        (0..6).for_each(|key| tell(key, "ana", Some("s")));
        process.refresh().unwrap();
        settle(&process, PublishUntil::Shared);
        for key in 0..6 {
            tell(key, "bo", (!leaves_the_group).then_some("s"));
            let now = said(&process.refresh().unwrap(), &*embedder);
            assert_eq!(now, place.anew(&embedder), "{key}, {leaves_the_group}");
        }
    }
}

#[test] // spec: MEM-25
fn where_most_claims_mean_the_same_words_still_count() {
    // Two claims, and many of which all but one mean the same: the middle is the best, or close to it.
    for same in [1, 6] {
        let (place, _disk) = Place::simulated();
        let embedder = embedder(1);
        for number in 0..same {
            place.edit(&format!("same-{number}"), &claim("Same", "alpha beta gamma delta"));
        }
        place.edit("other", &claim("Other", "the frobnicator beta epsilon zeta eta theta iota"));
        let process = place.process_on(place.disk.clone(), embedder.clone(), &place.folder);
        let snapshot = process.refresh().unwrap();
        let lines = best(&snapshot, &*embedder, "frobnicator alpha", 9);
        let scores: Vec<f32> = lines
            .iter()
            .map(|line| f32::from_bits(u32::from_str_radix(line.split(' ').nth(2).unwrap(), 16).unwrap()))
            .collect();
        assert!(scores.iter().all(|score| (-1.0..=2.0).contains(score)), "{lines:?}");
    }
}
