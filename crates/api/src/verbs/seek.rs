//! `seek`: finds claims.

use super::row::{Gap, Row, gaps, present_gaps, rows};
use crate::screen::bold;
use crate::{Context, Doors, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_memory::{SeekRequest, Tier, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Find claims by words or by a whole sentence.
///
/// Looks into your project and the medulla. Other projects are looked into only with
/// `--tier all-brains`, and then grouped by where each claim came from.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Seek {
    /// What you want to know.
    pub query: String,
    /// project, medulla or all-brains; default: your project and the medulla.
    #[arg(long)]
    pub tier: Option<String>,
    /// Only claims whose id or evidence path starts with this.
    #[arg(long, value_name = "PREFIX")]
    pub scope: Option<String>,
    /// At most this many rows; default 10.
    #[arg(long)]
    pub limit: Option<u64>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeekAnswer {
    /// The rows, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Row>>,
    /// For all brains, the rows by the brain they came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// How many claim files the stores that were asked hold.
    pub memory_exists: usize,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
}

/// The rows of one brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Group {
    /// Which brain.
    pub origin_brain: String,
    /// Its rows, best first.
    pub rows: Vec<Row>,
    /// How many claim files it holds.
    pub memory_exists: usize,
}

impl Verb for Seek {
    const SPEC: VerbSpec = VerbSpec {
        id: "seek",
        cli: &["seek"],
        rest: (Method::Get, "/api/seek"),
        doors: Doors::All,
        toolset: Toolset::Memory,
        effect: Effect::Read,
        idempotent: true,
        long: false,
        title: "Find claims",
        when_to_use: "When you have a question; before you find out again what someone already knew.",
        long_text: &[],
        examples: &[
            "brainstem seek \"how often do we retry?\"",
            "brainstem seek cache --tier all-brains --limit 3",
        ],
    };
    type Output = SeekAnswer;

    fn run(self, cx: &Context) -> Result<SeekAnswer, Fault> {
        let request = SeekRequest {
            query: self.query,
            tier: Tier::parse(self.tier.as_deref())?,
            scope: self.scope,
            filter: Default::default(),
            limit: within("limit", self.limit, limits::SEEK_ROWS_DEFAULT, limits::SEEK_ROWS)?,
        };
        let sought = cx.memory.seek(&cx.reader()?, &request)?;
        let group = |group: brainstem_memory::Group| Group {
            origin_brain: group.origin_brain,
            rows: rows(group.rows),
            memory_exists: group.memory_exists,
        };
        let groups: Option<Vec<Group>> = sought.groups.map(|groups| groups.into_iter().map(group).collect());
        Ok(SeekAnswer {
            rows: groups.is_none().then(|| rows(sought.rows)),
            groups,
            memory_exists: sought.memory_exists,
            gaps: gaps(sought.gaps),
        })
    }
}

impl Present for SeekAnswer {
    fn present(&self, out: &mut Screen) {
        for row in self.rows.iter().flatten() {
            out.blank();
            row.present_brief(out);
        }
        for group in self.groups.iter().flatten().filter(|group| !group.rows.is_empty()) {
            out.blank();
            out.line([bold(format!("── {}", group.origin_brain))]);
            for row in &group.rows {
                row.present_brief(out);
            }
        }
        if self.memory_exists == 0 {
            out.line(["No claims yet."]);
        }
        if !self.gaps.is_empty() {
            out.blank();
        }
        present_gaps(&self.gaps, out);
    }
}
