//! The units of one commit, collected by a receiver until it has all of them.
//!
//! A key is made from all units of a commit. The author knows them; to a receiver they come one by one, each with the id of
//! its commit group and how many there are, so that it derives the author's key whatever arrives first.

use super::key::ChangeUnitKey;
use super::unit::ChangeUnit;
use crate::limits::{COMMITS_OPEN_MAX, UNITS_PER_COMMIT_MAX};
use brainstem_agents::HostId;
use std::collections::BTreeMap;

/// Which commit a unit belongs to; travels with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitGroup {
    /// The author's number for the commit, unique on its device.
    pub id: u64,
    /// How many units the commit has.
    pub unit_count: usize,
}

/// Why a unit was not taken. The receiver leaves its cursor where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitGroupFault {
    /// A commit of no units, or of too many.
    #[error("a commit has 1 to {UNITS_PER_COMMIT_MAX} units, and this one says {0}")]
    Size(usize),
    /// Two units of one commit disagree about its size.
    #[error("one unit of the commit says that it has {known} units, another {said}")]
    Disagreement {
        /// What was said first.
        known: usize,
        /// What this unit says.
        said: usize,
    },
    /// Too many commits are incomplete.
    #[error("{COMMITS_OPEN_MAX} commits are incomplete: wait for their units before others")]
    TooManyOpen,
}

/// The commits of which some units are here and not all.
#[derive(Clone, Debug, Default)]
pub struct CommitAssembler {
    open: BTreeMap<(HostId, u64), OpenCommit>,
}

#[derive(Clone, Debug)]
struct OpenCommit {
    unit_count: usize,
    units: BTreeMap<ChangeUnitKey, ChangeUnit>,
}

impl CommitAssembler {
    /// Takes a unit, and returns all units of its commit if this was the last that was missing.
    ///
    /// A unit that comes twice is one. A unit of a commit that was complete opens it again and completes nothing, or, if
    /// all of them come again, gives the same units again, and so the same key.
    pub fn take(
        &mut self,
        group: &CommitGroup,
        unit: ChangeUnit,
    ) -> Result<Option<Vec<ChangeUnit>>, CommitGroupFault> {
        let CommitGroup { id, unit_count } = *group;
        if !(1..=UNITS_PER_COMMIT_MAX).contains(&unit_count) {
            return Err(CommitGroupFault::Size(unit_count));
        }
        let commit = (unit.host.clone(), id);
        if !self.open.contains_key(&commit) && self.open.len() >= COMMITS_OPEN_MAX {
            return Err(CommitGroupFault::TooManyOpen);
        }
        let open = self
            .open
            .entry(commit.clone())
            .or_insert_with(|| OpenCommit { unit_count, units: BTreeMap::new() });
        if open.unit_count != unit_count {
            return Err(CommitGroupFault::Disagreement { known: open.unit_count, said: unit_count });
        }
        open.units.insert(unit.key(), unit);
        if open.units.len() < unit_count {
            return Ok(None);
        }
        let complete = self.open.remove(&commit).expect("it was just there");
        Ok(Some(complete.units.into_values().collect()))
    }

    /// How many commits are incomplete.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }
}
