//! `seek`: finds claims.

use crate::recall::{Feed, Gap, Tier, best_first};
use crate::refusal::MemoryError;
use crate::row::Row;
use crate::service::{Caller, Memory};
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

impl Memory {
    /// Finds the claims that speak of a question.
    pub fn seek(&self, caller: &Caller, request: &SeekRequest) -> Result<Sought, MemoryError> {
        let mut sought = match request.tier {
            Tier::AllBrains => self.seek_all_brains(request)?,
            Tier::Project | Tier::Medulla | Tier::Both => self.seek_scoped(caller, request)?,
        };
        let found =
            sought.rows.len() + sought.groups.iter().flatten().map(|group| group.rows.len()).sum::<usize>();
        if found == 0 && sought.memory_exists > 0 {
            let count = sought.memory_exists;
            let claims = if count == 1 { "1 claim exists".into() } else { format!("{count} claims exist") };
            let detail =
                format!("{claims} here, but none shares a word with the question; `list` shows them");
            sought.gaps.push(Gap::new("no_match", detail));
        }
        Ok(sought)
    }

    fn seek_scoped(&self, caller: &Caller, request: &SeekRequest) -> Result<Sought, MemoryError> {
        let mut sought = Sought::default();
        for feed in self.feeds(caller, request.tier)? {
            sought.memory_exists += feed.memory_exists();
            sought.rows.extend(self.rows_of(&feed, request));
            sought.gaps.extend(feed.gaps);
        }
        sought.rows.sort_by(best_first);
        sought.rows.truncate(request.limit);
        sought.gaps.extend(self.unbound_gap(caller, request.tier));
        Ok(sought)
    }

    /// Each brain is scored on its own words: no brain moves another's ranks.
    fn seek_all_brains(&self, request: &SeekRequest) -> Result<Sought, MemoryError> {
        let roster = self.home.roster()?;
        let mut sought = Sought { groups: Some(Vec::new()), ..Sought::default() };
        sought.gaps.extend(roster.broken.iter().map(|broken| {
            Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
        }));
        let projects = roster.brains.iter().map(|brain| (brain.origin(), self.project_feed(brain)));
        let medulla = std::iter::once_with(|| ("medulla".to_owned(), self.medulla_feed()));
        for (origin_brain, feed) in projects.chain(medulla) {
            sought.memory_exists += feed.memory_exists();
            let rows = self.rows_of(&feed, request);
            let group = Group { origin_brain, rows, memory_exists: feed.memory_exists() };
            sought.gaps.extend(feed.gaps);
            if group.memory_exists > 0 {
                sought.groups.get_or_insert_default().push(group);
            }
        }
        Ok(sought)
    }

    fn rows_of(&self, feed: &Feed, request: &SeekRequest) -> Vec<Row> {
        let inside = |stored: &Stored| match &request.scope {
            None => true,
            Some(scope) => {
                let paths = stored.claim.evidence.iter().map(|evidence| evidence.path.as_str());
                stored.id.starts_with(scope.as_str())
                    || paths.into_iter().any(|path| path.starts_with(scope.as_str()))
            }
        };
        let mut rows = feed.matched(&request.query, self.clock.now(), inside);
        rows.truncate(request.limit);
        feed.mark_resurrected(&mut rows);
        rows
    }
}
