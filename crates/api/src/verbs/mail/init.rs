//! `mail init`.

use crate::screen::{Look, dim, styled};
use crate::{Context, Doors, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Make the mail root of this project, and say whether git may commit it.
///
/// The first message makes it too, and then git leaves it alone. With `--commit-mail` messages can be
/// committed: what is there is looked through for credentials before, and every message when it is sent.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailInit {
    /// Let git commit messages.
    #[arg(long)]
    #[serde(default)]
    pub commit_mail: bool,
}

/// The mail root.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailInitAnswer {
    /// Its path.
    pub path: String,
    /// Git may commit it.
    pub committed: bool,
}

impl Verb for MailInit {
    const SPEC: VerbSpec = VerbSpec {
        id: "mail_init",
        cli: &["mail", "init"],
        rest: (Method::Post, "/api/mail/init"),
        doors: Doors::CommandLine { why: "whether messages are committed is for people to say" },
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: true,
        long: false,
        title: "Make the mail root",
        when_to_use: "To let messages be committed.",
        long_text: &[],
        examples: &["brainstem mail init", "brainstem mail init --commit-mail"],
    };
    type Output = MailInitAnswer;

    fn run(self, cx: &Context) -> Result<MailInitAnswer, Fault> {
        let (path, committed) = cx.post().init_mail(&cx.caller()?, self.commit_mail)?;
        Ok(MailInitAnswer { path: path.display().to_string(), committed })
    }
}

impl Present for MailInitAnswer {
    fn present(&self, out: &mut Screen) {
        let said = if self.committed { "git may commit it" } else { "git leaves it alone" };
        out.flow(0, 2, [styled(Look::Good, "ready"), format!(" {said}").into()]);
        out.line([dim(format!("  {}", self.path))]);
    }
}
