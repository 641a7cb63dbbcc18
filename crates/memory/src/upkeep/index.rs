//! `index`: what recall does by itself in idle moments, now and with progress.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::reading::tier::Tier;
use crate::service::Memory;
use brainstem_caller::Caller;
use brainstem_index::{KeepGoing, PublishUntil};
use brainstem_vault::{Store, StoreError};

/// What to bring up to date.
#[derive(Clone, Debug)]
pub struct IndexRequest {
    /// Which stores.
    pub tier: Tier,
    /// What the work starts from.
    pub start: IndexStart,
    /// How much of the machine the work takes.
    pub pace: IndexPace,
}

/// What the work on an index starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStart {
    /// The index as it is.
    Existing,
    /// Nothing: the index is removed first.
    Nothing,
}

impl IndexStart {
    /// Returns what the flag `rebuild` means.
    pub fn of_flag(rebuild: bool) -> Self {
        if rebuild { Self::Nothing } else { Self::Existing }
    }
}

/// How much of the machine the work on an index takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexPace {
    /// All of it, because the caller waits.
    Full,
    /// Little of it, beside other work.
    Gentle,
}

impl IndexPace {
    /// Returns what the flag `gentle` means.
    pub fn of_flag(gentle: bool) -> Self {
        if gentle { Self::Gentle } else { Self::Full }
    }
}

/// One store whose index was brought up to date.
#[derive(Clone, Debug)]
pub struct IndexedStore {
    /// The brain, or the medulla.
    pub origin_brain: String,
    /// How many claims it holds.
    pub claims: usize,
    /// How many vectors of the encoder were made now.
    pub encoded: usize,
    /// How many are missing.
    pub left: usize,
}

/// What was brought up to date.
#[derive(Clone, Debug, Default)]
pub struct Indexed {
    /// The stores.
    pub stores: Vec<IndexedStore>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Brings the index of stores up to date: shares what was read, and lets the encoder read every claim
    /// it has not read. `report_progress` gets the number of claims that are done, and of all.
    pub fn bring_index_up(
        &self,
        caller: &Caller,
        request: &IndexRequest,
        keep_on: &KeepGoing<'_>,
        report_progress: &dyn Fn(usize, usize),
    ) -> Result<Indexed, MemoryError> {
        self.home.check_writable()?;
        // This call is not counted, and still puts back what keeps a private project out of git, as every counted call does.
        if request.pace == IndexPace::Gentle {
            self.notice(self.route(caller).brain());
        }
        let mut indexed = Indexed::default();
        for (origin, feeds) in self.stores(caller, request.tier)?.feeds {
            for feed in feeds {
                let index = self.index.of(&feed.store.paths().claims);
                let whose = if origin.is_empty() { feed.whose.clone() } else { origin.clone() };
                indexed.gaps.extend(feed.gaps.iter().filter(|_| feed.failed).cloned());
                if feed.failed {
                    continue;
                }
                if request.start == IndexStart::Nothing {
                    // What cannot be removed cannot be trusted either, and is not: it is written anew.
                    let _ = index.purge();
                    index.refresh().map_err(StoreError::disk("cannot list the store"))?;
                }
                let until = match request.pace {
                    IndexPace::Full => PublishUntil::EncodedSoon,
                    IndexPace::Gentle => PublishUntil::Encoded,
                };
                let total = feed.memory_exists();
                let settled =
                    index.publish(until, keep_on, &|left| report_progress(total.saturating_sub(left), total));
                if index.is_unwritten() {
                    let detail = format!(
                        "the index of {whose} was not written: {} cannot be written, or another process is at it; \
                         recall is right without it, and slower",
                        self.home.path().join(brainstem_index::FOLDER).display()
                    );
                    indexed.gaps.push(Gap::new("index_not_written", detail));
                }
                indexed.stores.push(IndexedStore {
                    origin_brain: whose,
                    claims: total,
                    encoded: settled.encoded,
                    left: settled.left,
                });
            }
        }
        indexed.gaps.extend(self.unbound_gaps(caller, request.tier));
        Ok(indexed)
    }

    /// Removes the index of a store, words and all, and what it left in the place that it moved from.
    pub(crate) fn purge_index(&self, store: &Store) -> Result<(), MemoryError> {
        let failed = || StoreError::disk("cannot remove the index");
        self.index.of(&store.paths().claims).purge().map_err(failed())?;
        // A brain that cannot be read just now makes its index anew.
        let stores = self.home.roster().map(|roster| self.stores_in(&roster)).unwrap_or_default();
        let mut stores: Vec<_> = stores.into_iter().map(|(_, store)| store.paths().claims.clone()).collect();
        stores.push(self.home.medulla().paths().claims.clone());
        stores.push(store.paths().claims.clone());
        Ok(self.index.purge_all_but(&stores).map_err(failed())?)
    }

    /// Says that this process answers one question and ends.
    pub fn for_one_question(&self) {
        self.index.for_one_question();
    }

    /// Whether a recall of this process left something for an idle moment.
    pub fn is_index_unsettled(&self) -> bool {
        self.index.opened().iter().any(|index| index.has_unpublished()) && self.home.check_writable().is_ok()
    }

    /// Takes over what another process made of the indexes, in an idle moment.
    pub fn adopt_indexes(&self) {
        self.index.opened().iter().for_each(|index| index.adopt_shared_file());
    }
}
