//! `show`: one claim whole.

use super::row::{Gap, Row, counted, gaps, present_gaps, rows};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, name, styled, when};
use crate::{AnswerGaps, Context, Present, Screen, Verb, VerbSpec, within};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::{calls, field};
use brainstem_base::{Fault, Timestamp};
use brainstem_claims::promotion::copy_in;
use brainstem_claims::unproven_header::is_person;
use brainstem_memory::{ShowRequest, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show one claim whole, with every version before it.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Show {
    /// Label, or a row's id.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub label: String,
    /// project or medulla; default: project, then medulla.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "Default: project, then medulla."))]
    pub tier: Option<String>,
    /// The version that was live then: a day, a time (RFC 3339), or how long ago (7d, 12h).
    #[arg(long, value_name = "TIME")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::past()))]
    pub at: Option<String>,
    /// At most this many versions and steps, the youngest; default 100, on the command line all.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=VERSIONS_MAX, VERSIONS_DEFAULT)))]
    pub limit: Option<i64>,
}

/// The most versions and steps of a claim's life that are shown at once, and as many as are shown unasked to a caller that
/// has no terminal.
const VERSIONS_MAX: usize = 10_000;
const VERSIONS_DEFAULT: usize = 100;

/// One claim and its past.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShowAnswer {
    /// The live claim, or the one that was live at the time asked for; null when only history is left of it, or several
    /// versions wait for a decision.
    pub claim: Option<Row>,
    /// The versions that wait for a decision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Row>,
    /// Its slug.
    pub slug: String,
    /// project or medulla.
    pub tier: String,
    /// What was said of this version, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Voice>,
    /// On a witness: what became of its copy in the medulla.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<Sharing>,
    /// The proposals to promote this version, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
    /// What was done to it, in its project and in the medulla, oldest first.
    pub life: Vec<Step>,
    /// The delegation it was found in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_in: Option<FoundIn>,
    /// The versions before, youngest first.
    pub history: Vec<Version>,
    /// The time asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The other tier has a live claim of this label too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_in: Option<String>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One step in the life of a claim.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Step {
    /// When; null where nothing says it.
    pub done_at: Option<String>,
    /// learned, rewritten, affirmed, doctrine, judged, proposed, declined, withdrawn, promoted, unshared, retracted, renamed,
    /// imported, or unaccounted: what nothing but its header says.
    pub what: String,
    /// Its agent.
    pub agent: Option<String>,
    /// All of it in words.
    pub sentence: String,
}

impl From<brainstem_memory::TimelineStep> for Step {
    fn from(step: brainstem_memory::TimelineStep) -> Self {
        let brainstem_memory::TimelineStep { at, what, agent, sentence } = step;
        Self { done_at: at.map(Timestamp::to_rfc3339), what: what.to_owned(), agent, sentence }
    }
}

/// The delegation that a finding came of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundIn {
    /// Its id.
    pub delegation_id: String,
    /// The agent that gave it.
    pub by: Option<String>,
    /// What was to be done: its first line, where this home still knows it.
    pub task: Option<String>,
    /// How it ended.
    pub outcome: Option<String>,
    /// All of it in words.
    pub sentence: String,
}

impl From<brainstem_memory::FoundIn> for FoundIn {
    fn from(found: brainstem_memory::FoundIn) -> Self {
        let sentence = found.sentence();
        let brainstem_memory::FoundIn { id, by, task, outcome } = found;
        Self { delegation_id: id, by, task, outcome: outcome.map(str::to_owned), sentence }
    }
}

/// A version that is no longer live.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Version {
    /// Its label, as it was then.
    pub label: String,
    /// When it was born, in ms.
    pub created: Option<i64>,
    /// Its author.
    pub source_agent: Option<String>,
    /// Its state, as history keeps it.
    pub state: Option<String>,
    /// superseded, retracted, moved, or missing: not in this checkout, and replaced by nothing.
    pub lifecycle: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// The agent that took it back or moved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retracted_by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retracted_at: Option<String>,
    /// Why it was taken back, or where it went (moved_to:).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Only the repository's log says that this person took it back: it was not recorded here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retraction_unrecorded: bool,
    /// What was said of it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Voice>,
    /// Which agent imported it, and on which day, where it was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brought: Option<String>,
    /// That the person it names wrote it is what its file says alone: this home has no record of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
    /// It was written here and is not in this checkout: git has another version in its place, or none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// Its file.
    pub path: String,
}

