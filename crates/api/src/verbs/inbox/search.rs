//! `inbox search`.

use super::list::InboxListAnswer;
use super::send::ref_id;
use crate::field_kinds;
use crate::{AnswerGaps, Context, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::inbox::{INBOX_LIMIT_DEFAULT, INBOX_LIMIT_MAX, InboxQuery, RowState, SEARCH_BYTES_MAX};
use schemars::JsonSchema;
use serde::Deserialize;

/// Find messages that you got or sent, by a piece of their text. The newest first.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxSearch {
    /// What the subject, the payload, the type or the sender has in it.
    #[arg(num_args = 1..)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::text_of_bytes(SEARCH_BYTES_MAX)))]
    pub query: String,
    /// Only what is about this entity or agent.
    #[arg(id = "ref_id", long = "ref", value_name = "ID")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::ref_id()))]
    pub ref_id: Option<String>,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(1..=INBOX_LIMIT_MAX, INBOX_LIMIT_DEFAULT)))]
    pub limit: Option<i64>,
}

impl Verb for InboxSearch {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        title: "Search your inbox",
        when_to_use: "To find old messages by their text.",
        examples: &["brainstem inbox search retry loop", "brainstem inbox search blocked --ref TASK-7"],
        ..VerbSpec::of(VerbId::InboxSearch)
    };
    type Output = InboxListAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<InboxListAnswer, Fault> {
        let (post, caller) = (cx.post(), cx.reader()?);
        let query = InboxQuery {
            state: RowState::All,
            text: Some(self.query),
            ref_id: ref_id(self.ref_id)?,
            limit: within("limit", self.limit, INBOX_LIMIT_DEFAULT, 1..=INBOX_LIMIT_MAX)?,
        };
        let listed = post.list_inbox(&caller, &query)?;
        Ok(InboxListAnswer::new(listed, &post.reference_names(&caller)?))
    }
}
