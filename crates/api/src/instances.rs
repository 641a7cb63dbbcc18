//! `/api/instances`: every brain as a card shows it (MEM-46). It is for people that look at all brains, and no verb of
//! an agent.

use crate::Door;
use crate::schema::{self, Object};
use crate::verbs::brains::{Served, open_count};
use crate::verbs::row::{Gap, gaps};
use brainstem_base::Fault;
use brainstem_memory::{Memory, StoreStanding};
use brainstem_post::Post;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;

/// Its path.
pub const PATH: &str = "/api/instances";

/// Every brain of a home, and the medulla apart.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Instances {
    /// The home.
    pub home: String,
    /// The version of the program that answers.
    pub version: String,
    /// The brains, cold ones included.
    pub instances: Vec<Instance>,
    /// The store that all projects share.
    pub medulla: Shared,
    /// What was served this week across all brains, and without one.
    pub across_all_brains: Served,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Instance {
    /// How claims name it: name@id.
    pub brain: String,
    /// Its identity; two clones of one repository share it.
    pub id: String,
    /// Its root, where it was last seen.
    pub root: String,
    /// The name of its folder under the home.
    pub fingerprint: String,
    /// owner (under the home) or repo (in the repository).
    pub store: String,
    /// Claims that can be read; null when its store could not be.
    pub claims: Option<usize>,
    /// How many of them are over 30 days old.
    pub stale: Option<usize>,
    /// When the youngest was born, in ms.
    pub last_written: Option<i64>,
    /// Letters of its box that are open; null when they could not be counted.
    pub mailbox_open_count: Option<usize>,
    /// No agent called from it this week.
    pub quiet: bool,
    /// Its root is gone; its memory is not.
    pub root_missing: bool,
    /// What was served there this week.
    #[serde(flatten)]
    pub served: Served,
}

/// The store that all projects share.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shared {
    /// Claims that can be read; null when the store could not be.
    pub claims: Option<usize>,
    /// How many of them are over 30 days old.
    pub stale: Option<usize>,
    /// When the youngest was born, in ms.
    pub last_written: Option<i64>,
    /// Letters of its box that are open; null when they could not be counted.
    pub mailbox_open_count: Option<usize>,
    /// What was served this week without a brain.
    #[serde(flatten)]
    pub served: Served,
}

/// Looks at every brain.
pub fn instances(memory: &Memory) -> Result<Instances, Fault> {
    let mut found = memory.instances();
    let roots: Vec<PathBuf> = found.brains.iter().map(|(brain, _)| brain.root.clone()).collect();
    // One pass over all boxes, however many cards there are.
    let open = Post::new(memory).knowing(Door::rest().verbs().own_tools()).open_counts(None, &roots);
    let all = found.brains.iter().map(|(_, standing)| standing.served).chain([found.medulla.served]);
    let all = brainstem_memory::Served::across(all);
    let mut lost = Vec::new();
    // A brain has the name that its file says, and a page shows it too.
    let floor = memory.floor();
    let shown = |text: &str| floor.mask(text).into_owned();
    let mut card = |(brain, standing): (_, StoreStanding)| -> Instance {
        let brain: brainstem_vault::Brain = brain;
        let letters = |lost| open_count(&open, Some(brain.root.clone()), &brain.origin(), lost);
        Instance {
            // Of a project that is gone there is nothing to read, and the row says that it is gone.
            mailbox_open_count: if standing.missing { None } else { letters(&mut lost) },
            brain: shown(&brain.origin()),
            id: brain.manifest.id.to_string(),
            root: shown(&brain.root.display().to_string()),
            store: brain.place.as_str().to_owned(),
            claims: standing.claims,
            stale: standing.stale,
            last_written: standing.last_written,
            quiet: standing.served.calls == 0,
            root_missing: standing.missing,
            served: standing.served.into(),
            fingerprint: brain.fingerprint,
        }
    };
    let instances = std::mem::take(&mut found.brains).into_iter().map(&mut card).collect();
    let mailbox_open_count = open_count(&open, None, "the medulla", &mut lost);
    found.gaps.extend(lost);
    let mut told = gaps(&found.gaps, Door::rest());
    told.iter_mut().for_each(|gap| gap.detail = shown(&gap.detail));
    Ok(Instances {
        home: memory.home_path().display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        across_all_brains: all.into(),
        medulla: Shared {
            claims: found.medulla.claims,
            stale: found.medulla.stale,
            last_written: found.medulla.last_written,
            mailbox_open_count,
            served: found.medulla.served.into(),
        },
        instances,
        gaps: told,
    })
}

/// The same as a document.
pub fn document(memory: &Memory) -> Result<Value, Fault> {
    serde_json::to_value(instances(memory)?)
        .map_err(|error| Fault::new(brainstem_base::codes::INTERNAL_BUG, format!("no JSON: {error}")))
}

/// The schema of the document.
pub(crate) fn output_schema() -> Object {
    schema::publish_output(&schema::raw_output::<Instances>())
}
