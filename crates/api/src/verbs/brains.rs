//! `brains`: every brain of the home.

use super::row::{Gap, counted, gaps, lost_brains, present_gaps};
use crate::Door;
use crate::screen::{Look, Span, bold, dim, styled};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use brainstem_post::letters::OpenCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;

/// List every brain of this home, and the medulla.
///
/// Counted from the folders, so a brain that was not opened for a year is there too, and so is
/// one whose root is gone.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Brains {}

/// Every brain, and the medulla.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BrainsAnswer {
    /// The brains.
    pub brains: Vec<BrainRow>,
    /// Brains that were set aside: in no recall, and nothing of them is deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<AsideRow>,
    /// The store that all projects share.
    pub medulla: Medulla,
    /// What was served this week across all brains, and without one.
    pub across_all_brains: Served,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BrainRow {
    /// How claims name it: name@id.
    pub brain: String,
    /// Its identity; two clones of one repository share it.
    pub id: String,
    /// Its root, where it was last seen.
    pub root: String,
    /// The name of its folder under the home.
    pub fingerprint: String,
    /// owner (under the home) or repo (in the repository).
    pub store: String,
    /// Live claims; null when its store could not be read.
    pub claims: Option<usize>,
    /// Open letters in its box; null when the box could not be read, with a gap that says why.
    pub mailbox_open_count: Option<usize>,
    /// It is not the brain of your folder.
    pub dormant: bool,
    /// Its root is gone; its memory is not.
    pub root_missing: bool,
    /// Its root is another folder now, which sees nothing of it; its memory is kept.
    pub root_replaced: bool,
    /// What was served there this week.
    #[serde(flatten)]
    pub served: Served,
}

/// A brain that was set aside.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AsideRow {
    /// How claims name it: name@id.
    pub brain: String,
    /// The name of its folder under the home.
    pub fingerprint: String,
    /// The root it was last seen at.
    pub root: String,
    /// Its claims; null when they could not be counted.
    pub claims: Option<usize>,
    /// The call that brings it back.
    pub next: String,
}

impl AsideRow {
    fn for_door(aside: brainstem_memory::SetAside, door: Door) -> Self {
        Self {
            brain: aside.brain.origin(),
            fingerprint: aside.brain.fingerprint,
            root: aside.brain.root.display().to_string(),
            claims: aside.claims,
            next: door.call(&aside.back),
        }
    }
}

/// What was served this week: counted on this machine alone, and harmless to lose.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Served {
    /// Beats (north) this week.
    pub memory_beats_served: u64,
    /// Calls of any kind this week.
    pub calls: u64,
    /// MCP sessions that made a call this week. One that moved from brain to brain counts in each of them, and once
    /// across all.
    pub sessions: u64,
}

impl From<brainstem_memory::Served> for Served {
    fn from(served: brainstem_memory::Served) -> Self {
        Self { memory_beats_served: served.beats, calls: served.calls, sessions: served.sessions }
    }
}

impl Served {
    /// `3 beats, 1 call`; what there was none of is left out.
    pub(crate) fn words(self) -> String {
        let all = [(self.memory_beats_served, "beat"), (self.calls, "call"), (self.sessions, "session")];
        let some = all.into_iter().filter(|(count, _)| *count > 0);
        let words = some.map(|(count, one)| counted(usize::try_from(count).unwrap_or(usize::MAX), one));
        words.collect::<Vec<_>>().join(", ")
    }

    /// `, 3 beats, 1 call this week`; nothing when there was none.
    pub(crate) fn this_week(self) -> String {
        let words = self.words();
        if words.is_empty() { words } else { format!(", {words} this week") }
    }
}

/// The store that all projects share.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Medulla {
    /// Live claims; null when the store could not be read.
    pub claims: Option<usize>,
    /// Open letters about no project; null when the box could not be read.
    pub mailbox_open_count: Option<usize>,
    /// It is an index, not a warehouse: from here on it should shrink.
    pub soft_cap: usize,
    /// What was served this week without a brain.
    #[serde(flatten)]
    pub served: Served,
}

impl Verb for Brains {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "List the brains",
        when_to_use: "To see which projects have memory here, and how much.",
        examples: &["brainstem brains", "brainstem brains --json"],
        ..VerbSpec::of(VerbId::Brains)
    };
    type Output = BrainsAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<BrainsAnswer, Fault> {
        let caller = cx.reader()?;
        let found = cx.memory.brains(&caller)?;
        let here = found.brains.iter().filter(|row| !row.replaced);
        let roots: Vec<PathBuf> = here.map(|row| row.brain.root.clone()).collect();
        let open = cx.post().open_counts(&caller, &roots);
        Ok(BrainsAnswer::for_door(found, cx.door).with_letters(&open, cx.door))
    }
}

impl BrainsAnswer {
    /// The same, with how much is open in each box: one pass over all of them.
    fn with_letters(mut self, open: &HashMap<Option<PathBuf>, OpenCount>, door: Door) -> Self {
        let mut lost = Vec::new();
        let mut count = |root, whose: &str| open_count(open, root, whose, &mut lost);
        for row in &mut self.brains {
            // Of a project that is gone, or is another folder now, there is nothing to read, and the row says so.
            if !row.root_missing && !row.root_replaced {
                row.mailbox_open_count = count(Some(PathBuf::from(&row.root)), &row.brain);
            }
        }
        self.medulla.mailbox_open_count = count(None, "the medulla");
        self.gaps.extend(gaps(&lost, door));
        self
    }
}

