//! `mail mark-read`.

use super::finish::{MailMovedAnswer, MessageToFinish};
use crate::{Context, Effect, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::Deserialize;

/// Say that you are done with a message: it goes to `read/`, stamped with the time.
///
/// A broadcast stays for the others and is only gone for you.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailMarkRead {
    #[command(flatten)]
    #[serde(flatten)]
    message: MessageToFinish,
}

impl Verb for MailMarkRead {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Be done with a message",
        when_to_use: "When you are done with a message.",
        examples: &["brainstem mail mark-read 20260128T153000Z_ana_task.md"],
        ..VerbSpec::of(VerbId::MailMarkRead)
    };
    type Output = MailMovedAnswer;

    fn run(self, cx: &Context) -> Result<MailMovedAnswer, Fault> {
        let request = self.message.request(cx)?;
        Ok(cx.post().mark_read(&cx.caller()?, &request)?.into())
    }
}
