//! The index as memory uses it: no write needs it, no question waits for it, and without it all is the same.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, claim, clock, doctrine, service, service_with,
    two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{DiskStep, ObservedDisk, SimDisk};
use brainstem_memory::{
    Caller, Embedder, Filter, IndexPace, IndexRequest, IndexStart, MemorizeRequest, Memory, Question,
    Reaffirm, RenameRequest, Row, SeekRequest, Tier,
};
use brainstem_transfer::{ImportRequest, Transfer};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The encoder of these tests: a vector is what the letters are, and the better one counts pairs too.
pub(crate) struct Letters {
    asked: AtomicUsize,
    /// Held by a test in which a better vector never comes.
    gate: Mutex<()>,
}

impl Letters {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { asked: AtomicUsize::new(0), gate: Mutex::new(()) })
    }

    fn vector(text: &str, pairs: bool) -> ([i8; 256], f32) {
        let mut values = [0_i8; 256];
        for pair in text.as_bytes().windows(2) {
            values[usize::from(pair[0])] = values[usize::from(pair[0])].saturating_add(3);
            if pairs {
                let at = usize::from(pair[0].wrapping_mul(31) ^ pair[1]);
                values[at] = values[at].saturating_add(5);
            }
        }
        let length: f32 = values.iter().map(|value| f32::from(*value).powi(2)).sum::<f32>().sqrt();
        (values, if length > 0.0 { 1.0 / length } else { 0.0 })
    }
}

impl Embedder for Letters {
    fn space(&self) -> &str {
        "letters"
    }

    fn embed_static(&self, text: &str) -> Option<brainstem_index::QuantisedVector> {
        let (values, scale) = Self::vector(text, false);
        Some(brainstem_index::QuantisedVector { values, scale })
    }

    fn embed_encoded(&self, text: &str) -> Option<brainstem_index::QuantisedVector> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        drop(self.gate.lock());
        let (values, scale) = Self::vector(text, true);
        Some(brainstem_index::QuantisedVector { values, scale })
    }

    fn has_better(&self) -> bool {
        true
    }

    fn question(&self, text: &str) -> Option<brainstem_recall::rank::Direction> {
        let (values, scale) = Self::vector(text, true);
        (scale > 0.0).then_some(brainstem_recall::rank::Direction { values, scale })
    }
}

pub(crate) fn with_letters(disk: &SimDisk, clock: &Arc<ManualClock>, letters: &Arc<Letters>) -> Memory {
    let (home, user_home) = (Path::new(HOME), Some(Path::new("/home/ana")));
    service_with(Arc::new(disk.clone()), clock, home, user_home, letters.clone())
}

fn ranks(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| format!("{} {} {:?}", row.id, row.text, row.why)).collect()
}

