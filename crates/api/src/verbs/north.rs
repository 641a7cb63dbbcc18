//! `north`: the beat.

mod answer;
mod open_letter;

pub use answer::{Binding, MailCount, NorthAnswer};
pub use open_letter::OpenLetter;

use super::boot::boot_rows;
use super::conflict::conflicts;
use super::reception::Reception;
use super::row::{
    Gap, ROOT_REPLACED, Row, SET_ASIDE, could_not_look, counted, gaps, known, present_gaps, rows,
};
use crate::beat_parts::BeatParts;
use crate::caller::Form;
use crate::screen::{bold, dim};
use crate::token_budget::{self, Carrier, Totals};
use crate::verbs::InboxCount;
use crate::wire::{escaped, spelled_out};
use crate::{
    AnswerGaps, Context, Door, DoorKind, Present, Screen, Verb, VerbSpec, answer_gaps, recall_pages, within,
};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{Beat, NorthRequest, limits, shortened};
use brainstem_post::letters::OpenLetters;
use brainstem_post::mail::MailStanding;
use schemars::JsonSchema;
use serde::Deserialize;

/// Start here: what is remembered that matters for your task.
///
/// Carries your project's memory and the medulla's, most useful first, within a size you choose: everything
/// you are handed counts. It says what it left out or cut and how to get it, and what it could not read.
/// Without a task it carries what disagrees, then what is worth most.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct North {
    /// What you are about to do.
    #[arg(num_args = 1..)]
    pub task: Option<String>,
    /// Size of the beat, in tokens of four bytes; default 1200.
    #[arg(long, value_name = "N")]
    #[schemars(extend("x-range" = crate::schema::range(limits::BUDGET, limits::BUDGET_DEFAULT)))]
    pub budget_tokens: Option<i64>,
    /// Give the beat as a page of Markdown instead, each text in a fence that it cannot close.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub fenced: bool,
}

impl Verb for North {
    const SPEC: VerbSpec = VerbSpec {
        title: "Start from what is known",
        when_to_use: "What memory has for your task: first, at the start of a session or a task, with the task in your own words.",
        examples: &["brainstem north \"make the retry loop bounded\"", "brainstem north --budget-tokens 400"],
        ..VerbSpec::of(VerbId::North)
    };
    const HAS_PAGE: bool = true;
    type Output = NorthAnswer;

    // `compose` names what it could not read before the beat is cut to its budget.
    fn only_reads(&self) -> bool {
        false
    }

    fn run(self, cx: &Context) -> Result<NorthAnswer, Fault> {
        let budget = within("budget_tokens", self.budget_tokens, limits::BUDGET_DEFAULT, limits::BUDGET)?;
        let task = self.task.unwrap_or_default();
        let page = |beat: &NorthAnswer| recall_pages::beat(beat, cx.door);
        match (self.fenced, cx.offers.form) {
            (false, Form::Json) => compose(cx, task, budget, &|beat| beat.json_len(cx.door)),
            (false, Form::PageAndDocument) => {
                let beat = compose(cx, task, budget, &|beat| beat.json_len(cx.door))?;
                Ok(NorthAnswer { beside: Some(page(&beat)), ..beat })
            }
            (false, Form::Text) => compose(cx, task, budget, &|beat| beat.text_len()),
            (true, Form::Text) | (_, Form::Page) => {
                Ok(compose(cx, task, budget, &|beat| page(beat).len())?.into_page(&page))
            }
            (true, Form::Json | Form::PageAndDocument) => {
                let len = |beat: &NorthAnswer| {
                    // The size of the page as a text of JSON, beside the rest of the document.
                    let frame = beat.frame();
                    frame.json_len(cx.door) + written_len(&page(beat))
                };
                Ok(compose(cx, task, budget, &len)?.into_page(&page))
            }
        }
    }
}

/// The gap of letters that could not be counted.
pub(crate) const LETTERS_NOT_COUNTED: &str = "letters_not_counted";

