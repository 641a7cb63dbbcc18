//! `letter write|list|show|box|all|distribute`: letters, one at a time and as boxes; and a letter in the form that
//! every answer has.

mod all;
mod distribute;
mod list;
mod one_box;
mod show;
mod write;

pub use all::{LetterAll, LetterAllAnswer, PendingLetter, RefusedLetter};
pub use distribute::{LetterDistribute, LetterDistributeAnswer};
pub use list::LetterList;
pub use one_box::{LetterBox, LetterBoxAnswer};
pub use show::{LetterShow, LetterShowAnswer};
pub use write::{LetterWrite, LetterWriteAnswer};

use super::row::counted;
use crate::screen::{Look, bold, dim, styled};
use crate::{Present, Screen};
use brainstem_base::next::field;
use brainstem_post::letters;
use schemars::JsonSchema;
use serde::Serialize;

/// A letter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterRow {
    /// Its id, made from its line: the same on every machine.
    pub id: String,
    /// When, as written.
    pub ts: Option<String>,
    /// Its agent.
    pub agent: Option<String>,
    /// What sort of letter.
    pub class: Option<String>,
    /// Of a memory_misdelivery: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The project it names.
    pub repo: Option<String>,
    /// The brain it names.
    pub brain: Option<String>,
    /// The tool it is about.
    pub tool: Option<String>,
    /// What happened.
    pub what: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What was seen.
    pub snippet: Option<String>,
    /// Of a triage: confirmed, dismissed or duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// wet_ink (unanswered), in_flight, fired_clay (closed) or external (not this system's).
    pub state: String,
    /// The letters it answers.
    pub answers: Vec<String>,
    /// The letters that answer it.
    pub answered_by: Vec<String>,
    /// Only the repository says that it was written, and by which agent: this home has no record of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
    /// The boxes that hold it: roots of projects, or medulla; empty while it is in the spool alone.
    pub boxes: Vec<String>,
}

/// The words beside the writer of a letter that this home has no record of.
pub(crate) const UNRECORDED: &str = "only the repository says so";

/// How many letters have each fate.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct LetterCounts {
    /// Unanswered.
    pub wet_ink: usize,
    /// Answered and not closed.
    pub in_flight: usize,
    /// Closed.
    pub fired_clay: usize,
    /// Not this system's to close; never counted as open.
    pub external: usize,
}

/// A file of letters that could not be read or written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnreachableBox {
    /// The file.
    pub path: String,
    /// Why.
    pub why: String,
}

impl From<letters::LetterView> for LetterRow {
    fn from(row: letters::LetterView) -> Self {
        let letter = row.letter;
        Self {
            id: letter.id.to_string(),
            ts: letter.ts,
            agent: letter.agent,
            class: letter.class,
            kind: letter.kind,
            repo: letter.repo,
            brain: letter.brain,
            tool: letter.tool,
            what: letter.what,
            expected: letter.expected,
            snippet: letter.snippet,
            verdict: letter.verdict,
            state: row.state.as_str().to_owned(),
            answers: letter.answers,
            answered_by: row.answered_by.iter().map(ToString::to_string).collect(),
            unrecorded: row.unrecorded,
            boxes: row.boxes,
        }
    }
}

impl From<letters::FateCounts> for LetterCounts {
    fn from(counts: letters::FateCounts) -> Self {
        let letters::FateCounts { wet_ink, in_flight, fired_clay, external } = counts;
        Self { wet_ink, in_flight, fired_clay, external }
    }
}

impl LetterCounts {
    /// How many letters these are.
    pub(crate) fn total(self) -> usize {
        self.wet_ink + self.in_flight + self.fired_clay + self.external
    }

    /// Returns `3 letters, 2 open, 1 closed`. If the caller asked for some of them, their number comes first.
    pub(crate) fn words_of(self, matching: usize) -> String {
        match (self.total(), matching) {
            (0, _) => "no letters".to_owned(),
            (total, some) if some < total => {
                let found = if some == 0 { "none".to_owned() } else { some.to_string() };
                let matches = if some < 2 { "matches" } else { "match" };
                format!("{found} of {} {matches}; in all {}", counted(total, "letter"), self.words())
            }
            (total, _) => format!("{}, {}", counted(total, "letter"), self.words()),
        }
    }

