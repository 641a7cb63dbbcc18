//! `ledger redact`.

use super::message_numbers;
use crate::field_kinds;
use crate::screen::{Look, dim, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_ledger::limits::REDACTION_REASON_BYTES_MAX;
use brainstem_post::ledger::{parse_sequence, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Erase the content of messages for good; the record of that stays in the topic.
///
/// The bytes are removed from the ledger's file; their hash stays, so that every chain, head and receipt of before still holds. A
/// short or guessable content can be confirmed by that hash. Copies elsewhere (backups, exports, other machines) are not reached. The
/// file is written anew once for each call (about half a second for 100,000 messages), so give several messages at once.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerRedact {
    /// The topic, such as 0.0.1001.
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub topic: String,
    /// The numbers of the messages.
    #[arg(required = true, num_args = 1..)]
    #[schemars(extend("x-takes" = message_numbers()))]
    pub message: Vec<i64>,
    /// Why: one line, which stays in the topic.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::text_at_most(REDACTION_REASON_BYTES_MAX)))]
    pub reason: String,
    /// You mean it; without this nothing goes.
    #[arg(long = "yes")]
    #[serde(default)]
    pub confirm: bool,
}

/// What was redacted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerRedactAnswer {
    /// The topic.
    pub topic: String,
    /// The messages whose content is gone.
    pub messages: Vec<RedactedMessage>,
}

/// A message that was redacted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RedactedMessage {
    /// Its number.
    pub sequence: u64,
    /// The number of the record in the topic.
    pub record: u64,
    /// It was gone before, and the record is that of then.
    pub repeated: bool,
}

impl Verb for LedgerRedact {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "it erases for good, and people decide that" },
        toolset: Toolset::Ledger,
        effect: Effect::Destructive,
        title: "Erase the content of messages",
        when_to_use: "Only when a person asks that a text must not exist any more.",
        examples: &[
            "brainstem ledger redact 0.0.1001 57 --reason \"a person asked\" --yes",
            "brainstem ledger redact 0.0.1001 57 58 61 --reason \"a person asked\" --yes",
        ],
        ..VerbSpec::of(VerbId::LedgerRedact)
    };
    type Output = LedgerRedactAnswer;

    fn run(self, cx: &Context) -> Result<LedgerRedactAnswer, Fault> {
        let topic = parse_topic(&self.topic)?;
        let numbers = self.message.iter().map(|number| parse_sequence("message", *number));
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        let records = cx.post().redact_in_ledger(topic, &numbers, &self.reason, self.confirm)?;
        let messages = numbers.iter().zip(records).map(|(sequence, record)| RedactedMessage {
            sequence: sequence.number(),
            record: record.sequence.number(),
            repeated: record.is_repeat,
        });
        Ok(LedgerRedactAnswer { topic: topic.to_string(), messages: messages.collect() })
    }
}

impl Present for LedgerRedactAnswer {
    fn present(&self, out: &mut Screen) {
        for message in &self.messages {
            let before = if message.repeated { " was gone before" } else { " is gone" };
            let gone = format!("the content of message {} of topic {}{before}", message.sequence, self.topic);
            out.flow(0, 2, [styled(Look::Good, gone)]);
            out.line([dim(format!("  on record as message {}", message.record))]);
        }
    }
}
