//! The rows of two stores for a task: all that could fit a budget, the most useful first. The beat and the packet of a
//! delegation use them. How many fit depends on the form in which they are shown.

use crate::gap::Gap;
use crate::limits::STAND_IN_ROWS;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::feed::changed_meanwhile;
use crate::reading::ranked_answers::{Answers, Faint, FeedQuestion};
use crate::reading::recall_store::RecallStore;
use crate::reading::row::{ROW_LEN_MIN, Row, Why};
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_caller::route::Route;
use brainstem_recall::rank::RankBy;

/// A task, and how many bytes its rows may take.
#[derive(Clone)]
pub(crate) struct TaskBudget {
    /// The task, in words.
    pub(crate) task: String,
    /// The budget, in bytes.
    pub(crate) budget: usize,
    /// What a store gives if it has nothing about the task.
    pub(crate) fallback: FallbackRows,
}

/// What a store gives if it has nothing about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FallbackRows {
    /// The claims that are worth most: as many as fit if there is no task, and a few if there is one.
    Worthiest,
    /// Nothing.
    Nothing,
}

/// The rows of two stores.
pub(crate) struct ComposedRows {
    pub(crate) project: Option<RecallStore>,
    pub(crate) medulla: RecallStore,
    /// The project's rows, then the medulla's, each most useful first.
    pub(crate) memory: Vec<Row>,
    /// How many there would be without a limit.
    pub(crate) total: usize,
    /// Gaps that name what was held back.
    pub(crate) withheld: Vec<Gap>,
}

/// The rows of one store.
#[derive(Default)]
struct StoreRows {
    rows: Vec<Row>,
    /// How many rows there would be without a limit.
    total: usize,
    /// Gaps that name what was held back.
    withheld: Vec<Gap>,
}

impl ComposedRows {
    /// The stores that were asked.
    pub(crate) fn feeds(&self) -> impl Iterator<Item = &RecallStore> {
        self.project.iter().chain([&self.medulla])
    }

    /// How many claims they are known to hold. A claim that is in both, as witness and copy, counts once.
    pub(crate) fn memory_exists(&self) -> usize {
        let feeds: Vec<&RecallStore> = self.feeds().collect();
        feeds.iter().map(|feed| feed.memory_exists()).sum::<usize>()
            - crate::reading::shared_rows::count(&feeds)
    }

    /// Whether one of them could not be counted.
    pub(crate) fn uncounted(&self) -> bool {
        self.feeds().any(RecallStore::is_uncounted)
    }

    /// Whether one of them could not be read.
    pub(crate) fn failed(&self) -> bool {
        self.feeds().any(|feed| feed.failed)
    }
}

impl TaskBudget {
    /// Whether the task has no words.
    fn has_no_task(&self) -> bool {
        self.task.trim().is_empty()
    }
}

impl Memory {
    /// Returns what exactly two stores, that of the route and the medulla, have about a task.
    pub(crate) fn compose(&self, route: &Route, wanted: &TaskBudget, now: Timestamp) -> ComposedRows {
        let project = self.feed_of(route);
        let asked = wanted.clone();
        let (medulla, StoreRows { rows: mut medulla_rows, total: mut medulla_total, mut withheld }) = self
            .medulla_in_time(
                move |memory, medulla| memory.rows_for_task(medulla, &asked, now),
                StoreRows::default(),
            );
        let StoreRows { rows: mut project_rows, total: project_total, withheld: project_withheld } =
            project.as_ref().map(|project| self.rows_for_task(project, wanted, now)).unwrap_or_default();
        withheld.splice(0..0, project_withheld);
        // What the project learned and shared is its own row.
        if let Some(project) = &project {
            let found = medulla_rows.len();
            medulla_rows.retain(|row| row.is_unaccounted || !project.has_witness_of(&row.claim));
            medulla_total -= found - medulla_rows.len();
            medulla.tell_shared(&mut project_rows);
        }
        let memory = project_rows.into_iter().chain(medulla_rows).collect();
        ComposedRows { project, medulla, memory, total: project_total + medulla_total, withheld }
    }