    /// `2 open (1 in flight), 3 closed, 1 external`.
    pub(crate) fn words(self) -> String {
        let open = self.wet_ink + self.in_flight;
        let flight =
            if self.in_flight > 0 { format!(" ({} in flight)", self.in_flight) } else { String::new() };
        let external =
            if self.external > 0 { format!(", {} external", self.external) } else { String::new() };
        format!("{open} open{flight}, {} closed{external}", self.fired_clay)
    }
}

/// Converts files that could not be reached.
pub(crate) fn unreachable(lost: Vec<letters::UnreachableFile>) -> Vec<UnreachableBox> {
    let one = |lost: letters::UnreachableFile| UnreachableBox {
        path: lost.path.display().to_string(),
        why: lost.why,
    };
    lost.into_iter().map(one).collect()
}

/// Shows what could not be reached.
pub(crate) fn present_unreachable(lost: &[UnreachableBox], out: &mut Screen) {
    for lost in lost {
        let what = format!("`{}` cannot be reached: {}", lost.path, lost.why);
        out.note(0, 2, what);
    }
}

/// Shows how many letters were left out.
pub(crate) fn present_left_out(left_out: usize, out: &mut Screen) {
    if left_out > 0 {
        out.line([dim(format!("{} more; {} shows them", counted(left_out, "letter"), field("limit")))]);
    }
}

impl LetterRow {
    /// The mark of its fate.
    fn mark(&self) -> &'static str {
        letters::Fate::parse(&self.state).map_or("?", letters::Fate::mark)
    }

    /// The project it names, in words.
    fn about(&self) -> String {
        match self.repo.as_ref().or(self.brain.as_ref()) {
            Some(name) => format!("about {name}"),
            None => "about no project".into(),
        }
    }

    /// Writes one line with the writer and the time, then what happened.
    pub(crate) fn present_brief(&self, out: &mut Screen) {
        self.present_with("", out);
    }

    /// The same with the project, for rows of several.
    pub(crate) fn present_about(&self, out: &mut Screen) {
        self.present_with(&format!(", {}", self.about()), out);
    }

    fn present_with(&self, about: &str, out: &mut Screen) {
        let look = match self.state.as_str() {
            "wet_ink" => Look::Warn,
            "fired_clay" => Look::Good,
            _ => Look::Dim,
        };
        let kind = self.kind.as_ref().map(|kind| format!(" {kind}")).unwrap_or_default();
        let class = self.class.as_deref().unwrap_or("letter");
        let by = self.agent.as_deref().unwrap_or("unknown");
        let ts = self.ts.as_deref().unwrap_or("undated");
        let head = [
            styled(look, self.mark()),
            " ".into(),
            bold(self.id.as_str()),
            format!(" {class}{kind}").into(),
            dim(format!("  by {by}, {ts}{about}")),
        ];
        let mark = [" ".into(), styled(Look::Warn, format!("({UNRECORDED})"))];
        out.flow(0, 4, head.into_iter().chain(mark.into_iter().filter(|_| self.unrecorded)));
        if let Some(what) = &self.what {
            out.wrap(2, what);
        }
    }

    /// Everything it says.
    fn present_whole(&self, out: &mut Screen) {
        self.present_brief(out);
        let fields = [
            ("expected", &self.expected),
            ("snippet", &self.snippet),
            ("tool", &self.tool),
            ("repo", &self.repo),
            ("brain", &self.brain),
            ("verdict", &self.verdict),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                out.flow(2, 4, [dim(format!("{name}: ")), value.as_str().into()]);
            }
        }
        let place = if self.boxes.is_empty() { "the spool alone".to_owned() } else { self.boxes.join(", ") };
        out.flow(2, 4, [dim("lies in: "), place.into()]);
    }
}

/// Rows of a listing.
pub(crate) fn present_rows(rows: &[LetterRow], out: &mut Screen) {
    for row in rows {
        row.present_brief(out);
    }
}

/// A letter with the letters around it.
pub(crate) fn present_thread(letter: &LetterRow, around: &[LetterRow], out: &mut Screen) {
    letter.present_whole(out);
    for (title, ids) in [("Answers", &letter.answers), ("Answered by", &letter.answered_by)] {
        if !ids.is_empty() {
            out.heading(title);
        }
        for id in ids {
            match around.iter().find(|row| row.id == *id) {
                Some(row) => row.present_brief(out),
                None => out.line([dim(format!("{id} (not within reach)"))]),
            }
        }
    }
}

impl Present for LetterRow {
    fn present(&self, out: &mut Screen) {
        self.present_whole(out);
    }
}
