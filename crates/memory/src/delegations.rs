//! The delegations of a brain, as its acts have them: given out, debriefed, or run out.

use crate::refusal::MemoryError;
use crate::service::{Caller, Memory};
use brainstem_base::Timestamp;
use brainstem_claims::delegation::{DelegationId, Outcome};
use brainstem_vault::{Act, Store, StoreError};
use std::collections::HashMap;

/// The act of giving work to another agent.
pub(crate) const DELEGATE: &str = "delegate";
/// The act of deciding what came of it. Recorded first: who repeats it with the same words completes it.
pub(crate) const DEBRIEF: &str = "debrief";
/// The act of having remembered all of its findings.
pub(crate) const DEBRIEFED: &str = "debriefed";

/// One delegation. Counts only: no task, no text, no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegation {
    /// Its id.
    pub id: DelegationId,
    /// Who gave it.
    pub by: String,
    /// To whom, where that was said.
    pub to: Option<String>,
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
}

impl Memory {
    /// The delegations of the caller's own brain.
    pub fn delegations(&self, caller: &Caller) -> Result<Delegations, MemoryError> {
        let brain = self.bound(caller)?;
        let mut delegations = self.delegations_in(&self.store_of(&brain))?;
        delegations.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        Ok(Delegations { brain: brain.origin(), delegations })
    }

    /// The delegations of one store, in the order of its log.
    pub(crate) fn delegations_in(&self, store: &Store) -> Result<Vec<Delegation>, StoreError> {
        Ok(fold(&store.acts().named(&[DELEGATE, DEBRIEF, DEBRIEFED])?, self.clock.now()))
    }
}

fn fold(acts: &[Act], now: Timestamp) -> Vec<Delegation> {
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
                to: act.data["to"].as_str().map(str::to_owned),
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
