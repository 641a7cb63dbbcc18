//! `letter show`: one letter and the thread around it.

use super::{LetterRow, present_thread};
use crate::verbs::row::{Gap, present_gaps};
use crate::{AnswerGaps, Context, Doors, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show a letter whole, with what it answers and what answers it.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LetterShow {
    /// Its id, or the beginning of it.
    pub id: String,
}

/// A letter and the thread around it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterShowAnswer {
    /// The letter.
    pub letter: LetterRow,
    /// The letters it answers and that answer it, as far as they are within reach.
    pub around: Vec<LetterRow>,
    /// What could not be read, and may be missing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

impl Verb for LetterShow {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "letter all and letter box carry every letter whole" },
        toolset: Toolset::Mail,
        title: "Show a letter",
        when_to_use: "To read one letter with its answers.",
        examples: &["brainstem letter show 0123456789ab"],
        ..VerbSpec::of(VerbId::LetterShow)
    };
    type Output = LetterShowAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<LetterShowAnswer, Fault> {
        let (letter, around) = cx.post().show_letter(&cx.reader()?, &self.id)?;
        Ok(LetterShowAnswer {
            letter: letter.into(),
            around: around.into_iter().map(LetterRow::from).collect(),
            gaps: Vec::new(),
        })
    }
}

impl Present for LetterShowAnswer {
    fn present(&self, out: &mut Screen) {
        present_thread(&self.letter, &self.around, out);
        present_gaps(&self.gaps, out);
    }
}