#[test] // spec: MEM-16
fn no_write_touches_an_index() {
    let (disk, clock) = (two_repositories(), clock());
    let touched = Arc::new(Mutex::new(Vec::new()));
    let observed = ObservedDisk::new(Arc::new(disk.clone()), {
        let touched = touched.clone();
        move |step: DiskStep| {
            if step.path.starts_with(Path::new(HOME).join("index")) {
                touched.lock().unwrap().push(step);
            }
        }
    });
    let memory = service(Arc::new(observed), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    // Also where a recall of this process has the index open.
    memory.find(&cherry, "retry", Tier::Both);
    memory.settle(&cherry, Tier::Both);
    assert!(!touched.lock().unwrap().is_empty(), "this is noticed");
    touched.lock().unwrap().clear();
    for text in ["four times", "five times"] {
        clock.advance(1_000);
        memory.tell(&cherry, "Retry policy", text).unwrap();
        memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", text)).unwrap();
    }
    let grouped = MemorizeRequest { group: Some("s".into()), ..claim("Cache", "warm") };
    memory.memorize(&cherry, &grouped).unwrap();
    memory.take_back(&cherry, "Retry policy").unwrap();
    memory
        .rename(&cherry, &RenameRequest { label: "Cache".into(), to: "Caches".into(), tier: None })
        .unwrap();
    assert_eq!(*touched.lock().unwrap(), []);
}

#[test] // spec: MEM-16, MEM-26
fn an_index_that_cannot_be_used_fails_no_write_and_hides_no_claim() {
    for what in ["a file", "a link", "a folder in place of each file"] {
        let (disk, clock) = (two_repositories(), clock());
        let memory = service(Arc::new(disk.clone()), &clock);
        let cherry = caller(MAKER, CHERRY);
        memory.begin(&cherry).unwrap();
        let index = Path::new(HOME).join("index");
        match what {
            "a file" => disk.write_raw(&index, b"in the way"),
            "a link" => disk.make_link("/nowhere", &index),
            _ => {
                memory.tell(&cherry, "First", "upload").unwrap();
                memory.settle(&cherry, Tier::Both);
                for path in disk.dump().into_keys().filter(|path| path.starts_with(&index)) {
                    brainstem_base::disk::Disk::unlink(&disk, &path).unwrap();
                    disk.make_dirs(&path);
                }
            }
        }
        for number in 0..3 {
            memory.tell(&cherry, &format!("Claim {number}"), &format!("number{number}")).unwrap();
            for process in [&memory, &service(Arc::new(disk.clone()), &clock)] {
                let sought = process.find(&cherry, &format!("number{number}"), Tier::Both);
                assert_eq!(sought.rows.len(), 1, "{what}");
                assert_eq!(sought.gaps, [], "{what}");
                process.settle(&cherry, Tier::Both);
                process.adopt_indexes();
            }
        }
    }
}

fn imported(memory: &Memory, disk: &SimDisk, cherry: &Caller, count: usize) {
    for number in 0..count {
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: Claim {number}\nCreated: {}\n---\n\n# Claim {number}\n\nupload of {number}\n",
            1_000 + number
        );
        disk.write_raw(format!("/src/notes/claim-{number}.light.md"), text.as_bytes());
    }
    let request =
        ImportRequest { path: "/src/notes".into(), from: None, tier: None, sort: false, dry_run: false };
    assert_eq!(Transfer::new(memory).import(cherry, &request, &|_, _| true).unwrap().born, count);
}

