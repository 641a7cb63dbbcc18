//! `mail prune`.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, name, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::mail::{OthersBoxes, PruneRequest, Pruning};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Delete archived messages for good, in your boxes or in one, and say which.
///
/// Only what was made before `--older-than` and is in an archive goes. Broadcasts are for every session and stay, unless a
/// person says `--box __broadcast --force`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MailPrune {
    /// Made before: how long ago (30d), a day, or RFC 3339.
    #[arg(long, value_name = "TIME")]
    pub older_than: String,
    /// One box; default: yours.
    #[arg(id = "box", long = "box", value_name = "NAME")]
    #[serde(rename = "box")]
    #[schemars(extend("x-takes" = field_kinds::mail_name()))]
    pub mailbox: Option<String>,
    /// Only say what would go.
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Prune another's box, or broadcasts: for people, and recorded.
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

/// What went.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailPruneAnswer {
    /// The boxes in which something was there to prune, or could not be removed.
    pub boxes: Vec<PrunedBox>,
    /// What is wrong with boxes that could not be looked into.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<String>,
    /// What was left, and how it can be removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Nothing was removed: it was only asked.
    pub dry_run: bool,
    /// The box that was named.
    #[serde(skip)]
    named: Option<String>,
}

/// What went in one box.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PrunedBox {
    /// The box.
    pub mailbox: String,
    /// The messages.
    pub removed: Vec<String>,
    /// Files that are no messages, and so stay.
    pub unreadable: Vec<String>,
    /// What could not be removed, or was removed and is not confirmed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<String>,
}

impl Verb for MailPrune {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "it deletes for good" },
        toolset: Toolset::Mail,
        effect: Effect::Destructive,
        title: "Delete old mail",
        when_to_use: "To delete what was archived long ago.",
        examples: &[
            "brainstem mail prune --older-than 90d --dry-run",
            "brainstem mail prune --older-than 90d",
        ],
        ..VerbSpec::of(VerbId::MailPrune)
    };
    type Output = MailPruneAnswer;

    fn run(self, cx: &Context) -> Result<MailPruneAnswer, Fault> {
        let (dry_run, named) = (self.dry_run, self.mailbox.clone());
        let post = cx.post();
        let words = post.mail_words();
        let request = PruneRequest {
            older_than: words.older_than(&self.older_than)?,
            mailbox: words.mailbox(self.mailbox.as_deref())?,
            pruning: if dry_run { Pruning::DryRun } else { Pruning::Real },
            others: OthersBoxes::forced_if(self.force),
        };
        let done = post.prune_mail(&cx.caller()?, &request)?;
        let boxes = done.boxes.into_iter().map(|pruned| PrunedBox {
            mailbox: pruned.mailbox.to_string(),
            removed: pruned.pruned.files.iter().map(ToString::to_string).collect(),
            unreadable: pruned.pruned.unreadable,
            stuck: messages(pruned.pruned.stuck),
        });
        let (boxes, stuck, notes) = (boxes.collect(), messages(done.stuck), done.notes);
        Ok(MailPruneAnswer { boxes, stuck, notes: cx.door.render_all(&notes), dry_run, named })
    }
}

fn messages(faults: Vec<Fault>) -> Vec<String> {
    faults.into_iter().map(|fault| fault.message).collect()
}

impl Present for MailPruneAnswer {
    fn present(&self, out: &mut Screen) {
        if self.boxes.is_empty() {
            match &self.named {
                Some(named) => out.flow(0, 2, [format!("nothing archived in the box {named} is that old")]),
                None => out.flow(0, 2, ["nothing archived in your boxes is that old"]),
            }
        }
        for pruned in &self.boxes {
            let said = if self.dry_run { "would go" } else { "removed" };
            out.flow(
                0,
                2,
                [bold(pruned.mailbox.as_str()), dim(format!("  {} {said}", pruned.removed.len()))],
            );
            for file in &pruned.removed {
                out.line(["  ".into(), name(file.as_str())]);
            }
            for file in &pruned.unreadable {
                out.line([dim(format!("  stays, no readable message: {file}"))]);
            }
            for stuck in &pruned.stuck {
                out.flow(2, 4, [styled(Look::Warn, "stuck:"), " ".into(), stuck.as_str().into()]);
            }
        }
        for stuck in &self.stuck {
            out.flow(0, 2, [styled(Look::Warn, "stuck:"), " ".into(), stuck.as_str().into()]);
        }
        out.notes(&self.notes);
    }
}