    /// The rows of a feed, most useful first, and how many there would be without a limit: those that are about the
    /// task, or else the fallback.
    fn rows_for_task(&self, feed: &RecallStore, wanted: &TaskBudget, now: Timestamp) -> StoreRows {
        // No more rows than could fit are read from their files.
        let limit = wanted.budget / ROW_LEN_MIN + 1;
        let asked = FeedQuestion {
            question: wanted.task.as_str(),
            limit,
            room: wanted.budget,
            keep: &|_| true,
            by: RankBy::All,
            faint: Faint::LeftOut,
        };
        let Answers { mut rows, about, gaps: late, mut changed, unread } = self.answers(&[feed], &asked, now);
        let mut withheld = feed.held_back();
        let mut left_out = feed.secret_ids().len();
        // A gap names each claim that is held back, so that it does not count as left out.
        let mut total = about.saturating_sub(late.len()).max(rows.len());
        left_out += add_new_gaps(&mut withheld, late);
        if rows.is_empty() && wanted.fallback == FallbackRows::Worthiest {
            let (count, why) = match wanted.has_no_task() {
                true => (limit, Why::Worth),
                false => (STAND_IN_ROWS.min(limit), Why::StandsIn),
            };
            let (worthiest, more, went) = feed.worthiest(&EvidenceRoots::of(self), now, count);
            rows = worthiest;
            rows.iter_mut().for_each(|row| row.why = why);
            changed |= went;
            left_out += add_new_gaps(&mut withheld, more);
            total = feed.memory_exists().saturating_sub(left_out).max(rows.len());
        }
        let mut left = wanted.budget;
        let mut fits = 0;
        for row in &mut rows {
            cut(row, wanted.budget);
            let len = row.len_min();
            if fits > 0 && len > left {
                break;
            }
            left = left.saturating_sub(len);
            fits += 1;
        }
        rows.truncate(fits);
        withheld.extend(changed.then(|| changed_meanwhile(feed.name())));
        withheld.extend(unread);
        StoreRows { rows, total, withheld }
    }
}

/// Adds the gaps that are not named yet, and returns how many these are.
fn add_new_gaps(named: &mut Vec<Gap>, gaps: Vec<Gap>) -> usize {
    let before = named.len();
    for gap in gaps {
        if !named.contains(&gap) {
            named.push(gap);
        }
    }
    named.len() - before
}

/// Cuts a row's text to a length; one that was cut ends with a mark that is seen.
pub(crate) fn cut(row: &mut Row, len_max: usize) {
    if let Some(short) = shortened(&row.text, len_max) {
        row.text = short;
        row.cut = true;
    }
}

/// A text cut to at most so many bytes, at the end of a word if one is near, with `…` behind it. `None` if it is no
/// longer than that.
pub fn shortened(text: &str, len_max: usize) -> Option<String> {
    const MARK: &str = "…";
    if text.len() <= len_max {
        return None;
    }
    let end = text.floor_char_boundary(len_max.saturating_sub(MARK.len() + 1));
    let near = text.floor_char_boundary(end.saturating_sub(24));
    let word = text[near..end].rfind(char::is_whitespace).map_or(end, |at| near + at);
    Some(format!("{} {MARK}", text[..word].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-28
    fn a_text_is_cut_at_a_word_with_a_mark_and_keeps_its_length() {
        assert_eq!(shortened("one two", 7), None);
        assert_eq!(shortened("one two three", 12).as_deref(), Some("one two …"));
        assert_eq!(shortened(&"x".repeat(50), 20).map(|text| text.len()), Some(20), "no word ends near");
        for (text, len) in [("Größe und Länge der Wörter", 9), ("日本語のテキスト", 10), ("ab", 1), ("", 0)]
        {
            let short = shortened(text, len).unwrap_or_else(|| text.to_owned());
            assert!(short.len() <= len.max(4), "{short:?}");
        }
    }
}
