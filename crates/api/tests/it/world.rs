//! A person with two repositories, as every test here starts from.

use brainstem_api::{Context, Door, FoundPlace, Offered, Offers, Toolset, verbs};
use brainstem_base::Fault;
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_base::ids::CountingIds;
use brainstem_memory::{Declared, Memory, NoEmbedder, Parts, RootHints, Session};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

pub(crate) const CHERRY: &str = "/src/cherry";
pub(crate) const PLUM: &str = "/src/plum";
pub(crate) const HOME: &str = "/home/ana/.brainstem";

pub(crate) struct World {
    pub(crate) clock: Arc<ManualClock>,
    memory: Arc<Memory>,
    /// Its disk, to write what no verb writes.
    pub(crate) disk: SimDisk,
}

impl World {
    /// Two repositories with a commit each, and no home yet.
    pub(crate) fn new() -> Self {
        let disk = SimDisk::new();
        for root in [CHERRY, PLUM] {
            disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
            let sha = b"0123456789abcdef0123456789abcdef01234567\n";
            disk.write_raw(format!("{root}/.git/refs/heads/main"), sha);
        }
        disk.make_dirs("/home/ana");
        let clock = Arc::new(ManualClock::at(1_783_209_431_408));
        let memory = Memory::new(Parts {
            disk: Arc::new(disk.clone()),
            clock: clock.clone(),
            ids: Arc::new(CountingIds::from(1)),
            home: HOME.into(),
            user_home: Some("/home/ana".into()),
            meanings: Arc::new(NoEmbedder),
        });
        Self { clock, memory: Arc::new(memory), disk }
    }

    /// The same world on another disk, as another process finds it.
    pub(crate) fn on(&self, disk: Arc<dyn Disk>) -> Self {
        let memory = Memory::new(Parts {
            disk,
            clock: self.clock.clone(),
            ids: Arc::new(CountingIds::from(1_000)),
            home: HOME.into(),
            user_home: Some("/home/ana".into()),
            meanings: Arc::new(NoEmbedder),
        });
        Self { clock: self.clock.clone(), memory: Arc::new(memory), disk: self.disk.clone() }
    }

    /// Runs a verb as any door does.
    pub(crate) fn ask(&self, agent: &str, root: &str, verb: &str, arguments: Value) -> Result<Value, Fault> {
        self.ask_in(agent, root, None, verb, arguments)
    }

    /// The same, in a session.
    pub(crate) fn ask_in(
        &self,
        agent: &str,
        root: &str,
        session: Option<Arc<Session>>,
        verb: &str,
        arguments: Value,
    ) -> Result<Value, Fault> {
        let cx = self.context(agent, root, session);
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let entry = verbs::find(verb).unwrap();
        let answer = entry.call(arguments, &cx);
        entry.count(&cx);
        answer?.json()
    }

    /// What a door makes of a caller; one with a session came over MCP.
    pub(crate) fn context(&self, agent: &str, root: &str, session: Option<Arc<Session>>) -> Context {
        Context {
            memory: self.memory.clone(),
            declared: Declared { flag: Some(agent.to_owned()), ..Declared::default() },
            // An empty root is a caller that stands nowhere.
            roots: RootHints {
                cwd: Some(Path::new(root).to_owned()).filter(|_| !root.is_empty()),
                ..RootHints::default()
            },
            program: None,
            door: if session.is_some() {
                Door::mcp(Offered::of(Toolset::DEFAULT))
            } else {
                Door::command_line(&[])
            },
            session,
            offers: Offers::default(),
            found: FoundPlace::default(),
        }
    }

    /// A verb that must answer.
    pub(crate) fn get(&self, agent: &str, root: &str, verb: &str, arguments: Value) -> Value {
        self.ask(agent, root, verb, arguments).unwrap()
    }

    /// Both brains, and doctrine.
    pub(crate) fn with_memory(self) -> Self {
        for root in [CHERRY, PLUM] {
            self.get("human:ana", root, "bootstrap", json!({}));
        }
        let tell = |agent: &str, root: &str, fields: Value| self.get(agent, root, "memorize", fields);
        let text = "The retry loop in src/retry.rs has no bound.";
        tell(
            "codex:maker",
            CHERRY,
            json!({"label": "Retry loop", "text": text, "evidence": ["src/retry.rs#L3"]}),
        );
        tell("claude:maker", CHERRY, json!({"label": "Colours", "text": "Buttons are blue."}));
        tell(
            "codex:maker",
            PLUM,
            json!({"label": "Plum retry", "text": "The retry loop of plum is secret."}),
        );
        let rule = "Every retry loop has a bound.";
        tell("human:ana", PLUM, json!({"label": "Loops", "text": rule, "tier": "medulla"}));
        self.clock.advance(3 * 60 * 60 * 1000);
        self
    }
}
