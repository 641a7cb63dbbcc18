//! `list`: the live claims.

use super::row::{Gap, Row, could_not_look, counted, gaps, known, present_gaps, present_left_out, rows};
use crate::field_kinds;
use crate::{AnswerGaps, Context, Present, Screen, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, field};
use brainstem_memory::{ListRequest, Tier, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List the live claims, youngest first.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct List {
    /// project or medulla; default: both.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "Default: both."))]
    pub tier: Option<String>,
    /// At most this many rows; default 100.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(limits::LIST_ROWS, limits::LIST_ROWS_DEFAULT)))]
    pub limit: Option<i64>,
    /// Go on where an earlier answer ended: its `cursor`.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::pattern(CURSOR)))]
    pub cursor: Option<String>,
    /// Born since: 2026-07-04, yesterday, 7d.
    #[arg(long, value_name = "TIME")]
    #[schemars(extend("x-takes" = field_kinds::past()))]
    pub since: Option<String>,
    /// By this agent.
    #[arg(long, value_name = "ID")]
    #[schemars(extend("x-rare" = true))]
    pub agent: Option<String>,
    /// authored, verified or outdated.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::claim_state()))]
    pub state: Option<String>,
    /// With this tag.
    #[arg(long, alias = "tags")]
    #[schemars(extend("x-rare" = true))]
    pub tag: Option<String>,
}

/// The cursor of an answer: a store, a time, and two names in hexadecimal.
const CURSOR: &str = "^[mp]\\.([0-9]{1,14})?\\.([2-7][0-9a-f])*\\.([2-7][0-9a-f])*$";

/// The live claims.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// The rows: your project first, each store youngest first.
    pub rows: Vec<Row>,
    /// Readable claims that the limit left out.
    pub left_out: usize,
    /// Give this to get those; null when none was left out.
    pub cursor: Option<String>,
    /// How many claims there are; `gaps` names the files that cannot be read. Null where that is not known.
    pub memory_exists: Option<usize>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// Where no claim has the tag: tags in use that are a slip away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_tags: Vec<String>,
    /// Whether only some claims were asked for.
    #[serde(skip)]
    pub filtered: bool,
}

impl Verb for List {
    const SPEC: VerbSpec = VerbSpec {
        title: "List the claims",
        when_to_use: "To see all that is remembered here, not only what a question finds.",
        examples: &[
            "brainstem list",
            "brainstem list --tier medulla --limit 20",
            "brainstem list --since 7d --tag net",
        ],
        ..VerbSpec::of(VerbId::List)
    };
    type Output = ListAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<ListAnswer, Fault> {
        let limit = within("limit", self.limit, limits::LIST_ROWS_DEFAULT, limits::LIST_ROWS)?;
        let filtered =
            self.since.is_some() || self.agent.is_some() || self.state.is_some() || self.tag.is_some();
        let tag = self.tag.clone();
        let filter = cx.memory.filter(self.since.as_deref(), self.agent, self.state.as_deref(), self.tag)?;
        let request = ListRequest {
            tier: Tier::parse_of_project(self.tier.as_deref())?,
            limit,
            filter,
            cursor: self.cursor,
        };
        let reader = cx.reader()?;
        let listed = cx.memory.list(&reader, &request)?;
        let near_tags = match tag.filter(|_| listed.rows.is_empty() && listed.memory_exists > 0) {
            Some(tag) => cx.memory.near_tags(&reader, request.tier, &tag)?,
            None => Vec::new(),
        };
        Ok(ListAnswer {
            rows: rows(listed.rows),
            left_out: listed.left_out,
            cursor: listed.cursor,
            memory_exists: known(listed.memory_exists, listed.uncounted),
            gaps: gaps(&listed.gaps, cx.door),
            near_tags,
            filtered,
        })
    }
}

impl Present for ListAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.rows {
            row.present_head(out);
            if row.title.is_none() {
                row.present_first_line(out);
            }
            row.present_origin(out);
        }
        if self.rows.is_empty() && self.memory_exists == Some(0) && !could_not_look(&self.gaps) {
            out.line(["No claims here."]);
        }
        let exist = self.memory_exists.filter(|count| *count > 0 && self.rows.is_empty() && self.filtered);
        if let Some(count) = exist {
            out.line([format!("None of {} passes these filters.", counted(count, "claim"))]);
            let near: Vec<String> =
                self.near_tags.iter().map(|tag| field("tag").is(tag.as_str()).to_string()).collect();
            if !near.is_empty() {
                out.flow(0, 2, [format!("did you mean {}?", near.join(" or "))]);
            }
        }
        present_left_out(self.left_out, "claim", out);
        present_gaps(&self.gaps, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::example;
    use super::*;

    fn shown(rows: Vec<Row>, filtered: bool) -> String {
        let mut out = Screen::plain();
        ListAnswer {
            rows,
            left_out: 0,
            cursor: None,
            memory_exists: Some(2),
            gaps: Vec::new(),
            near_tags: Vec::new(),
            filtered,
        }
        .present(&mut out);
        out.into_string()
    }

    #[test] // spec: IF-2
    fn a_claim_without_a_title_shows_how_it_begins() {
        let long = format!("\n{} end\nsecond line", "word ".repeat(30));
        let text = shown(vec![example("Retry", &long)], false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (3, "Retry"), "{text}");
        assert!(
            lines[1].starts_with("  word word") && lines[1].ends_with('…') && lines[1].len() < 100,
            "{text}"
        );
        let titled = Row { title: Some("How often".into()), ..example("Retry", "three times") };
        assert!(!shown(vec![titled], false).contains("three times"));
    }

    #[test] // spec: MEM-23
    fn filters_that_let_nothing_through_say_so() {
        assert_eq!(shown(Vec::new(), true), "None of 2 claims passes these filters.\n");
        assert_eq!(shown(Vec::new(), false), "");
    }
}
