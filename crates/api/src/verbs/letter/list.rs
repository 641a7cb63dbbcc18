//! `letter list`: the letters of a box, on the command line.

use super::one_box::{LetterBoxAnswer, box_of};
use crate::{AnswerGaps, Context, Doors, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::letters::LetterFilter;
use schemars::JsonSchema;
use serde::Deserialize;

/// List the letters of your project, newest first: those in its box, and those in the spool for it.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LetterList {
    /// The root of another registered project, or medulla.
    #[arg(long)]
    pub brain: Option<String>,
    /// open, closed, or a fate: wet_ink, in_flight, fired_clay, external.
    #[arg(long)]
    pub state: Option<String>,
    /// Only this class.
    #[arg(long)]
    pub class: Option<String>,
    /// At most this many; default 50.
    #[arg(long)]
    pub limit: Option<usize>,
}

impl Verb for LetterList {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "letter box answers the same through the other doors" },
        toolset: Toolset::Mail,
        title: "List letters",
        when_to_use: "To see what your project's letters say.",
        examples: &["brainstem letter list", "brainstem letter list --state open --class bug"],
        ..VerbSpec::of(VerbId::LetterList)
    };
    type Output = LetterBoxAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<LetterBoxAnswer, Fault> {
        let filter = LetterFilter::parse(self.state.as_deref(), self.class, self.limit)?;
        Ok(cx.post().mailbox(&cx.reader()?, box_of(cx, self.brain)?.as_deref(), &filter)?.into())
    }
}
