//! The delegations of a brain, as its acts have them: given out, debriefed, or run out.

use crate::error::MemoryError;
use crate::reading::feed::Gap;
use crate::service::{Caller, Memory};
use brainstem_base::Timestamp;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_claims::delegation::{DelegationId, Outcome};
use brainstem_vault::{Act, Brain, Store, StoreError, StorePlace, durable};
use std::collections::HashMap;
use std::path::Path;

/// The act of giving work to another agent.
pub(crate) const DELEGATE: &str = "delegate";
/// The act of deciding what came of it. Recorded first: who repeats it with the same words completes it.
pub(crate) const DEBRIEF: &str = "debrief";
/// The act of having remembered all of its findings.
pub(crate) const DEBRIEFED: &str = "debriefed";

/// Where the tasks lie, below the home. The log of acts may be committed and has none of them; this is local,
/// and harmless to lose.
const TASKS: &str = "local/tasks";
/// How much of a task is kept, in bytes.
const TASK_KEPT_LEN: usize = 400;
/// How many tasks are kept, before those of the oldest files go.
const TASKS_MAX: usize = 1_000;

/// One delegation. What is on record is counts: no text and no path. The task is local to this home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegation {
    /// Its id.
    pub id: DelegationId,
    /// Who gave it.
    pub by: String,
    /// To whom, where that was said.
    pub to: Option<String>,
    /// What was to be done, as far as this home knows it: the first line.
    pub task: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// When it runs out.
    pub expires_at: Timestamp,
    /// The rows that its packet carried.
    pub rows: Rows,
    /// How it stands.
    pub standing: Standing,
    /// What came of it.
    pub debrief: Option<Debriefed>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// How many rows of each tier a packet carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Of the project.
    pub project: usize,
    /// Of the medulla.
    pub medulla: usize,
}

/// How a delegation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was given out, and there is time left.
    Open,
    /// It ran out before it was debriefed.
    Expired,
    /// Its debrief was cut off, and is completed by its repeat.
    Unfinished,
    /// It was debriefed.
    Closed,
}

impl Standing {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Expired => "expired",
            Self::Unfinished => "unfinished",
            Self::Closed => "closed",
        }
    }
}

/// What came of a delegation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Debriefed {
    /// Who debriefed it.
    pub by: String,
    /// Who did the work.
    pub child: Option<String>,
    /// When it was decided.
    pub at: Timestamp,
    /// How it went.
    pub outcome: Outcome,
    /// How many findings there were.
    pub findings: usize,
    /// How many deviations.
    pub deviations: usize,
    /// How many paths were touched.
    pub touched_paths: usize,
    /// Which report it was.
    pub(crate) digest: String,
}

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
        match self.verdicts(store).ok()?.open_delegations(self.clock.now()) {
            0 => None,
            1 => Some(advice![
                VerbId::Debrief,
                ": 1 delegation is open; ",
                calls::audit_delegations(),
                " shows it"
            ]),
            count => Some(advice![
                VerbId::Debrief,
                ": {count} delegations are open; ",
                calls::audit_delegations(),
                " shows them"
            ]),
        }
    }

    /// The delegations of one store, in the order of its log.
    pub(crate) fn delegations_in(&self, store: &Store) -> Result<Vec<Delegation>, StoreError> {
        Ok(fold(&store.acts().named(&[DELEGATE, DEBRIEF, DEBRIEFED])?, self.clock.now()))
    }
}

impl Memory {
    /// Keeps how a task begins, for who reads the audit later. A delegation does not fail for it.
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

    /// How the task of a delegation begins, where it was given out from this home.
    pub(crate) fn task_of(&self, id: &DelegationId) -> Option<String> {
        let path = self.home.path().join(TASKS).join(id.as_str());
        let bytes = self.disk.read(&path, 2 * TASK_KEPT_LEN as u64).ok()?;
        String::from_utf8(bytes).ok().filter(|task| !task.is_empty())
    }

    fn drop_old_tasks(&self, folder: &Path) {
        let mut kept = self.disk.prints(folder).unwrap_or_default();
        let surplus = (kept.len() + 1).saturating_sub(TASKS_MAX);
        kept.sort_by_key(|(_, print)| print.changed_ns);
        for (entry, _) in kept.into_iter().take(surplus) {
            let _ = self.disk.unlink(&folder.join(entry.name));
        }
    }
}

/// The delegations in these acts; those that wait have run out by `now`, or not.
pub(crate) fn fold(acts: &[Act], now: Timestamp) -> Vec<Delegation> {
    let by_name: HashMap<(&str, &str), &Act> =
        acts.iter().map(|act| ((act.act.as_str(), act.subject.as_str()), act)).collect();
    let of = |name: &str, id: &DelegationId| by_name.get(&(name, id.as_str())).copied();
    let given = acts.iter().filter(|act| act.act == DELEGATE);
    given
        .filter_map(|act| {
            let id = DelegationId::parse(&act.subject)?;
            let expires_at = Timestamp::parse_rfc3339(act.data["expires_at"].as_str()?)?;
            let debrief = of(DEBRIEF, &id).and_then(debriefed);
            let standing = match &debrief {
                Some(_) if of(DEBRIEFED, &id).is_some() => Standing::Closed,
                Some(_) => Standing::Unfinished,
                None if now > expires_at => Standing::Expired,
                None => Standing::Open,
            };
            Some(Delegation {
                by: act.agent.clone(),
                is_foreign: act.is_foreign,
                to: act.data["to"].as_str().map(str::to_owned),
                task: None,
                at: Timestamp::parse_rfc3339(&act.ts),
                rows: rows(act),
                expires_at,
                standing,
                debrief,
                id,
            })
        })
        .collect()
}

fn debriefed(act: &Act) -> Option<Debriefed> {
    let listed = |name: &str| act.data[name].as_array().map_or(0, Vec::len);
    Some(Debriefed {
        by: act.agent.clone(),
        child: act.data["child"].as_str().map(str::to_owned),
        at: Timestamp::parse_rfc3339(&act.ts)?,
        outcome: Outcome::parse(act.data["outcome"].as_str()?)?,
        findings: count(&act.data["findings"]),
        deviations: listed("deviations"),
        touched_paths: listed("touched_paths") + count(&act.data["touched_outside"]),
        digest: act.data["report"].as_str()?.to_owned(),
    })
}

fn rows(act: &Act) -> Rows {
    let rows = &act.data["rows"];
    Rows { project: count(&rows["project"]), medulla: count(&rows["medulla"]) }
}

fn count(value: &serde_json::Value) -> usize {
    value.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}
