//! `mail mark-read`.

use crate::field_kinds;
use crate::screen::{Look, dim, name, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::mail::{FinishRequest, MovedMessage, OthersBoxes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Say that you are done with a message: it goes to `read/`, stamped with the time.
///
/// A broadcast stays for the others and is only gone for you.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailMarkRead {
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

/// Where the message is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailMovedAnswer {
    /// Its name.
    pub file: String,
    /// The box.
    pub mailbox: String,
    /// unread (a broadcast), read or archive.
    pub folder: String,
    /// Its path.
    pub path: String,
    /// It was there, or further, before.
    pub unchanged: bool,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl From<MovedMessage> for MailMovedAnswer {
    fn from(done: MovedMessage) -> Self {
        Self {
            file: done.file.to_string(),
            mailbox: done.mailbox.to_string(),
            folder: done.folder.as_str().to_owned(),
            path: done.path.display().to_string(),
            unchanged: done.unchanged,
            notes: done
                .unstamped
                .map(|why| format!("when it was read is not noted in it: {why}; repeat to note it"))
                .into_iter()
                .collect(),
        }
    }
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
        let post = cx.post();
        let words = post.mail_words();
        let request = FinishRequest {
            file: words.message(&self.file)?,
            mailbox: words.mailbox(self.mailbox.as_deref())?,
            others: OthersBoxes::forced_if(self.force),
        };
        Ok(post.mark_read(&cx.caller()?, &request)?.into())
    }
}

impl Present for MailMovedAnswer {
    fn present(&self, out: &mut Screen) {
        let said = match (self.folder.as_str(), self.unchanged) {
            ("unread", false) => "seen",
            ("unread", true) => "seen before",
            (folder, false) => folder,
            ("read", true) => "read before",
            (_, true) => "archived before",
        };
        out.flow(0, 2, [styled(Look::Good, said), " ".into(), name(self.file.as_str())]);
        out.line([dim(format!("  {}", self.path))]);
        for note in &self.notes {
            out.flow(0, 2, [styled(Look::Warn, "note:"), " ".into(), note.as_str().into()]);
        }
    }
}