/// Composes a beat, and fits it into so many tokens of the form that `len` measures.
pub(crate) fn compose(
    cx: &Context,
    task: String,
    budget_tokens: usize,
    len: &dyn Fn(&NorthAnswer) -> usize,
) -> Result<NorthAnswer, Fault> {
    let request = NorthRequest { task, budget_tokens };
    let read = |cx: &Context| {
        let caller = cx.reader()?;
        let mut beat = cx.memory.north(&caller, &request)?;
        let (mail, mail_gap) = cx.post().mail_standing(&caller);
        beat.gaps.extend(mail_gap);
        beat.next_moves.splice(..0, mail.and_then(MailStanding::next_move));
        let (inbox, inbox_gap) = cx.post().inbox_standing(&caller);
        beat.gaps.extend(inbox_gap);
        let inbox = inbox.map(InboxCount::from);
        beat.next_moves.splice(..0, inbox.and_then(InboxCount::next_move));
        let mut open = cx.post().open_letters(&caller);
        beat.gaps.extend(open.why.take().map(|why| brainstem_memory::Gap::new(LETTERS_NOT_COUNTED, why)));
        Ok((beat, mail, inbox, open))
    };
    let (beat, mail, inbox, open) = answer_gaps::read_with_gaps(
        cx,
        |(beat, ..): &mut (Beat, Option<MailStanding>, Option<InboxCount>, OpenLetters)| {
            AnswerGaps::Plain(&mut beat.gaps)
        },
        read,
    )?;
    let totals = Totals {
        rows: beat.rows_total,
        conflicts: beat.conflicts_total,
        conflicts_elsewhere: beat.conflicts_elsewhere,
        seeds: 0,
    };
    let parts = BeatParts {
        memory: rows(beat.memory).into_iter().map(Row::for_a_beat).collect(),
        boot: boot_rows(beat.boot),
        conflicts: conflicts(beat.conflicts, cx.door),
        letters: open.newest.into_iter().map(OpenLetter::from).collect(),
        honest_gaps: gaps(&beat.gaps, cx.door),
        reception: beat.reception.map(|reception| Reception::for_door(reception, cx.door)),
        moves: cx.door.render_all(&beat.next_moves),
        ..BeatParts::default()
    };
    let answer = NorthAnswer {
        task: shortened(&beat.task, TASK_LEN_MAX).unwrap_or(beat.task),
        binding: Binding {
            brain: beat.binding.brain,
            fingerprint: beat.binding.fingerprint,
            root: beat.binding.root.map(|root| root.display().to_string()),
            trust_mode: beat.binding.trust_mode.as_str().to_owned(),
        },
        parts: Some(parts),
        memory_exists: known(beat.memory_exists, beat.uncounted),
        letters_open: open.count,
        mail: mail.map(MailCount::from),
        inbox,
        sources: beat
            .sources
            .into_iter()
            .map(|(tier, path)| (tier.to_owned(), path.display().to_string()))
            .collect(),
        composed_at: beat.composed_at.to_rfc3339(),
        fenced: None,
        beside: None,
    };
    let mut composing = Composing { answer, door: cx.door, len };
    token_budget::fit(&mut composing, totals, budget_tokens);
    Ok(composing.answer)
}

/// How much of the task is repeated in the answer, in bytes: its author has it.
const TASK_LEN_MAX: usize = 200;

/// A beat that is being fitted.
struct Composing<'a> {
    answer: NorthAnswer,
    door: Door,
    len: &'a dyn Fn(&NorthAnswer) -> usize,
}

impl Carrier for Composing<'_> {
    fn parts(&mut self) -> &mut BeatParts {
        self.answer.parts.get_or_insert_default()
    }

    fn len(&self) -> usize {
        (self.len)(&self.answer)
    }

    fn tell_left_out(&mut self, budget_tokens: usize) {
        let door = self.door;
        let parts = self.parts();
        let left_out = parts.left_out_moves(budget_tokens);
        parts.next_moves =
            parts.moves.iter().cloned().chain(left_out.iter().map(|next| door.render(next))).collect();
    }
}

