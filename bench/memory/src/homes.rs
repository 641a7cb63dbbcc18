//! A home full of claims: three brains and a medulla.

use crate::notes::{Groups, Note, note};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::{Disk, RealDisk};
use brainstem_base::ids::SystemIds;
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::evidence::Evidence;
use brainstem_claims::light::ClaimKind;
use brainstem_claims::{Author, ClaimDraft, ClaimSlug, Label, State};
use brainstem_index::{BundledEmbedder, Embedder, HomeIndex, PublishUntil, QuantisedVector, StoreIndex};
use brainstem_memory::{BootstrapRequest, Caller, CallerPlace, Declared, Memory, Parts, RootHints};
use brainstem_recall::rank::Direction;
use brainstem_recall_model::{Embed as _, PieceTable};
use brainstem_vault::{Home, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many claims the medulla holds.
const MEDULLA: u64 = 200;
/// The project that is asked; the other two hold a tenth of it each.
pub const PROJECT: &str = "cherry";
const OTHERS: [&str; 2] = ["plum", "quince"];

/// A home and the projects beside it.
pub struct Place {
    folder: PathBuf,
}

/// Encodes claims as the program does, and questions with the table of word pieces alone.
pub struct StaticQuestions {
    built_in: BundledEmbedder,
    table: PieceTable,
}

impl StaticQuestions {
    pub fn new() -> Self {
        Self { built_in: BundledEmbedder::new(), table: PieceTable::new() }
    }
}

impl Embedder for StaticQuestions {
    fn space(&self) -> &str {
        self.built_in.space()
    }

    fn embed_static(&self, text: &str) -> Option<QuantisedVector> {
        self.built_in.embed_static(text)
    }

    fn embed_encoded(&self, text: &str) -> Option<QuantisedVector> {
        self.built_in.embed_encoded(text)
    }

    fn has_better(&self) -> bool {
        self.built_in.has_better()
    }

    fn question(&self, text: &str) -> Option<Direction> {
        let vector = self.table.query(text).quantised();
        (vector.scale > 0.0).then_some(Direction { values: vector.values, scale: vector.scale })
    }
}

impl Place {
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub fn project(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The service over this home.
    pub fn memory(&self, disk: Arc<dyn Disk>, meanings: Arc<dyn Embedder>) -> Memory {
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
        Memory::new(Parts { disk, clock, ids, home: self.home(), user_home: None, meanings })
    }

    /// A caller in a project. As at a door, each call begins with `look_again`, and finds its place once.
    pub fn caller(&self, memory: &Memory, agent: &str, project: &str) -> Caller {
        let hints = RootHints { cwd: Some(self.project(project)), ..RootHints::default() };
        let place = CallerPlace::of_call(hints, None);
        let declared = Declared { flag: Some(agent.to_owned()), ..Declared::default() };
        let principal = memory.identify(&declared, &place).expect("a good agent id");
        Caller::new(principal, place)
    }

    /// The store of the project that is asked.
    pub fn store(&self) -> Store {
        let home = self.real_home();
        let root = self.project(PROJECT).canonicalize().expect("the project is there");
        home.store_of(&home.brain_at(&root).expect("the project has a brain"))
    }

    /// The index of that store, as a process opens it.
    pub fn index(&self, meanings: Arc<dyn Embedder>) -> Arc<StoreIndex> {
        self.index_of(&self.store(), meanings)
    }

    /// Builds the index of a store, without the vectors of the encoder, and shares it.
    pub fn settle(&self, store: &Store) {
        let index = self.index_of(store, Arc::new(BundledEmbedder::new()));
        index.refresh().expect("a readable store");
        index.publish(PublishUntil::Shared, &|| true, &|_| ());
    }

    fn index_of(&self, store: &Store, meanings: Arc<dyn Embedder>) -> Arc<StoreIndex> {
        let index = HomeIndex::new(brainstem_index::IndexParts {
            disk: Arc::new(RealDisk),
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            embedder: meanings,
            carries_secret: Arc::new(|_| false),
            folder: self.real_home().path().join(brainstem_index::FOLDER),
        });
        index.of(&store.paths().claims)
    }

    fn real_home(&self) -> Home {
        let path = self.home().canonicalize().expect("the home is there");
        Home::new(Arc::new(RealDisk), Arc::new(SystemIds), Arc::new(SystemClock), path)
    }

    /// Fills the stores, without a sync for each file: what is measured comes later.
    pub fn fill(&self, claims: u64, groups: Groups) {
        std::fs::create_dir_all(self.home()).expect("a folder can be made");
        for (at, name) in std::iter::once(PROJECT).chain(OTHERS).enumerate() {
            let (first, count) = if at == 0 { (0, claims) } else { (at as u64 * 10_000_000, claims / 10) };
            self.brain(name, (first..first + count).map(|number| note(number, groups)));
        }
        let medulla = self.real_home().medulla();
        put(&medulla, "medulla", (0..MEDULLA).map(|number| note(90_000_000 + number, groups)));
        // A file that is younger than this may still change within one tick of the file system's clock.
        std::thread::sleep(std::time::Duration::from_millis(200));
    }

    /// Makes brains that nobody asks by name, each with an index.
    pub fn fill_dormant(&self, stores: u64, claims: u64) {
        for store in 0..stores {
            let first = 100_000_000 + store * claims;
            let notes = (first..first + claims).map(|number| note(number, Groups::Some));
            let store = self.brain(&format!("dormant-{store}"), notes);
            std::thread::sleep(std::time::Duration::from_millis(150));
            self.settle(&store);
        }
    }

    fn brain(&self, name: &str, notes: impl Iterator<Item = Note>) -> Store {
        let memory = self.memory(Arc::new(RealDisk), Arc::new(BundledEmbedder::new()));
        std::fs::create_dir_all(self.project(name).join(".git")).expect("a folder can be made");
        let caller = self.caller(&memory, "bench:fill", name);
        let brain = memory.bootstrap(&caller, &BootstrapRequest::default()).expect("a new brain").brain;
        let store = self.real_home().store_of(&brain);
        put(&store, &brain.origin(), notes);
        store
    }
}

fn put(store: &Store, origin: &str, notes: impl Iterator<Item = Note>) {
    store.prepare().expect("a store can be made");
    for note in notes {
        let author = Author {
            agent: AgentId::parse(&note.agent).expect("a good agent id"),
            origin_brain: origin.to_owned(),
            recorded: None,
        };
        let draft = draft(&note);
        let path = store.live_path(&ClaimSlug::of(&draft.label));
        let file = draft.file(&author, Timestamp::from_ms(note.created_ms), None);
        std::fs::write(path, file.render()).expect("a claim can be written");
    }
}

fn draft(note: &Note) -> ClaimDraft {
    let draft = ClaimDraft {
        label: Label::parse(&note.label).expect("a good label"),
        title: Some(note.title.clone()),
        text: note.text.clone(),
        state: State::Authored,
        confidence: None,
        kind: ClaimKind::Entity,
        evidence: note.evidence.iter().map(|text| Evidence::parse(text)).collect(),
        depends_on: Vec::new(),
        tags: note.tags.clone(),
        group: note.group.clone(),
        absolute: false,
    };
    draft.normalise().expect("a good draft")
}