/// What an agent said of a version.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Voice {
    /// Its agent.
    pub agent: String,
    /// When.
    pub said_at: String,
    /// correct, wrong or partial.
    pub verdict: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The agent that imported the record of it, where it was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

/// What became of a witness's copy in the medulla.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sharing {
    /// The copy: medulla@slug@ms.
    pub copy: String,
    /// When it was promoted.
    pub shared_at: String,
    /// Whether it is in the medulla now, and can be read.
    pub shared: bool,
    /// When it left the medulla; null where no act says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unshared_at: Option<String>,
    /// The agent that took it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unshared_by: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// All of it in words.
    pub sentence: String,
}

impl From<brainstem_memory::Sharing> for Sharing {
    fn from(sharing: brainstem_memory::Sharing) -> Self {
        let (sentence, shared) = (sharing.sentence(), sharing.is_shared());
        let unshared = sharing.unshared;
        Self {
            copy: sharing.copy,
            shared_at: sharing.since.to_rfc3339(),
            shared,
            unshared_at: unshared.as_ref().and_then(|left| left.at).map(Timestamp::to_rfc3339),
            unshared_by: unshared.as_ref().and_then(|left| left.by.clone()),
            reason: unshared.and_then(|left| left.reason),
            sentence,
        }
    }
}

/// An agent's word that a claim is for every project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Proposal {
    /// Its agent.
    pub agent: String,
    /// When.
    pub said_at: String,
    /// Why.
    pub reason: Option<String>,
    /// The ground that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground: Option<String>,
    /// That it was declined or withdrawn, by which agent and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

impl From<brainstem_memory::Proposal> for Proposal {
    fn from(proposal: brainstem_memory::Proposal) -> Self {
        let brainstem_memory::Proposal { agent, at, reason, ground, settled, is_foreign } = proposal;
        let settled = settled.as_ref().map(brainstem_memory::settled_sentence);
        Self { agent, said_at: at.to_rfc3339(), reason, ground, settled, unrecorded: is_foreign }
    }
}

fn voices(voices: Vec<brainstem_memory::Voice>) -> Vec<Voice> {
    let voice = |voice: brainstem_memory::Voice| Voice {
        agent: voice.agent,
        said_at: voice.at.to_rfc3339(),
        verdict: voice.verdict.as_str().to_owned(),
        note: voice.note,
        imported_by: voice.brought_by,
        unrecorded: voice.is_foreign,
    };
    voices.into_iter().map(voice).collect()
}

fn present_voices(voices: &[Voice], out: &mut Screen) {
    for voice in voices {
        let look = if voice.verdict == "correct" { Look::Good } else { Look::Warn };
        let note = voice.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let brought = voice.imported_by.as_ref().map(|by| format!(" (imported by {by})")).unwrap_or_default();
        let is_hearsay = voice.unrecorded && is_person(&voice.agent);
        let hearsay = if is_hearsay { " (only the repository's log says so)" } else { "" };
        let who = format!(" {} by {}{note}{brought}{hearsay}", when(&voice.said_at), voice.agent);
        out.flow(2, 4, [styled(look, format!("found {}", voice.verdict)), who.into()]);
    }
}

