//! `inbox watch`.

use super::message::InboxMessage;
use crate::feed::{Begin, Cursor, Feed, FeedPage, Patience, WaitsOn};
use crate::{AnswerGaps, Context, Doors, Present, Screen, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::inbox::{FeedEventKind, InboxError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Duration;

/// Show messages of your inbox as they arrive, until you end it.
///
/// With `--json`, one document a line and message.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxWatch {
    /// Where to begin: the `next_cursor` of `inbox events`; by default with what arrives from now on.
    #[arg(long)]
    pub after: Option<u64>,
    /// Set once the first page said where the feed ended.
    #[arg(skip)]
    #[serde(skip)]
    begun: OnceLock<()>,
}

/// What arrived; the command line shows it and goes on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxNews {
    /// The messages.
    pub messages: Vec<InboxMessage>,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

impl Feed for InboxWatch {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "other doors have `inbox events`" },
        toolset: Toolset::Upkeep,
        title: "Watch your inbox",
        when_to_use: "To see what arrives on a terminal.",
        examples: &["brainstem inbox watch"],
        ..VerbSpec::of(VerbId::InboxWatch)
    };
    type Output = InboxNews;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn begin(&self) -> Result<Begin, Fault> {
        Ok(Begin { after: Cursor(self.after.unwrap_or(0)), patience: Patience::Follow })
    }

    fn page(&self, cx: &Context, after: Cursor) -> Result<FeedPage<InboxNews>, Fault> {
        self.page_of_other_process(cx, after, Duration::ZERO)
    }

    fn page_of_other_process(
        &self,
        cx: &Context,
        after: Cursor,
        at_most: Duration,
    ) -> Result<FeedPage<InboxNews>, Fault> {
        let (post, caller) = (cx.post(), cx.reader()?);
        let is_first = self.begun.set(()).is_ok() && self.after.is_none();
        // A home that has no inbox yet has no position: what comes first is shown from the start.
        let from = (after.0 > 0).then_some(after.0);
        // The first page only finds out where the feed ends.
        let wait = if is_first { Duration::ZERO } else { at_most };
        let page = post.wait_inbox_events(&caller, from, wait)?;
        if is_first {
            let answer = InboxNews { messages: Vec::new(), gaps: Vec::new() };
            let next = Cursor(page.tail);
            return Ok(FeedPage { answer, next, notes: Vec::new(), waits_on: Some(WaitsOn::OtherProcess) });
        }
        let names = post.reference_names(&caller)?;
        let mut messages = Vec::new();
        for event in page.events.iter().filter(|event| event.kind == FeedEventKind::Arrived) {
            match post.inbox_message(&caller, event.row) {
                Ok(row) => messages.push(InboxMessage::new(row, &names)),
                // It was redacted since.
                Err(InboxError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let waits_on = messages.is_empty().then_some(WaitsOn::OtherProcess);
        let answer = InboxNews { messages, gaps: Vec::new() };
        Ok(FeedPage { answer, next: Cursor(page.next_cursor), notes: Vec::new(), waits_on })
    }
}

impl Present for InboxNews {
    fn present(&self, out: &mut Screen) {
        for message in &self.messages {
            message.present(out);
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        let line = |message| serde_json::to_value(message).expect("plain data");
        Some(self.messages.iter().map(line).collect())
    }
}