#[test] // spec: MEM-25, MEM-26
fn what_was_imported_is_found_at_once_and_improves_later() {
    let (disk, clock, letters) = (two_repositories(), clock(), Letters::new());
    let memory = with_letters(&disk, &clock, &letters);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    imported(&memory, &disk, &cherry, 40);
    for process in [&memory, &with_letters(&disk, &clock, &letters)] {
        assert_eq!(process.find(&cherry, "upload", Tier::Project).rows.len(), 40);
        assert_eq!(process.find(&cherry, "17", Tier::Project).rows[0].id, "claim-17");
        assert!(process.is_index_unsettled());
    }
    assert_eq!(letters.asked.load(Ordering::SeqCst), 0, "no question asks the encoder for a claim");

    let stores = memory.settle(&cherry, Tier::Project);
    assert_eq!(
        stores.iter().map(|store| (store.claims, store.encoded, store.left)).collect::<Vec<_>>(),
        [(40, 40, 0)]
    );
    assert_eq!(letters.asked.load(Ordering::SeqCst), 40);
    assert!(!memory.is_index_unsettled());

    // The same words again, and others: one vector is made.
    clock.advance(1_000);
    memory
        .memorize(&cherry, &MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Claim 3", "upload of 3") })
        .unwrap();
    memory.tell(&cherry, "Claim 4", "something else").unwrap();
    let stores = with_letters(&disk, &clock, &letters).settle(&cherry, Tier::Project);
    assert_eq!(stores.iter().map(|store| (store.encoded, store.left)).collect::<Vec<_>>(), [(1, 0)]);

    // Thrown away and made anew, it answers the same.
    let asked = ["upload", "something", "of 17", "nothing of this"];
    let answers = |memory: &Memory| -> Vec<Vec<String>> {
        asked.iter().map(|query| ranks(&memory.find(&cherry, query, Tier::Both).rows)).collect()
    };
    memory.adopt_indexes();
    let before = answers(&memory);
    assert!(!before[0].is_empty());
    let rebuild = IndexRequest { tier: Tier::Both, start: IndexStart::Nothing, pace: IndexPace::Full };
    let done = memory.bring_index_up(&cherry, &rebuild, &|| true, &|_, _| ()).unwrap();
    assert_eq!(done.stores.iter().map(|store| store.encoded).sum::<usize>(), 40);
    for process in [&memory, &with_letters(&disk, &clock, &letters)] {
        assert_eq!(answers(process), before);
    }
    // And so does one that was dropped behind everybody's back.
    for path in disk.dump().into_keys().filter(|path| path.starts_with(Path::new(HOME).join("index"))) {
        brainstem_base::disk::Disk::unlink(&disk, &path).unwrap();
    }
    let cold = with_letters(&disk, &clock, &letters);
    cold.settle(&cherry, Tier::Both);
    assert_eq!(answers(&cold), before);
}

#[test] // spec: MEM-25, MEM-26
fn a_question_never_waits_for_the_encoder_and_a_batch_does() {
    let (disk, clock, letters) = (two_repositories(), clock(), Letters::new());
    let memory = with_letters(&disk, &clock, &letters);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    let held = letters.gate.lock().unwrap();
    let batch = std::thread::spawn({
        let (memory, cherry) = (memory.clone(), cherry.clone());
        move || {
            let question =
                Question { query: "retry".into(), tier: Tier::Both, limit: 5, by: Default::default() };
            memory.seek_many(&cherry, &[question], &Filter::default(), &|_, _| (), &|| true).unwrap().0
        }
    });
    while letters.asked.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    for number in 0..3 {
        memory.tell(&cherry, &format!("Claim {number}"), "three times").unwrap();
        for process in [&memory, &with_letters(&disk, &clock, &letters)] {
            let sought = process.find(&cherry, "three times", Tier::Both);
            assert_eq!(sought.rows.len(), number + 2);
            assert_eq!(process.beat(&cherry, "three times").memory.len(), number + 2);
            assert!(process.is_index_unsettled());
        }
    }
    assert!(!batch.is_finished(), "it asked for the best answers");
    drop(held);
    assert!(batch.join().unwrap()[0].contains(&"retry-policy".to_owned()));
}

#[test] // spec: MEM-23, MEM-20
fn what_was_not_found_is_not_said_to_be_absent() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    let told = |query: &str, scope: Option<&str>, agent: Option<&str>| {
        let filter = memory.filter(None, agent.map(str::to_owned), None, None).unwrap();
        let scope = scope.map(str::to_owned);
        let request = SeekRequest {
            query: query.into(),
            tier: Tier::Both,
            scope,
            limit: 5,
            filter,
            by: Default::default(),
        };
        let gaps = memory.seek(&maker, &request).unwrap().gaps;
        gaps.into_iter().find(|gap| gap.name == "no_match").unwrap().detail
    };
    let begin = |text: brainstem_base::Advice| text.to_string().split(';').next().unwrap().to_owned();
    for (query, scope, agent, words) in [
        ("zebra", None, None, "none was found for the question"),
        ("zebra", Some("retry"), None, "none inside the scope \"retry\" was found for the question"),
        ("zebra", None, Some(MAKER), "none that the filters let through was found for the question"),
        ("retry", Some("src/"), None, "none is inside the scope \"src/\""),
        ("retry", None, Some(PERSON), "the filters let none through"),
        ("retry", Some("retry"), Some(PERSON), "the filters let none inside the scope \"retry\" through"),
    ] {
        let expected = format!("1 claim exists here, but {words}");
        assert_eq!(begin(told(query, scope, agent)), expected);
    }
}
