//! `resolve`: decides between versions of one label.

use super::row::{Gap, Row, gaps, present_gaps, rows};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, name, styled};
use crate::{Context, Effect, LongText, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use brainstem_memory::{ResolveRequest, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Decide between versions of one label that grew apart; alone, list what waits.
///
/// When clones changed the same claim, every version is kept until one is chosen; and so is a version that was
/// written here while git has another in its place. The one you take becomes live, the others go to history, and the
/// agent that decided is recorded.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Resolve {
    /// The claim's label, or the id of a row; absent: list what waits.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub label: Option<String>,
    /// The version to take: ours (what is here), theirs (what came, or what git took away), third, …, or its author's agent id.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::agent()))]
    pub take: Option<String>,
    /// A version of your own in the place of all.
    #[arg(long)]
    pub text: Option<String>,
    /// medulla for doctrine; default: your project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
}

/// Nothing for the list of conflicts; else a label, with a version to take or a text.
fn together() -> Value {
    json!({ "anyOf": [
        { "properties": { "label": false, "take": false, "text": false } },
        { "required": ["label", "take"], "properties": { "text": false } },
        { "required": ["label", "text"], "properties": { "take": false } },
    ] })
}

/// What was decided, and what still waits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResolveAnswer {
    /// The label that was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it says now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The author of the version that is live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_agent: Option<String>,
    /// Its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// All versions of every label that waits.
    pub waiting: Vec<Row>,
    /// What you should know besides.
    pub notes: Vec<String>,
    /// Claim files that cannot be read: versions in them may wait.
    pub gaps: Vec<Gap>,
}

impl Verb for Resolve {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Decide between versions",
        when_to_use: "When recall shows a gap `undecided` or `version_absent`: clones changed one claim, or git put another version in its place.",
        long_text: &[LongText { field: "text", file: "text-file" }],
        examples: &["brainstem resolve", "brainstem resolve \"retry policy\" --take theirs"],
        ..VerbSpec::of(VerbId::Resolve)
    };
    type Output = ResolveAnswer;

    fn run(self, cx: &Context) -> Result<ResolveAnswer, Fault> {
        let tier = WriteTier::parse(TierUse::Resolve, self.tier.as_deref())?;
        let request = ResolveRequest { label: self.label, take: self.take, text: self.text, tier };
        let caller = cx.caller()?;
        let mut done = cx.memory.resolve(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(ResolveAnswer {
            label: done.claim.as_ref().map(|claim| claim.label.clone()),
            text: done.claim.as_ref().map(|claim| claim.text.clone()),
            source_agent: done.claim.and_then(|claim| claim.source_agent),
            path: done.path.map(|path| path.display().to_string()),
            waiting: rows(done.waiting),
            notes: cx.door.render_all(&done.notes),
            gaps: gaps(&done.gaps, cx.door),
        })
    }
}

impl Present for ResolveAnswer {
    fn present(&self, out: &mut Screen) {
        if let Some(label) = &self.label {
            let author = self.source_agent.as_deref().unwrap_or("unknown");
            out.flow(
                0,
                2,
                [
                    styled(Look::Good, "decided"),
                    " ".into(),
                    bold(label.as_str()),
                    dim(format!("  the version by {author} stands")),
                ],
            );
            out.wrap(2, self.text.as_deref().unwrap_or_default());
        }
        if self.label.is_some() && !self.waiting.is_empty() {
            out.heading("Still waiting");
        }
        for row in &self.waiting {
            row.present_brief(out);
        }
        match (self.waiting.is_empty(), &self.label) {
            (true, None) if self.gaps.is_empty() => out.line(["Nothing waits for a decision."]),
            (true, None) => out.line(["Nothing that can be read waits for a decision."]),
            (true, Some(_)) => {}
            (false, _) => {
                let decide = out.command(&calls::resolve_take(calls::LABEL, calls::SIDE));
                out.line([dim("decide: "), name(decide)])
            }
        }
        out.notes(&self.notes);
        present_gaps(&self.gaps, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::example;
    use super::*;

    #[test] // spec: MEM-49
    fn what_still_waits_stands_apart_from_what_was_decided() {
        let mut answer = ResolveAnswer {
            label: Some("Retry".into()),
            text: Some("three times".into()),
            source_agent: None,
            path: None,
            waiting: vec![example("Cache", "cleared")],
            notes: Vec::new(),
            gaps: Vec::new(),
        };
        let page = |answer: &ResolveAnswer| {
            let mut out = Screen::plain();
            answer.present(&mut out);
            out.into_string()
        };
        assert!(page(&answer).contains("three times\n\nStill waiting\nCache\n"), "{}", page(&answer));
        answer.label = None;
        assert!(!page(&answer).contains("Still waiting"));
        answer.waiting.clear();
        assert_eq!(page(&answer), "Nothing waits for a decision.\n");
        answer.gaps.push(Gap { name: "unreadable_claim".into(), detail: "`k.light.md`: torn".into() });
        assert_eq!(
            page(&answer),
            "Nothing that can be read waits for a decision.\nnote: `k.light.md`: torn\n"
        );
    }
}
