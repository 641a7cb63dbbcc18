//! `mail reply`.

use super::send::MailSendAnswer;
use crate::field_kinds;
use crate::{Context, Effect, LongText, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::mail::{MessageKind, ReplyRequest, SendKey, words};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Reply to a message: the reply goes to its sender, in the same conversation.
///
/// The message you answer stays where it is; mark it read when you are done with it.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct MailReply {
    /// The message: its name, a part of it that no other has, or box/file.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::message_file()))]
    pub file: String,
    /// What you say.
    #[arg(long)]
    #[schemars(extend("x-plain" = true))]
    pub body: Option<String>,
    /// Its box; default: yours.
    #[arg(id = "box", long = "box", value_name = "NAME")]
    #[serde(rename = "box")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::mail_name()))]
    pub mailbox: Option<String>,
    /// The type; default response.
    #[arg(id = "type", long = "type")]
    #[serde(rename = "type")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::message_type()))]
    pub kind: Option<String>,
    /// urgent, normal or low; default: as the message.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::priority(), "x-tool-note" = "Default: normal."))]
    pub priority: Option<String>,
    /// You wait for a reply.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub needs_response: bool,
    /// Sent again with the same key, it arrives once.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::message_key()))]
    pub key: Option<String>,
}

/// A body that is not blank.
fn together() -> Value {
    json!({ "allOf": [field_kinds::says("body")] })
}

impl Verb for MailReply {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Reply to a message",
        when_to_use: "To answer a message; it goes to its sender.",
        long_text: &[LongText { field: "body", file: "body-file" }],
        examples: &[
            "brainstem mail reply 20260128T153000Z_ana_question.md --body \"Yes, both.\"",
            "brainstem mail reply 20260128T153000Z_ana_question.md --box orchestrator --body-file answer.md",
        ],
        ..VerbSpec::of(VerbId::MailReply)
    };
    type Output = MailSendAnswer;

    fn run(self, cx: &Context) -> Result<MailSendAnswer, Fault> {
        let post = cx.post();
        let words = post.mail_words();
        let request = ReplyRequest {
            file: words.message(&self.file)?,
            mailbox: words.mailbox(self.mailbox.as_deref())?,
            body: self.body.unwrap_or_default(),
            kind: self.kind.as_deref().map_or(Ok(MessageKind::Response), words::kind)?,
            priority: words::priority(self.priority.as_deref())?,
            needs_response: self.needs_response,
            key: self.key.map(SendKey::parse).transpose()?,
        };
        Ok(MailSendAnswer::of(post.reply(&cx.caller()?, &request)?, cx))
    }
}