/// What a text takes inside JSON.
fn written_len(text: &str) -> usize {
    serde_json::to_string(text).map_or(text.len(), |written| written.len())
}

impl NorthAnswer {
    /// Its size as JSON, as a door sends it.
    fn json_len(&self, door: Door) -> usize {
        let text = serde_json::to_string(self).unwrap_or_default();
        match door.way() {
            DoorKind::CommandLine(_) => escaped(&text).len() + 1,
            // The server adds which brain was served.
            DoorKind::Mcp(_) => spelled_out(&text).len() + self.served_len(door),
            DoorKind::Rest => escaped(&text).len() + self.served_len(door),
        }
    }

    fn served_len(&self, door: Door) -> usize {
        let brain = self.binding.brain.as_ref().map_or("null".len(), |brain| door.json_string(brain).len());
        ",\"served_brain\":".len() + brain
    }

    /// Its size as text, as a pipe gets it.
    fn text_len(&self) -> usize {
        let mut out = Screen::plain();
        self.present(&mut out);
        out.as_str().len()
    }

    /// The same without what it carries.
    fn frame(&self) -> Self {
        Self {
            task: self.task.clone(),
            binding: self.binding.clone(),
            parts: None,
            memory_exists: self.memory_exists,
            letters_open: self.letters_open,
            mail: self.mail,
            inbox: self.inbox,
            sources: self.sources.clone(),
            composed_at: self.composed_at.clone(),
            fenced: Some(String::new()),
            beside: None,
        }
    }

    /// What it carries as a page instead.
    fn into_page(self, page: &dyn Fn(&Self) -> String) -> Self {
        Self { fenced: Some(page(&self)), ..self.frame() }
    }

    /// The brain, or what there is instead of one.
    pub(crate) fn brain_words(&self) -> &str {
        let is_told = |name: &str| self.carried().honest_gaps.iter().any(|gap| gap.name == name);
        match (&self.binding.brain, self.binding.trust_mode.as_str()) {
            (Some(brain), _) => brain,
            (None, "unbound") => "no project",
            (None, _) if is_told("unreadable_brain") => "a brain that cannot be read",
            (None, _) if is_told(SET_ASIDE) => "no brain in use (the one of this folder was set aside)",
            (None, _) if is_told(ROOT_REPLACED) => {
                "no brain in use (another folder was remembered at this path)"
            }
            (None, _) => "no brain yet",
        }
    }

    /// How many claims there are, as far as that is known.
    pub(crate) fn exists_words(&self) -> String {
        match self.memory_exists {
            Some(count) if could_not_look(&self.carried().honest_gaps) => {
                format!("at least {}", counted(count, "claim"))
            }
            Some(count) => counted(count, "claim"),
            None => "nobody knows how many claims".to_owned(),
        }
    }
}

impl Present for NorthAnswer {
    fn page(&self) -> Option<String> {
        self.beside.clone().or_else(|| self.fenced.clone())
    }

