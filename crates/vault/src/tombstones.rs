//! What was forgotten in a store, read from its logs.

use crate::StoreError;
use crate::acts::ActsLog;
use crate::store::Store;
use brainstem_claims::act::{Act, ActId, DeedKind};
pub use brainstem_claims::folds::tombstones::Tombstones;
use std::collections::HashSet;

impl Store {
    /// What was forgotten here, or in another clone whose acts came along. A log that cannot be read counts as empty.
    pub fn tombstones(&self) -> Tombstones {
        let read = |log: &ActsLog| log.read_only(DeedKind::Forget).unwrap_or_default();
        Tombstones::of(&recorded_in(self.logs().iter().map(read).collect()))
    }

    /// The same; an error if a log cannot be read.
    pub fn all_tombstones(&self) -> Result<Tombstones, StoreError> {
        let read = |log: &ActsLog| log.read_only(DeedKind::Forget);
        Ok(Tombstones::of(&recorded_in(self.logs().iter().map(read).collect::<Result<_, _>>()?)))
    }
}

/// The acts of a store's logs. If there are two, acts that only the first has came with the repository.
fn recorded_in(logs: Vec<Vec<Act>>) -> Vec<Act> {
    let mut logs = logs.into_iter();
    let (mut acts, here) = (logs.next().unwrap_or_default(), logs.next());
    if let Some(here) = here {
        let known: HashSet<ActId> = here.iter().map(|act| act.id().clone()).collect();
        acts.retain(|act| !known.contains(act.id()));
        acts.iter_mut().for_each(Act::set_foreign);
        acts.extend(here);
    }
    acts
}
