//! The wakes of one agent: what waits, what runs, what holds it back, and which wakes are run next.
//!
//! A lane is what rows keep, and its functions are what may happen to it. The store reads a lane, calls one of them and writes
//! what it says in one transaction; nothing is decided outside of it. Every instant in a lane is the past or is no further
//! ahead than its own pause, whatever the clock does: [`AgentLane::settle`] sees to that first.
//!
//! `lane_run.rs` has what may happen to the job that runs.

use super::policy::WakePolicy;
use super::queued::{NewWake, QueuedWake, RunRow, WakeReady};
use super::switches::KillScope;
use crate::limits::{MEMBERS_PER_JOB_MAX, WAKES_PER_AGENT_MAX};
use crate::run::WakeCause;
use brainstem_agents::RunKey;
use brainstem_agents::ids::SubscriptionId;
use brainstem_agents::vocabulary::WakeRunStatus;
use brainstem_base::{AgentId, Timestamp};
use std::collections::BTreeMap;

const HOUR_MS: i64 = 3_600_000;

/// The process that runs a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HolderId(pub String);

/// Everything that is stored about the wakes of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLane {
    /// The agent.
    pub agent: AgentId,
    /// The wakes that wait, in the order in which they came.
    pub waiting: Vec<QueuedWake>,
    /// The job that runs: one at most.
    pub running: Option<RunningJob>,
    /// The generation of the last job that was claimed. A write with an older one is refused.
    pub generation: u64,
    /// The place of the next wake.
    pub next_seq: u64,
    /// When the last jobs were started that no person asked for, oldest first: as many as an hour may have.
    pub starts: Vec<Timestamp>,
    /// When the last job ended that did something: the pause behind a job counts from here.
    pub ended_at: Option<Timestamp>,
    /// When the last job ended, whatever it did. What waits is in line from here on, and not since before that job.
    pub free_since: Option<Timestamp>,
    /// How many jobs in a row failed.
    pub failures: u32,
    /// When each subscription that has a least interval was last run for.
    pub ran_for: BTreeMap<SubscriptionId, Timestamp>,
    /// Whether the agent is gone: nothing wakes it any more.
    pub is_destroyed: bool,
}

/// A job that runs: the wakes that were taken together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// Its wakes; the first is the one whose run is executed.
    pub members: Vec<QueuedWake>,
    /// The process that runs it.
    pub holder: HolderId,
    /// What every write of the run carries.
    pub generation: u64,
    /// When the run is lost unless the holder renews its lease.
    pub lease_until: Timestamp,
    /// When it is ended whatever its holder does.
    pub run_until: Timestamp,
    /// Whether it counts against the wakes of an hour.
    pub is_throttled: bool,
    /// What stopped it. It may record what it has done already, and may do nothing more.
    pub stopped_by: Option<String>,
}

/// What a worker is handed with a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The run that is executed.
    pub run: RunKey,
    /// The wakes that it is for, the executed one first.
    pub members: Vec<QueuedWake>,
    /// What every write carries.
    pub generation: u64,
    /// When to have renewed the lease.
    pub lease_until: Timestamp,
    /// When the run is ended.
    pub run_until: Timestamp,
}

/// Why no job was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimRefusal {
    /// Nothing waits.
    Nothing,
    /// A job of the agent runs.
    Running,
    /// Not before this instant.
    NotBefore(Timestamp),
    /// As many jobs run as may.
    NoPlace,
    /// A switch is engaged.
    Stopped(KillScope),
}

/// What became of a wake that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// It waits.
    Queued(RunKey),
    /// It was asked for before: it waits, runs or has ended.
    Known(RunKey),
    /// Too many wait. The newest of them is run after the change and takes this one's place in the log.
    Absorbed(RunRow),
}

/// Why a wake is not queued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnqueueRefusal {
    /// The agent is gone.
    #[error("agent_destroyed: {0} was destroyed and is not woken any more")]
    Destroyed(AgentId),
    /// A switch is engaged.
    #[error("{1} is stopped by {0}: release it first")]
    Stopped(KillScope, AgentId),
}

/// What a planner has to know of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneView {
    /// When its next job may start; `None` if nothing waits, or a job runs.
    pub startable_at: Option<Timestamp>,
    /// When its running job is lost; `None` if none runs.
    pub expires_at: Option<Timestamp>,
}

impl AgentLane {
    /// The lane of an agent that was never woken.
    pub fn new(agent: AgentId) -> Self {
        Self {
            agent,
            waiting: Vec::new(),
            running: None,
            generation: 0,
            next_seq: 0,
            starts: Vec::new(),
            ended_at: None,
            free_since: None,
            failures: 0,
            ran_for: BTreeMap::new(),
            is_destroyed: false,
        }
    }

