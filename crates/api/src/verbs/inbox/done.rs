//! `inbox done`.

use super::message::InboxMessage;
use crate::field_kinds;
use crate::screen::{Look, dim, name, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::inbox::FINISH_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finish messages: they are marked as processed by this session, on the ledger too.
///
/// All of them are checked before the first is marked. A message that another session of yours works on is refused.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxDone {
    /// The messages: their ids, or the first digits of each.
    #[arg(required = true, num_args = 1..)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::inbox_ids(FINISH_MAX)))]
    pub ids: Vec<String>,
}

/// What was finished.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxDoneAnswer {
    /// The messages as they are now.
    pub messages: Vec<DoneMessage>,
}

/// A message that was finished.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoneMessage {
    /// The message.
    #[serde(flatten)]
    pub message: InboxMessage,
    /// It had been finished before; the first mark stays.
    pub unchanged: bool,
}

impl Verb for InboxDone {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Finish messages of your inbox",
        when_to_use: "When you are done with messages.",
        examples: &["brainstem inbox done 3f2a9c1b", "brainstem inbox done 3f2a9c1b 77aa01fe"],
        ..VerbSpec::of(VerbId::InboxDone)
    };
    type Output = InboxDoneAnswer;

    fn run(self, cx: &Context) -> Result<InboxDoneAnswer, Fault> {
        let (post, caller) = (cx.post(), cx.caller()?);
        post.own_inbox(&caller)?;
        let ids = self.ids.iter().map(|id| post.inbox_id(id)).collect::<Result<Vec<_>, _>>()?;
        let names = post.reference_names(&caller)?;
        let done = post.finish_inbox(&caller, &ids)?.into_iter();
        let message = |done: brainstem_post::inbox::FinishedMessage| DoneMessage {
            message: InboxMessage::new(done.row, &names),
            unchanged: done.unchanged,
        };
        Ok(InboxDoneAnswer { messages: done.map(message).collect() })
    }
}

impl Present for InboxDoneAnswer {
    fn present(&self, out: &mut Screen) {
        for DoneMessage { message, unchanged } in &self.messages {
            let said = if *unchanged { "done before" } else { "done" };
            let by = match (unchanged, &message.processed_by_session) {
                (true, Some(session)) => format!("session {session}"),
                (true, None) | (false, _) => message.to_agent.clone(),
            };
            let rest = format!("  {}  by {by}", message.subject);
            out.flow(0, 2, [styled(Look::Good, said), " ".into(), name(message.short_id()), dim(rest)]);
        }
    }
}
