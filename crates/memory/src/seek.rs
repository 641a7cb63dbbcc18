//! `seek`: finds claims.

use crate::recall::{Feed, Gap, Ready, Tier, best_first};
use crate::refusal::MemoryError;
use crate::row::Row;
use crate::service::{Caller, Memory};
use crate::when::Filter;
use brainstem_vault::scan::Stored;

/// What to find.
#[derive(Clone, Debug)]
pub struct SeekRequest {
    /// Words or a sentence.
    pub query: String,
    /// Which stores.
    pub tier: Tier,
    /// A prefix of the claim's id or of an evidence path.
    pub scope: Option<String>,
    /// How many rows, at most.
    pub limit: usize,
    /// Which of their claims.
    pub filter: Filter,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// The rows, best first; empty for all brains.
    pub rows: Vec<Row>,
    /// The rows by origin, for all brains alone.
    pub groups: Option<Vec<Group>>,
    /// How many claim files the stores that were asked hold.
    pub memory_exists: usize,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
}

/// The rows of one brain.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which brain.
    pub origin_brain: String,
    /// Its rows, best first.
    pub rows: Vec<Row>,
    /// How many claim files it holds.
    pub memory_exists: usize,
}

/// One question of many.
#[derive(Clone, Debug)]
pub struct Question {
    /// Words or a sentence.
    pub query: String,
    /// Which stores.
    pub tier: Tier,
    /// How many answers, at most.
    pub limit: usize,
}

/// The stores that one tier means, as they were read.
struct Shelf {
    tier: Tier,
    feeds: Vec<(String, Feed)>,
    gaps: Vec<Gap>,
}

impl Memory {
    /// Finds the claims that speak of a question.
    pub fn seek(&self, caller: &Caller, request: &SeekRequest) -> Result<Sought, MemoryError> {
        let Shelf { feeds, mut gaps, .. } = self.shelf(caller, request.tier)?;
        let now = self.clock.now();
        let mut sought = Sought::default();
        for (origin_brain, feed) in feeds {
            let memory_exists = feed.memory_exists();
            sought.memory_exists += memory_exists;
            let inside = |stored: &Stored| is_inside(stored, request.scope.as_deref(), &request.filter);
            // Each brain is scored on its own words: no brain moves another's ranks.
            let mut rows = feed.matched(&request.query, now, inside);
            rows.truncate(request.limit);
            feed.mark_resurrected(&mut rows);
            gaps.extend(feed.gaps);
            if request.tier == Tier::AllBrains {
                let groups = sought.groups.get_or_insert_default();
                if memory_exists > 0 {
                    groups.push(Group { origin_brain, rows, memory_exists });
                }
            } else {
                sought.rows.append(&mut rows);
            }
        }
        sought.rows.sort_by(best_first);
        sought.rows.truncate(request.limit);
        sought.gaps = gaps;
        sought.gaps.extend(self.unbound_gap(caller, request.tier));
        let found =
            sought.rows.len() + sought.groups.iter().flatten().map(|group| group.rows.len()).sum::<usize>();
        if found == 0 && sought.memory_exists > 0 {
            let count = sought.memory_exists;
            let claims = if count == 1 { "1 claim exists".into() } else { format!("{count} claims exist") };
            let which = if request.filter.is_open() { "none" } else { "none that the filters let through" };
            let detail =
                format!("{claims} here, but {which} shares a word with the question; `list` shows them");
            sought.gaps.push(Gap::new("no_match", detail));
        }
        Ok(sought)
    }

    /// Answers many questions over stores that are read once: the ids, best first. An id of all
    /// brains is `<brain>#<id>`. What could not be read is named beside the answers.
    pub fn seek_many(
        &self,
        caller: &Caller,
        questions: &[Question],
        filter: &Filter,
    ) -> Result<(Vec<Vec<String>>, Vec<Gap>), MemoryError> {
        let mut shelves: Vec<Shelf> = Vec::new();
        for question in questions {
            if !shelves.iter().any(|shelf| shelf.tier == question.tier) {
                shelves.push(self.shelf(caller, question.tier)?);
            }
        }
        let ready: Vec<(Tier, Vec<(&str, Ready<'_>)>)> = shelves
            .iter()
            .map(|shelf| {
                let feeds = shelf.feeds.iter();
                let inside = |stored: &Stored| is_inside(stored, None, filter);
                (shelf.tier, feeds.map(|(origin, feed)| (origin.as_str(), feed.ready(inside))).collect())
            })
            .collect();
        let now = self.clock.now();
        let answer = |question: &Question| -> Vec<String> {
            let (_, feeds) =
                ready.iter().find(|(tier, _)| *tier == question.tier).expect("every tier was read");
            let mut rows: Vec<(&str, Row)> = Vec::new();
            for (origin, ready) in feeds {
                rows.extend(ready.matched(&question.query, now).into_iter().map(|row| (*origin, row)));
            }
            rows.sort_by(|(_, a), (_, b)| best_first(a, b));
            rows.truncate(question.limit);
            let name = |(origin, row): (&str, Row)| match question.tier {
                Tier::AllBrains => format!("{origin}#{}", row.id),
                Tier::Project | Tier::Medulla | Tier::Both => row.id,
            };
            rows.into_iter().map(name).collect()
        };
        let answers = questions.iter().map(answer).collect();
        let mut gaps: Vec<Gap> = Vec::new();
        for shelf in &shelves {
            let all = shelf.gaps.iter().chain(shelf.feeds.iter().flat_map(|(_, feed)| &feed.gaps)).cloned();
            for gap in all.chain(self.unbound_gap(caller, shelf.tier)) {
                if !gaps.contains(&gap) {
                    gaps.push(gap);
                }
            }
        }
        Ok((answers, gaps))
    }

    fn shelf(&self, caller: &Caller, tier: Tier) -> Result<Shelf, MemoryError> {
        if tier != Tier::AllBrains {
            let feeds = self.feeds(caller, tier)?.into_iter().map(|feed| (String::new(), feed)).collect();
            return Ok(Shelf { tier, feeds, gaps: Vec::new() });
        }
        let roster = self.home.roster()?;
        let gaps = roster.broken.iter().map(|broken| {
            Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
        });
        let projects = roster.brains.iter().map(|brain| (brain.origin(), self.project_feed(brain)));
        let medulla = std::iter::once_with(|| ("medulla".to_owned(), self.medulla_feed()));
        Ok(Shelf { tier, feeds: projects.chain(medulla).collect(), gaps: gaps.collect() })
    }
}

fn is_inside(stored: &Stored, scope: Option<&str>, filter: &Filter) -> bool {
    let in_scope = scope.is_none_or(|scope| {
        let mut paths = stored.claim.evidence.iter().map(|evidence| evidence.path.as_str());
        stored.id.starts_with(scope) || paths.any(|path| path.starts_with(scope))
    });
    in_scope && filter.passes(&stored.claim)
}
