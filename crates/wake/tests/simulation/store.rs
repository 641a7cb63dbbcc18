//! The durable queue as a model: lanes, the run log, what runs have done. A change of it is a transaction: it happens or it
//! does not. Whatever must never be stored is a panic here.

use brainstem_agents::RunKey;
use brainstem_agents::vocabulary::{AgentLifecycle, WakeRunStatus};
use brainstem_base::{AgentId, Timestamp};
use brainstem_wake::change::NotificationBatch;
use brainstem_wake::plan::{
    AgentLane, ClaimRefusal, ClaimedJob, EnqueueRefusal, Enqueued, Fenced, HolderId, KillScope, KillSwitches,
    LaneView, NewWake, RunRow, WakePolicy,
};
use brainstem_wake::run::{RunEnd, WakeCause};
use std::collections::{BTreeMap, BTreeSet};

/// What is stored about an agent beside its lane.
#[derive(Clone, Debug)]
pub(crate) struct AgentRow {
    pub(crate) lifecycle: AgentLifecycle,
    pub(crate) sleeps_until: Option<Timestamp>,
}

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) policy: WakePolicy,
    pub(crate) agents: BTreeMap<AgentId, AgentRow>,
    pub(crate) lanes: BTreeMap<AgentId, AgentLane>,
    pub(crate) switches: KillSwitches,
    pub(crate) log: BTreeMap<RunKey, RunRow>,
    /// Every wake that was taken in, and whose it is.
    pub(crate) wanted: BTreeMap<RunKey, AgentId>,
    /// Which wake carries on one that was skipped for sleep.
    pub(crate) carried_by: BTreeMap<RunKey, RunKey>,
    /// What runs have done, each under its operation: a repeat changes nothing.
    pub(crate) effects: BTreeSet<RunKey>,
    /// The changes that those effects are, for the watchers.
    pub(crate) changes: Vec<NotificationBatch>,
    /// When jobs started that no person asked for.
    pub(crate) starts: BTreeMap<AgentId, Vec<Timestamp>>,
}

impl Store {
    pub(crate) fn new(policy: WakePolicy, agents: impl IntoIterator<Item = AgentId>) -> Self {
        let row = AgentRow { lifecycle: AgentLifecycle::Active, sleeps_until: None };
        let agents: BTreeMap<_, _> = agents.into_iter().map(|agent| (agent, row.clone())).collect();
        Self {
            policy,
            lanes: agents.keys().map(|agent| (agent.clone(), AgentLane::new(agent.clone()))).collect(),
            agents,
            switches: KillSwitches::default(),
            log: BTreeMap::new(),
            wanted: BTreeMap::new(),
            carried_by: BTreeMap::new(),
            effects: BTreeSet::new(),
            changes: Vec::new(),
            starts: BTreeMap::new(),
        }
    }

    pub(crate) fn enqueue(
        &mut self,
        now: Timestamp,
        agent: &AgentId,
        wake: NewWake,
    ) -> Result<Enqueued, EnqueueRefusal> {
        let key = wake.cause.run_key(agent);
        let logged = self.log.get(&key).map(|row| row.status);
        let stopped = self.switches.covering(agent);
        let enqueued = self.lane(agent).enqueue(now, wake, logged, stopped)?;
        match &enqueued {
            Enqueued::Queued(key) => {
                self.wanted.insert(*key, agent.clone());
            }
            Enqueued::Absorbed(row) => {
                self.wanted.insert(key, agent.clone());
                self.write([row.clone()]);
            }
            Enqueued::Known(_) => {}
        }
        Ok(enqueued)
    }

    pub(crate) fn claim(
        &mut self,
        now: Timestamp,
        agent: &AgentId,
        holder: HolderId,
    ) -> Result<ClaimedJob, ClaimRefusal> {
        let (policy, taken, stopped) = (self.policy, self.places_taken(), self.switches.covering(agent));
        let job = self.lane(agent).claim(now, &policy, taken, stopped, holder)?;
        assert!(self.places_taken() <= policy.runs_at_once_max, "more jobs run than there are places");
        for member in &job.members {
            let row = self.log.get(&member.run_key);
            assert!(!row.is_some_and(|row| row.status.is_terminal()), "a run that has ended is run again");
        }
        if !job.members.iter().any(|member| member.wake.cause.is_prompted()) {
            self.starts.entry(agent.clone()).or_default().push(now);
        }
        Ok(job)
    }

