//! `tags`: the tags in use.

use super::row::{Gap, could_not_look, counted, gaps, known, present_gaps, present_left_out};
use crate::screen::dim;
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec, field_kinds, within};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_claims::fence::value;
use brainstem_memory::{Tier, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List the tags in use, most used first.
///
/// Take one of them for the next claim rather than a near-twin. Case makes no other tag: `list --tag` finds both, and a tag
/// that is in use in another case is marked. `list --tag TAG` lists the claims that carry one.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Tags {
    /// project or medulla; default: both.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "Default: both."))]
    pub tier: Option<String>,
    /// At most this many tags; default 100.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(limits::LIST_ROWS, limits::LIST_ROWS_DEFAULT)))]
    pub limit: Option<i64>,
}

/// The tags in use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TagsAnswer {
    /// The tags: most used first, then by name.
    pub tags: Vec<TagRow>,
    /// Tags that the limit left out.
    pub left_out: usize,
    /// How many claims there are; `gaps` names the files that cannot be read. Null where that is not known.
    pub memory_exists: Option<usize>,
    /// What could not be read; its tags are not counted.
    pub gaps: Vec<Gap>,
}

/// A tag in use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TagRow {
    /// The tag.
    pub tag: String,
    /// How many live claims carry it.
    pub claims: usize,
    /// The tag that is used more and differs from this one by its case alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
}

impl Verb for Tags {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "List the tags in use",
        when_to_use: "Before you tag a claim: take a tag that is in use rather than a near-twin of it.",
        examples: &["brainstem tags", "brainstem tags --tier medulla --limit 20"],
        ..VerbSpec::of(VerbId::Tags)
    };
    type Output = TagsAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<TagsAnswer, Fault> {
        let limit = within("limit", self.limit, limits::LIST_ROWS_DEFAULT, limits::LIST_ROWS)?;
        let used = cx.memory.tags(&cx.reader()?, Tier::parse_of_project(self.tier.as_deref())?)?;
        let left_out = used.tags.len().saturating_sub(limit);
        let row = |used: brainstem_memory::TagInUse| TagRow {
            tag: used.tag,
            claims: used.claims,
            twin_of: used.twin_of,
        };
        Ok(TagsAnswer {
            tags: used.tags.into_iter().take(limit).map(row).collect(),
            left_out,
            memory_exists: known(used.memory_exists, used.uncounted),
            gaps: gaps(&used.gaps, cx.door),
        })
    }
}

impl Present for TagsAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.tags {
            let twin = row.twin_of.as_ref();
            let twin = twin.map(|twin| format!(", another spelling of #{}", value(twin))).unwrap_or_default();
            let claims = counted(row.claims, "claim");
            out.line([format!("#{}", value(&row.tag)).into(), dim(format!("  {claims}{twin}"))]);
        }
        let nothing = self.tags.is_empty() && self.memory_exists.is_some() && !could_not_look(&self.gaps);
        if nothing {
            out.line(["No claim here has a tag."]);
        }
        present_left_out(self.left_out, "tag", out);
        present_gaps(&self.gaps, out);
    }
}
