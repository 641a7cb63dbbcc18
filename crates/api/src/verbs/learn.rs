//! `learn`: says whether a claim held.

use super::row::{counted, short_trust};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{LearnRequest, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Say whether a claim held when you used it: correct, wrong or partial.
///
/// Its agent, its time and its reason are recorded, and make the claim's trust, which every row shows and which
/// moves its rank a little. Each agent has one voice on a version, its last; a new version starts without
/// any. `wrong` by an orchestrator or a person takes a claim out of the medulla: it goes to history, and the
/// project it came from keeps its own. By another agent it marks the claim as disputed, until one of them
/// decides or a second agent calls it wrong, too.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Learn {
    /// Label, or a row's id.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::label()))]
    pub label: String,
    /// correct, wrong or partial.
    #[schemars(extend("x-takes" = field_kinds::one_of(&["correct", "wrong", "partial"])))]
    pub verdict: String,
    /// What you found.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::at_most(4096)))]
    pub note: Option<String>,
    /// medulla; default: project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "Default: project."))]
    pub tier: Option<String>,
}

/// What a verdict did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LearnAnswer {
    /// The claim's slug.
    pub slug: String,
    /// Its label.
    pub label: String,
    /// project or medulla.
    pub tier: String,
    /// correct, wrong or partial.
    pub verdict: String,
    /// What all verdicts make of this version, 0 to 1.
    pub trust: Option<f64>,
    /// How many verdicts are on record for it.
    pub verdicts: usize,
    /// You had said exactly this before.
    pub unchanged: bool,
    /// It was taken out of the medulla.
    pub demoted: bool,
    /// It stays in the medulla, and is shown as disputed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
    /// Its file now, when it was taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for Learn {
    const SPEC: VerbSpec = VerbSpec {
        // What it takes out of the medulla stays in history.
        effect: Effect::Write,
        title: "Judge a claim",
        when_to_use: "After you relied on a claim: say whether it held.",
        examples: &[
            "brainstem learn \"retry policy\" correct",
            "brainstem learn \"retry policy\" wrong --note \"it is five times now\"",
            "brainstem learn \"commit style\" wrong --tier medulla",
        ],
        ..VerbSpec::of(VerbId::Learn)
    };
    type Output = LearnAnswer;

    fn run(self, cx: &Context) -> Result<LearnAnswer, Fault> {
        let tier = WriteTier::parse(TierUse::Learn, self.tier.as_deref())?;
        let caller = cx.caller()?;
        let floor = cx.memory.floor();
        let verdict = LearnRequest::parse_verdict(&floor, &self.label, &self.verdict, self.note.as_deref())?;
        let request = LearnRequest { label: self.label, verdict, note: self.note, tier };
        let learned = cx.memory.learn(&caller, &request)?;
        Ok(LearnAnswer {
            slug: learned.slug.to_string(),
            label: learned.label,
            tier: learned.tier.to_owned(),
            verdict: learned.verdict.as_str().to_owned(),
            trust: learned.trust.map(short_trust),
            verdicts: learned.verdicts,
            unchanged: learned.unchanged,
            demoted: learned.history.is_some(),
            disputed: learned.disputed,
            history: learned.history.map(|path| path.display().to_string()),
            notes: cx.door.render_all(&learned.notes),
        })
    }
}

impl Present for LearnAnswer {
    fn present(&self, out: &mut Screen) {
        let said = self.unchanged.then(|| styled(Look::Good, "already said: "));
        let found = match self.verdict.as_str() {
            "partial" => "was found partly right",
            "wrong" => "was found wrong",
            _ => "was found correct",
        };
        let trust = self
            .trust
            .map(|trust| dim(format!("  trust {trust:.2}, {} on record", counted(self.verdicts, "verdict"))));
        let head = [bold(self.label.as_str()), format!(" {found}, in the {}", self.tier).into()];
        out.flow(0, 2, said.into_iter().chain(head).chain(trust));
        if let Some(history) = &self.history {
            out.line([dim(format!("  out of the medulla, kept: {history}"))]);
        }
        out.notes(&self.notes);
    }
}
