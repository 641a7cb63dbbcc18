//! `ledger show`.

use super::message::LedgerMessage;
use super::{ROWS_DEFAULT, ROWS_MAX, check_caller, cursor, message_number};
use crate::field_kinds;
use crate::screen::dim;
use crate::{Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, field};
use brainstem_ledger::ConsensusTime;
use brainstem_post::ledger::{LedgerUseError, TopicCursor, TopicPlace, parse_sequence, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show messages of a topic, from its start, from a number, from a time, or behind where you read before.
///
/// The answer has a cursor. Given as `after`, it brings what came since; it keeps the hash of the last message that you saw, so a
/// topic that was cut or rewritten behind your back is refused.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerShow {
    /// The topic, such as 0.0.1001.
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub topic: String,
    /// Begin at this message.
    #[schemars(extend("x-takes" = message_number()))]
    pub message: Option<i64>,
    /// Begin behind this message: its number, or the cursor of an answer.
    #[arg(long, value_name = "CURSOR")]
    #[schemars(extend("x-takes" = cursor()))]
    pub after: Option<String>,
    /// Begin at this time: a day, RFC 3339, how long ago (7d, 12h), or seconds.nanoseconds.
    #[arg(long, value_name = "TIME")]
    #[schemars(extend("x-takes" = field_kinds::past_or_consensus_time()))]
    pub since: Option<String>,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-range" = crate::schema::range(1..=ROWS_MAX, ROWS_DEFAULT)))]
    pub limit: Option<i64>,
}

/// Messages of a topic.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerShowAnswer {
    /// The topic.
    pub topic: String,
    /// What it is for.
    pub memo: String,
    /// The messages, in their order.
    pub messages: Vec<LedgerMessage>,
    /// Where to go on, as `after`; null in a topic without messages.
    pub cursor: Option<String>,
    /// Whether there are more now.
    pub has_more: bool,
}

impl Verb for LedgerShow {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Ledger,
        title: "Show messages of a topic",
        when_to_use: "To read a topic; pass the last cursor to get what came since.",
        examples: &[
            "brainstem ledger show 0.0.1001",
            "brainstem ledger show 0.0.1001 57 --limit 1",
            "brainstem ledger show 0.0.1001 --since 7d --json",
            "brainstem ledger show 0.0.1001 --after 57",
        ],
        ..VerbSpec::of(VerbId::LedgerShow)
    };
    type Output = LedgerShowAnswer;

    fn run(self, cx: &Context) -> Result<LedgerShowAnswer, Fault> {
        let post = cx.post();
        check_caller(cx)?;
        let limit = within("limit", self.limit, ROWS_DEFAULT, 1..=ROWS_MAX)?;
        let topic = parse_topic(&self.topic)?;
        let place = match (self.message, self.after.as_deref(), self.since.as_deref()) {
            (None, None, None) => TopicPlace::Start,
            (Some(number), None, None) => TopicPlace::At(parse_sequence("message", number)?),
            (None, Some(cursor), None) => TopicPlace::After(TopicCursor::parse(cursor)?),
            (None, None, Some(time)) => TopicPlace::Since(match time.parse::<ConsensusTime>() {
                Ok(time) => time,
                Err(_) => {
                    let past = post.mail_words().past("since", Some(time))?;
                    ConsensusTime::from(past.expect("a time was given"))
                }
            }),
            _ => {
                return Err(LedgerUseError::Together(
                    "`message`, `after` and `since` each say where to begin, and only one can",
                )
                .into());
            }
        };
        let state = post.ledger_topic(topic)?;
        let page = post.ledger_messages(topic, place, limit)?;
        Ok(LedgerShowAnswer {
            topic: topic.to_string(),
            memo: state.topic.memo,
            messages: page.messages.into_iter().map(LedgerMessage::from).collect(),
            cursor: page.cursor.map(|cursor| cursor.to_string()),
            has_more: page.has_more,
        })
    }
}

impl Present for LedgerShowAnswer {
    fn present(&self, out: &mut Screen) {
        for message in &self.messages {
            message.present(out);
        }
        if self.messages.is_empty() {
            out.line([dim(format!("Topic {} has no messages there.", self.topic))]);
        }
        if let Some(last) = self.messages.last().filter(|_| self.has_more) {
            out.line([dim(format!("more behind {}; give it as {}", last.sequence, field("after")))]);
        }
    }
}
