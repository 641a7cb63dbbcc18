//! `inbox reply`.

use super::message::{ID_SHOWN, with_project};
use super::send::{InboxSendAnswer, priority, refused};
use crate::field_kinds;
use crate::{Context, Effect, LongText, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::inbox::{MessageContent, MessageType};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Reply to a message: to its sender, about the same thing. Of an event the author gets it, of an outsider its connection.
///
/// The message you answer stays open until you finish it with `inbox done`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxReply {
    /// The message: its id, or the first digits of it.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::inbox_id()))]
    pub id: String,
    /// What you say.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::text()))]
    pub body: String,
    /// 1 urgent to 5 fyi; default: as the message.
    #[arg(long, value_name = "1-5")]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=5, 3)))]
    pub priority: Option<u64>,
}

/// The type of a reply.
const REPLY: &str = "reply";

impl Verb for InboxReply {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Reply to a message of your inbox",
        when_to_use: "To answer a message; it goes to its sender.",
        long_text: &[LongText { field: "body", file: "body-file" }],
        examples: &["brainstem inbox reply 3f2a9c1b --body \"Port 8080.\""],
        ..VerbSpec::of(VerbId::InboxReply)
    };
    type Output = InboxSendAnswer;

    fn run(self, cx: &Context) -> Result<InboxSendAnswer, Fault> {
        let given = priority(self.priority)?;
        let (post, caller) = (cx.post(), cx.caller()?);
        post.own_inbox(&caller)?;
        let row = post.inbox_message(&caller, post.inbox_id(&self.id)?)?.row;
        if self.body.trim().is_empty() {
            return Err(refused("body", "it is empty"));
        }
        // The writer of a reply cannot change what it takes over, so a secret there does not stop the reply.
        let subject = cx.memory.floor().mask(&row.content.subject).into_owned();
        let subject = match subject.starts_with("Re: ") {
            true => subject,
            false => format!("Re: {subject}"),
        };
        let subject: String = subject.chars().take(120).collect();
        let content = MessageContent {
            kind: MessageType::parse(REPLY).expect("a plain name"),
            subject,
            payload: Some(json!({"text": self.body})),
            context: with_project(
                Some(json!({"in_reply_to": row.id.to_string()})),
                cx.memory.route(&caller).brain().map(|brain| brain.origin()),
            ),
            reference: None,
            priority: given.unwrap_or(row.content.priority),
        };
        let answered = row.id.to_string();
        let answered = answered.get(..ID_SHOWN).unwrap_or(&answered).to_owned();
        let sent = InboxSendAnswer::from(post.reply_inbox(&caller, &row, content)?);
        Ok(InboxSendAnswer { still_open: Some(answered), ..sent })
    }
}
