//! `inbox send`.

use super::message::with_project;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, LongText, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{AgentId, Fault, codes};
use brainstem_inbox::limits::SUBJECT_BYTES_MAX;
use brainstem_inbox::slug::is_all;
use brainstem_post::inbox::{
    InboxPriority, InboxSent, MessageContent, MessageType, MessageVisibility, RefId, RefType, Reference,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Send a message to the inbox of an agent, a person, or all of them.
///
/// It goes to the recipient's topic on the ledger, where it stays. Priority 1 and 2 are visible at once, the others when the
/// recipient looks next. The recipient is a slug or an agent id, a role (orchestrator, engine, owner), `human` for the owner
/// of this home, or `ALL`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct InboxSend {
    /// A slug, an agent id, a role, human, or ALL.
    #[arg(id = "to_agent", long = "to", value_name = "AGENT")]
    #[schemars(extend("x-takes" = field_kinds::inbox_recipient()))]
    pub to_agent: String,
    /// question, feedback, review.request, fyi, task.blocked, task.complete, or another dotted name.
    #[arg(id = "message_type", long = "type", value_name = "TYPE")]
    #[schemars(extend("x-takes" = field_kinds::inbox_type()))]
    pub message_type: String,
    /// What it is about, in one line.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::text_of_bytes(SUBJECT_BYTES_MAX)))]
    pub subject: String,
    /// What it carries: JSON, or a text.
    #[arg(long, value_name = "JSON", alias = "body")]
    #[serde(default, deserialize_with = "crate::field_forms::json_text")]
    #[schemars(schema_with = "crate::field_forms::json_text_schema")]
    pub payload: Option<String>,
    /// What the reader needs to know beside it, as JSON.
    #[arg(long, value_name = "JSON")]
    #[serde(default, deserialize_with = "crate::field_forms::json_text")]
    #[schemars(schema_with = "crate::field_forms::json_text_schema", extend("x-rare" = true))]
    pub context: Option<String>,
    /// The entity or agent it is about: its id, or the topic of an entity.
    #[arg(id = "ref_id", long = "ref", value_name = "ID")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::ref_id()))]
    pub ref_id: Option<String>,
    /// task, phase, stage, project or agent.
    #[arg(long, value_name = "TYPE")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::ref_type()))]
    pub ref_type: Option<String>,
    /// 1 urgent, 2 high, 3 normal (default), 4 low, 5 fyi.
    #[arg(long, value_name = "1-5")]
    #[schemars(extend("x-range" = crate::schema::range(1..=5, 3)))]
    pub priority: Option<u64>,
    /// Sent again with the same key, it arrives once.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::inbox_key()))]
    pub key: Option<String>,
}

/// A kind of reference goes with its id.
fn together() -> Value {
    serde_json::json!({ "if": { "required": ["ref_type"] }, "then": { "required": ["ref_id"] } })
}

/// Where the message is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxSendAnswer {
    /// The sender's slug.
    pub from_agent: String,
    /// The reader's slug, or ALL.
    pub to_agent: String,
    /// Those that have it in their inboxes: of a message to ALL, each agent and person that had topics when it was sent.
    pub readers: Vec<String>,
    /// Its topic.
    pub topic_id: String,
    /// Its number there.
    pub sequence_number: u64,
    /// Its time on the ledger.
    pub consensus_timestamp: String,
    /// now, or next_cycle: when the reader looks next.
    pub visible: String,
    /// Whether it also went straight into the mirror.
    pub fast_path: bool,
    /// It had been sent before, with the same key.
    pub unchanged: bool,
    /// Which readers of a message to ALL may be missing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// Of a reply: the message that it answers, which stays open until it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_open: Option<String>,
}

impl From<InboxSent> for InboxSendAnswer {
    fn from(sent: InboxSent) -> Self {
        Self {
            from_agent: sent.from.to_string(),
            to_agent: sent.to.map_or_else(|| "ALL".to_owned(), |to| to.to_string()),
            readers: sent.readers.iter().map(ToString::to_string).collect(),
            topic_id: sent.topic.to_string(),
            sequence_number: sent.sequence.number(),
            consensus_timestamp: sent.consensus.to_string(),
            visible: sent.visible.as_str().to_owned(),
            fast_path: sent.visible == MessageVisibility::Now,
            unchanged: sent.is_repeat,
            gaps: Vec::new(),
            still_open: None,
        }
    }
}

/// The refusal of a field.
pub(super) fn refused(field: &'static str, why: impl ToString) -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, format!("`{field}` is refused: {}", why.to_string()))
        .fix(format!("give another `{field}`"))
        .field(field)
        .rule("INB-14")
}

/// A value of JSON; what is no JSON is a text, and so is a number that would be written otherwise, such as 1.10.
pub(super) fn json(text: Option<String>) -> Option<Value> {
    text.filter(|text| !text.trim().is_empty()).map(|text| match serde_json::from_str(&text) {
        Ok(Value::Number(number)) if number.to_string() != text.trim() => Value::String(text),
        Ok(value) => value,
        Err(_) => Value::String(text),
    })
}