    /// Takes a wake into the queue. `logged` is what the run log has for its key.
    pub fn enqueue(
        &mut self,
        now: Timestamp,
        wake: NewWake,
        logged: Option<WakeRunStatus>,
        stopped_by: Option<KillScope>,
    ) -> Result<Enqueued, EnqueueRefusal> {
        if self.is_destroyed {
            return Err(EnqueueRefusal::Destroyed(self.agent.clone()));
        }
        if let Some(scope) = stopped_by {
            return Err(EnqueueRefusal::Stopped(scope, self.agent.clone()));
        }
        let run_key = wake.cause.run_key(&self.agent);
        let mut here = self.waiting.iter().chain(self.running.iter().flat_map(|job| &job.members));
        if logged.is_some_and(WakeRunStatus::is_terminal) || here.any(|known| known.run_key == run_key) {
            return Ok(Enqueued::Known(run_key));
        }
        let newest = self.waiting.iter().rev().find(|waiting| !waiting.is_turn());
        if let (true, false, Some(newest)) =
            (self.waiting.len() >= WAKES_PER_AGENT_MAX, wake.cause.is_prompted(), newest)
        {
            let why = Some("too many wakes waited".to_owned());
            let (status, executed_by) = (WakeRunStatus::Superseded, newest.run_key);
            return Ok(Enqueued::Absorbed(RunRow { run_key, status, executed_by, why, attempts: 0 }));
        }
        self.push(now, run_key, wake);
        Ok(Enqueued::Queued(run_key))
    }

    /// Starts the next job, if one may start now. `places_taken` is how many jobs run over all agents.
    ///
    /// The oldest wake that may start leads. A turn of a conversation is a job of its own; everything else that is ready
    /// rides along.
    pub fn claim(
        &mut self,
        now: Timestamp,
        policy: &WakePolicy,
        places_taken: usize,
        stopped_by: Option<KillScope>,
        holder: HolderId,
    ) -> Result<ClaimedJob, ClaimRefusal> {
        self.settle(now, policy);
        if let Some(scope) = stopped_by {
            return Err(ClaimRefusal::Stopped(scope));
        }
        if self.running.is_some() {
            return Err(ClaimRefusal::Running);
        }
        let startable_at = self.startable_at(policy).ok_or(ClaimRefusal::Nothing)?;
        if startable_at > now {
            return Err(ClaimRefusal::NotBefore(startable_at));
        }
        if places_taken >= policy.runs_at_once_max {
            return Err(ClaimRefusal::NoPlace);
        }
        let members = self.take_members(now, policy);
        let is_throttled = !members.iter().any(|member| member.wake.cause.is_prompted());
        if is_throttled {
            self.starts.push(now);
        }
        self.generation += 1;
        let job = RunningJob {
            members,
            holder,
            generation: self.generation,
            lease_until: later(now, policy.lease_ms),
            run_until: later(now, policy.run_ms_max),
            is_throttled,
            stopped_by: None,
        };
        let claimed = ClaimedJob {
            run: job.members[0].run_key,
            members: job.members.clone(),
            generation: job.generation,
            lease_until: job.lease_until,
            run_until: job.run_until,
        };
        self.running = Some(job);
        Ok(claimed)
    }

    /// The agent's sleep was ended before its time: what it put off is ready from now on.
    ///
    /// From now on, and not since the sleep began: the lane would be ahead of lanes that could start meanwhile. An instant
    /// that is counted from `queued_at` stays right if the clock goes back, which [`WakeReady::At`] does not.
    pub fn end_sleep(&mut self, now: Timestamp) {
        let put_off = self.waiting.iter_mut();
        for wake in put_off.filter(|wake| matches!(wake.wake.cause, WakeCause::AfterSleep { .. })) {
            wake.queued_at = wake.ready_at().min(now);
            wake.wake.ready = WakeReady::After(0);
        }
    }

    /// What a planner has to know.
    pub fn view(&mut self, now: Timestamp, policy: &WakePolicy) -> LaneView {
        self.settle(now, policy);
        LaneView {
            startable_at: if self.running.is_some() { None } else { self.startable_at(policy) },
            expires_at: self.running.as_ref().map(|job| job.lease_until.min(job.run_until)),
        }
    }

