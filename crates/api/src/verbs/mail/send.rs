//! `mail send`.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, LongText, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::next::VerbId;
use brainstem_base::{Fault, codes};
use brainstem_claims::age;
use brainstem_mail::resolve::ResolveRule;
use brainstem_post::mail::{SendKey, SendRequest, SentMessage, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Send a message: a file in the recipient's box, which waits until it is read.
///
/// The recipient is a session, a tag (a session that carries it may take the message), `__broadcast` for
/// all, or an agent id; each of several gets a copy. A name that no session here has gets a box: the
/// message waits there for a session of that name. Once this has answered, the message is on the disk.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct MailSend {
    /// A session, a tag, an agent id, or __broadcast; or several.
    #[arg(long, required = true)]
    #[serde(deserialize_with = "crate::field_forms::texts")]
    #[schemars(schema_with = "crate::field_forms::texts_schema")]
    #[schemars(extend("x-takes" = field_kinds::recipients()))]
    pub to: Vec<String>,
    /// status, alert, task, question, response, report or handoff.
    #[arg(id = "type", long = "type", value_name = "status|alert|task|question|response|report|handoff")]
    #[serde(rename = "type")]
    #[schemars(extend("x-takes" = field_kinds::message_type()))]
    pub kind: String,
    /// What it is about, in one line.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::subject()))]
    pub subject: Option<String>,
    /// What it says; Markdown is welcome.
    #[arg(long)]
    #[schemars(extend("x-plain" = true))]
    pub body: Option<String>,
    /// urgent, normal (default) or low.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::priority(), "x-tool-note" = "Default: normal."))]
    pub priority: Option<String>,
    /// Words to find it by, such as a task's id.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::list_of(32, field_kinds::mail_name())))]
    pub tag: Vec<String>,
    /// You wait for a reply.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-plain" = true))]
    pub needs_response: bool,
    /// When it no longer matters: how long from now (2h, 7d), a day (its end), or RFC 3339.
    #[arg(long, value_name = "TIME")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::future()))]
    pub expires: Option<String>,
    /// The file of the message it answers; `mail reply` finds the recipient too.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::message_file()))]
    pub reply_to: Option<String>,
    /// The conversation it belongs to.
    #[arg(long, value_name = "ID")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::message_key()))]
    pub thread_id: Option<String>,
    /// Sent again with the same key, it arrives once.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::message_key()))]
    pub key: Option<String>,
}

/// A subject or a body.
fn together() -> Value {
    json!({ "anyOf": [field_kinds::says("subject"), field_kinds::says("body")] })
}

/// Where the message is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailSendAnswer {
    /// The box.
    pub mailbox: String,
    /// The message's name.
    pub file: String,
    /// Its path.
    pub path: String,
    /// Its readers: session, session_not_tag (a session and a tag have this name), tag, agent (the sessions that run
    /// that agent), broadcast, or future (no session here has this name).
    pub rule: String,
    /// A session that reads the box was here within half an hour; otherwise the message waits for one.
    pub somebody_home: bool,
    /// Its sender.
    pub from: String,
    /// The conversation, where it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// It had been sent before, with the same key.
    pub unchanged: bool,
    /// It was sent before, and is not in the mail root any more: it was pruned, moved or deleted. It is not sent again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// The record of a session that reads the box cannot be read, so that `somebody_home` does not count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsure: Option<String>,
    /// If no session here has the name: that, the names that were perhaps meant, or the project that was, and the call that takes the
    /// message back. If you are in another project: where a reply will be. If the conversation could not go on: that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// If no session here has the name: those of sessions, tags and agents that are a slip away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// What the note says beside the first line on a terminal.
    #[serde(skip)]
    further: Option<String>,
    /// What has the name, and when it was last seen.
    #[serde(skip)]
    reader: String,
    /// Of several recipients, the copies of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<MailCopy>,
}

/// The copy of a message that one of several recipients got.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MailCopy {
    /// The box.
    pub mailbox: String,
    /// The copy's name.
    pub file: String,
    /// Its path.
    pub path: String,
    /// Its readers.
    pub rule: String,
    /// A session that reads the box was here within half an hour.
    pub somebody_home: bool,
    /// It had been sent before, with the same key.
    pub unchanged: bool,
    /// It was sent before, and is not in the mail root any more: it was pruned, moved or deleted. It is not sent again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// The record of a session that reads the box cannot be read, so that `somebody_home` does not count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsure: Option<String>,
    /// If no session here has the name: that, the names that were perhaps meant, or the project that was, and the call that takes the
    /// message back. If you are in another project: where a reply will be. If the conversation could not go on: that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// If no session here has the name: those of sessions, tags and agents that are a slip away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// What the note says beside the first line on a terminal.
    #[serde(skip)]
    further: Option<String>,
    /// What has the name, and when it was last seen.
    #[serde(skip)]
    reader: String,
}

impl MailCopy {
    /// The copy in the words of the caller's door.
    fn of(sent: SentMessage, cx: &Context) -> Self {
        Self {
            note: sent.note().map(|note| cx.told(&note)),
            near: sent.near.iter().map(ToString::to_string).collect(),
            further: sent.further_note().map(|note| cx.told(&note)),
            reader: reader(&sent),
            mailbox: sent.mailbox.to_string(),
            file: sent.file.to_string(),
            path: sent.path.display().to_string(),
            rule: sent.rule.as_str().to_owned(),
            somebody_home: sent.somebody_home,
            unchanged: sent.repeated,
            gone: sent.gone,
            unsure: sent.unreadable.map(|session| session.sentence()),
        }
    }
}