/// The reference of the two fields.
pub(super) fn reference(id: Option<String>, kind: Option<String>) -> Result<Option<Reference>, Fault> {
    let kind =
        kind.map(|kind| RefType::parse(&kind).map_err(|error| refused("ref_type", error))).transpose()?;
    match id {
        Some(id) => {
            Ok(Some(Reference { id: RefId::parse(&id).map_err(|error| refused("ref_id", error))?, kind }))
        }
        None if kind.is_some() => Err(refused("ref_id", "it is missing beside `ref_type`")),
        None => Ok(None),
    }
}

/// The id that a listing is about.
pub(super) fn ref_id(id: Option<String>) -> Result<Option<String>, Fault> {
    let parsed = id.map(|id| RefId::parse(&id).map_err(|error| refused("ref_id", error))).transpose()?;
    Ok(parsed.map(|id| id.to_string()))
}

/// The priority of a number; the default if there is none.
pub(super) fn priority(number: Option<u64>) -> Result<Option<InboxPriority>, Fault> {
    number.map(|number| InboxPriority::new(number).map_err(|error| refused("priority", error))).transpose()
}

impl Verb for InboxSend {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Send to an inbox",
        when_to_use: "To tell an agent or a person of this home something, whichever project it is in.",
        long_text: &[LongText { field: "payload", file: "payload-file" }],
        examples: &[
            "brainstem inbox send --to human --type question --subject \"Which port?\" --payload '{\"ports\":[80,8080]}'",
            "brainstem inbox send --to codex --type review.request --subject \"Parser\" --priority 2 --ref TASK-7 --ref-type task",
            "brainstem inbox send --to ALL --type fyi --subject \"The build is green\" --priority 5",
        ],
        ..VerbSpec::of(VerbId::InboxSend)
    };
    type Output = InboxSendAnswer;

    fn run(self, cx: &Context) -> Result<InboxSendAnswer, Fault> {
        let priority = priority(self.priority)?.unwrap_or_default();
        let caller = cx.caller()?;
        let content = MessageContent {
            kind: MessageType::parse(&self.message_type).map_err(|error| refused("message_type", error))?,
            subject: self.subject,
            payload: json(self.payload),
            context: with_project(
                json(self.context),
                cx.memory.route(&caller).brain().map(|brain| brain.origin()),
            ),
            reference: reference(self.ref_id, self.ref_type)?,
            priority,
        };
        if content.subject.trim().is_empty() {
            return Err(refused("subject", "it is empty"));
        }
        let request = brainstem_post::inbox::InboxSend { to: self.to_agent, content, key: self.key };
        // An agent of a connected host is meant by ALL before it was ever here.
        let (connected, is_whole) = match is_all(&request.to) {
            true => cx.connect().connected_hosts(),
            false => (Vec::new(), true),
        };
        let connected: Vec<AgentId> =
            connected.into_iter().filter_map(|host| AgentId::parse(host.agent()).ok()).collect();
        let sent = cx.post().send_inbox_with(&caller, &request, &connected)?;
        let mut answer = InboxSendAnswer::from(sent);
        if !is_whole {
            let gap = "a record of connected hosts in the folder `local/hosts` of the home cannot be read; an agent of that host that was never here did not get it";
            answer.gaps.push(gap.to_owned());
        }
        Ok(answer)
    }
}

impl Present for InboxSendAnswer {
    fn present(&self, out: &mut Screen) {
        let said = if self.unchanged { "sent before" } else { "sent" };
        let seen = match self.fast_path {
            true => "visible now",
            false => "visible at the reader's next look",
        };
        let head = [styled(Look::Good, said), " to ".into(), bold(self.to_agent.as_str())];
        out.flow(0, 2, head.into_iter().chain([dim(format!(" as {} ({seen})", self.from_agent))]));
        if self.to_agent == "ALL" {
            let others: Vec<&str> =
                self.readers.iter().filter(|slug| **slug != self.from_agent).map(String::as_str).collect();
            let reached = match others.is_empty() {
                true => "  in no inbox but your own: no other agent or person has one yet".to_owned(),
                false if others.len() < self.readers.len() => {
                    format!("  in the inbox of {}, and in your own", others.join(", "))
                }
                false => format!("  in the inbox of {}", others.join(", ")),
            };
            out.line([dim(reached)]);
        }
        for gap in &self.gaps {
            out.flow(2, 4, [styled(Look::Warn, gap.as_str())]);
        }
        out.line([dim(format!("  topic {}, message {}", self.topic_id, self.sequence_number))]);
        if let Some(open) = &self.still_open {
            let done = out.command(&calls::inbox_done(open.as_str()));
            out.line([dim(format!("  the message that it answers stays open until: {done}"))]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    #[test] // spec: INB-4
    fn a_number_that_json_would_write_otherwise_is_kept_as_the_text_it_is() {
        let kept = |text: &str| json(Some(text.to_owned())).unwrap();
        for text in ["1.10", "123456789012345678901", "1e5", "no JSON"] {
            assert_eq!(kept(text), value!(text));
        }
        assert_eq!(
            (kept("8080"), kept("1.5"), kept("{\"a\":1}")),
            (value!(8080), value!(1.5), value!({"a": 1}))
        );
    }
}
