//! `index`: brings the search index up to date.

use super::row::{Gap, counted, gaps, present_gaps};
use crate::field_kinds;
use crate::screen::{Look, dim, name, styled};
use crate::{Context, Doors, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{IndexPace, IndexRequest, IndexStart, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bring the search index up to date, or make it anew.
///
/// Nothing needs this: a claim is found from the moment it is written, and after a search the rest is done
/// in the background. Here it is done at once, with progress. BRAINSTEM_BACKGROUND=off in the environment
/// keeps commands from doing it by themselves.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Index {
    /// project, medulla or all-brains; default: your project and the medulla.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
    /// Throw away what there is first; it is derived from the claims and nothing is lost.
    #[arg(long)]
    #[serde(default)]
    pub rebuild: bool,
    /// With one thread instead of all.
    #[arg(long)]
    #[serde(default)]
    pub gentle: bool,
}

/// What was brought up to date.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexAnswer {
    /// The stores.
    pub stores: Vec<IndexedStore>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

/// One store.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexedStore {
    /// The brain, or medulla.
    pub origin_brain: String,
    /// How many claims it holds.
    pub claims: usize,
    /// How many claims the encoder read now.
    pub encoded: usize,
    /// How many it has yet to read.
    pub left: usize,
}

impl Job for Index {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        doors: Doors::CommandLine { why: "it goes by itself while a server runs" },
        effect: Effect::Write,
        title: "Bring the search index up to date",
        when_to_use: "After a large import, when you do not want to wait for the background.",
        examples: &["brainstem index", "brainstem index --rebuild", "brainstem index --tier all-brains"],
        ..VerbSpec::of(VerbId::Index)
    };
    type Output = IndexAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<IndexAnswer, Fault> {
        let tier = Tier::parse(self.tier.as_deref())?;
        let request = IndexRequest {
            tier,
            start: IndexStart::of_flag(self.rebuild),
            pace: IndexPace::of_flag(self.gentle),
        };
        let told = |done, total| steps.report(done, total);
        let done = cx.memory.bring_index_up(&cx.reader()?, &request, &|| steps.goes_on(), &told)?;
        let store = |store: brainstem_memory::IndexedStore| IndexedStore {
            origin_brain: store.origin_brain,
            claims: store.claims,
            encoded: store.encoded,
            left: store.left,
        };
        Ok(IndexAnswer {
            stores: done.stores.into_iter().map(store).collect(),
            gaps: gaps(&done.gaps, cx.door),
        })
    }
}

impl Present for IndexAnswer {
    fn present(&self, out: &mut Screen) {
        for store in &self.stores {
            let now = match (store.encoded, store.left) {
                (0, 0) => "up to date".to_owned(),
                (encoded, 0) => format!("{} read by the encoder now", counted(encoded, "claim")),
                (_, left) => {
                    format!("{} left to the encoder; somebody else is at it", counted(left, "claim"))
                }
            };
            let claims = counted(store.claims, "claim");
            let brain = name(store.origin_brain.as_str());
            out.flow(0, 2, [brain, "  ".into(), styled(Look::Good, claims), "  ".into(), dim(now)]);
        }
        present_gaps(&self.gaps, out);
    }
}
