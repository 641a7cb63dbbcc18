//! A claim as rows on the wire and as lines on a terminal, the same for every verb that shows claims.

use crate::Door;
use crate::Screen;
use crate::screen::{Look, Span, bold, dim, styled};
use brainstem_base::next::{NextCall, calls, field};
use brainstem_claims::fence::BETWEEN;
use brainstem_memory::{self as memory, Fact, FactKind, Why};
use schemars::JsonSchema;
use serde::Serialize;

/// One claim with where it came from and why it is here. null means that its file does not say.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The name of its file, without the ending; usable wherever a label is.
    pub id: String,
    /// The label.
    pub label: String,
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The text was cut to fit the budget and ends with …; `show` has it whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// project or medulla.
    pub tier: String,
    /// project_private, promoted, doctrine, superseded, retracted or unknown.
    pub lifecycle: String,
    /// medulla on a project's claim that is shared: it is one finding in both tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_in: Option<String>,
    /// On a promoted or shared claim: where it was learned, its author, the agent that promoted it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// The brain it was written in.
    pub origin_brain: Option<String>,
    /// Its author.
    pub source_agent: Option<String>,
    /// When this version was born, in ms.
    pub created: Option<i64>,
    /// How old it is, in ms.
    pub age_ms: Option<i64>,
    /// Older than 30 days.
    pub stale: bool,
    /// authored, verified or outdated.
    pub state: Option<String>,
    /// How sure its author was, 0 to 1; null counts as 0.6.
    pub confidence: Option<f64>,
    /// What verdicts (learn) made of it, 0 to 1; null while there is none.
    pub trust: Option<f64>,
    /// entity, state or event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it was written together with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Where it can be checked: path, with a line range or symbol.
    pub evidence: Vec<String>,
    /// Evidence that has changed or gone since it was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence_changed: Vec<String>,
    /// Evidence that is not there, and of which the claim keeps no hash: it may never have been there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence_not_found: Vec<String>,
    /// Evidence that says what it said at other lines: where it was, and its lines now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence_moved: Vec<String>,
    /// What speaks against it, in words: think twice. Every form that shows a row shows these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Everything to know of it beside its text, for forms that are no JSON.
    #[serde(skip)]
    pub facts: Vec<Fact>,
    /// Labels it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Its file; a beat leaves it out, and names the folder of each store in `sources`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// It came back by a pull or a checkout after it was superseded, taken back or forgotten here, or it was rewritten while
    /// another clone retracted it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resurrected: bool,
    /// The retraction of the version before it, where another clone made it beside this rewriting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retracted_apart: Option<String>,
    /// It was forgotten here, and came back by a pull, a checkout or a restored file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// It was forgotten in another clone, as only the repository's log says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forgotten_elsewhere: bool,
    /// That a person wrote it, or that it was verified, is what its file says alone: this home has no record of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
    /// ours, theirs, third, …: which one it is, while several versions of this label wait for a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// It was written here and is not in this checkout.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// matched, worth (there is no task: what is worth most), stands_in (nothing there is about the task) or asked.
    pub why: String,
    /// What it was ranked by.
    pub score: f64,
    /// What the score is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_parts: Option<ScoreParts>,
}

/// What a score is made of: (half the words, half the meaning, and what is close) × standing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScoreParts {
    /// The shared words, against the best of this question.
    pub lexical: f64,
    /// The meaning, against the best of this question.
    pub semantic: f64,
    /// The cosine of the two meanings.
    pub cosine: f64,
    /// How much of the question is close together.
    pub near: f64,
    /// 1 for the few claims that hold a name the question asks for, such as ERR_7741.
    pub named: f64,
    /// What its youth, trust and evidence make of it, as a factor.
    pub standing: f64,
    /// What the session it was written in says for it; only where claims were written together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<f64>,
}

impl From<memory::ScoreBreakdown> for ScoreParts {
    fn from(parts: memory::ScoreBreakdown) -> Self {
        // Nothing is shown as less than nothing: adding zero takes its sign away.
        let short = |value: f32| (f64::from(value) * 1000.0).round() / 1000.0 + 0.0;
        Self {
            lexical: short(parts.lexical),
            semantic: short(parts.semantic),
            cosine: short(parts.cosine),
            near: short(parts.near),
            named: short(parts.named),
            standing: short(parts.standing),
            conversation: parts.conversation.map(short),
        }
    }
}

