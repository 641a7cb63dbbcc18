//! `mail init`.

use crate::screen::{Look, dim, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::mail::{MailSharing, MessageCount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Make the mail root of this project, and say whether git may commit it.
///
/// The first message makes it too, and then git leaves it alone. With `--commit-mail` messages can be
/// committed: what is there is looked through for credentials before, and every message when it is sent.
/// `--private-mail` takes that back: git leaves new messages alone, and what was committed stays in its
/// history.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailInit {
    /// Let git commit messages.
    #[arg(long)]
    #[serde(default)]
    pub commit_mail: bool,
    /// Let git commit messages no more.
    #[arg(long, conflicts_with = "commit_mail")]
    #[serde(default)]
    pub private_mail: bool,
}

/// The mail root.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailInitAnswer {
    /// Its path.
    pub path: String,
    /// Git may commit it.
    pub committed: bool,
    /// Messages that were here before git could commit them; absent if git cannot, or could before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessagesCommitted>,
    /// What is left to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How many messages git can commit from now on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MessagesCommitted {
    /// Messages that wait.
    pub unread: usize,
    /// Messages that were read.
    pub read: usize,
    /// Messages in the archive.
    pub archived: usize,
}

impl From<MessageCount> for MessagesCommitted {
    fn from(count: MessageCount) -> Self {
        let MessageCount { unread, read, archived } = count;
        Self { unread, read, archived }
    }
}

impl Verb for MailInit {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "whether messages are committed is for people to say" },
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Make the mail root",
        when_to_use: "To let messages be committed.",
        examples: &[
            "brainstem mail init",
            "brainstem mail init --commit-mail",
            "brainstem mail init --private-mail",
        ],
        ..VerbSpec::of(VerbId::MailInit)
    };
    type Output = MailInitAnswer;

    fn run(self, cx: &Context) -> Result<MailInitAnswer, Fault> {
        let sharing = match (self.commit_mail, self.private_mail) {
            (true, _) => MailSharing::Committed,
            (false, true) => MailSharing::Private,
            (false, false) => MailSharing::AsItIs,
        };
        let ready = cx.post().init_mail(&cx.caller()?, sharing)?;
        let (path, committed, notes) = (ready.path.display().to_string(), ready.committed, ready.notes);
        let messages = ready.messages.map(MessagesCommitted::from);
        Ok(MailInitAnswer { path, committed, messages, notes: cx.door.render_all(&notes) })
    }
}

impl Present for MailInitAnswer {
    fn present(&self, out: &mut Screen) {
        let said = if self.committed { "git may commit it" } else { "git leaves it alone" };
        out.flow(0, 2, [styled(Look::Good, "ready"), format!(" {said}").into()]);
        out.line([dim(format!("  {}", self.path))]);
        out.notes(&self.notes);
    }
}