impl BrainsAnswer {
    /// What was found, in the words of a door.
    pub(crate) fn for_door(found: brainstem_memory::Brains, door: Door) -> Self {
        let row = |row: brainstem_memory::BrainRow| BrainRow {
            brain: row.brain.origin(),
            id: row.brain.manifest.id.to_string(),
            root: row.brain.root.display().to_string(),
            store: row.brain.place.as_str().to_owned(),
            claims: row.claims,
            mailbox_open_count: None,
            dormant: !row.here,
            root_missing: row.missing,
            root_replaced: row.replaced,
            served: row.served.into(),
            fingerprint: row.brain.fingerprint,
        };
        let served = found.brains.iter().map(|row| row.served).chain([found.medulla_served]);
        let all = brainstem_memory::Served::across(served);
        Self {
            across_all_brains: all.into(),
            brains: found.brains.into_iter().map(row).collect(),
            set_aside: found.aside.into_iter().map(|aside| AsideRow::for_door(aside, door)).collect(),
            medulla: Medulla {
                claims: found.medulla_claims,
                mailbox_open_count: None,
                soft_cap: found.soft_cap,
                served: found.medulla_served.into(),
            },
            gaps: gaps(&found.gaps, door),
        }
    }
}

/// Returns how many letters of a box are open; if that is not known, `None` and a gap.
pub(crate) fn open_count(
    open: &HashMap<Option<PathBuf>, OpenCount>,
    root: Option<PathBuf>,
    whose: &str,
    lost: &mut Vec<brainstem_memory::Gap>,
) -> Option<usize> {
    let counted = open.get(&root)?.as_ref();
    let why = match counted {
        Ok(count) => return Some(*count),
        Err(why) => why,
    };
    lost.push(brainstem_memory::Gap::new("box_unreadable", format!("the letters of {whose}: {why}")));
    None
}

/// `, 2 open letters`; nothing when there are none.
fn open_letters(count: Option<usize>) -> Option<Span> {
    let count = count.filter(|count| *count > 0)?;
    Some(styled(Look::Warn, format!(", {}", counted(count, "open letter"))))
}

/// A count that may be unknown.
pub(crate) fn claims(count: Option<usize>) -> String {
    count.map_or_else(|| "unreadable".into(), |count| counted(count, "claim"))
}

/// `, 3 beats this week`; nothing when there were none.
pub(crate) fn beats_this_week(count: u64) -> String {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count == 0 { String::new() } else { format!(", {} this week", counted(count, "beat")) }
}

impl Present for BrainsAnswer {
    fn present(&self, out: &mut Screen) {
        for brain in &self.brains {
            let served = brain.served.this_week();
            let mut spans: Vec<Span> =
                vec![bold(brain.brain.as_str()), format!("  {}{served}", claims(brain.claims)).into()];
            spans.extend(open_letters(brain.mailbox_open_count));
            if !brain.dormant {
                spans.push(styled(Look::Good, "  you are here"));
            }
            out.flow(0, 2, spans);
            let gone = match (brain.root_missing, brain.root_replaced) {
                (true, _) => "  (the folder is gone; its memory is kept)",
                (_, true) => "  (another folder is there now; its memory is kept)",
                (false, false) => "",
            };
            // Clones of one repository have one name@id.
            let is_clone = self.brains.iter().filter(|other| other.brain == brain.brain).count() > 1;
            let mark = if is_clone { format!("  {}", brain.fingerprint) } else { String::new() };
            out.line([dim(format!("  {}{mark}{gone}", brain.root))]);
        }
        if self.brains.is_empty() && lost_brains(&self.gaps) {
            out.line(["No brain of this home can be read."]);
        } else if self.brains.is_empty() && self.set_aside.is_empty() {
            let call = out.command(&calls::bootstrap_at(calls::PATH));
            out.line([format!("No project has a brain yet. Give one its brain: {call}")]);
        }
        for aside in &self.set_aside {
            let told = format!("  {}, set aside; {} brings it back", claims(aside.claims), aside.next);
            out.flow(0, 2, [dim(aside.brain.as_str()), dim(told)]);
        }
        let cap = dim(format!("  of at most {}, shared by all projects", self.medulla.soft_cap));
        let head = [bold("medulla"), format!("  {}", claims(self.medulla.claims)).into()];
        let open = open_letters(self.medulla.mailbox_open_count);
        out.flow(0, 2, head.into_iter().chain([cap]).chain(open));
        let all = self.across_all_brains.words();
        if !all.is_empty() {
            out.line([dim(format!("across all brains: {all} this week, as counted here"))]);
        }
        present_gaps(&self.gaps, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-3a
    fn brains_that_cannot_be_read_are_not_said_to_be_none() {
        let served = Served { memory_beats_served: 0, calls: 0, sessions: 0 };
        let mut answer = BrainsAnswer {
            brains: Vec::new(),
            set_aside: Vec::new(),
            medulla: Medulla { claims: Some(0), soft_cap: 200, served, mailbox_open_count: None },
            across_all_brains: served,
            gaps: Vec::new(),
        };
        let shown = |answer: &BrainsAnswer| {
            let mut out = Screen::plain();
            answer.present(&mut out);
            out.into_string()
        };
        assert!(shown(&answer).contains("No project has a brain yet"));
        let detail = "`/h/project-brains/x`: its root.json cannot be read".into();
        answer.gaps.push(Gap { name: "unreadable_brain".into(), detail });
        let text = shown(&answer);
        assert!(text.contains("can be read") && !text.contains("No project has a brain"), "{text}");
        answer.gaps[0].name = "brains_unreadable".into();
        assert_eq!(shown(&answer), text, "a list that cannot be read is no empty one");
    }
}
