//! A claim as rows on the wire and as lines on a terminal, the same for every verb that shows claims.

use super::learn::short_trust;
use crate::Screen;
use crate::screen::{Look, Span, age, bold, dim, styled};
use brainstem_memory::{self as memory, Why};
use schemars::JsonSchema;
use serde::Serialize;

/// One claim with where it came from and why it is here. null means that its file does not say.
#[derive(Debug, Serialize, JsonSchema)]
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
    /// The text was cut to fit the budget; `show` has it whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// project or medulla.
    pub tier: String,
    /// project_private, promoted, doctrine, superseded, retracted or unknown.
    pub lifecycle: String,
    /// medulla on a project's claim that is shared: it is one finding in both tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_in: Option<String>,
    /// On a promoted or shared claim: where it was learned, by whom, who promoted it and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// The brain it was written in.
    pub origin_brain: Option<String>,
    /// Who wrote it.
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
    /// Labels it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Its file.
    pub path: String,
    /// It came back by a pull or a checkout after it was superseded, taken back or forgotten here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resurrected: bool,
    /// It was forgotten here, and came back by a pull, a checkout or a restored file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// ours, theirs, third, …: which one it is, while several versions of this label wait for a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// It was written here and is not in this checkout.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// matched, recent (nothing matched) or asked.
    pub why: String,
    /// What it was ranked by.
    pub score: f64,
    /// What the score is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_parts: Option<ScoreParts>,
}

/// What a score is made of: (half the words, half the meaning, and what stands close) × standing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScoreParts {
    /// The shared words, against the best of this question.
    pub lexical: f64,
    /// The meaning, against the best of this question.
    pub semantic: f64,
    /// The cosine of the two meanings.
    pub cosine: f64,
    /// How much of the question stands close together.
    pub near: f64,
    /// 1 for the few claims that hold a name the question asks for, such as ERR_7741.
    pub named: f64,
    /// What its youth, trust and evidence make of it, as a factor.
    pub standing: f64,
    /// What the session it was written in says for it; only where claims were written together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<f64>,
}

