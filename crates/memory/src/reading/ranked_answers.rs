//! The claims that answer a question, best first.

use crate::gap::Gap;
use crate::limits::RETRIES;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::recall_store::RecallStore;
use crate::reading::row::{Row, Why, tier_of};
use crate::reading::withheld::held_back;
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_claims::age;
use brainstem_claims::age::STALE_AFTER_MS;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_index::Snapshot;
use brainstem_recall::document::ClaimForm;
use brainstem_recall::rank::{RankBy, RankQuestion, RankedAnswers, StandingBasis, rank};
use brainstem_recall::scope::RecallScope;
use brainstem_vault::scan::StoredClaim;
use std::sync::Arc;

/// What is asked of feeds.
pub(crate) struct FeedQuestion<'a> {
    /// Words or a sentence.
    pub(crate) question: &'a str,
    /// How many rows, at most.
    pub(crate) limit: usize,
    /// For how many bytes rows are wanted: those that no form could show in it are not read.
    pub(crate) room: usize,
    /// Which claims may answer.
    pub(crate) keep: &'a dyn Fn(&StoredClaim) -> bool,
    /// What decides about the order.
    pub(crate) by: RankBy,
    /// Whether a claim that is only faintly about the question answers it.
    pub(crate) faint: Faint,
}

/// The answers to a question.
#[derive(Default)]
pub(crate) struct Answers {
    /// The rows, best first.
    pub(crate) rows: Vec<Row>,
    /// How many claims are about the question, shown or not; filters are not counted.
    pub(crate) about: usize,
    /// What was held back.
    pub(crate) gaps: Vec<Gap>,
    /// Claims that were found changed or went each time they were read, and are not among the rows.
    pub(crate) changed: bool,
    /// The claims that could be read when the feeds were made, and not when the question was asked.
    pub(crate) unread: Vec<Gap>,
}

/// What becomes of claims that are only faintly about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faint {
    /// They are no answer.
    LeftOut,
    /// They come last, as far as the limit reaches.
    Last,
}

/// What evidence that changed or is gone makes of a row's score.
const EVIDENCE_CHANGED: f32 = 0.95;

impl Memory {
    /// The claims of these feeds that answer a question, best first: ranked by the index, and read from
    /// their files before they are shown. Numbers that rank are those of these feeds alone.
    pub(crate) fn answers(
        &self,
        feeds: &[&RecallStore],
        asked: &FeedQuestion<'_>,
        now: Timestamp,
    ) -> Answers {
        let mut answers = Answers::default();
        for round in 0..RETRIES {
            // If no folder is watched, the look that made the feed is fresh enough for one question.
            let is_fresh = round == 0 && self.index.is_for_one_question();
            let shelves: Vec<(&RecallStore, Arc<Snapshot>)> = feeds
                .iter()
                .filter_map(|feed| {
                    let refresh = || self.index.of(&feed.store.paths().claims).refresh().ok();
                    let snapshot = if is_fresh { None } else { refresh() };
                    Some((*feed, snapshot.or_else(|| feed.snapshot.clone())?)).filter(|_| !feed.failed)
                })
                .collect();
            let (found, changed) = self.ranked(&shelves, asked, now);
            answers = found;
            // An index that was cut short while it was read tells nothing.
            let is_intact = shelves.iter().all(|(_, snapshot)| snapshot.is_intact());
            // A claim that the feeds named and that has gone since is in no answer.
            answers.changed =
                changed || !is_intact || shelves.iter().any(|(feed, now)| feed.has_lost_in(now));
            answers.unread = shelves.iter().flat_map(|(feed, now)| feed.unread_in(now)).collect();
            if !changed && is_intact && answers.unread.is_empty() {
                break;
            }
        }
        let roots = EvidenceRoots::of(self);
        for feed in feeds {
            let tier = tier_of(feed.place);
            answers.rows.iter_mut().filter(|row| row.tier == tier).for_each(|row| {
                feed.mark(std::slice::from_mut(row));
                roots.mark(feed.root.as_deref(), row);
                weigh_evidence(row);
            });
            feed.tell_shared(&mut answers.rows);
        }
        let weigh = |a: &Row, b: &Row| b.why.score().total_cmp(&a.why.score());
        if answers.rows.iter().any(Row::has_broken_evidence) {
            answers.rows.sort_by(weigh);
        }
        answers
    }

