//! `letter distribute`: each letter into its box.

use super::super::row::counted;
use super::all::{PendingLetter, RefusedLetter, no_letters, present_stuck};
use super::{UnreachableBox, present_unreachable, unreachable};
use crate::screen::{Look, bold, dim, styled};
use crate::wire::Exit;
use crate::{Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use brainstem_post::letters::{Filing, LetterEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// File each letter of the spool in the box of the project it is about.
///
/// A box is `.brainstem/inbox.jsonl` of a repository; letters about no project go to the medulla's, in the home.
/// The spool keeps everything. A letter whose project is not on this machine waits for the next run, one with a
/// credential stays in the spool, and a second run changes nothing. Names that are no folder get one in
/// projects.toml of the home.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LetterDistribute {
    /// Say what would happen, and change nothing.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub dry_run: bool,
}

/// What was distributed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterDistributeAnswer {
    /// Letters that went into a box.
    pub filed: usize,
    /// Letters that wait for a project that is not here.
    pub pending: usize,
    /// Letters that the hygiene floor keeps in the spool.
    pub refused: usize,
    /// Letters that were in their boxes already.
    pub unchanged: usize,
    /// Letters whose box could not be written; they stay in the spool.
    pub failed: usize,
    /// Whether this is what would happen.
    pub dry_run: bool,
    /// How many letters went into each box.
    pub boxes: BTreeMap<String, usize>,
    /// Boxes that this run made in repositories and that git sees: they are committed with their project, unless
    /// `init --private` keeps `.brainstem` out of git there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_in_git: Vec<String>,
    /// The letters that wait.
    pub pending_letters: Vec<PendingLetter>,
    /// The letters that stay.
    pub refused_letters: Vec<RefusedLetter>,
    /// Boxes that could not be read or written.
    pub unreachable: Vec<UnreachableBox>,
    /// Lines that are no letters.
    pub unreadable_lines: usize,
}

impl Job for LetterDistribute {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Distribute letters",
        when_to_use: "After writing letters: files each with its project.",
        examples: &["brainstem letter distribute --dry-run", "brainstem letter distribute"],
        ..VerbSpec::of(VerbId::LetterDistribute)
    };
    type Output = LetterDistributeAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<LetterDistributeAnswer, Fault> {
        let filing = if self.dry_run { Filing::DryRun } else { Filing::Real };
        let done = cx.post().distribute(&cx.reader()?, filing, &|done, total| steps.report(done, total))?;
        let mut answer = LetterDistributeAnswer {
            filed: done.count(|end| matches!(end, LetterEnd::Filed(_))),
            pending: done.count(|end| matches!(end, LetterEnd::Pending { .. })),
            refused: done.count(|end| matches!(end, LetterEnd::Refused { .. })),
            unchanged: done.unchanged,
            failed: done.count(|end| matches!(end, LetterEnd::Failed(_))),
            dry_run: self.dry_run,
            boxes: BTreeMap::new(),
            pending_letters: Vec::new(),
            refused_letters: Vec::new(),
            new_in_git: done.exposed.iter().map(|path| path.display().to_string()).collect(),
            unreachable: unreachable(done.unreachable),
            unreadable_lines: done.unreadable,
        };
        for letter in done.letters {
            let id = letter.id.to_string();
            match letter.end {
                LetterEnd::Filed(path) => *answer.boxes.entry(path.display().to_string()).or_default() += 1,
                LetterEnd::Pending { spelled, several, plain } => {
                    answer.pending_letters.push(PendingLetter {
                        id,
                        project: spelled,
                        several: several.iter().map(|root| root.display().to_string()).collect(),
                        no_project: plain.map(|folder| folder.display().to_string()),
                    })
                }
                LetterEnd::Refused { rule } => {
                    answer.refused_letters.push(RefusedLetter { id, rule: rule.to_owned() });
                }
                LetterEnd::Failed(_) => {}
            }
        }
        Ok(answer)
    }
}

impl Present for LetterDistributeAnswer {
    fn present(&self, out: &mut Screen) {
        let head = if self.dry_run { "would file " } else { "filed " };
        let what = format!("{}, {} unchanged", counted(self.filed, "letter"), self.unchanged);
        out.flow(0, 2, [styled(Look::Good, head), bold(what)]);
        if self.failed > 0 {
            let what = format!("{} cannot be filed: see the boxes below", counted(self.failed, "letter"));
            out.line([styled(Look::Bad, what)]);
        }
        for (path, count) in &self.boxes {
            out.flow(2, 4, [path.as_str().into(), dim(format!("  {}", counted(*count, "letter")))]);
        }
        for path in &self.new_in_git {
            // The box is mostly another project's: without its root the call would change the caller's.
            let root = Path::new(path).ancestors().nth(2);
            let private = calls::init_private();
            let call =
                root.map_or_else(|| private.clone(), |root| private.clone().at(root.to_string_lossy()));
            let call = out.command(&call);
            let what = format!(
                "{path} is new, and git sees it: letters are committed with their project, unless {call} keeps .brainstem out of git there"
            );
            out.note(0, 2, what);
        }
        present_stuck(&self.pending_letters, &self.refused_letters, out);
        if self.unreadable_lines > 0 {
            out.line([dim(no_letters(self.unreadable_lines, out))]);
        }
        present_unreachable(&self.unreachable, out);
    }

    /// A box that could not be written ends like a refusal, so that a script notices.
    fn exit(&self) -> Exit {
        if self.failed == 0 { Exit::Done } else { Exit::Refused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-4, LTR-5
    fn what_keeps_a_box_out_of_git_names_the_project_of_the_box() {
        let answer = LetterDistributeAnswer {
            filed: 1,
            pending: 0,
            refused: 0,
            unchanged: 0,
            failed: 0,
            dry_run: false,
            boxes: BTreeMap::new(),
            new_in_git: vec!["/src/plum/.brainstem/inbox.jsonl".to_owned()],
            pending_letters: Vec::new(),
            refused_letters: Vec::new(),
            unreachable: Vec::new(),
            unreadable_lines: 0,
        };
        let mut out = Screen::plain();
        answer.present(&mut out);
        let text = out.into_string();
        assert!(text.contains("unless brainstem init --private --root /src/plum keeps"), "{text}");
    }
}
