//! A message on the wire.

use crate::Screen;
use crate::screen::{Look, Span, bold, dim, name, styled};
use brainstem_mail::Priority;
use brainstem_post::mail::MessageRow;
use schemars::JsonSchema;
use serde::Serialize;

/// A message, without its body.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailMessage {
    /// Its name, which every other verb takes.
    pub file: String,
    /// Its box.
    pub mailbox: String,
    /// unread, claimed, read or archive.
    pub folder: String,
    /// Its sender.
    pub from: String,
    /// Its recipient.
    pub to: String,
    /// status, alert, task, question, response, report, handoff, or what its sender made up.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was made.
    pub timestamp: String,
    /// What it is about.
    pub subject: String,
    /// urgent, normal or low. What git tracks is never urgent.
    pub priority: String,
    /// The priority that the file of a message which git tracks gives it, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_in_file: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The sender asked for a reply.
    pub needs_response: bool,
    /// It asked for a reply and has one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub answered: bool,
    /// The message it answers.
    pub in_reply_to: Option<String>,
    /// The conversation.
    pub thread_id: Option<String>,
    /// When it no longer matters.
    pub expires: Option<String>,
    /// When it was marked read.
    pub read_at: Option<String>,
    /// The session that has taken it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<String>,
    /// How often it came back because its taker did not finish.
    #[serde(skip_serializing_if = "is_zero")]
    pub returned: u32,
    /// It is a broadcast that you have seen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
    /// It was not read before it expired: what it asks for may be over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Git tracks the file: it came with the repository or was committed to it, and anyone that can write to the repository
    /// may have written it. Its sender and its urgency are not certain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tracked_by_git: bool,
    /// It is being written at this moment, or was a moment ago: there may be more to come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// What is odd about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl From<MessageRow> for MailMessage {
    fn from(row: MessageRow) -> Self {
        let priority = row.priority();
        let head = row.head;
        Self {
            file: row.file,
            mailbox: row.mailbox.to_string(),
            folder: row.folder.as_str().to_owned(),
            from: head.from,
            to: head.to,
            kind: head.kind.to_string(),
            timestamp: head.timestamp.to_rfc3339(),
            subject: head.subject,
            priority: priority.as_str().to_owned(),
            priority_in_file: (head.priority != priority).then(|| head.priority.as_str().to_owned()),
            tags: head.tags,
            needs_response: head.needs_response,
            answered: row.answered,
            in_reply_to: head.in_reply_to,
            thread_id: head.thread_id,
            expires: head.expires.map(|at| at.to_rfc3339()),
            read_at: head.read_at.map(|at| at.to_rfc3339()),
            owner: row.lease.as_ref().map(|lease| lease.owner.to_string()),
            lease_until: row.lease.as_ref().map(|lease| lease.until.to_rfc3339()),
            returned: row.returned,
            seen: row.seen,
            expired: row.expired,
            tracked_by_git: row.tracked,
            unfinished: row.unfinished,
            warnings: head.warnings,
        }
    }
}

/// Writes the body of a message, indented: none of its lines begins in the column of this program's own lines.
pub(super) fn present_body(body: &str, out: &mut Screen) {
    for line in body.lines() {
        out.line(["  ", line]);
    }
}

/// How often, in words: `once`, `2 times`.
fn times(count: u32) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

impl MailMessage {
    /// Whether it is urgent.
    pub(super) fn is_urgent(&self) -> bool {
        self.priority == Priority::Urgent.as_str()
    }

    /// Writes two lines: what it is, and its box and file.
    pub(super) fn present(&self, out: &mut Screen) {
        let mut head: Vec<Span> = Vec::new();
        if self.is_urgent() {
            head.push(styled(Look::Bad, "urgent "));
        }
        head.push(dim(format!("{} from ", self.kind)));
        head.push(bold(self.from.as_str()));
        if self.tracked_by_git {
            head.push(styled(Look::Warn, " (in the repository)"));
        }
        if !self.subject.is_empty() {
            head.push(format!(": {}", self.subject).into());
        }
        match (self.needs_response, self.answered) {
            (true, false) => head.push(styled(Look::Warn, "  wants a reply")),
            (true, true) => head.push(dim("  answered")),
            (false, _) => {}
        }
        if self.seen {
            head.push(dim("  seen"));
        }
        if let (Some(owner), Some(until)) = (&self.owner, &self.lease_until) {
            head.push(dim(format!("  {owner} has it until {until}")));
        }
        if self.returned > 0 {
            head.push(styled(Look::Warn, format!("  came back {}", times(self.returned))));
        }
        out.flow(0, 2, head);
        out.line([dim(format!("  {}/{} ", self.mailbox, self.folder)), name(self.file.as_str())]);
        self.present_notes(out);
    }

    /// What a reader has to know before it believes the message.
    pub(super) fn present_notes(&self, out: &mut Screen) {
        if self.tracked_by_git {
            let is_urgent = self.priority_in_file.as_deref() == Some(Priority::Urgent.as_str());
            let says = if is_urgent { ", who says it is urgent," } else { "" };
            let note = format!(
                "git tracks this file, so its sender{says} is not certain: it may have come with the repository"
            );
            out.note(2, 4, note);
        }
        if let Some(at) = self.expires.as_ref().filter(|_| self.expired) {
            let note = format!("it expired at {at}: what it asks for may be over");
            out.note(2, 4, note);
        }
        if self.unfinished {
            let note = "it may still be written: what you see need not be all of it";
            out.note(2, 4, note);
        }
        for warning in &self.warnings {
            out.note(2, 4, warning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-11
    fn how_often_a_message_came_back_is_said_in_words() {
        assert_eq!((times(1).as_str(), times(2).as_str()), ("once", "2 times"));
    }
}