impl Verb for Show {
    const SPEC: VerbSpec = VerbSpec {
        title: "Show a claim",
        when_to_use: "To read one claim whole, who said it, and what was said before.",
        examples: &[
            "brainstem show \"retry policy\"",
            "brainstem show retry-policy --json",
            "brainstem show retry-policy --at 7d",
        ],
        ..VerbSpec::of(VerbId::Show)
    };
    type Output = ShowAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<ShowAnswer, Fault> {
        let default = if cx.has_shell() { usize::MAX } else { VERSIONS_DEFAULT };
        let limit = within("limit", self.limit, default, 1..=VERSIONS_MAX)?;
        let at = self.at.as_deref().map(|at| cx.memory.past_time("at", at)).transpose()?;
        let request =
            ShowRequest { label: self.label, tier: Tier::parse_of_project(self.tier.as_deref())?, at };
        let shown = cx.memory.show(&cx.reader()?, &request)?;
        let version = |version: brainstem_memory::ShownVersion| {
            let act = version.retracted;
            Version {
                label: version.label,
                created: version.created.map(Timestamp::ms),
                source_agent: version.source_agent,
                state: version.state.map(|state| state.as_str().to_owned()),
                lifecycle: version.lifecycle.as_str().to_owned(),
                title: version.title,
                text: version.text,
                retracted_by: act.as_ref().map(|act| act.agent().to_owned()),
                retracted_at: act.as_ref().map(|act| act.at().to_string()),
                retraction_unrecorded: act
                    .as_ref()
                    .is_some_and(|act| act.is_foreign() && is_person(act.agent())),
                reason: act.and_then(|act| act.deed().reason().map(str::to_owned)),
                verdicts: voices(version.verdicts),
                brought: version.brought,
                unrecorded: version.is_unrecorded,
                missing: version.missing,
                path: version.path.display().to_string(),
            }
        };
        // The oldest step comes first, and of both the youngest are kept.
        let (versions, steps) = (shown.history.len(), shown.life.len());
        let mut told_gaps = gaps(&shown.gaps, cx.door);
        if versions.max(steps) > limit {
            let older = [(versions, "version"), (steps, "step")]
                .map(|(count, what)| counted(count.saturating_sub(limit), what));
            let [versions, steps] = older;
            let detail = advice![
                "{versions} and {steps} of its life are older than what is shown here; `",
                field("limit"),
                "` takes up to {VERSIONS_MAX}, and `",
                field("at"),
                "` shows the version of a time"
            ];
            told_gaps.extend(gaps(&[brainstem_memory::Gap::new("older", detail)], cx.door));
        }
        Ok(ShowAnswer {
            claim: shown.claim.map(Row::from),
            sides: rows(shown.sides),
            slug: shown.slug.to_string(),
            tier: shown.tier.to_owned(),
            verdicts: voices(shown.verdicts),
            sharing: shown.sharing.map(Sharing::from),
            proposals: shown.proposals.into_iter().map(Proposal::from).collect(),
            life: shown.life.into_iter().skip(steps.saturating_sub(limit)).map(Step::from).collect(),
            found_in: shown.found_in.map(FoundIn::from),
            history: shown.history.into_iter().take(limit).map(version).collect(),
            at: at.map(Timestamp::to_rfc3339),
            also_in: shown.also_in.map(str::to_owned),
            gaps: told_gaps,
        })
    }
}

impl Step {
    fn present(&self, out: &mut Screen) {
        let look = match self.what.as_str() {
            "unshared" | "retracted" | "declined" | "withdrawn" | "imported" | "unaccounted" => Look::Warn,
            "judged" if !self.sentence.starts_with("found correct") => Look::Warn,
            "promoted" | "judged" => Look::Good,
            _ => Look::Plain,
        };
        let day = self.done_at.as_deref().and_then(|at| at.split('T').next()).unwrap_or("date unknown");
        out.flow(2, 4, [dim(format!("{day}  ")), styled(look, self.sentence.as_str())]);
    }
}

impl ShowAnswer {
    /// Whether what the other tier has under this label is the copy of this claim.
    pub(crate) fn is_with_its_copy(&self) -> bool {
        let copy = self.sharing.as_ref().filter(|sharing| sharing.shared).map(|sharing| &sharing.copy);
        copy.and_then(|copy| copy_in(copy)).is_some_and(|copy| copy.slug.as_str() == self.slug)
    }
}

