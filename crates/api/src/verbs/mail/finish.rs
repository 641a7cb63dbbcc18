//! A message that its reader is done with: what `mail mark-read` and `mail archive` take and answer.

use crate::field_kinds;
use crate::screen::{Look, dim, name, styled};
use crate::{Context, Present, Screen};
use brainstem_base::Fault;
use brainstem_post::mail::{FinishRequest, MovedMessage, OthersBoxes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// Without documentation: it would take the place of the verbs' own.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub(super) struct MessageToFinish {
    /// The message: its name, a part of it that no other has, or box/file.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::message_file()))]
    file: String,
    /// Its box; default: yours.
    #[arg(id = "box", long = "box", value_name = "NAME")]
    #[serde(rename = "box")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::mail_name()))]
    mailbox: Option<String>,
    /// Do it in another's box: for people, and recorded.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    force: bool,
}

impl MessageToFinish {
    /// The message as a use case takes it.
    pub(super) fn request(&self, cx: &Context) -> Result<FinishRequest, Fault> {
        let words = cx.post().mail_words();
        Ok(FinishRequest {
            file: words.message(&self.file)?,
            mailbox: words.mailbox(self.mailbox.as_deref())?,
            others: OthersBoxes::forced_if(self.force),
        })
    }
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
        out.notes(&self.notes);
    }
}
