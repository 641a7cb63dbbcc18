//! `list`: the live claims.

use super::row::{Gap, Row, could_not_look, counted, gaps, present_gaps, rows};
use crate::screen::dim;
use crate::{Context, Doors, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_memory::{ListRequest, Tier, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List the live claims, youngest first.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct List {
    /// project or medulla; default: both.
    #[arg(long)]
    pub tier: Option<String>,
    /// At most this many rows; default 100.
    #[arg(long)]
    pub limit: Option<u64>,
    /// Only claims born since: RFC 3339, or how long ago (7d, 12h).
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only claims by this agent.
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Only authored, verified or outdated ones.
    #[arg(long)]
    pub state: Option<String>,
    /// Only claims with this tag.
    #[arg(long)]
    pub tag: Option<String>,
}

/// The live claims.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// The rows: your project first, each store youngest first.
    pub rows: Vec<Row>,
    /// Readable claims that the limit left out.
    pub left_out: usize,
    /// How many claim files there are, unreadable ones included.
    pub memory_exists: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Verb for List {
    const SPEC: VerbSpec = VerbSpec {
        id: "list",
        cli: &["list"],
        rest: (Method::Get, "/api/list"),
        doors: Doors::All,
        toolset: Toolset::Memory,
        effect: Effect::Read,
        idempotent: true,
        long: false,
        title: "List the claims",
        when_to_use: "To see everything that is remembered here, not only what a question finds.",
        long_text: &[],
        examples: &[
            "brainstem list",
            "brainstem list --tier medulla --limit 20",
            "brainstem list --since 7d --tag net",
        ],
    };
    type Output = ListAnswer;

    fn run(self, cx: &Context) -> Result<ListAnswer, Fault> {
        let limit = within("limit", self.limit, limits::LIST_ROWS_DEFAULT, limits::LIST_ROWS)?;
        let filter = cx.memory.filter(self.since.as_deref(), self.agent, self.state.as_deref(), self.tag)?;
        let request = ListRequest { tier: Tier::parse(self.tier.as_deref())?, limit, filter };
        let listed = cx.memory.list(&cx.reader()?, &request)?;
        Ok(ListAnswer {
            rows: rows(listed.rows),
            left_out: listed.left_out,
            memory_exists: listed.memory_exists,
            gaps: gaps(listed.gaps),
        })
    }
}

impl Present for ListAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.rows {
            row.present_head(out);
            row.present_origin(out);
        }
        if self.rows.is_empty() && self.memory_exists == 0 && !could_not_look(&self.gaps) {
            out.line(["No claims yet."]);
        }
        if self.left_out > 0 {
            out.line([dim(format!("and {} more; --limit shows them", counted(self.left_out, "claim")))]);
        }
        present_gaps(&self.gaps, out);
    }
}
