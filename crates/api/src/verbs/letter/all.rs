//! `letter all`: every letter within reach.

use super::super::row::{Gap, counted, present_gaps};
use super::{LetterCounts, LetterRow, UnreachableBox, present_left_out, present_unreachable, unreachable};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use brainstem_post::letters::{LetterEnd, LetterFilter, limits as rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Read the spool and every known box: each letter once, with its fate.
///
/// Known are the boxes of registered brains, of every project a caller was seen in, of the search roots in
/// projects.toml, and the medulla's. A box that cannot be reached is named, and so are letters that wait for a
/// project, letters that the hygiene floor keeps in the spool, and projects that have letters and no brain.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LetterAll {
    /// open, closed, or a fate: wet_ink, in_flight, fired_clay, external.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::one_of(&["open", "closed", "wet_ink", "in_flight", "fired_clay", "external"])))]
    pub state: Option<String>,
    /// Only this class.
    #[arg(long)]
    #[schemars(extend("x-rare" = true))]
    pub class: Option<String>,
    /// At most this many, newest first; default 50.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(rows::ROWS, rows::ROWS_DEFAULT)))]
    pub limit: Option<usize>,
}

/// What letters say.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterAllAnswer {
    /// The letters, newest first.
    pub letters: Vec<LetterRow>,
    /// Over all letters.
    pub counts: LetterCounts,
    /// Boxes and spools that could not be read.
    pub unreachable: Vec<UnreachableBox>,
    /// How many more letters there are of those asked for.
    pub left_out: usize,
    /// Letters that wait for a project that is not here.
    pub pending: Vec<PendingLetter>,
    /// Letters that the hygiene floor keeps in the spool.
    pub refused: Vec<RefusedLetter>,
    /// Letters that have a box and are not filed yet; distribute files them.
    pub unfiled: usize,
    /// Lines that are no letters; doctor names them.
    pub unreadable_lines: usize,
    /// Projects with letters and no brain.
    pub without_brain: Vec<String>,
    /// What could not be read, and may be missing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// A letter that waits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PendingLetter {
    /// The letter.
    pub id: String,
    /// The project, as the letter spells it.
    pub project: String,
    /// The projects that share the name, where that is why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub several: Vec<String>,
    /// The folder that is in no repository and has no brain, where that is why: `bootstrap` makes it a project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_project: Option<String>,
}

/// A letter that stays in the spool.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusedLetter {
    /// The letter.
    pub id: String,
    /// The rule that caught it.
    pub rule: String,
}

impl Verb for LetterAll {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "Sweep all letters",
        when_to_use: "To triage all letters, with their fates.",
        examples: &[
            "brainstem letter all --state open",
            "brainstem letter all --class memory_misdelivery --json",
        ],
        ..VerbSpec::of(VerbId::LetterAll)
    };
    type Output = LetterAllAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<LetterAllAnswer, Fault> {
        let filter = LetterFilter::parse(self.state.as_deref(), self.class, self.limit)?;
        let swept = cx.post().sweep_letters(&cx.reader()?, &filter)?;
        let (mut pending, mut refused) = (Vec::new(), Vec::new());
        for stuck in swept.stuck {
            match stuck.end {
                LetterEnd::Pending { spelled, several, plain } => pending.push(PendingLetter {
                    id: stuck.id.to_string(),
                    project: spelled,
                    several: several.iter().map(|root| root.display().to_string()).collect(),
                    no_project: plain.map(|folder| folder.display().to_string()),
                }),
                LetterEnd::Refused { rule } => {
                    refused.push(RefusedLetter { id: stuck.id.to_string(), rule: rule.to_owned() });
                }
                LetterEnd::Filed(_) | LetterEnd::Failed(_) => {}
            }
        }
        Ok(LetterAllAnswer {
            letters: swept.letters.into_iter().map(LetterRow::from).collect(),
            counts: swept.counts.into(),
            unreachable: unreachable(swept.unreachable),
            left_out: swept.left_out,
            pending,
            refused,
            unfiled: swept.unfiled,
            unreadable_lines: swept.unreadable,
            gaps: Vec::new(),
            without_brain: swept.without_brain.iter().map(|root| root.display().to_string()).collect(),
        })
    }
}

/// How many lines are no letters.
pub(crate) fn no_letters(lines: usize, out: &Screen) -> String {
    let are = if lines == 1 { "is no letter" } else { "are no letters" };
    format!("{} in the spool or a box {are}: {}", counted(lines, "line"), out.command(&calls::doctor()))
}

/// Shows letters that are filed nowhere.
pub(crate) fn present_stuck(pending: &[PendingLetter], refused: &[RefusedLetter], out: &mut Screen) {
    for letter in pending {
        let why = match letter.several.as_slice() {
            [] if letter.no_project.is_some() => {
                format!(
                    "is in no repository and has no brain; {} makes it a project",
                    out.command(&calls::bootstrap())
                )
            }
            [] => "is not on this machine".to_owned(),
            several => {
                let several = several.join(" and ");
                format!("is the name of {several}; {} says how to choose one", out.command(&calls::doctor()))
            }
        };
        let what = format!("{} waits: {:?} {why}", letter.id, letter.project);
        out.flow(0, 2, [styled(Look::Warn, "pending:"), " ".into(), what.into()]);
    }
    for letter in refused {
        let what = format!("{} stays in the spool, rule {}", letter.id, letter.rule);
        out.flow(0, 2, [styled(Look::Bad, "refused:"), " ".into(), what.into()]);
    }
}

impl Present for LetterAllAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.letters {
            row.present_about(out);
        }
        present_left_out(self.left_out, out);
        out.blank();
        let matching = self.letters.len() + self.left_out;
        out.line([bold(match matching < self.counts.total() {
            true => self.counts.words_of(matching),
            false => self.counts.words(),
        })]);
        present_stuck(&self.pending, &self.refused, out);
        if self.unfiled > 0 {
            let (letters, call) = (counted(self.unfiled, "letter"), out.command(&calls::letter_distribute()));
            let what = format!("{letters} not filed yet: {call}");
            out.line([dim(what)]);
        }
        if self.unreadable_lines > 0 {
            out.line([dim(no_letters(self.unreadable_lines, out))]);
        }
        for root in &self.without_brain {
            out.line([dim(format!("{root} has letters and no brain"))]);
        }
        present_unreachable(&self.unreachable, out);
        present_gaps(&self.gaps, out);
    }
}