    pub(crate) fn mark_started(&mut self, agent: &AgentId, job: &ClaimedJob) -> Result<(), Fenced> {
        self.lane(agent).check_step(job.generation)?;
        let rows = job.members.iter().map(|member| RunRow {
            run_key: member.run_key,
            status: WakeRunStatus::Started,
            executed_by: job.run,
            why: None,
            attempts: member.attempts,
        });
        let rows: Vec<RunRow> = rows.collect();
        self.write(rows);
        Ok(())
    }

    /// A step of a run that changes something, under its operation. Whether it was the first time.
    pub(crate) fn apply(
        &mut self,
        agent: &AgentId,
        job: &ClaimedJob,
        holder: &HolderId,
    ) -> Result<bool, Fenced> {
        self.lane(agent).check_step(job.generation)?;
        let running = self.lane(agent).running.as_ref().expect("a step was accepted");
        assert_eq!(&running.holder, holder, "the step of a run that is another's was accepted");
        Ok(self.effects.insert(job.run))
    }

    pub(crate) fn end(
        &mut self,
        now: Timestamp,
        agent: &AgentId,
        generation: u64,
        end: RunEnd,
    ) -> Result<(), Fenced> {
        let policy = self.policy;
        let running = self.lane(agent).running.as_ref();
        let is_throttled = running.is_some_and(|job| job.is_throttled && job.stopped_by.is_none());
        let is_skipped = matches!(end, RunEnd::SkippedSleeping { .. });
        let rows = self.lane(agent).end(now, generation, end, &policy)?;
        if is_throttled && is_skipped {
            self.starts.entry(agent.clone()).or_default().pop();
        }
        self.write(rows);
        self.carry(agent);
        Ok(())
    }

    pub(crate) fn expire(&mut self, now: Timestamp, agent: &AgentId) {
        let policy = self.policy;
        let rows = self.lane(agent).expire(now, &policy);
        self.write(rows.into_iter().flatten());
        self.carry(agent);
    }

    pub(crate) fn destroy(&mut self, now: Timestamp, agent: &AgentId) {
        self.agents.get_mut(agent).expect("an agent").lifecycle = AgentLifecycle::Destroyed;
        let rows = self.lane(agent).destroy(now);
        self.write(rows);
    }

    pub(crate) fn end_sleep(&mut self, now: Timestamp) {
        self.agents.values_mut().for_each(|agent| agent.sleeps_until = None);
        self.lanes.values_mut().for_each(|lane| lane.end_sleep(now));
    }

    pub(crate) fn stop_all(&mut self) {
        self.switches.engage(KillScope::All);
        for lane in self.lanes.values_mut() {
            lane.stop(&KillScope::All.to_string());
        }
    }

    pub(crate) fn lane(&mut self, agent: &AgentId) -> &mut AgentLane {
        self.lanes.get_mut(agent).expect("a lane")
    }

    pub(crate) fn view(&mut self, now: Timestamp, agent: &AgentId) -> LaneView {
        let policy = self.policy;
        self.lane(agent).view(now, &policy)
    }

    pub(crate) fn busy_agents(&self) -> Vec<AgentId> {
        self.lanes.values().filter(|lane| !lane.is_idle()).map(|lane| lane.agent.clone()).collect()
    }

    pub(crate) fn places_taken(&self) -> usize {
        self.lanes.values().filter(|lane| lane.running.is_some()).count()
    }

    fn write(&mut self, rows: impl IntoIterator<Item = RunRow>) {
        for row in rows {
            if let Some(known) = self.log.get(&row.run_key) {
                assert!(!known.status.is_terminal(), "{known:?} has ended and became {row:?}");
            }
            self.log.insert(row.run_key, row);
        }
    }

    /// Notes which of the waiting wakes carry on skipped ones.
    fn carry(&mut self, agent: &AgentId) {
        for wake in &self.lanes[agent].waiting {
            if let WakeCause::AfterSleep { skipped, .. } = &wake.wake.cause {
                self.carried_by.insert(*skipped, wake.run_key);
            }
        }
    }
}