/// What has the name that a message was sent to, and when it was last seen, for a terminal.
fn reader(sent: &SentMessage) -> String {
    let name = &sent.mailbox;
    let seen = match (sent.seen_ms_ago, sent.somebody_home) {
        _ if sent.rule == ResolveRule::Future => String::new(),
        (_, false) if sent.unreadable.is_some() => {
            "; whether anybody is here is not known, it waits".to_owned()
        }
        (Some(ms), true) => format!(", seen {}", age::ago(ms)),
        (Some(ms), false) => format!(", last seen {}; it waits", age::ago(ms)),
        (None, true) => String::new(),
        (None, false) => "; nobody is here now, it waits".to_owned(),
    };
    let what = match sent.rule {
        ResolveRule::Session => format!("{name} is a session"),
        ResolveRule::SessionNotTag => {
            format!("{name} is a session; a tag has the same name and does not get it")
        }
        ResolveRule::Tag => format!("{name} is a tag: one session that carries it takes it"),
        ResolveRule::Agent => format!("{name} is an agent: each of its sessions reads it"),
        ResolveRule::Person => format!("{name} is the person here"),
        ResolveRule::Broadcast => "everybody".to_owned(),
        ResolveRule::Future if sent.is_of_host => "an agent that was not here yet; it waits".to_owned(),
        ResolveRule::Future => "no session, tag or agent here has this name; it waits".to_owned(),
    };
    format!("{what}{seen}")
}

impl MailSendAnswer {
    /// What one recipient got, in the words of the caller's door.
    pub(super) fn of(sent: SentMessage, cx: &Context) -> Self {
        let (from, thread_id) = (sent.from.to_string(), sent.thread_id.clone());
        let copy = MailCopy::of(sent, cx);
        Self {
            from,
            thread_id,
            mailbox: copy.mailbox,
            file: copy.file,
            path: copy.path,
            rule: copy.rule,
            somebody_home: copy.somebody_home,
            unchanged: copy.unchanged,
            gone: copy.gone,
            unsure: copy.unsure,
            note: copy.note,
            near: copy.near,
            further: copy.further,
            reader: copy.reader,
            copies: Vec::new(),
        }
    }
}

impl Verb for MailSend {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Send a message",
        when_to_use: "To tell another session or agent something that must not be lost, here now or later.",
        long_text: &[LongText { field: "body", file: "body-file" }],
        examples: &[
            "brainstem mail send --to orchestrator --type status --subject \"BUG-069 is done\"",
            "brainstem mail send --to alice,bob --type question --body \"Ready?\" --needs-response",
            "brainstem mail send --to worker --type task --priority urgent --body-file task.md --needs-response",
            "git log -1 | brainstem mail send --to __broadcast --type report -",
        ],
        ..VerbSpec::of(VerbId::MailSend)
    };
    type Output = MailSendAnswer;

    fn run(self, cx: &Context) -> Result<MailSendAnswer, Fault> {
        let post = cx.post();
        let words = post.mail_words();
        let request = SendRequest {
            to: words.recipients(&self.to)?,
            kind: words::kind(&self.kind)?,
            subject: self.subject.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            priority: words::priority(self.priority.as_deref())?.unwrap_or_default(),
            tags: self.tag,
            needs_response: self.needs_response,
            expires: words.expires(self.expires.as_deref())?,
            reply_to: words.answered(self.reply_to.as_deref())?,
            thread_id: self.thread_id,
            key: self.key.map(SendKey::parse).transpose()?,
        };
        let mut sent = post.send(&cx.caller()?, &request)?.into_iter();
        let first = sent.next().ok_or_else(|| Fault::new(codes::INTERNAL_BUG, "nothing was sent"))?;
        let copies = sent.map(|copy| MailCopy::of(copy, cx)).collect();
        Ok(MailSendAnswer { copies, ..MailSendAnswer::of(first, cx) })
    }
}

impl MailSendAnswer {
    /// What the first recipient got, in the form of the others' copies.
    fn own_copy(&self) -> MailCopy {
        MailCopy {
            mailbox: self.mailbox.clone(),
            file: self.file.clone(),
            path: self.path.clone(),
            rule: self.rule.clone(),
            somebody_home: self.somebody_home,
            unchanged: self.unchanged,
            gone: self.gone,
            unsure: self.unsure.clone(),
            note: self.note.clone(),
            near: self.near.clone(),
            further: self.further.clone(),
            reader: self.reader.clone(),
        }
    }
}

impl Present for MailSendAnswer {
    fn present(&self, out: &mut Screen) {
        for copy in [self.own_copy()].into_iter().chain(self.copies.iter().cloned()) {
            let said = if copy.unchanged { "sent before" } else { "sent" };
            let head = [styled(Look::Good, said), " to ".into(), bold(copy.mailbox.as_str())];
            out.flow(0, 2, head.into_iter().chain([dim(format!(" as {} ({})", self.from, copy.reader))]));
            if let Some(unsure) = &copy.unsure {
                out.note(2, 2, unsure);
            }
            if let Some(note) = &copy.further {
                out.note(2, 2, note);
            }
            let path = &copy.path;
            let gone = if copy.gone { " (it is not there any more, and was not sent again)" } else { "" };
            out.line([dim(format!("  {path}{gone}"))]);
        }
    }
}
