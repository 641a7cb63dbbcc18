//! The delegations of a brain, as its acts have them: given out, debriefed, or run out.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::service::Memory;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_claims::delegation::DelegationId;
use brainstem_claims::folds::delegations::{DELEGATION_ACTS, Delegation};
use brainstem_vault::{Brain, Store, StoreError, StorePlace, durable};
use std::path::Path;

/// The folder of the tasks, below the home. The log of acts may be committed, so it has none of them. This folder is
/// local, and losing it is harmless.
const TASKS: &str = "local/tasks";
/// How much of a task is kept, in bytes.
const TASK_KEPT_LEN: usize = 400;
/// How many tasks are kept, before those of the oldest files go.
const TASKS_MAX: usize = 1_000;

/// Every delegation of a brain.
#[derive(Clone, Debug)]
pub struct Delegations {
    /// `<name>@<8 hex>` of the brain.
    pub brain: String,
    /// The youngest first.
    pub delegations: Vec<Delegation>,
    /// Why there may be more than these.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// The delegations of the caller's own brain.
    pub fn delegations(&self, caller: &Caller) -> Result<Delegations, MemoryError> {
        let brain = self.bound(caller)?;
        let mut delegations = self.delegations_in(&self.store_of(&brain))?;
        for delegation in &mut delegations {
            delegation.task = self.task_of(&delegation.id);
        }
        delegations.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        Ok(Delegations { gaps: self.acts_gaps(&brain)?, brain: brain.origin(), delegations })
    }

    /// Why the log of acts of a brain may not have all that was done: lines that are no acts, or a log that is not in this
    /// checkout.
    pub(crate) fn acts_gaps(&self, brain: &Brain) -> Result<Vec<Gap>, MemoryError> {
        let store = self.store_of(brain);
        let log = store.paths().acts.display().to_string();
        let damaged = store.acts().read()?.damaged_lines;
        let mut gaps = Vec::new();
        if damaged > 0 {
            let detail = format!("lines of `{log}` that are no acts: {damaged}; what they said is not shown");
            gaps.push(Gap::new("acts_damaged", detail));
        }
        // Every brain has the act of its making.
        if brain.place == StorePlace::Repo && self.disk.stat(&store.paths().acts).is_err() {
            let detail =
                format!("`{log}` is not in this checkout: what was done is on another branch, or deleted");
            gaps.push(Gap::new("acts_absent", detail));
        }
        Ok(gaps)
    }

    /// One line about the delegations of a store that wait for a debrief.
    pub(crate) fn open_line(&self, store: &Store) -> Option<Advice> {
        // A log that cannot be read is named elsewhere.
        let open = self.verdicts(store).ok()?.open_delegations(self.clock.now());
        let (sentence, them) = (open.sentence()?, if open.count == 1 { "it" } else { "them" });
        Some(advice![VerbId::Debrief, ": {sentence}; ", calls::audit_delegations(), " shows {them}"])
    }

    /// The delegations of one store, in the order of its log.
    pub(crate) fn delegations_in(&self, store: &Store) -> Result<Vec<Delegation>, StoreError> {
        Ok(Delegation::all(&store.acts().of_kinds(DELEGATION_ACTS)?, self.clock.now()))
    }
}

impl Memory {
    /// Keeps how a task begins, for a later reader of the audit. A delegation does not fail for it.
    pub(crate) fn keep_task(&self, id: &DelegationId, task: &str) {
        let folder = self.home.path().join(TASKS);
        let first = task.trim().lines().next().unwrap_or_default().trim();
        let kept = &first[..first.floor_char_boundary(TASK_KEPT_LEN)];
        let cut = if kept.len() < task.trim().len() { "…" } else { "" };
        if durable::make_dirs(&*self.disk, &folder).is_err() {
            return;
        }
        self.drop_old_tasks(&folder);
        let _ = self.disk.write_new(&folder.join(id.as_str()), format!("{kept}{cut}").as_bytes());
    }

    /// How the task of a delegation begins; `None` if it was not given out from this home.
    pub(crate) fn task_of(&self, id: &DelegationId) -> Option<String> {
        let path = self.home.path().join(TASKS).join(id.as_str());
        let bytes = self.disk.read(&path, 2 * TASK_KEPT_LEN as u64).ok()?;
        String::from_utf8(bytes).ok().filter(|task| !task.is_empty())
    }

    fn drop_old_tasks(&self, folder: &Path) {
        let mut kept = self.disk.stamps(folder).unwrap_or_default();
        let surplus = (kept.len() + 1).saturating_sub(TASKS_MAX);
        kept.sort_by_key(|(_, print)| print.changed_ns);
        for (entry, _) in kept.into_iter().take(surplus) {
            let _ = self.disk.unlink(&folder.join(entry.name));
        }
    }
}
