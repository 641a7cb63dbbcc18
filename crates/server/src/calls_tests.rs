use super::Calls;
use brainstem_api::{
    Context, Doors, Effect, Entry, Method, Object, Present, Screen, Toolset, Verb, VerbSpec, entry,
};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::{Fault, codes};
use brainstem_memory::{Declared, Memory, Parts, RootHints};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, LazyLock, Mutex};

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
        id: if WRITES { "write" } else { "read" },
        cli: &["probe"],
        rest: (Method::Post, "/api/probe"),
        doors: Doors::All,
        toolset: Toolset::Memory,
        effect: if WRITES { Effect::Write } else { Effect::Read },
        idempotent: true,
        long: false,
        title: "Probe",
        when_to_use: "To test.",
        long_text: &[],
        examples: &[],
    };
    type Output = Seen;

    fn run(self, _: &Context) -> Result<Seen, Fault> {
        assert!(self.name != "boom", "a verb with a bug");
        if !WRITES {
            // Were it not waited for, the write behind would overtake.
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
            meanings: Arc::new(brainstem_memory::WordsAlone),
        })),
        declared: Declared::default(),
        roots: RootHints::default(),
        program: None,
        via: brainstem_api::Via::Mcp(brainstem_api::Offered::ALL),
        session: None,
        offers: brainstem_api::Offers::default(),
    }
}

fn named(name: &str) -> Object {
    Object::from_iter([("name".to_owned(), Value::from(name))])
}

fn on_a_runtime<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(run)
}

#[test] // spec: IF-7
fn a_verb_that_panics_is_answered_and_the_next_one_runs() {
    on_a_runtime(async {
        let calls = Calls::new();
        let fault = calls.run(&WRITE, named("boom"), context(), 1).await.expect_err("a bug");
        assert_eq!(fault.code, codes::INTERNAL_BUG);
        assert!(
            calls
                .run(&READ, Object::new(), context(), 1)
                .await
                .is_err_and(|f| f.code == codes::INPUT_MISSING)
        );
        assert!(calls.run(&WRITE, named("after the panic"), context(), 1).await.is_ok());
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
                waiting.push(tokio::spawn(async move {
                    calls.run(entry, named(&name), context(), 1).await.is_ok()
                }));
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