impl Present for ShowAnswer {
    fn present(&self, out: &mut Screen) {
        if let Some(at) = &self.at {
            out.line([dim(format!("as it was at {}", when(at)))]);
        }
        match &self.claim {
            Some(claim) => {
                claim.present_whole(out);
                if !claim.depends_on.is_empty() {
                    out.flow(2, 4, [dim(format!("rests on {}", claim.depends_on.join(", ")))]);
                }
                if let Some(found) = &self.found_in {
                    out.flow(2, 4, [dim(found.sentence.as_str())]);
                }
                if let Some(sharing) = &self.sharing {
                    let look = if sharing.shared { Look::Good } else { Look::Warn };
                    out.flow(2, 4, [styled(look, sharing.sentence.as_str())]);
                }
                out.line([dim(format!("  {}", claim.path))]);
            }
            None if !self.sides.is_empty() => {
                for side in &self.sides {
                    side.present_whole(out);
                }
                out.line([dim(format!("  {}", self.sides[0].path))]);
                let decide = out.command(&calls::resolve_take(calls::LABEL, calls::SIDE));
                out.line([dim("decide: "), name(decide)]);
            }
            None => {
                let label = self.history.first().map_or(self.slug.as_str(), |version| version.label.as_str());
                out.line([bold(label)]);
                out.line([styled(Look::Warn, "No live claim; this is what its history holds.")]);
            }
        }
        if let Some(tier) = &self.also_in {
            let with = field("tier").is(tier);
            let note = match self.is_with_its_copy() {
                true => format!("its shared copy is in the {tier}; {with} shows it"),
                false => format!("the {tier} has a claim of this label too; {with} shows it"),
            };
            out.note(0, 2, note);
        }
        // The lines below name what was written and what was taken back.
        let is_told = |step: &Step| {
            ["learned", "rewritten", "affirmed", "doctrine", "retracted"].contains(&step.what.as_str())
        };
        if !self.life.iter().all(is_told) {
            out.heading("Life");
            for step in &self.life {
                step.present(out);
            }
        }
        if !self.history.is_empty() {
            out.heading("Before");
        }
        let mut said = self.claim.as_ref().map(|claim| claim.text.as_str());
        for version in &self.history {
            let born =
                version.created.map_or_else(|| "date unknown".into(), |ms| Timestamp::from_ms(ms).to_words());
            let who = version.source_agent.as_deref().unwrap_or("unknown");
            let lifecycle = if version.lifecycle == "missing" { "" } else { version.lifecycle.as_str() };
            let mut line = vec![dim(format!("{born}  by {who}  {lifecycle}"))];
            line.extend(version.brought.as_ref().map(|brought| styled(Look::Warn, format!("  {brought}"))));
            if version.unrecorded {
                line.push(styled(Look::Warn, "  says the file; this home has no record of it"));
            }
            if version.missing {
                line.push(styled(
                    Look::Warn,
                    if lifecycle.is_empty() { "not in this checkout" } else { "  not in this checkout" },
                ));
            }
            out.line(line);
            if let (Some(by), Some(at)) = (&version.retracted_by, &version.retracted_at) {
                let reason = version.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
                let what = if version.lifecycle == "moved" { "moved" } else { "taken back" };
                let hearsay =
                    if version.retraction_unrecorded { " (only the repository's log says so)" } else { "" };
                let told = format!(" {} by {by}{reason}{hearsay}", when(at));
                out.flow(2, 4, [styled(Look::Warn, what), told.into()]);
            }
            present_voices(&version.verdicts, out);
            if said.replace(&version.text) == Some(version.text.as_str()) {
                out.line([dim("  said the same")]);
            } else {
                out.wrap(2, &version.text);
            }
        }
        present_gaps(&self.gaps, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-12
    fn what_was_taken_back_says_what_it_was_and_when_and_by_whom() {
        let version = Version {
            label: "Retry policy".into(),
            created: Some(0),
            source_agent: Some("codex:maker".into()),
            state: None,
            lifecycle: "retracted".into(),
            title: None,
            text: "three times".into(),
            retracted_by: Some("human:ana".into()),
            retracted_at: Some("2026-02-03T04:05:06Z".into()),
            reason: None,
            retraction_unrecorded: false,
            verdicts: Vec::new(),
            brought: None,
            unrecorded: false,
            missing: false,
            path: String::new(),
        };
        let shown = ShowAnswer {
            claim: None,
            sides: Vec::new(),
            slug: "retry-policy".into(),
            tier: "project".into(),
            verdicts: Vec::new(),
            sharing: None,
            proposals: Vec::new(),
            life: Vec::new(),
            found_in: None,
            history: vec![version],
            at: None,
            also_in: None,
            gaps: Vec::new(),
        };
        let mut out = Screen::plain();
        shown.present(&mut out);
        let text = out.as_str();
        assert!(text.starts_with("Retry policy\nNo live claim"), "{text}");
        assert!(text.contains("  taken back 2026-02-03 04:05 UTC by human:ana\n"), "{text}");
    }
}
