//! What two stores have to say about a task, within a budget: for the beat, and for the packet of a
//! delegation.

use crate::limits::RECENT_ROWS;
use crate::recall::{Answers, Asked, Faint, Feed, Gap, changed_meanwhile};
use crate::route::Route;
use crate::row::Row;
use crate::service::Memory;
use crate::twins;
use brainstem_base::Timestamp;
use brainstem_claims::beat;
use brainstem_recall::rank::By;

/// What a row costs beside its texts, in bytes.
const ROW_OVERHEAD: usize = 160;
/// The share of the budget that one row's text may take.
const TEXT_SHARE: usize = 4;

/// What is looked for, and how much of it may be carried.
#[derive(Clone)]
pub(crate) struct Wanted {
    /// The task, in words.
    pub(crate) task: String,
    /// The budget, in bytes.
    pub(crate) budget: usize,
    /// What stands in where a store has nothing about the task.
    pub(crate) otherwise: Otherwise,
}

/// What stands in where a store has nothing about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// Its most recent claims.
    Recent,
    /// Nothing.
    Nothing,
}

/// The rows of two stores that fit.
pub(crate) struct Composed {
    pub(crate) project: Option<Feed>,
    pub(crate) medulla: Feed,
    /// The project's rows, then the medulla's, each most useful first.
    pub(crate) memory: Vec<Row>,
    /// Claims about the task that did not fit.
    pub(crate) left_out: usize,
    /// What was held back.
    pub(crate) held: Vec<Gap>,
}

/// What one store has to say.
#[derive(Default)]
struct Useful {
    rows: Vec<Row>,
    /// How many rows there would be without a limit.
    total: usize,
    /// What was held back.
    held: Vec<Gap>,
}

impl Composed {
    /// The stores that were asked.
    pub(crate) fn feeds(&self) -> impl Iterator<Item = &Feed> {
        self.project.iter().chain([&self.medulla])
    }

    /// How many claims they are known to hold; one that lies in both as witness and copy counts once.
    pub(crate) fn memory_exists(&self) -> usize {
        let feeds: Vec<&Feed> = self.feeds().collect();
        feeds.iter().map(|feed| feed.memory_exists()).sum::<usize>() - twins::count(&feeds)
    }

    /// Whether one of them could not be counted.
    pub(crate) fn uncounted(&self) -> bool {
        self.feeds().any(Feed::is_uncounted)
    }

    /// Whether one of them could not be read.
    pub(crate) fn failed(&self) -> bool {
        self.feeds().any(|feed| feed.failed)
    }
}

impl Wanted {
    /// The longest text of one row, in bytes.
    pub(crate) fn text_len_max(&self) -> usize {
        (self.budget / TEXT_SHARE).max(200)
    }
}

impl Memory {
    /// Composes what exactly two stores, that of the route and the medulla, have about a task.
    pub(crate) fn compose(&self, route: &Route, wanted: &Wanted, now: Timestamp) -> Composed {
        let project = self.feed_of(route);
        let asked = wanted.clone();
        let (medulla, Useful { rows: mut medulla_rows, total: mut medulla_total, mut held }) = self
            .medulla_in_time(move |memory, medulla| memory.useful(medulla, &asked, now), Useful::default());
        let Useful { rows: mut project_rows, total: project_total, held: held_here } =
            project.as_ref().map(|project| self.useful(project, wanted, now)).unwrap_or_default();
        held.splice(0..0, held_here);
        // What the project learned and shared is its own row.
        if let Some(project) = &project {
            let found = medulla_rows.len();
            medulla_rows.retain(|row| !project.has_witness_of(&row.id, &row.claim));
            medulla_total -= found - medulla_rows.len();
            medulla.tell_shared(&mut project_rows);
        }
        let sizes = |rows: &[Row]| rows.iter().map(row_size).collect::<Vec<_>>();
        let fit = beat::fit(&sizes(&project_rows), &sizes(&medulla_rows), wanted.budget);
        project_rows.truncate(fit.project);
        medulla_rows.truncate(fit.medulla);
        let left_out = project_total + medulla_total - fit.project - fit.medulla;
        let memory = project_rows.into_iter().chain(medulla_rows).collect();
        Composed { project, medulla, memory, left_out, held }
    }

    /// The rows of a feed, most useful first, and how many there would be without a limit: those that
    /// are about the task, or what stands in where none is.
    fn useful(&self, feed: &Feed, wanted: &Wanted, now: Timestamp) -> Useful {
        // No more rows than could fit are read from their files.
        let limit = wanted.budget / ROW_OVERHEAD + 1;
        let question = wanted.task.as_str();
        let asked = Asked { question, limit, keep: &|_| true, by: By::All, faint: Faint::LeftOut };
        let Answers { mut rows, about, gaps: mut held, mut changed } = self.answers(&[feed], &asked, now);
        // What is held back is named, and not told of as left out.
        let mut total = about.saturating_sub(held.len()).max(rows.len());
        if rows.is_empty() && wanted.otherwise == Otherwise::Recent {
            let (recent, more, went) = feed.recent(now, RECENT_ROWS);
            rows = recent;
            changed |= went;
            for gap in more {
                if !held.contains(&gap) {
                    held.push(gap);
                }
            }
            total = feed.memory_exists().saturating_sub(held.len()).max(rows.len());
            rows.iter_mut().for_each(|row| self.mark_evidence(feed, row));
        }
        for row in &mut rows {
            cut(row, wanted.text_len_max());
        }
        held.extend(changed.then(|| changed_meanwhile(feed.name())));
        Useful { rows, total, held }
    }
}

/// Cuts a row's text to a length.
pub(crate) fn cut(row: &mut Row, len_max: usize) {
    if row.text.len() > len_max {
        row.text.truncate(row.text.floor_char_boundary(len_max));
        row.cut = true;
    }
}

/// What a row takes of a budget, in bytes.
pub(crate) fn row_size(row: &Row) -> usize {
    let lists: usize = row.evidence.iter().map(|evidence| evidence.path.len()).sum();
    let named = row.tags.iter().chain(&row.depends_on).chain(&row.group).map(String::len).sum::<usize>();
    row.label.len()
        + row.title.as_ref().map_or(0, String::len)
        + row.text.len()
        + row.chain.as_ref().map_or(0, String::len)
        + lists
        + named
        + ROW_OVERHEAD
}
