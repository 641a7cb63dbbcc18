//! `mail archive`.

use super::mark_read::MailMovedAnswer;
use crate::field_kinds;
use crate::{Context, Effect, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::mail::{FinishRequest, OthersBoxes};
use schemars::JsonSchema;
use serde::Deserialize;

/// Archive a message, from whichever folder of its box. A broadcast is archived by its sender.
///
/// A message of yours that is still unread in the box of another is yours to archive too: that takes it back.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailArchive {
    /// The message: its name, a part of it that no other has, or box/file.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::message_file()))]
    pub file: String,
    /// Its box; default: yours.
    #[arg(id = "box", long = "box", value_name = "NAME")]
    #[serde(rename = "box")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::mail_name()))]
    pub mailbox: Option<String>,
    /// Do it in another's box: for people, and recorded.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub force: bool,
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
        let post = cx.post();
        let words = post.mail_words();
        let request = FinishRequest {
            file: words.message(&self.file)?,
            mailbox: words.mailbox(self.mailbox.as_deref())?,
            others: OthersBoxes::forced_if(self.force),
        };
        Ok(post.archive(&cx.caller()?, &request)?.into())
    }
}