impl From<memory::ScoreParts> for ScoreParts {
    fn from(parts: memory::ScoreParts) -> Self {
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct Gap {
    /// A stable name.
    pub name: String,
    /// What it is.
    pub detail: String,
}

impl From<memory::Gap> for Gap {
    fn from(gap: memory::Gap) -> Self {
        Self { name: gap.name.to_owned(), detail: gap.detail }
    }
}

/// Settings that were passed over when the caller was named.
pub(crate) fn unread_gaps(caller: &memory::Caller) -> impl Iterator<Item = memory::Gap> {
    caller.principal.notes().into_iter().map(|detail| memory::Gap { name: "config_broken", detail })
}

/// Converts a list of gaps.
pub(crate) fn gaps(gaps: Vec<memory::Gap>) -> Vec<Gap> {
    gaps.into_iter().map(Gap::from).collect()
}

/// Converts a list of rows.
pub(crate) fn rows(rows: Vec<memory::Row>) -> Vec<Row> {
    rows.into_iter().map(Row::from).collect()
}

impl From<memory::Row> for Row {
    fn from(row: memory::Row) -> Self {
        let (why, score_parts) = match row.why {
            Why::Matched { parts, .. } => ("matched", Some(ScoreParts::from(parts))),
            Why::Recent => ("recent", None),
            Why::Asked => ("asked", None),
        };
        Self {
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
            evidence: row
                .evidence
                .into_iter()
                .map(|entry| anchor(&entry.path, entry.anchor.as_deref()))
                .collect(),
            evidence_changed: row.evidence_changed,
            depends_on: row.depends_on,
            path: row.path.display().to_string(),
            resurrected: row.resurrected,
            forgotten: row.forgotten,
            side: row.side.map(str::to_owned),
            missing: row.missing,
            why: why.to_owned(),
            score_parts,
        }
    }
}

/// How much of a text stands among other rows: lines, and bytes.
const BRIEF_LINES: usize = 12;
const BRIEF_LEN: usize = 800;

/// How much of a text stands under its label in a list, in characters.
const FIRST_LINE_CHARS: usize = 90;

fn anchor(path: &str, anchor: Option<&str>) -> String {
    anchor.map_or_else(|| path.to_owned(), |anchor| format!("{path}#{anchor}"))
}

impl Row {
    /// Label, title, text and where it came from.
    pub(crate) fn present_whole(&self, out: &mut Screen) {
        self.present_text(out, &self.text, self.cut);
    }

    /// The same, with a long text cut to what fits among other rows.
    pub(crate) fn present_brief(&self, out: &mut Screen) {
        let lines_end = self.text.match_indices('\n').nth(BRIEF_LINES).map_or(self.text.len(), |(at, _)| at);
        let brief = &self.text[..self.text.floor_char_boundary(lines_end.min(BRIEF_LEN))];
        self.present_text(out, brief, self.cut || brief.len() < self.text.len());
    }

    fn present_text(&self, out: &mut Screen, text: &str, cut: bool) {
        self.present_head(out);
        out.wrap(2, text);
        if cut {
            out.line([dim("  … "), dim(format!("brainstem show {:?} has the rest", self.id))]);
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
        let text = self.text.trim_start();
        let first = text.lines().next().unwrap_or_default().trim_end();
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

    /// Its age for people.
    pub(crate) fn age(&self) -> String {
        self.age_ms.map_or_else(|| "age unknown".into(), age_words)
    }

    /// One line: tier, strength, author, age, evidence.
    pub(crate) fn present_origin(&self, out: &mut Screen) {
        let unknown = || "unknown".to_owned();
        let mut parts = vec![self.tier.clone()];
        match self.lifecycle.as_str() {
            "unknown" => parts.push("of unknown origin".into()),
            "promoted" => parts.push("promoted".into()),
            _ => {}
        }
        if self.also_in.is_some() {
            parts.push("shared with every project".into());
        }
        let confidence = self.confidence.map_or_else(String::new, |value| format!(" {value}"));
        parts.push(format!("{}{confidence}", self.state.clone().unwrap_or_else(unknown)));
        parts.push(format!("by {}", self.source_agent.clone().unwrap_or_else(unknown)));
        parts.push(self.age());
        parts.extend(self.trust.map(|trust| format!("trust {trust:.2}")));
        let mut spans: Vec<Span> = vec![dim(parts.join(" · "))];
        if self.forgotten {
            spans.push(styled(Look::Warn, " · came back after it was forgotten here"));
        } else if self.resurrected {
            spans.push(styled(Look::Warn, " · came back after it was superseded here"));
        }
        if let Some(side) = &self.side {
            spans.push(styled(Look::Warn, format!(" · undecided ({side}); resolve decides")));
        }
        if self.missing {
            spans.push(styled(Look::Warn, " · not in this checkout"));
        }
        if self.stale {
            spans.push(styled(Look::Warn, " · stale"));
        }
        if !self.tags.is_empty() {
            spans.push(dim(format!(" · #{}", self.tags.join(" #"))));
        }
        if !self.evidence.is_empty() {
            spans.push(dim(format!(" · see {}", self.evidence.join(", "))));
        }
        if !self.evidence_changed.is_empty() {
            let paths = self.evidence_changed.join(", ");
            spans.push(styled(Look::Warn, format!(" · evidence changed or gone: {paths}")));
        }
        out.flow(2, 4, spans);
        if let Some(chain) = &self.chain {
            out.flow(2, 4, [dim(chain.as_str())]);
        }
    }
}

fn age_words(ms: i64) -> String {
    match age(ms) {
        words if words == "just now" => words,
        words => format!("{words} ago"),
    }
}

/// Writes what could not be looked at.
pub(crate) fn present_gaps<'a>(gaps: impl IntoIterator<Item = &'a Gap>, out: &mut Screen) {
    for gap in gaps {
        out.flow(0, 2, [styled(Look::Warn, "note:"), " ".into(), Span::from(gap.detail.as_str())]);
    }
}

/// The gap of a home whose brains could not be listed.
pub(crate) const BRAINS_UNREADABLE: &str = "brains_unreadable";

/// Whether a brain that is not shown may be there all the same.
pub(crate) fn lost_brains(gaps: &[Gap]) -> bool {
    gaps.iter().any(|gap| ["unreadable_brain", BRAINS_UNREADABLE].contains(&gap.name.as_str()))
}

/// Whether a store was not read, so that nothing found is no word about what there is.
pub(crate) fn could_not_look(gaps: &[Gap]) -> bool {
    let names =
        ["store_unreadable", "unreadable_brain", BRAINS_UNREADABLE, "medulla_unreadable", "medulla_timeout"];
    gaps.iter().any(|gap| names.contains(&gap.name.as_str()))
}

/// A count of claims on the wire. None counted, and a store that nobody could count, is no zero: whether there is
/// memory is not known.
pub(crate) fn known(count: usize, uncounted: bool) -> Option<usize> {
    Some(count).filter(|count| *count > 0 || !uncounted)
}

/// `1 claim`, `3 claims`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
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
            depends_on: Vec::new(),
            path: String::new(),
            resurrected: false,
            forgotten: false,
            side: None,
            missing: false,
            why: "asked".into(),
            score: 0.0,
            score_parts: None,
        }
    }
}
