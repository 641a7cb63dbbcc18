//! The delegations of a brain: given out, debriefed, or expired.

use crate::act::{Act, Deed, DeedKind, RowCounts};
use crate::delegation::{DelegationId, DelegationOutcome};
use brainstem_base::Timestamp;
use std::collections::{HashMap, HashSet};

/// The acts that delegations are read from.
pub const DELEGATION_ACTS: &[DeedKind] = &[DeedKind::Delegate, DeedKind::Debrief, DeedKind::Debriefed];

/// One delegation. The record has counts only: no text and no path. The task is local to a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegation {
    /// Its id.
    pub id: DelegationId,
    /// The agent that gave it.
    pub by: String,
    /// The agent it was given to, if one was named.
    pub to: Option<String>,
    /// The first line of the task, if the home knows it. No act has it.
    pub task: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// When it expires.
    pub expires_at: Timestamp,
    /// The rows that its packet carried.
    pub rows: RowCounts,
    /// Its state.
    pub standing: DelegationState,
    /// What came of it.
    pub debrief: Option<Debriefed>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// The state of a delegation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelegationState {
    /// It was given out, and there is time left.
    Open,
    /// It expired before it was debriefed.
    Expired,
    /// Its debrief was interrupted, and a repeat completes it.
    Unfinished,
    /// It was debriefed.
    Closed,
}

impl DelegationState {
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
    /// The agent that debriefed it.
    pub by: String,
    /// The agent that did the work.
    pub child: Option<String>,
    /// When it was decided.
    pub at: Timestamp,
    /// How it went.
    pub outcome: DelegationOutcome,
    /// How many findings there were.
    pub findings: usize,
    /// How many deviations.
    pub deviations: usize,
    /// How many paths were touched.
    pub touched_paths: usize,
    /// Which report it was.
    pub digest: String,
}

impl Delegation {
    /// The delegations in these acts, in the order in which they were given out; `now` decides which waiting ones have
    /// expired. One without an expiry is left out.
    pub fn all(acts: &[Act], now: Timestamp) -> Vec<Self> {
        let mut given = Vec::new();
        let mut decided: HashMap<&DelegationId, Option<Debriefed>> = HashMap::new();
        let mut finished: HashSet<&DelegationId> = HashSet::new();
        for act in acts {
            match act.deed() {
                Deed::Delegate { id, expires_at: Some(expires_at), rows, to, .. } => given.push(Self {
                    id: id.clone(),
                    by: act.agent().to_owned(),
                    to: to.clone(),
                    task: None,
                    at: act.time(),
                    expires_at: *expires_at,
                    rows: *rows,
                    standing: DelegationState::Open,
                    debrief: None,
                    is_foreign: act.is_foreign(),
                }),
                Deed::Debrief { id, .. } => drop(decided.insert(id, debriefed(act))),
                Deed::Debriefed { id, .. } => drop(finished.insert(id)),
                Deed::Delegate { expires_at: None, .. }
                | Deed::Bootstrap { .. }
                | Deed::Affirm { .. }
                | Deed::Doctrine { .. }
                | Deed::Retract { .. }
                | Deed::Learn { .. }
                | Deed::Promote { .. }
                | Deed::Propose { .. }
                | Deed::Decline { .. }
                | Deed::Withdraw { .. }
                | Deed::Demote { .. }
                | Deed::Import { .. }
                | Deed::Rename { .. }
                | Deed::Forget { .. }
                | Deed::Resolve { .. }
                | Deed::MigrateBegin { .. }
                | Deed::MigrateEnd { .. }
                | Deed::MigrateRollback { .. }
                | Deed::Migrate { .. }
                | Deed::MigrateIn { .. }
                | Deed::MigrateBack { .. }
                | Deed::SweepRoot { .. }
                | Deed::UnsweepRoot { .. }
                | Deed::TakeUp { .. }
                | Deed::SetAside { .. }
                | Deed::BootSet { .. }
                | Deed::BootDelete { .. }
                | Deed::Violation { .. }
                | Deed::Unknown { .. } => {}
            }
        }
        for delegation in &mut given {
            delegation.debrief = decided.get(&delegation.id).cloned().flatten();
            delegation.standing = match &delegation.debrief {
                Some(_) if finished.contains(&delegation.id) => DelegationState::Closed,
                Some(_) => DelegationState::Unfinished,
                None if now > delegation.expires_at => DelegationState::Expired,
                None => DelegationState::Open,
            };
        }
        given
    }

    /// Those that were given out and wait for a debrief.
    pub fn waiting(acts: &[Act]) -> Vec<WaitingDelegation> {
        let waiting = |delegation: Self| {
            let until = match delegation.standing {
                DelegationState::Open => Some(delegation.expires_at),
                DelegationState::Unfinished => None,
                DelegationState::Expired | DelegationState::Closed => return None,
            };
            Some(WaitingDelegation { until, is_foreign: delegation.is_foreign })
        };
        Self::all(acts, Timestamp::MIN).into_iter().filter_map(waiting).collect()
    }
}

/// A delegation that waits for a debrief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingDelegation {
    /// When it expires; `None` for one whose debrief was interrupted, which never does.
    pub until: Option<Timestamp>,
    /// Only the repository's log says that it was given out.
    pub is_foreign: bool,
}

