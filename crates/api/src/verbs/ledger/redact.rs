//! `ledger redact`.

use super::message_number;
use crate::field_kinds;
use crate::screen::{Look, dim, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_ledger::limits::REDACTION_REASON_BYTES_MAX;
use brainstem_post::ledger::{parse_sequence, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Erase the content of a message for good; the record of that stays in the topic.
///
/// The bytes are removed from the ledger's file; their hash stays, so that every chain, head and receipt of before still holds. A
/// short or guessable content can be confirmed by that hash. Copies elsewhere (backups, exports, other machines) are not reached.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerRedact {
    /// The topic, such as 0.0.1001.
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub topic: String,
    /// The number of the message.
    #[schemars(extend("x-takes" = message_number()))]
    pub message: i64,
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
    /// The number of the message whose content is gone.
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
        title: "Erase the content of a message",
        when_to_use: "Only when a person asks that a text must not exist any more.",
        examples: &["brainstem ledger redact 0.0.1001 57 --reason \"a person asked\" --yes"],
        ..VerbSpec::of(VerbId::LedgerRedact)
    };
    type Output = LedgerRedactAnswer;

    fn run(self, cx: &Context) -> Result<LedgerRedactAnswer, Fault> {
        let (topic, sequence) = (parse_topic(&self.topic)?, parse_sequence("message", self.message)?);
        let record = cx.post().redact_in_ledger(topic, sequence, &self.reason, self.confirm)?;
        Ok(LedgerRedactAnswer {
            topic: topic.to_string(),
            sequence: sequence.number(),
            record: record.sequence.number(),
            repeated: record.is_repeat,
        })
    }
}

impl Present for LedgerRedactAnswer {
    fn present(&self, out: &mut Screen) {
        let before = if self.repeated { " was gone before" } else { " is gone" };
        let gone = format!("the content of message {} of topic {}{before}", self.sequence, self.topic);
        out.flow(0, 2, [styled(Look::Good, gone)]);
        out.line([dim(format!("  on record as message {}", self.record))]);
    }
}