/// Something that could not be looked at, or was not found. Never an absence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Gap {
    /// A stable name.
    pub name: String,
    /// What it is.
    pub detail: String,
}

impl Gap {
    /// A gap in the words of a door.
    pub(crate) fn for_door(gap: &memory::Gap, door: Door) -> Self {
        Self { name: gap.name.to_owned(), detail: door.render(&gap.detail) }
    }
}

/// Settings that were passed over when the caller was named.
pub(crate) fn unread_gaps(caller: &memory::Caller) -> impl Iterator<Item = memory::Gap> {
    caller.principal.notes().into_iter().map(|detail| memory::Gap { name: "config_broken", detail })
}

/// A list of gaps in the words of a door.
pub(crate) fn gaps(gaps: &[memory::Gap], door: Door) -> Vec<Gap> {
    gaps.iter().map(|gap| Gap::for_door(gap, door)).collect()
}

/// Converts a list of rows.
pub(crate) fn rows(rows: Vec<memory::Row>) -> Vec<Row> {
    rows.into_iter().map(Row::from).collect()
}

impl From<memory::Row> for Row {
    fn from(row: memory::Row) -> Self {
        let (why, score_parts) = match row.why {
            Why::Matched { parts, .. } => ("matched", Some(ScoreParts::from(parts))),
            Why::Worth => ("worth", None),
            Why::StandsIn => ("stands_in", None),
            Why::Asked => ("asked", None),
        };
        let facts = row.facts();
        let is_warning = |fact: &&Fact| fact.kind.is_warning() && fact.kind != FactKind::Stale;
        let moved = |(place, now): (String, String)| format!("{place} is {now} now");
        Self {
            warnings: facts.iter().filter(is_warning).map(|fact| fact.words.clone()).collect(),
            facts,
            score: row.why.score(),
            id: row.id,
            label: row.label,
            title: row.title,
            text: row.text,
            cut: row.cut,
            tier: row.tier.to_owned(),
            lifecycle: row.lifecycle.as_str().to_owned(),
            also_in: row.also_in.map(str::to_owned),
            chain: row.chain,
            origin_brain: row.origin_brain,
            source_agent: row.source_agent,
            created: row.created.map(|created| created.ms()),
            age_ms: row.age_ms,
            stale: row.stale,
            state: row.state.map(|state| state.as_str().to_owned()),
            confidence: row.confidence.map(|confidence| confidence.value()),
            trust: row.trust.map(short_trust),
            kind: row.kind.map(|kind| kind.as_str().to_owned()),
            tags: row.tags,
            group: row.group,
            evidence: row.evidence.iter().map(|entry| entry.place()).collect(),
            evidence_changed: row.evidence_changed,
            evidence_not_found: row.evidence_not_found,
            evidence_moved: row.evidence_moved.into_iter().map(moved).collect(),
            depends_on: row.depends_on,
            path: row.path.display().to_string(),
            resurrected: row.resurrected,
            retracted_apart: row.retracted_apart,
            forgotten: row.forgotten,
            forgotten_elsewhere: row.forgotten_elsewhere,
            unrecorded: !row.unrecorded.is_empty(),
            side: row.side.map(str::to_owned),
            missing: row.missing,
            why: why.to_owned(),
            score_parts,
        }
    }
}

impl Row {
    /// The call that shows this claim whole.
    pub(crate) fn show_call(&self) -> NextCall {
        calls::show_in(&self.id, (self.tier == "medulla").then_some("medulla"))
    }

    /// The same without its path and what its score is made of: `sources` names the folder and `id` the file, `seek` has
    /// both, and a beat has better use for the room.
    pub(crate) fn for_a_beat(self) -> Self {
        Self { path: String::new(), score_parts: None, ..self }
    }
}

/// The longest text of a claim among other rows: lines, and bytes.
const BRIEF_LINES: usize = 12;
const BRIEF_LEN: usize = 800;

