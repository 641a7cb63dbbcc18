use super::Call;
use crate::caller_key::CallerKey;
use crate::calls::{Calls, Room};
use crate::limits::{CALLER_POLLS_MAX, DAEMON_CALLS_MAX};
use crate::reply::VerbReply;
use crate::turn::{Turn, Waiter};
use brainstem_api::{
    Begin, Context, Cursor, Effect, Entry, Feed, FeedPage, FeedTopic, Job, Object, Patience, Present,
    Progress, Screen, Steps, Stop, Verb, VerbSpec, WaitsOn, entry, feed_entry, job_entry,
};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::next::VerbId;
use brainstem_base::{Bell, Fault, codes};
use brainstem_memory::{Declared, Memory, Parts, RootHints};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What the verbs below did, in order.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes its name, late if it reads.
#[derive(clap::Args, Deserialize, JsonSchema)]
struct Probe<const WRITES: bool> {
    /// A name.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Seen {}

impl Present for Seen {
    fn present(&self, _: &mut Screen) {}
}

impl<const WRITES: bool> Verb for Probe<WRITES> {
    const SPEC: VerbSpec = VerbSpec {
        effect: if WRITES { Effect::Write } else { Effect::Read },
        title: "Probe",
        when_to_use: "To test.",
        ..VerbSpec::of(if WRITES { VerbId::Memorize } else { VerbId::Seek })
    };
    type Output = Seen;

    fn run(self, _: &Context) -> Result<Seen, Fault> {
        assert!(self.name != "boom", "a verb with a bug");
        if !WRITES {
            // If the write did not wait, it would overtake this.
            std::thread::yield_now();
        }
        SEEN.lock().expect("no verb panics while noting").push(self.name);
        Ok(Seen {})
    }
}

static READ: LazyLock<Entry> = LazyLock::new(entry::<Probe<false>>);
static WRITE: LazyLock<Entry> = LazyLock::new(entry::<Probe<true>>);

fn context() -> Context {
    Context {
        memory: Arc::new(Memory::new(Parts {
            disk: Arc::new(RealDisk),
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            home: "no-such-home".into(),
            user_home: None,
            meanings: Arc::new(brainstem_memory::NoEmbedder),
        })),
        declared: Declared::default(),
        roots: RootHints::default(),
        program: None,
        door: brainstem_api::Door::mcp(brainstem_api::Offered::ALL),
        session: None,
        offers: brainstem_api::Offers::default(),
        found: brainstem_api::FoundPlace::default(),
    }
}

fn named(name: &str) -> Object {
    Object::from_iter([("name".to_owned(), Value::from(name))])
}

fn call(entry: &'static Entry, arguments: Object) -> Call {
    let (cx, turn, gone) = (context(), Turn::alone(), CancellationToken::new());
    Call { entry, arguments, brain: None, cx, turn, copies: 1, gone }
}

fn on_a_runtime<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(run)
}

#[test] // spec: IF-7
fn a_verb_that_panics_is_answered_and_the_next_one_runs() {
    on_a_runtime(async {
        let calls = Calls::new();
        let fault = call(&WRITE, named("boom")).run(&calls).await.expect_err("a bug");
        assert_eq!(fault.code, codes::INTERNAL_BUG);
        let missing = call(&READ, Object::new()).run(&calls).await;
        assert!(missing.is_err_and(|fault| fault.code == codes::INPUT_MISSING));
        assert!(call(&WRITE, named("after the panic")).run(&calls).await.is_ok());
    });
}

#[test]
fn a_write_keeps_its_place_among_the_calls() {
    on_a_runtime(async {
        let calls = Arc::new(Calls::new());
        let mut waiting = Vec::new();
        let mut expected = Vec::new();
        for round in 0..50 {
            for (name, entry) in [("a", &READ), ("b", &WRITE), ("c", &READ)] {
                let name = format!("{name}{round}");
                expected.push(name.clone());
                let (calls, entry) = (calls.clone(), &**entry);
                waiting
                    .push(tokio::spawn(async move { call(entry, named(&name)).run(&calls).await.is_ok() }));
            }
        }
        for call in waiting {
            assert!(call.await.expect("no panic"));
        }
        calls.finished().await;
        let mut seen = SEEN.lock().expect("no verb panics while noting").clone();
        seen.retain(|name| name.starts_with(['a', 'b', 'c']) && name.as_bytes()[1].is_ascii_digit());
        // Neighbouring reads may swap; a write never moves.
        let writes = |names: &[String]| -> Vec<_> {
            names
                .iter()
                .enumerate()
                .filter(|(_, name)| name.starts_with('b'))
                .map(|(at, name)| (at, name.clone()))
                .collect()
        };
        assert_eq!(seen.len(), expected.len());
        assert_eq!(writes(&seen), writes(&expected));
    });
}