    /// The rows, and whether a file changed while they were read.
    fn ranked(
        &self,
        shelves: &[(&RecallStore, Arc<Snapshot>)],
        asked: &FeedQuestion<'_>,
        now: Timestamp,
    ) -> (Answers, bool) {
        let scope =
            RecallScope::over(&shelves.iter().map(|(_, snapshot)| snapshot.segments()).collect::<Vec<_>>());
        let meaning = |text: &str| self.index.question(text);
        let standing = |standing: &StandingBasis<'_>| {
            let (feed, _) = &shelves[standing.found.store as usize];
            recency(now, standing.created) * feed.trusted(standing.found.key, standing.created)
        };
        let mut wanted = asked.limit;
        loop {
            let question = RankQuestion {
                text: asked.question,
                meaning: &meaning,
                by: asked.by,
                limit: wanted,
                standing: &standing,
            };
            let RankedAnswers { hits, about } = rank(&scope, &question);
            let is_all = hits.len() < wanted;
            let mut rows: Vec<Row> = Vec::new();
            let mut len = 0;
            let mut gaps = Vec::new();
            let mut changed = false;
            let answers = hits.iter().filter(|hit| asked.faint == Faint::Last || !hit.is_faint);
            for hit in answers {
                let (feed, snapshot) = &shelves[hit.found.store as usize];
                // An undecided file has two documents: its first version, and all others together.
                let is_meant = |side: Option<UndecidedSide>| match hit.form {
                    ClaimForm::Ours => side == Some(UndecidedSide::OURS),
                    ClaimForm::Theirs => side.is_some_and(|side| side != UndecidedSide::OURS),
                    ClaimForm::Claim | ClaimForm::Unreadable | ClaimForm::Secret => side.is_none(),
                };
                let mut stored: Vec<StoredClaim> = feed.live(hit.found.key);
                stored.retain(|stored| is_meant(stored.side));
                let is_same =
                    |it: &StoredClaim| it.side.is_some() || snapshot.is_about(hit.found.key, &it.claim);
                // Ranked by what it said before: it is ranked again, or left out if its file changes at every look.
                changed |= stored.is_empty() || !stored.iter().all(is_same);
                // A copy whose witness is among the stores of this call is named with the witness.
                let is_told = |stored: &StoredClaim| {
                    feed.place == FilePlace::Medulla
                        && feed.accounts_for(stored)
                        && shelves.iter().any(|(other, _)| other.has_witness_of(&stored.claim))
                };
                stored.retain(|stored| is_same(stored) && !is_told(stored));
                for stored in stored {
                    // The index of a program with fewer rules may hold it. No filter is asked first: whether the gap is
                    // named must not depend on one.
                    if let Some(gap) = held_back(&feed.floor, feed.name(), &stored) {
                        gaps.push(gap);
                        continue;
                    }
                    if !(asked.keep)(&stored) {
                        continue;
                    }
                    let why = Why::Matched { score: hit.score, parts: hit.parts };
                    let row = Row::new(&stored, feed.place, now, why);
                    len += row.len_min();
                    rows.push(row);
                }
                if rows.len() >= asked.limit || len > asked.room {
                    break;
                }
            }
            if changed || is_all || rows.len() >= asked.limit || len > asked.room {
                rows.truncate(asked.limit);
                return (Answers { rows, about, gaps, changed: false, unread: Vec::new() }, changed);
            }
            wanted = wanted.saturating_mul(8);
        }
    }
}

/// A claim whose evidence changed or is gone weighs a little less among the rows about to be served.
fn weigh_evidence(row: &mut Row) {
    let is_broken = row.has_broken_evidence();
    if let (Why::Matched { score, parts }, true) = (&mut row.why, is_broken) {
        *score *= EVIDENCE_CHANGED;
        parts.standing *= EVIDENCE_CHANGED;
    }
}

/// A claim of this moment weighs a tenth more than one that is long stale.
fn recency(now: Timestamp, created: i64) -> f32 {
    if created == 0 {
        return 1.0;
    }
    // A birth that is still to come is no youth.
    if age::is_ahead(Timestamp::from_ms(created), now) {
        return 1.0;
    }
    let months = now.ms().saturating_sub(created).max(0) as f32 / STALE_AFTER_MS as f32;
    1.0 + 0.1 * (-months).exp2()
}