/// How many delegations wait for a debrief.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenDelegations {
    /// All of them.
    pub count: usize,
    /// How many of them only the repository's log has.
    pub unrecorded: usize,
}

impl OpenDelegations {
    /// Counts those of these that have not expired.
    pub fn of(waiting: &[WaitingDelegation], now: Timestamp) -> Self {
        let is_open = |waiting: &&WaitingDelegation| waiting.until.is_none_or(|until| now <= until);
        let open = || waiting.iter().filter(is_open);
        Self { count: open().count(), unrecorded: open().filter(|open| open.is_foreign).count() }
    }

    /// For people: `2 delegations are open`; `None` if there are none.
    pub fn sentence(self) -> Option<String> {
        let open = match self.count {
            0 => return None,
            1 => "1 delegation is open".to_owned(),
            count => format!("{count} delegations are open"),
        };
        Some(match self.unrecorded {
            0 => open,
            unrecorded if unrecorded == self.count => format!("{open} (only the repository's log says so)"),
            1 => format!("{open} (of 1 of them only the repository's log says so)"),
            several => format!("{open} (of {several} of them only the repository's log says so)"),
        })
    }
}

fn debriefed(act: &Act) -> Option<Debriefed> {
    let Deed::Debrief {
        outcome, report, child, findings, deviations, touched_paths, touched_outside, ..
    } = act.deed()
    else {
        return None;
    };
    let count = |count: u64| usize::try_from(count).unwrap_or(0);
    Some(Debriefed {
        by: act.agent().to_owned(),
        child: child.clone(),
        at: act.time()?,
        outcome: (*outcome)?,
        findings: count(*findings),
        deviations: deviations.len(),
        touched_paths: touched_paths.len() + count(*touched_outside),
        digest: report.clone()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::act;
    use super::*;

    fn id(n: u8) -> DelegationId {
        DelegationId::new([n; 10])
    }

    fn given(n: u8, expires_ms: Option<i64>) -> Act {
        let expires_at = expires_ms.map(Timestamp::from_ms);
        let rows = RowCounts { project: 2, medulla: 1 };
        act(1, Deed::Delegate { id: id(n), expires_at, rows, seeds: None, left_out: None, to: None })
    }

    fn debrief(n: u8, outcome: Option<DelegationOutcome>) -> Act {
        act(
            5,
            Deed::Debrief {
                id: id(n),
                outcome,
                report: Some("digest".into()),
                child: None,
                rows: RowCounts::default(),
                findings: 2,
                deviations: vec!["took a walk".into()],
                touched_paths: vec!["a.rs".into(), "b.rs".into()],
                touched_outside: 3,
            },
        )
    }

    fn debriefed(n: u8) -> Act {
        act(6, Deed::Debriefed { id: id(n), memorized: None })
    }

    #[test] // spec: MEM-39, MEM-41
    fn a_delegation_stands_as_its_acts_say() {
        let ended = Some(DelegationOutcome::Success);
        let table = [
            (vec![given(1, Some(10))], 10, Some(DelegationState::Open)),
            (vec![given(1, Some(10))], 11, Some(DelegationState::Expired)),
            (vec![given(1, Some(10)), debrief(1, ended)], 99, Some(DelegationState::Unfinished)),
            (vec![given(1, Some(10)), debrief(1, ended), debriefed(1)], 99, Some(DelegationState::Closed)),
            (vec![given(1, Some(10)), debrief(2, ended), debriefed(2)], 0, Some(DelegationState::Open)),
            (vec![given(1, Some(10)), debrief(1, None), debriefed(1)], 0, Some(DelegationState::Open)),
            (vec![given(1, None), debrief(1, ended)], 0, None),
        ];
        for (mut acts, now_ms, expected) in table {
            for _ in 0..acts.len() {
                acts.rotate_left(1);
                let all = Delegation::all(&acts, Timestamp::from_ms(now_ms));
                assert_eq!(all.first().map(|found| found.standing), expected, "{acts:?}");
            }
        }
    }

    #[test] // spec: MEM-41
    fn what_came_of_a_delegation_is_told_in_counts() {
        let acts = [given(1, Some(10)), debrief(1, Some(DelegationOutcome::Partial))];
        let found = Delegation::all(&acts, Timestamp::MIN).remove(0).debrief.unwrap();
        assert_eq!((found.findings, found.deviations, found.touched_paths), (2, 1, 5));
        let until = |acts: &[Act]| -> Vec<Option<Timestamp>> {
            Delegation::waiting(acts).into_iter().map(|waiting| waiting.until).collect()
        };
        assert_eq!(until(&acts), [None]);
        assert_eq!(until(&acts[..1]), [Some(Timestamp::from_ms(10))]);
        let told = |count, unrecorded| OpenDelegations { count, unrecorded }.sentence();
        assert_eq!(told(0, 0), None);
        assert_eq!(told(2, 0).as_deref(), Some("2 delegations are open"));
        let hearsay = "1 delegation is open (only the repository's log says so)";
        assert_eq!(told(1, 1).as_deref(), Some(hearsay));
    }
}