/// A feed of numbers up to a mark; each test has its own.
#[derive(clap::Args, Deserialize, JsonSchema)]
struct Numbers<const TEST: usize> {
    /// How many seconds to wait.
    wait_s: u64,
}

/// What the feed below waits on.
#[derive(Default)]
struct Mark {
    last: AtomicU64,
    bell: Bell,
    /// How often the feed was asked for a page.
    pages: AtomicUsize,
}

static MARKS: LazyLock<[Arc<Mark>; 2]> = LazyLock::new(Default::default);

impl FeedTopic for Mark {
    fn bell(&self) -> &Bell {
        &self.bell
    }

    fn has_news(&self, after: Cursor) -> bool {
        self.last.load(Ordering::SeqCst) > after.0
    }
}

#[derive(Serialize, JsonSchema)]
struct Last {
    last: u64,
}

impl Present for Last {
    fn present(&self, _: &mut Screen) {}
}

impl<const TEST: usize> Feed for Numbers<TEST> {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Numbers",
        when_to_use: "To test.",
        ..VerbSpec::of(VerbId::LivePoll)
    };
    type Output = Last;

    fn begin(&self) -> Result<Begin, Fault> {
        Ok(Begin { after: Cursor(0), patience: Patience::AtMost(Duration::from_secs(self.wait_s)) })
    }

    fn page(&self, _: &Context, after: Cursor) -> Result<FeedPage<Last>, Fault> {
        let mark = &MARKS[TEST];
        mark.pages.fetch_add(1, Ordering::SeqCst);
        let last = mark.last.load(Ordering::SeqCst);
        let waits_on = (last <= after.0).then(|| WaitsOn::FeedTopic(mark.clone()));
        Ok(FeedPage { answer: Last { last }, next: Cursor(last), notes: Vec::new(), waits_on })
    }
}

static NUMBERS: LazyLock<[Entry; 2]> =
    LazyLock::new(|| [feed_entry::<Numbers<0>>(), feed_entry::<Numbers<1>>()]);

fn poll(
    room: &Arc<Room>,
    test: usize,
    caller: usize,
    wait_s: u64,
) -> tokio::task::JoinHandle<Result<VerbReply, Fault>> {
    let key =
        CallerKey::of(&Declared { argument: Some(format!("caller {caller}")), ..Declared::default() }, None);
    let arguments = Object::from_iter([("wait_s".to_owned(), Value::from(wait_s))]);
    let call = Call { turn: Turn::of(key, &NUMBERS[test], &arguments), ..call(&NUMBERS[test], arguments) };
    let calls = Calls::within(room.clone());
    tokio::spawn(async move { call.run(&calls).await })
}

