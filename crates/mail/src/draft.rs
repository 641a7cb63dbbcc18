//! A message that is about to be sent.

use crate::kind::{MessageKind, Priority};
use crate::limits::{SENT_LEN_MAX, SUBJECT_LEN_MAX, TAGS_MAX, WORD_LEN_MAX};
use crate::message::Message;
use crate::name::MailboxName;
use crate::scalar;
use brainstem_base::{Refusal, Timestamp, coded_by_refusal, codes};

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDraft {
    /// The sender.
    pub from: MailboxName,
    /// The recipient.
    pub to: MailboxName,
    /// What it is; never [`MessageKind::Other`].
    pub kind: MessageKind,
    /// When.
    pub timestamp: Timestamp,
    /// Whether the sender waits for a reply.
    pub needs_response: bool,
    /// How urgent it is.
    pub priority: Priority,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The file name of the message it replies to.
    pub in_reply_to: Option<String>,
    /// The conversation it belongs to.
    pub thread_id: Option<String>,
    /// When it expires.
    pub expires: Option<Timestamp>,
    /// What it is about.
    pub subject: String,
    /// Further keys, each with a text.
    pub extras: Vec<(&'static str, String)>,
    /// What it says.
    pub body: String,
}

/// Whether a message can be sent with this text as a tag or as the id of a conversation.
pub fn is_word(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= WORD_LEN_MAX
}

/// Why a draft cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftFault {
    /// The subject is over its limit.
    #[error("`subject` is longer than 300 bytes")]
    SubjectTooLong,
    /// The subject would break its line.
    #[error("`subject` has a line break or a control character")]
    SubjectNotOneLine,
    /// More tags than a message carries.
    #[error("`tag` is given more than 32 times")]
    TooManyTags,
    /// A tag that is blank or over its limit.
    #[error("`tag` is empty or longer than 200 bytes")]
    BadTag,
    /// The name of a message or of a conversation that is blank or over its limit.
    #[error("`{field}` is empty or longer than 200 bytes")]
    BadReference {
        /// The field that has it.
        field: &'static str,
    },
    /// The whole message is over its limit.
    #[error("the message would be larger than 1 MiB")]
    TooLarge,
}

impl DraftFault {
    fn refusal(&self) -> Refusal {
        let bad =
            |field: &str, fix: &str| Refusal::new(codes::INPUT_BAD_VALUE, fix).field(field).rule("MAIL-5");
        match self {
            Self::SubjectTooLong => bad("subject", "say it in one line; the rest belongs in `body`"),
            Self::SubjectNotOneLine => bad("subject", "say it in one line"),
            Self::TooManyTags => bad("tag", "use fewer tags"),
            Self::BadTag => bad("tag", "use a word, such as BUG-069"),
            Self::BadReference { field } => bad(field, "give the name of a message"),
            Self::TooLarge => {
                Refusal::new(codes::INPUT_TOO_LARGE, "put long text into a file and name its path")
                    .field("body")
                    .rule("MAIL-9")
            }
        }
    }
}

coded_by_refusal!(DraftFault);

impl MessageDraft {
    /// Refuses a message that no reader could use: texts over their limits, and a subject of several lines.
    pub fn check(&self) -> Result<(), DraftFault> {
        if self.subject.len() > SUBJECT_LEN_MAX {
            return Err(DraftFault::SubjectTooLong);
        }
        if self.subject.chars().any(char::is_control) {
            return Err(DraftFault::SubjectNotOneLine);
        }
        if self.tags.len() > TAGS_MAX {
            return Err(DraftFault::TooManyTags);
        }
        if self.tags.iter().any(|tag| !is_word(tag)) {
            return Err(DraftFault::BadTag);
        }
        let words = [("thread_id", &self.thread_id), ("in_reply_to", &self.in_reply_to)];
        for (field, word) in words {
            if word.as_ref().is_some_and(|word| !is_word(word)) {
                return Err(DraftFault::BadReference { field });
            }
        }
        if self.render().len() as u64 > SENT_LEN_MAX {
            return Err(DraftFault::TooLarge);
        }
        Ok(())
    }

    /// Whether a message has the same content as this draft, whenever either was sent: it recognises a send that is
    /// repeated under its key. The expiry is left out: it may be given as a duration from now, which the caller
    /// compares.
    pub fn says_the_same(&self, message: &Message) -> bool {
        let Message { head, .. } = message;
        let is_same_head = head.kind == self.kind
            && head.subject == self.subject
            && head.priority == self.priority
            && head.tags == self.tags
            && head.needs_response == self.needs_response
            && head.in_reply_to == self.in_reply_to
            && head.thread_id == self.thread_id;
        is_same_head && message.body().trim_end_matches('\n') == self.body.trim_end_matches('\n')
    }

    /// Returns the text of everything that [`says_the_same`](Self::says_the_same) compares. Two drafts with equal texts
    /// have the same content.
    pub fn compared_text(&self) -> String {
        let Self { kind, subject, priority, tags, needs_response, in_reply_to, thread_id, .. } = self;
        let body = self.body.trim_end_matches('\n');
        format!(
            "{kind:?} {subject:?} {priority:?} {tags:?} {needs_response} {in_reply_to:?} {thread_id:?} {body:?}"
        )
    }

    /// The file's text, keys in the order of MAIL-7a.
    pub fn render(&self) -> String {
        let mut text = String::from("---\n");
        let mut line = |key: &str, value: String| text.push_str(&format!("{key}: {value}\n"));
        line("from", scalar::write(self.from.as_str()));
        line("to", scalar::write(self.to.as_str()));
        line("type", scalar::write(self.kind.as_str()));
        // A time is written without quotes, so that YAML reads it as one.
        line("timestamp", self.timestamp.to_rfc3339());
        line("needs_response", self.needs_response.to_string());
        line("priority", self.priority.as_str().to_owned());
        line("tags", scalar::write_list(&self.tags));
        for (key, value) in [("in_reply_to", &self.in_reply_to), ("thread_id", &self.thread_id)] {
            if let Some(value) = value {
                line(key, scalar::write(value));
            }
        }
        if let Some(expires) = self.expires {
            line("expires", expires.to_rfc3339());
        }
        line("subject", scalar::write(&self.subject));
        for (key, value) in &self.extras {
            line(key, scalar::write(value));
        }
        text.push_str("---\n\n");
        text.push_str(&self.body);
        if !self.body.is_empty() && !self.body.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}