    fn present(&self, out: &mut Screen) {
        if let Some(fenced) = &self.fenced {
            for line in fenced.lines() {
                out.line([line]);
            }
            return;
        }
        let (brain, exists, parts) = (self.brain_words(), self.exists_words(), self.carried());
        out.flow(0, 2, [bold(brain), dim(format!("  {}  {exists} in reach", self.binding.trust_mode))]);
        if !parts.boot.is_empty() {
            out.heading("Boot");
        }
        for row in &parts.boot {
            row.present(out);
        }
        for (tier, title) in [("project", "Project"), ("medulla", "Medulla")] {
            let rows: Vec<&Row> = parts.memory.iter().filter(|row| row.tier == tier).collect();
            let about = rows.iter().any(|row| row.why == "matched");
            match (rows.is_empty(), about || self.task.trim().is_empty()) {
                (true, _) => {}
                (false, true) => out.heading(title),
                (false, false) => out.heading(&format!("{title} (not necessarily about your task)")),
            }
            for row in rows {
                row.present_brief(out);
            }
        }
        for (title, is_copy) in [("Disagreements", false), ("Outdated copies", true)] {
            let pairs = parts.conflicts.iter().filter(|pair| pair.is_outdated_copy() == is_copy);
            for (at, pair) in pairs.enumerate() {
                if at == 0 {
                    out.heading(title);
                }
                pair.present(out);
            }
        }
        if let Some(open) = self.letters_open.filter(|open| *open > 0) {
            out.heading(&format!("Letters ({open} open)"));
        }
        for letter in &parts.letters {
            let by = letter.agent.as_deref().unwrap_or("unknown");
            let head = format!("{} {}", letter.id, letter.class.as_deref().unwrap_or("letter"));
            let what = letter.what.as_deref().unwrap_or_default();
            let mark = letter.source_mark();
            out.flow(0, 2, [bold(head), dim(format!("  by {by}{mark}  ")), what.into()]);
        }
        // The reception says already that the caller has no brain.
        let is_told = |gap: &&Gap| gap.name == "unbound" && parts.reception.is_some();
        let gaps: Vec<&Gap> = parts.honest_gaps.iter().filter(|gap| !is_told(gap)).collect();
        if !gaps.is_empty() {
            out.blank();
        }
        present_gaps(gaps, out);
        if let Some(reception) = &parts.reception {
            reception.present(out);
        }
        if !parts.next_moves.is_empty() {
            out.heading("Next");
        }
        for next in &parts.next_moves {
            out.bullet(next.as_str());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::Conflict;
    use std::collections::BTreeMap;

    #[test] // spec: MEM-27, MEM-29
    fn the_keys_of_a_beat_are_these() {
        let beat = NorthAnswer {
            task: "t".into(),
            binding: Binding { brain: None, fingerprint: None, root: None, trust_mode: "full".into() },
            parts: Some(BeatParts {
                memory: vec![super::super::row::tests::example("Retry", "three times")],
                conflicts: vec![Conflict {
                    label: "Tabs".into(),
                    medulla_label: None,
                    project: "use tabs".into(),
                    medulla: "use blanks".into(),
                    cut: false,
                    project_warnings: Vec::new(),
                    medulla_warnings: Vec::new(),
                    facts: Default::default(),
                    found_by: "same_slug".into(),
                    wins: Some("medulla".into()),
                    because: "doctrine".into(),
                    why: "it is doctrine for every project".into(),
                }],
                ..BeatParts::default()
            }),
            memory_exists: Some(1),
            letters_open: Some(1),
            mail: Some(MailCount {
                unread: 2,
                urgent: 1,
                tracked_by_git: 0,
                unreadable: 0,
                taken: 0,
                taken_until_ms: None,
            }),
            inbox: Some(InboxCount { unread: 1, urgent: 0 }),
            sources: BTreeMap::new(),
            composed_at: "2026-07-04T23:57:11.408Z".into(),
            fenced: None,
            beside: None,
        };
        let value = serde_json::to_value(&beat).expect("plain data");
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        let sorted = |words: &str| -> Vec<String> {
            let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            words.sort();
            words
        };
        let check = |value: &serde_json::Value, words: &str| {
            let mut found = keys(value);
            found.sort();
            assert_eq!(found, sorted(words));
        };
        check(
            &value,
            "task binding memory memory_exists left_out conflicts letters_open honest_gaps mail inbox next_moves sources \
             composed_at",
        );
        check(&value["binding"], "brain fingerprint root trust_mode");
        check(
            &value["memory"][0],
            "id label text tier lifecycle origin_brain source_agent created age_ms stale state confidence trust \
             evidence why score",
        );
        check(&value["conflicts"][0], "label project medulla found_by wins because why");
        let mut out = Screen::plain();
        beat.present(&mut out);
        let text = out.as_str();
        assert!(
            text.contains(
                "Tabs  one label, two texts; the medulla's holds: it is doctrine for every project"
            ),
            "{text}"
        );
    }
}