/// The longest text under a label in a list, in characters.
const FIRST_LINE_CHARS: usize = 90;

impl Row {
    /// Writes label, title, text and origin.
    pub(crate) fn present_whole(&self, out: &mut Screen) {
        self.present_text(out, &self.text, self.cut);
    }

    /// The same, with a long text cut to what fits among other rows.
    pub(crate) fn present_brief(&self, out: &mut Screen) {
        // A part of a secret is not known as one, so that the text is masked before it is cut.
        let text = out.masked(&self.text);
        let lines_end = text.match_indices('\n').nth(BRIEF_LINES).map_or(text.len(), |(at, _)| at);
        let brief = &text[..text.floor_char_boundary(lines_end.min(BRIEF_LEN))];
        self.present_text(out, brief, self.cut || brief.len() < text.len());
    }

    fn present_text(&self, out: &mut Screen, text: &str, cut: bool) {
        self.present_head(out);
        out.wrap(2, text);
        if cut {
            out.line([dim("  … "), dim(format!("{} has the rest", self.show_call()))]);
        }
        self.present_origin(out);
    }

    /// Label and title.
    pub(crate) fn present_head(&self, out: &mut Screen) {
        match &self.title {
            Some(title) => out.flow(0, 2, [bold(self.label.as_str()), "  ".into(), title.as_str().into()]),
            None => out.flow(0, 2, [bold(self.label.as_str())]),
        }
    }

    /// How its text begins, on one line.
    pub(crate) fn present_first_line(&self, out: &mut Screen) {
        let text = out.masked(&self.text);
        let first = text.trim_start().lines().next().unwrap_or_default().trim_end();
        let cut = first.char_indices().nth(FIRST_LINE_CHARS).map(|(at, _)| at);
        match cut {
            Some(at) => out.line([dim(format!("  {}…", first[..at].trim_end()))]),
            None if first.is_empty() => {}
            None => out.line([dim(format!("  {first}"))]),
        }
    }

    /// One line: what its score is made of.
    pub(crate) fn present_score(&self, out: &mut Screen) {
        let Some(parts) = &self.score_parts else { return };
        let ScoreParts { lexical, semantic, cosine, near, named, standing, conversation } = parts;
        let said = conversation.map_or_else(String::new, |said| format!(" · conversation {said:.2}"));
        let name = if *named > 0.0 { " · named" } else { "" };
        let sum =
            format!("words {lexical:.2} · meaning {semantic:.2} (cosine {cosine:.2}) · near {near:.2}{name}");
        out.flow(2, 4, [dim(format!("score {:.3} · {sum} · standing ×{standing:.2}{said}", self.score))]);
    }

    /// One line: tier, strength, author, age, evidence, and every warning.
    pub(crate) fn present_origin(&self, out: &mut Screen) {
        let mut spans: Vec<Span> = Vec::new();
        for fact in &self.facts {
            // The answer names the brain once for all rows, the one that a row is from above all of them, and the chain has a line of
            // its own.
            if matches!(fact.kind, FactKind::Brain | FactKind::Promoted | FactKind::StandsIn) {
                continue;
            }
            let words = match (fact.kind, self.lifecycle.as_str()) {
                // One word says how strong a claim is: `verified 0.9`.
                (FactKind::Confidence, _) => {
                    format!(" {}", fact.words.trim_start_matches("confidence "))
                }
                (FactKind::Tier, "promoted") => format!("{}{BETWEEN}promoted", fact.words),
                (FactKind::Tier, _) => fact.words.clone(),
                (_, _) => format!("{BETWEEN}{}", fact.words),
            };
            spans.push(if fact.kind.is_warning() { styled(Look::Warn, words) } else { dim(words) });
        }
        out.flow(2, 4, spans);
        if let Some(chain) = &self.chain {
            out.flow(2, 4, [dim(chain.as_str())]);
        }
    }