    /// Whether nothing waits and nothing runs.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.running.is_none()
    }

    /// Forgets what has no effect any more, and corrects what a clock that was ahead has left: nothing that happened is
    /// later than now, and no pause is longer than it was meant to be.
    pub fn settle(&mut self, now: Timestamp, policy: &WakePolicy) {
        let ends = self.ended_at.iter_mut().chain(&mut self.free_since);
        for at in ends.chain(&mut self.starts).chain(self.ran_for.values_mut()) {
            *at = (*at).min(now);
        }
        // By count and not by age: a lane whose hour is over is in line since then, and not since before it.
        let forgotten = self.starts.len().saturating_sub(policy.wakes_per_hour_max.max(1));
        self.starts.drain(..forgotten);
        for wake in &mut self.waiting {
            wake.queued_at = wake.queued_at.min(now);
        }
        if let Some(job) = &mut self.running {
            job.lease_until = job.lease_until.min(later(now, policy.lease_ms));
            job.run_until = job.run_until.min(later(now, policy.run_ms_max));
        }
    }

    pub(super) fn push(&mut self, now: Timestamp, run_key: RunKey, wake: NewWake) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.waiting.push(QueuedWake { seq, run_key, wake, queued_at: now, attempts: 0 });
    }

    /// When the first of the waiting wakes may start, if no job runs.
    fn startable_at(&self, policy: &WakePolicy) -> Option<Timestamp> {
        let throttled_until = self.throttled_until(policy);
        self.waiting.iter().map(|wake| self.wake_startable_at(wake, throttled_until)).min()
    }

    fn wake_startable_at(&self, wake: &QueuedWake, throttled_until: Timestamp) -> Timestamp {
        let startable_at = match wake.wake.cause.is_prompted() {
            true => wake.ready_at(),
            false => self.ready_at(wake).max(throttled_until),
        };
        startable_at.max(self.free_since.unwrap_or(Timestamp::MIN))
    }

    /// When a wake is ready, the least interval of its subscription included.
    fn ready_at(&self, wake: &QueuedWake) -> Timestamp {
        let last = wake.subscription().and_then(|subscription| self.ran_for.get(subscription));
        let interval_ends = last.map(|last| later(*last, wake.wake.min_interval_ms));
        wake.ready_at().max(interval_ends.unwrap_or(Timestamp::MIN))
    }

    /// Until when the agent is held back: by the pause behind its last job, by the wakes of the last hour, by failures.
    fn throttled_until(&self, policy: &WakePolicy) -> Timestamp {
        let pause = match self.failures {
            0 => policy.cooldown_ms,
            failures => policy.cooldown_ms.max(policy.backoff_ms(failures)),
        };
        let paused = self.ended_at.map(|ended| later(ended, pause));
        let over = self.starts.len().checked_sub(policy.wakes_per_hour_max.max(1));
        let rate = over.and_then(|at| self.starts.get(at)).map(|start| later(*start, HOUR_MS));
        paused.max(rate).unwrap_or(Timestamp::MIN)
    }

    /// Takes the wakes of the next job out of the queue, the leading one first.
    fn take_members(&mut self, now: Timestamp, policy: &WakePolicy) -> Vec<QueuedWake> {
        let throttled_until = self.throttled_until(policy);
        let leads = |wake: &&QueuedWake| self.wake_startable_at(wake, throttled_until) <= now;
        let lead = self.waiting.iter().filter(leads).min_by_key(|wake| wake.seq);
        let lead = lead.expect("a wake is startable").clone();
        let rides = |wake: &QueuedWake| {
            wake.seq != lead.seq && !lead.is_turn() && !wake.is_turn() && self.ready_at(wake) <= now
        };
        let mut riding: Vec<u64> =
            self.waiting.iter().filter(|wake| rides(wake)).map(|wake| wake.seq).collect();
        riding.sort_unstable();
        riding.truncate(MEMBERS_PER_JOB_MAX - 1);
        let is_member =
            |wake: &mut QueuedWake| wake.seq == lead.seq || riding.binary_search(&wake.seq).is_ok();
        let mut members: Vec<QueuedWake> = self.waiting.extract_if(.., is_member).collect();
        members.sort_by_key(|wake| (wake.seq != lead.seq, wake.seq));
        for member in members.iter().filter(|member| member.wake.min_interval_ms > 0) {
            if let Some(subscription) = member.subscription() {
                self.ran_for.insert(subscription.clone(), now);
            }
        }
        members
    }
}

/// The instant that is so many milliseconds later.
pub(super) fn later(at: Timestamp, ms: i64) -> Timestamp {
    Timestamp::from_ms(at.ms().saturating_add(ms))
}
