//! `brains`: every brain of the home.

use super::row::{Gap, counted, gaps, present_gaps};
use crate::screen::{Look, Span, bold, dim, styled};
use crate::{Context, Doors, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List every brain of this home, and the medulla.
///
/// Counted from the folders, so a brain that nobody has opened for a year is there too, and so is
/// one whose root is gone.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Brains {}

/// Every brain, and the medulla.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BrainsAnswer {
    /// The brains.
    pub brains: Vec<BrainRow>,
    /// The store that all projects share.
    pub medulla: Medulla,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BrainRow {
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
    /// Live claims; null when its store could not be read.
    pub claims: Option<usize>,
    /// You do not stand in it.
    pub dormant: bool,
    /// Its root is gone; its memory is not.
    pub root_missing: bool,
    /// Beats served there this week.
    pub memory_beats_served: u64,
}

/// The store that all projects share.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Medulla {
    /// Live claims; null when the store could not be read.
    pub claims: Option<usize>,
    /// It is an index, not a warehouse: from here on it should shrink.
    pub soft_cap: usize,
    /// Beats served this week without a brain.
    pub memory_beats_served: u64,
}

impl Verb for Brains {
    const SPEC: VerbSpec = VerbSpec {
        id: "brains",
        cli: &["brains"],
        rest: (Method::Get, "/api/brains"),
        doors: Doors::All,
        toolset: Toolset::Memory,
        effect: Effect::Read,
        idempotent: true,
        long: false,
        title: "List the brains",
        when_to_use: "To see which projects have memory here, and how much.",
        long_text: &[],
        examples: &["brainstem brains", "brainstem brains --json"],
    };
    type Output = BrainsAnswer;

    fn run(self, cx: &Context) -> Result<BrainsAnswer, Fault> {
        Ok(cx.memory.brains(&cx.reader()?)?.into())
    }
}

impl From<brainstem_memory::Brains> for BrainsAnswer {
    fn from(found: brainstem_memory::Brains) -> Self {
        let row = |row: brainstem_memory::BrainRow| BrainRow {
            brain: row.brain.origin(),
            id: row.brain.manifest.id.to_string(),
            root: row.brain.root.display().to_string(),
            store: row.brain.place.as_str().to_owned(),
            claims: row.claims,
            dormant: !row.here,
            root_missing: row.missing,
            memory_beats_served: row.beats,
            fingerprint: row.brain.fingerprint,
        };
        Self {
            brains: found.brains.into_iter().map(row).collect(),
            medulla: Medulla {
                claims: found.medulla_claims,
                soft_cap: found.soft_cap,
                memory_beats_served: found.medulla_beats,
            },
            gaps: gaps(found.gaps),
        }
    }
}

/// A count that may be unknown.
pub(crate) fn claims(count: Option<usize>) -> String {
    count.map_or_else(|| "unreadable".into(), |count| counted(count, "claim"))
}

/// `, 3 beats this week`; nothing when there were none.
pub(crate) fn beats_this_week(count: u64) -> String {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count == 0 { String::new() } else { format!(", {} this week", counted(count, "beat")) }
}

impl Present for BrainsAnswer {
    fn present(&self, out: &mut Screen) {
        for brain in &self.brains {
            let beats = beats_this_week(brain.memory_beats_served);
            let mut spans: Vec<Span> =
                vec![bold(brain.brain.as_str()), format!("  {}{beats}", claims(brain.claims)).into()];
            if !brain.dormant {
                spans.push(styled(Look::Good, "  you are here"));
            }
            out.flow(0, 2, spans);
            let gone = if brain.root_missing { "  (the folder is gone; its memory is kept)" } else { "" };
            out.line([dim(format!("  {}{gone}", brain.root))]);
        }
        if self.brains.is_empty() {
            out.line(["No project has a brain yet. Give one its brain: brainstem bootstrap PATH"]);
        }
        let cap = dim(format!("  of at most {}, shared by all projects", self.medulla.soft_cap));
        out.flow(0, 2, [bold("medulla"), format!("  {}", claims(self.medulla.claims)).into(), cap]);
        present_gaps(&self.gaps, out);
    }
}
