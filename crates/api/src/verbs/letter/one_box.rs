//! `letter box`: one project's box of letters.

use super::super::row::{Gap, present_gaps};
use super::{
    LetterCounts, LetterRow, UnreachableBox, present_left_out, present_rows, present_unreachable, unreachable,
};
use crate::screen::{bold, dim};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::letters::{self, LetterFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show a box of letters with the fate of each: your project's, another's, or the medulla's.
///
/// Letters that the spool has for the box and that are not filed yet are shown too.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LetterBox {
    /// A registered root, or medulla; default: yours.
    #[arg(long)]
    pub brain: Option<String>,
    /// At most this many, newest first; default 50.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(letters::limits::ROWS, letters::limits::ROWS_DEFAULT)))]
    pub limit: Option<usize>,
}

/// A box.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterBoxAnswer {
    /// Whose box this is: the brain (name@id), the root of a project that has none, or medulla.
    pub served_brain: String,
    /// The root of the project; none for the medulla.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Its letters, newest first.
    pub letters: Vec<LetterRow>,
    /// Over all letters of the box.
    pub counts: LetterCounts,
    /// How many more letters there are.
    pub left_out: usize,
    /// Files of letters that could not be read; answers may be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreachable: Vec<UnreachableBox>,
    /// What could not be read, and may be missing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

impl Verb for LetterBox {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "Show a box of letters",
        when_to_use: "A project's letters and their fates.",
        examples: &["brainstem letter box", "brainstem letter box --brain medulla --json"],
        ..VerbSpec::of(VerbId::LetterBox)
    };
    type Output = LetterBoxAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<LetterBoxAnswer, Fault> {
        let filter = LetterFilter::parse(None, None, self.limit)?;
        Ok(cx.post().mailbox(&cx.reader()?, box_of(cx, self.brain)?.as_deref(), &filter)?.into())
    }
}

/// Whose box a field names: `medulla`, name@id, or a folder as the caller means it.
pub(super) fn box_of(cx: &Context, brain: Option<String>) -> Result<Option<String>, Fault> {
    let named = |brain: String| match brain.trim() {
        "" | "medulla" => Ok(brain),
        name => Ok(cx.project("brain", name)?.display().to_string()),
    };
    brain.map(named).transpose()
}

impl From<letters::LetterBoxView> for LetterBoxAnswer {
    fn from(found: letters::LetterBoxView) -> Self {
        let root = found.root.map(|root| root.display().to_string());
        Self {
            served_brain: found.brain.or_else(|| root.clone()).unwrap_or_else(|| "medulla".into()),
            root,
            letters: found.letters.into_iter().map(LetterRow::from).collect(),
            counts: found.counts.into(),
            left_out: found.left_out,
            unreachable: unreachable(found.unreachable),
            gaps: Vec::new(),
        }
    }
}

impl Present for LetterBoxAnswer {
    fn present(&self, out: &mut Screen) {
        let words = self.counts.words_of(self.letters.len() + self.left_out);
        let whose = self.root.as_ref().unwrap_or(&self.served_brain);
        out.flow(0, 2, [bold(whose.as_str()), dim(format!("  {words}"))]);
        present_rows(&self.letters, out);
        present_left_out(self.left_out, out);
        present_unreachable(&self.unreachable, out);
        present_gaps(&self.gaps, out);
    }
}
