//! `list`: every live claim, youngest first.

use crate::held::masked;
use crate::recall::{Gap, Tier};
use crate::refusal::MemoryError;
use crate::row::{Row, Why, youngest_first};
use crate::service::{Caller, Memory};
use crate::twins;
use crate::when::Filter;

/// What to list.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// Which stores; all brains at once cannot be listed.
    pub tier: Tier,
    /// How many rows, at most.
    pub limit: usize,
    /// Which of their claims.
    pub filter: Filter,
}

/// The claims of the stores that were asked.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The rows, project first, each store youngest first.
    pub rows: Vec<Row>,
    /// How many readable claims the limit left out.
    pub left_out: usize,
    /// How many claim files there are.
    pub memory_exists: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Lists live claims.
    pub fn list(&self, caller: &Caller, request: &ListRequest) -> Result<Listed, MemoryError> {
        if request.tier == Tier::AllBrains {
            return Err(MemoryError::BadValue {
                field: "tier",
                value: "all-brains".into(),
                what: "tier that can be listed",
                takes: "project or medulla; to look into every brain at once, ask seek with tier all-brains",
                rule: "MEM-22",
            });
        }
        let mut listed = Listed::default();
        let now = self.clock.now();
        let feeds = self.feeds(caller, request.tier)?;
        listed.memory_exists = feeds.iter().map(|feed| feed.memory_exists()).sum::<usize>()
            - twins::count(&feeds.iter().collect::<Vec<_>>());
        for feed in &feeds {
            // A store that could not be read has said so.
            let scan = if feed.failed { Default::default() } else { feed.store.scan()? };
            let mut claims = scan.claims;
            claims.retain(|stored| request.filter.passes(&stored.claim));
            // A copy whose witness is listed is told of there.
            claims
                .retain(|stored| !feeds.iter().any(|other| other.has_witness_of(&stored.id, &stored.claim)));
            claims.sort_by(|a, b| youngest_first(&a.claim, &b.claim));
            let room = request.limit.saturating_sub(listed.rows.len());
            listed.left_out += claims.len().saturating_sub(room);
            let shown = claims.iter().take(room);
            let mut rows: Vec<Row> =
                shown.map(|stored| Row::new(stored, feed.place, now, Why::Asked)).collect();
            feed.mark(&mut rows);
            for other in &feeds {
                other.tell_shared(&mut rows);
            }
            listed.rows.extend(rows.into_iter().map(masked));
        }
        listed.gaps.extend(feeds.into_iter().flat_map(|feed| feed.gaps));
        listed.gaps.extend(self.unbound_gap(caller, request.tier));
        Ok(listed)
    }
}
