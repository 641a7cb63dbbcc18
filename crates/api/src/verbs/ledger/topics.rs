//! `ledger topics`.

use super::super::row::counted;
use super::{ROWS_DEFAULT, ROWS_MAX, check_caller};
use crate::field_kinds;
use crate::screen::{bold, dim};
use crate::{Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, field};
use brainstem_ledger::SubmitPolicy;
use brainstem_post::ledger::{TopicState, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List the topics of this home's ledger, each with its end.
///
/// A topic is a numbered list of messages that is only ever appended to, each chained to the one before by a hash.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerTopics {
    /// Only topics behind this id.
    #[arg(long, value_name = "TOPIC")]
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub after: Option<String>,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-range" = crate::schema::range(1..=ROWS_MAX, ROWS_DEFAULT)))]
    pub limit: Option<i64>,
}

/// The topics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerTopicsAnswer {
    /// The topics, by id.
    pub topics: Vec<LedgerTopicRow>,
    /// Whether there are more behind the last one.
    pub has_more: bool,
}

/// A topic.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerTopicRow {
    /// Its id.
    pub topic: String,
    /// What it is for.
    pub memo: String,
    /// The only account that may append; null if every account may.
    pub submitter: Option<String>,
    /// When it was made.
    pub created: String,
    /// How many messages it has.
    pub messages: u64,
    /// When its last message came; null without messages.
    pub last: Option<String>,
    /// The hash behind its last message, as hex.
    pub running_hash: String,
}

impl From<TopicState> for LedgerTopicRow {
    fn from(state: TopicState) -> Self {
        let TopicState { topic, head } = state;
        Self {
            topic: topic.id.to_string(),
            memo: topic.memo,
            submitter: match topic.policy {
                SubmitPolicy::Everyone => None,
                SubmitPolicy::Only(account) => Some(account.to_string()),
            },
            created: topic.created.to_timestamp().to_rfc3339(),
            messages: head.sequence.map_or(0, |sequence| sequence.number()),
            last: head.consensus.map(|time| time.to_timestamp().to_rfc3339()),
            running_hash: head.running_hash.to_string(),
        }
    }
}

impl Verb for LedgerTopics {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Ledger,
        title: "List the topics of the ledger",
        when_to_use: "To see which topics there are and how far each goes.",
        examples: &["brainstem ledger topics", "brainstem ledger topics --after 0.0.1050 --json"],
        ..VerbSpec::of(VerbId::LedgerTopics)
    };
    type Output = LedgerTopicsAnswer;

    fn run(self, cx: &Context) -> Result<LedgerTopicsAnswer, Fault> {
        check_caller(cx)?;
        let limit = within("limit", self.limit, ROWS_DEFAULT, 1..=ROWS_MAX)?;
        let after = self.after.as_deref().map(parse_topic).transpose()?;
        let (topics, has_more) = cx.post().ledger_topics(after, limit)?;
        Ok(LedgerTopicsAnswer { topics: topics.into_iter().map(LedgerTopicRow::from).collect(), has_more })
    }
}

impl Present for LedgerTopicsAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.topics {
            let messages = usize::try_from(row.messages).unwrap_or(usize::MAX);
            let count = format!("  {}", counted(messages, "message"));
            out.flow(0, 2, [bold(row.topic.as_str()), dim(count), format!("  {}", row.memo).into()]);
        }
        if self.topics.is_empty() {
            out.line(["The ledger has no topics here."]);
        }
        if let Some(last) = self.topics.last().filter(|_| self.has_more) {
            out.line([dim(format!("more behind {}; give it as {}", last.topic, field("after")))]);
        }
    }
}