    /// The head of a fence around its text: label, and every fact.
    pub(crate) fn head(&self) -> String {
        let told = self.facts.iter().filter(|fact| {
            // The ordinary state is not worth a word.
            !(fact.kind == FactKind::State && fact.words == "authored" || fact.kind == FactKind::Tags)
        });
        let words: Vec<&str> = told.map(|fact| fact.words.as_str()).collect();
        format!("claim {:?}{BETWEEN}{}", self.label, words.join(BETWEEN))
    }

    /// Returns its origin, its author, its age, and every warning: for a line among others.
    pub(crate) fn brief_origin(&self) -> String {
        let kinds = [FactKind::Tier, FactKind::Header, FactKind::Author, FactKind::Age];
        let told = self.facts.iter().filter(|fact| kinds.contains(&fact.kind) || fact.kind.is_warning());
        told.map(|fact| fact.words.as_str()).collect::<Vec<_>>().join(BETWEEN)
    }
}

/// Writes what could not be looked at.
pub(crate) fn present_gaps<'a>(gaps: impl IntoIterator<Item = &'a Gap>, out: &mut Screen) {
    for gap in gaps {
        out.note(0, 2, &gap.detail);
    }
}

/// Writes how many rows the limit left out.
pub(crate) fn present_left_out(left_out: usize, one: &str, out: &mut Screen) {
    if left_out > 0 {
        let more = counted(left_out, one);
        out.line([dim(format!("and {more} more; {} shows them", field("limit")))]);
    }
}

/// The gap of a home whose brains could not be listed.
pub(crate) const BRAINS_UNREADABLE: &str = "brains_unreadable";
/// The gap that says that the caller's folder is another one than before.
pub(crate) const ROOT_REPLACED: &str = "root_replaced";
/// The gap that says that the folder of memory which may be the caller's is gone.
pub(crate) const ROOT_GONE: &str = "root_gone";
/// The repository has claims without their manifest, and they are not shown.
pub(crate) const REPOSITORY_CLAIMS: &str = "repository_claims";
/// The gap that says that the brain of the caller's folder was set aside.
pub(crate) const SET_ASIDE: &str = "set_aside";

/// Whether a brain that is not shown may be there all the same.
pub(crate) fn lost_brains(gaps: &[Gap]) -> bool {
    gaps.iter().any(|gap| ["unreadable_brain", BRAINS_UNREADABLE].contains(&gap.name.as_str()))
}

/// Whether claims exist, or may exist, that are not shown: then nothing found is no word about what there is.
pub(crate) fn could_not_look(gaps: &[Gap]) -> bool {
    gaps.iter().any(|gap| memory::is_unseen(&gap.name))
}

/// Returns a count of claims for the wire. `None` if nothing was counted and a store could not be: whether there is
/// memory is not known.
pub(crate) fn known(count: usize, uncounted: bool) -> Option<usize> {
    Some(count).filter(|count| *count > 0 || !uncounted)
}

/// `1 claim`, `3 claims`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Trust as it is written: three digits say enough.
pub(crate) fn short_trust(trust: brainstem_memory::Trust) -> f64 {
    (trust.value() * 1000.0).round() / 1000.0
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row as a project has it.
    pub(crate) fn example(label: &str, text: &str) -> Row {
        Row {
            id: label.to_lowercase(),
            label: label.to_owned(),
            title: None,
            text: text.to_owned(),
            cut: false,
            tier: "project".into(),
            lifecycle: "project_private".into(),
            also_in: None,
            chain: None,
            origin_brain: None,
            source_agent: Some("codex:maker".into()),
            created: Some(0),
            age_ms: Some(0),
            stale: false,
            state: Some("authored".into()),
            confidence: None,
            trust: None,
            kind: None,
            tags: Vec::new(),
            group: None,
            evidence: Vec::new(),
            evidence_changed: Vec::new(),
            evidence_not_found: Vec::new(),
            evidence_moved: Vec::new(),
            warnings: Vec::new(),
            facts: Vec::new(),
            depends_on: Vec::new(),
            path: String::new(),
            resurrected: false,
            retracted_apart: None,
            forgotten: false,
            forgotten_elsewhere: false,
            unrecorded: false,
            side: None,
            missing: false,
            why: "asked".into(),
            score: 0.0,
            score_parts: None,
        }
    }
}
