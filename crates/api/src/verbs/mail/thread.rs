//! `mail thread`.

use super::list::{UnreadableFile, present_gaps, present_unreadable};
use super::message::MailMessage;
use crate::field_kinds;
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::mail::ConversationMessage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show a whole conversation, oldest first, across boxes and folders.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailThread {
    /// A thread_id, or a message in it: file, part of it, or box/file.
    #[schemars(extend("x-takes" = field_kinds::thread()))]
    pub thread: String,
}

/// The conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailThreadAnswer {
    /// The messages.
    pub messages: Vec<ThreadMessage>,
    /// Files that are no readable messages, in any box.
    pub unreadable: Vec<UnreadableFile>,
    /// Boxes that could not be looked at.
    pub gaps: Vec<String>,
}

/// A message of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ThreadMessage {
    /// What it says about itself.
    #[serde(flatten)]
    pub message: MailMessage,
    /// What it says.
    pub body: String,
}

impl From<ConversationMessage> for ThreadMessage {
    fn from(spoken: ConversationMessage) -> Self {
        Self { message: spoken.row.into(), body: spoken.body }
    }
}

impl Verb for MailThread {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        title: "Follow a conversation",
        when_to_use: "To read a whole conversation.",
        examples: &["brainstem mail thread 20260128T153000Z_ana_question.md"],
        ..VerbSpec::of(VerbId::MailThread)
    };
    type Output = MailThreadAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<MailThreadAnswer, Fault> {
        let found = cx.post().thread(&cx.reader()?, &self.thread)?;
        Ok(MailThreadAnswer {
            messages: found.messages.into_iter().map(ThreadMessage::from).collect(),
            unreadable: found.unreadable.into_iter().map(UnreadableFile::from).collect(),
            gaps: found.gaps,
        })
    }
}

impl Present for MailThreadAnswer {
    fn present(&self, out: &mut Screen) {
        for spoken in &self.messages {
            spoken.message.present(out);
            for line in spoken.body.lines() {
                out.line([format!("    {line}")]);
            }
        }
        present_unreadable(&self.unreadable, out);
        present_gaps(&self.gaps, out);
    }
}
