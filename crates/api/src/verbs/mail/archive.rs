//! `mail archive`.

use super::finish::{MailMovedAnswer, MessageToFinish};
use crate::{Context, Effect, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::Deserialize;

/// Archive a message, from whichever folder of its box. A broadcast is archived by its sender.
///
/// A message of yours that is still unread in the box of another is yours to archive too: that takes it back.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailArchive {
    #[command(flatten)]
    #[serde(flatten)]
    message: MessageToFinish,
}

impl Verb for MailArchive {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Archive a message",
        when_to_use: "When a message is history.",
        examples: &["brainstem mail archive 20260128T153000Z_ana_task.md"],
        ..VerbSpec::of(VerbId::MailArchive)
    };
    type Output = MailMovedAnswer;

    fn run(self, cx: &Context) -> Result<MailMovedAnswer, Fault> {
        let request = self.message.request(cx)?;
        Ok(cx.post().archive(&cx.caller()?, &request)?.into())
    }
}
