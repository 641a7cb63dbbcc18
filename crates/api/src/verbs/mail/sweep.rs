//! `mail sweep`.

use crate::screen::{Look, bold, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tidy every box: messages whose time has passed go to the archive, what was held too long comes back,
/// leftovers of crashes go.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailSweep {}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailSweepAnswer {
    /// The boxes in which something was done.
    pub boxes: Vec<SweptBox>,
    /// What could not be done to the mail root as a whole.
    pub stuck: Vec<String>,
    /// Sessions that were not seen for a month, and are no longer on record.
    pub sessions_forgotten: usize,
}

/// What was done in one box.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SweptBox {
    /// The box.
    pub mailbox: String,
    /// Messages that came back.
    pub given_back: Vec<String>,
    /// Messages whose time had passed, now in the archive.
    pub expired: Vec<String>,
    /// Messages whose move was cut off and is finished now.
    pub completed: Vec<String>,
    /// Leftovers that were removed.
    pub temporary_files: usize,
    /// What could not be done.
    pub stuck: Vec<String>,
}

impl Verb for MailSweep {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "it tidies the boxes of everybody" },
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Tidy the boxes",
        when_to_use: "Now and then, where no daemon runs.",
        examples: &["brainstem mail sweep"],
        ..VerbSpec::of(VerbId::MailSweep)
    };
    type Output = MailSweepAnswer;

    fn run(self, cx: &Context) -> Result<MailSweepAnswer, Fault> {
        let done = cx.post().sweep_mail(&cx.caller()?)?;
        let names = |files: Vec<brainstem_mail::FileName>| files.iter().map(ToString::to_string).collect();
        let boxes = done.boxes.into_iter().map(|swept| SweptBox {
            mailbox: swept.mailbox.to_string(),
            given_back: names(swept.swept.given_back),
            expired: names(swept.swept.expired),
            completed: names(swept.swept.completed),
            temporary_files: swept.swept.temps,
            stuck: swept.swept.stuck,
        });
        let (boxes, stuck) = (boxes.collect(), done.stuck);
        Ok(MailSweepAnswer { boxes, stuck, sessions_forgotten: done.sessions_forgotten })
    }
}

impl Present for MailSweepAnswer {
    fn present(&self, out: &mut Screen) {
        if self.boxes.is_empty() && self.stuck.is_empty() {
            out.line(["nothing to do"]);
        }
        for swept in &self.boxes {
            let done = [
                (swept.given_back.len(), "came back"),
                (swept.expired.len(), "expired"),
                (swept.completed.len(), "completed"),
                (swept.temporary_files, "leftovers removed"),
            ];
            let done: Vec<String> =
                done.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
            out.flow(0, 2, [bold(swept.mailbox.as_str()), format!("  {}", done.join(", ")).into()]);
            for stuck in &swept.stuck {
                out.flow(2, 4, [styled(Look::Warn, "stuck:"), " ".into(), stuck.as_str().into()]);
            }
        }
        for stuck in &self.stuck {
            out.flow(0, 2, [styled(Look::Warn, "stuck:"), " ".into(), stuck.as_str().into()]);
        }
    }
}