#[test] // spec: MAIL-17, IF-14, IF-14b
fn polls_that_wait_hold_no_call_and_a_page_is_asked_for_only_when_there_are_news() {
    on_a_runtime(async {
        let (mark, stop, callers) = (&MARKS[0], CancellationToken::new(), 3 * DAEMON_CALLS_MAX);
        let room = Arc::new(Room::new(stop.clone()));
        let waiting: Vec<_> = (0..callers).map(|caller| poll(&room, 0, caller, 600)).collect();
        while room.waiting() < callers || room.pending() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(mark.pages.load(Ordering::SeqCst), callers, "each was asked once");
        // Every place is free for the others.
        assert!(call(&READ, named("beside them")).run(&Calls::within(room.clone())).await.is_ok());
        for _ in 0..100 {
            mark.bell.ring();
            tokio::task::yield_now().await;
        }
        assert_eq!((room.waiting(), room.pending()), (callers, 0));
        assert_eq!(mark.pages.load(Ordering::SeqCst), callers, "what is no news to them runs nothing");
        mark.last.store(7, Ordering::SeqCst);
        mark.bell.ring();
        for poll in waiting {
            assert_eq!(
                poll.await.expect("no panic").map(|reply| reply.text.contains("\"last\":7")),
                Ok(true)
            );
        }
        assert_eq!(
            mark.pages.load(Ordering::SeqCst),
            2 * callers,
            "and each once more when there was something"
        );
        assert_eq!(room.waiting(), 0);

        // A caller has its share of the waiting callers, and the end of the process ends them all.
        mark.last.store(0, Ordering::SeqCst);
        let greedy: Vec<_> = (0..CALLER_POLLS_MAX).map(|_| poll(&room, 0, 0, 600)).collect();
        while room.waiting() < CALLER_POLLS_MAX {
            tokio::task::yield_now().await;
        }
        let refused = poll(&room, 0, 0, 600).await.expect("no panic").expect_err("it has its share");
        assert_eq!(refused.code, codes::DAEMON_BUSY);
        let at_once = poll(&room, 0, 0, 0).await.expect("no panic");
        assert!(at_once.is_ok(), "without patience none waits: {at_once:?}");
        stop.cancel();
        for poll in greedy {
            assert!(poll.await.expect("no panic").is_ok());
        }
    });
}

#[test] // spec: MAIL-17
fn a_poll_ends_with_its_patience_and_with_its_caller() {
    // Its clock moves by itself while everything waits.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().expect("a runtime").block_on(async {
        let room = Arc::new(Room::new(CancellationToken::new()));
        assert!(poll(&room, 1, 0, 1).await.expect("no panic").is_ok(), "the last page is the answer");
        let gone = CancellationToken::new();
        let arguments = Object::from_iter([("wait_s".to_owned(), Value::from(600))]);
        let call = Call { gone: gone.clone(), ..call(&NUMBERS[1], arguments) };
        let calls = Calls::within(room.clone());
        let waiting = tokio::spawn(async move { call.run(&calls).await });
        while room.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        gone.cancel();
        assert!(waiting.await.expect("no panic").is_ok());
        assert_eq!((room.waiting(), room.pending()), (0, 0));
    });
}

/// Works until it is stopped.
#[derive(clap::Args, Deserialize, JsonSchema)]
struct Endless {}

impl Job for Endless {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Endless",
        when_to_use: "To test.",
        ..VerbSpec::of(VerbId::Import)
    };
    type Output = Seen;

    fn work(self, _: &Context, steps: Steps<'_>) -> Result<Seen, Fault> {
        let mut done = 0;
        while steps.goes_on() {
            done += 1;
            steps.report(done, usize::MAX);
        }
        Err(steps.stopped(done, usize::MAX))
    }
}

static ENDLESS: LazyLock<Entry> = LazyLock::new(job_entry::<Endless>);

/// A watcher that counts the reports of a job.
struct Counting(Waiter, Arc<AtomicUsize>);

impl Progress for Counting {
    fn done(&self, done: usize, _: usize) {
        self.1.store(done, Ordering::SeqCst);
    }

    fn stop(&self) -> Option<Stop> {
        self.0.stop()
    }
}

#[test] // spec: IF-7, IF-14a
fn a_job_reports_its_steps_beside_the_others_and_ends_when_its_caller_goes() {
    on_a_runtime(async {
        let room = Arc::new(Room::new(CancellationToken::new()));
        let (reported, gone) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
        let mut job = call(&ENDLESS, Object::new());
        job.turn = Turn::of(job.turn.key, &ENDLESS, &job.arguments);
        let waiter = Waiter { time: job.turn.time.clone(), gone: gone.clone() };
        job.cx.offers.progress = Some(Arc::new(Counting(waiter, reported.clone())));
        let calls = Arc::new(Calls::within(room.clone()));
        let running = tokio::spawn({
            let calls = calls.clone();
            async move { job.run(&calls).await }
        });
        while reported.load(Ordering::SeqCst) < 3 {
            tokio::task::yield_now().await;
        }
        assert!(call(&READ, named("beside a job")).run(&calls).await.is_ok(), "on the same connection");
        gone.cancel();
        let fault = running.await.expect("no panic").expect_err("it was taken back");
        assert_eq!(fault.code, codes::INPUT_CANCELLED);
        room.finished().await;
    });
}
