//! `live send`.

use crate::field_kinds;
use crate::refusal::{advice_from_process, parts_for_process};
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Door, DoorKind, Effect, LongText, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_mail::name::BROADCAST;
use brainstem_post::live::{LiveRequest, MailCopyRule, NamedTarget, TargetReach};
use brainstem_post::mail::{MessageKind, Priority, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// Send to sessions that are online now. The answer names those that it reached.
///
/// If none is online it is sent as mail instead. Without `--persist`, what was sent live is lost when
/// the daemon ends.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct LiveSend {
    /// A session, tag or agent, session:NAME, tag:NAME, everyone, worktree:PATH or parent.
    #[arg(long)]
    #[serde(deserialize_with = "crate::field_forms::target")]
    #[schemars(schema_with = "crate::field_forms::target_schema")]
    #[schemars(extend("x-takes" = field_kinds::live_target()))]
    pub target: String,
    /// What it says.
    #[arg(long)]
    pub body: Option<String>,
    /// What it is about, in one line.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::subject()))]
    pub subject: Option<String>,
    /// A type of mail; default task.
    #[arg(id = "type", long = "type")]
    #[serde(rename = "type")]
    #[schemars(extend("x-takes" = field_kinds::message_type()))]
    pub kind: Option<String>,
    /// It cannot wait.
    #[arg(long)]
    #[serde(default)]
    pub urgent: bool,
    /// Write it as mail too; a session that got it live is not shown it again.
    #[arg(long)]
    #[serde(default)]
    pub persist: bool,
    /// Reach sessions of other projects as well.
    #[arg(long)]
    #[serde(default)]
    pub everywhere: bool,
}

/// A subject or a body.
fn together() -> Value {
    json!({ "anyOf": [field_kinds::says("subject"), field_kinds::says("body")] })
}

/// What became of it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct LiveSendAnswer {
    /// Its sender.
    pub from: String,
    /// The sessions that are online and have it.
    pub recipients: Vec<String>,
    /// The mail files that were written.
    pub mailed: Vec<MailedCopy>,
    /// A daemon carries the live channel to this call; without one no session can be online.
    pub daemon: bool,
}

/// A mail file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MailedCopy {
    /// The box.
    pub mailbox: String,
    /// The file.
    pub file: String,
    /// Its readers: session, session_not_tag (a session and a tag have this name), tag, agent, broadcast, or future
    /// (no session has this name yet).
    #[serde(default)]
    pub rule: String,
    /// If no session here has the name: that, and the names that were perhaps meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The parts of the note, for a command line that a daemon answers for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    note_parts: Vec<Value>,
}

impl MailedCopy {
    /// A copy whose note a daemon wrote, in the words of this door.
    fn in_words_of(mut self, door: Door) -> Self {
        let parts = std::mem::take(&mut self.note_parts);
        if !parts.is_empty() {
            self.note = Some(door.render(&advice_from_process(&parts)));
        }
        self
    }
}

impl Verb for LiveSend {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Live,
        effect: Effect::Write,
        idempotent: false,
        title: "Reach who is online",
        when_to_use: "To coordinate at once with sessions that are online; what must not be lost is mail.",
        long_text: &[LongText { field: "body", file: "body-file" }],
        examples: &[
            "brainstem live send --target tag:worker --body \"Stop pushing, the build is red.\"",
            "brainstem live send --target w1 --persist --body-file task.md",
        ],
        ..VerbSpec::of(VerbId::LiveSend)
    };
    type Output = LiveSendAnswer;

    fn run(self, cx: &Context) -> Result<LiveSendAnswer, Fault> {
        if let Some(answer) = cx.asked_live::<LiveSendAnswer>(Self::SPEC.path(), &self, Duration::ZERO)? {
            let mailed = answer.mailed.into_iter().map(|copy| copy.in_words_of(cx.door)).collect();
            return Ok(LiveSendAnswer { mailed, ..answer });
        }
        let request = LiveRequest {
            target: NamedTarget::parse(&self.target)?,
            kind: self.kind.as_deref().map_or(Ok(MessageKind::Task), words::kind)?,
            subject: self.subject.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            priority: if self.urgent { Priority::Urgent } else { Priority::Normal },
            mail: if self.persist { MailCopyRule::Always } else { MailCopyRule::IfNobodyIsOnline },
            scope: if self.everywhere { TargetReach::Everywhere } else { TargetReach::Project },
        };
        let sent = cx.post().live_send(&cx.caller()?, cx.hub(), &request)?;
        let is_in_parts =
            cx.offers.asked_through.is_some_and(|door| matches!(door.way(), DoorKind::CommandLine(_)));
        let copy = |copy: brainstem_post::live::LiveMailCopy| MailedCopy {
            note_parts: copy.note.as_ref().filter(|_| is_in_parts).map(parts_for_process).unwrap_or_default(),
            mailbox: copy.mailbox.to_string(),
            file: copy.file,
            rule: copy.rule.as_str().to_owned(),
            note: copy.note.map(|note| cx.told(&note)),
        };
        Ok(LiveSendAnswer {
            from: sent.from.to_string(),
            recipients: sent.recipients.iter().map(|to| to.name.to_string()).collect(),
            mailed: sent.mailed.into_iter().map(copy).collect(),
            daemon: sent.has_daemon,
        })
    }
}

impl Present for LiveSendAnswer {
    fn present(&self, out: &mut Screen) {
        match (self.recipients.as_slice(), self.daemon) {
            ([], false) => {
                out.line(["no daemon carries a live channel here, so nobody is online: it was sent as mail"])
            }
            ([], true) => {
                let to: Vec<&str> = self.mailed.iter().map(|copy| copy.mailbox.as_str()).collect();
                match to.as_slice() {
                    [] | [BROADCAST] => out.line(["nobody else is online: it was sent as mail"]),
                    names => out.line([format!("{} is not online: it was sent as mail", names.join(", "))]),
                }
            }
            (names, _) => out.flow(0, 2, [styled(Look::Good, "reached"), " ".into(), bold(names.join(", "))]),
        }
        for copy in &self.mailed {
            out.line([dim(format!("  mail {}/{}", copy.mailbox, copy.file))]);
            if let Some(note) = &copy.note {
                out.note(0, 2, note);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(mailbox: &str, rule: &str) -> String {
        let note = (rule == "future").then(|| format!("no session, tag or agent here is called {mailbox}"));
        let copy = MailedCopy {
            mailbox: mailbox.into(),
            file: "f.md".into(),
            rule: rule.into(),
            note,
            note_parts: Vec::new(),
        };
        let from = "codex.maker".into();
        let answer = LiveSendAnswer { from, recipients: Vec::new(), mailed: vec![copy], daemon: true };
        let mut out = Screen::plain();
        answer.present(&mut out);
        out.into_string()
    }

    #[test] // spec: MAIL-17
    fn a_target_that_is_not_online_is_named() {
        let told = shown("w8", "session");
        assert!(told.starts_with("w8 is not online: it was sent as mail"), "{told}");
        assert!(!told.contains("note:"), "{told}");
        let told = shown("w9", "future");
        assert!(told.contains("note: no session, tag or agent here is called w9"), "{told}");
        assert!(shown(BROADCAST, "broadcast").starts_with("nobody else is online"));
    }
}
