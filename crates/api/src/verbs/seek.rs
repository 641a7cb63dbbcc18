//! `seek`: finds claims.

mod found;

pub use found::{Found, Group};

use super::row::{gaps, known, rows};
use super::seek_batch::{self, SeekBatchAnswer};
use crate::caller::Form;
use crate::field_kinds;
use crate::recall_pages;
use crate::wire::Exit;
use crate::{AnswerGaps, Context, JsonLines, LongText, Present, Screen, Verb, VerbSpec, within};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::field;
use brainstem_base::{Fault, codes};
use brainstem_memory::{SeekRequest, Tier, limits, parse_by};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Find claims by words or by a whole sentence.
///
/// Looks into your project and the medulla. Other projects are looked into only with
/// `--tier all-brains`, and then grouped by where each claim came from.
///
/// `--batch FILE` takes many questions, one JSON object on each line: qid, query, tier, limit. The
/// answer is JSON lines too, with --json and without: `{"qid", "ranked": [ids]}` for each question, or
/// {"qid", "error"}; what could not be read is beside the ids as "gaps".
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Seek {
    /// What you want to know.
    #[arg(required_unless_present = "batch", num_args = 1..)]
    #[schemars(extend("x-needed" = true, "x-needed-in-query" = true, "x-takes" = field_kinds::text()))]
    pub query: Option<String>,
    /// project, medulla or all-brains; default: project and medulla.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier_or_all(), "x-tool-note" = "Default: project and medulla."))]
    pub tier: Option<String>,
    /// Only ids or evidence paths that start so.
    #[arg(long, value_name = "PREFIX")]
    pub scope: Option<String>,
    /// At most this many rows; default 10.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(limits::SEEK_ROWS, limits::SEEK_ROWS_DEFAULT)))]
    pub limit: Option<i64>,
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
    pub tag: Option<String>,
    /// Rank by words or by meaning alone; default: by all there is.
    #[arg(long, value_name = "WHAT")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::one_of(&["words", "meaning", "all"])))]
    pub by: Option<String>,
    /// Show what each score is made of.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub explain: bool,
    /// Many questions instead of one: objects with qid, query, tier and limit.
    #[arg(long, conflicts_with_all = ["query", "scope"])]
    #[schemars(extend("x-rare" = true))]
    pub batch: Option<JsonLines>,
}

/// What was found: for one question, or for many.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeekAnswer {
    /// For one question.
    #[serde(flatten)]
    pub one: Option<Found>,
    /// For a batch.
    #[serde(flatten)]
    pub batch: Option<SeekBatchAnswer>,
}

impl Verb for Seek {
    const SPEC: VerbSpec = VerbSpec {
        title: "Find claims",
        when_to_use: "Searches the shared memory: when you have a question; before you find out again what someone already knew.",
        long_text: &[LongText { field: "batch", file: "batch" }],
        examples: &[
            "brainstem seek \"how often do we retry?\"",
            "brainstem seek token lifetime",
            "brainstem seek cache --tier all-brains --limit 3",
            "brainstem seek deploy --since 7d --agent codex:maker",
            "brainstem seek \"retry policy\" --explain",
            "brainstem seek --batch questions.jsonl",
        ],
        ..VerbSpec::of(VerbId::Seek)
    };
    const HAS_PAGE: bool = true;
    type Output = SeekAnswer;

    fn gaps(answer: &mut SeekAnswer) -> AnswerGaps<'_> {
        let one = answer.one.iter_mut().map(|found| &mut found.gaps);
        let results = answer.batch.iter_mut().flat_map(|batch| &mut batch.results);
        let ranked = results.filter(|result| result.ranked.is_some()).map(|result| &mut result.gaps);
        AnswerGaps::Lists(one.chain(ranked).collect())
    }

    fn run(self, cx: &Context) -> Result<SeekAnswer, Fault> {
        let filter = cx.memory.filter(self.since.as_deref(), self.agent, self.state.as_deref(), self.tag)?;
        let by = parse_by(self.by.as_deref())?;
        if let Some(batch) = self.batch {
            if self.query.is_some() || self.scope.is_some() {
                return Err(Fault::new(
                    codes::INPUT_BAD_VALUE,
                    "`batch` cannot be combined with `query` or `scope`",
                )
                .fix(advice!["give `query` in each of its objects, and no `", field("scope"), "`"])
                .field("batch"));
            }
            let batch = Some(seek_batch::run(batch, self.tier, self.limit, by, &filter, cx)?);
            return Ok(SeekAnswer { one: None, batch });
        }
        let is_given = self.query.is_some();
        let query = self.query.filter(|query| !query.trim().is_empty()).ok_or_else(|| {
            let message = if is_given { "`query` is blank" } else { "the field `query` is missing" };
            Fault::new(codes::INPUT_MISSING, message)
                .fix(advice!["give `", field("query"), "`: what you want to know"])
                .field("query")
        })?;
        let request = SeekRequest {
            query,
            tier: Tier::parse(self.tier.as_deref())?,
            scope: self.scope,
            limit: within("limit", self.limit, limits::SEEK_ROWS_DEFAULT, limits::SEEK_ROWS)?,
            filter,
            by,
        };
        let sought = cx.memory.seek(&cx.reader()?, &request)?;
        let group = |group: brainstem_memory::Group| Group {
            origin_brain: group.origin_brain,
            root: group.root.map(|root| root.display().to_string()),
            rows: rows(group.rows),
            memory_exists: group.memory_exists,
        };
        let groups: Option<Vec<Group>> = sought.groups.map(|groups| groups.into_iter().map(group).collect());
        let mut found = Found {
            rows: groups.is_none().then(|| rows(sought.rows)),
            groups,
            memory_exists: known(sought.memory_exists, sought.uncounted),
            gaps: gaps(&sought.gaps, cx.door),
            explain: self.explain,
            page: None,
        };
        if let Form::Page | Form::PageAndDocument = cx.offers.form {
            found.page = Some(recall_pages::found(&found, cx.door));
        }
        Ok(SeekAnswer { one: Some(found), batch: None })
    }
}

impl Present for SeekAnswer {
    fn page(&self) -> Option<String> {
        self.one.as_ref()?.page.clone()
    }

    fn present(&self, out: &mut Screen) {
        if let Some(one) = &self.one {
            one.present(out);
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        self.batch.as_ref().map(SeekBatchAnswer::lines)
    }

    /// A batch with refused questions ends like a refusal, so that a script notices.
    fn exit(&self) -> Exit {
        let refused = self.batch.iter().flat_map(|batch| &batch.results).any(|result| result.error.is_some());
        if refused { Exit::Refused } else { Exit::Done }
    }
}
