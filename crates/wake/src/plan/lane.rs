//! The wakes of one agent: what waits, what runs, and what holds it back.
//!
//! A lane is what rows keep, and its functions are what may happen to it. The store reads a lane, calls one of them and writes
//! what it says in one transaction; nothing is decided outside of it. Every instant in a lane is the past or is no further
//! ahead than its own pause, whatever the clock does: [`AgentLane::settle`] sees to that first.

use super::policy::WakePolicy;
use super::queued::{NewWake, QueuedWake, WakeReady};
use super::switches::KillScope;
use crate::limits::{MEMBERS_PER_JOB_MAX, WAKES_PER_AGENT_MAX};
use crate::run::{RunEnd, WakeCause};
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
    /// When the jobs of the last hour were started that no person asked for, oldest first.
    pub starts: Vec<Timestamp>,
    /// When the last job ended.
    pub ended_at: Option<Timestamp>,
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

/// Why a write of a run is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fenced {
    /// The agent is gone.
    #[error("agent_destroyed: the agent was destroyed while this run was under way")]
    Destroyed,
    /// The lease is over, and the run is another's or has ended.
    #[error("stale_generation: this run lost its lease")]
    Stale,
    /// The run was stopped.
    #[error("run_stopped: {0}")]
    Stopped(String),
}

/// A row of the run log that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub run_key: RunKey,
    /// Where it is now.
    pub status: WakeRunStatus,
    /// The run that was executed for it.
    pub executed_by: RunKey,
    /// Why, if there is more to say than the status does.
    pub why: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
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

    /// Keeps the lease of a run. Returns when to have renewed it again.
    pub fn renew(
        &mut self,
        now: Timestamp,
        generation: u64,
        policy: &WakePolicy,
    ) -> Result<Timestamp, Fenced> {
        self.settle(now, policy);
        self.check_step(generation)?;
        let job = self.job_mut(generation)?;
        job.lease_until = later(now, policy.lease_ms).min(job.run_until);
        Ok(job.lease_until)
    }

    /// Whether a run may do another step: a mutation, a call, a start of a program.
    pub fn check_step(&self, generation: u64) -> Result<(), Fenced> {
        self.check_record(generation)?;
        match self.running.as_ref().and_then(|job| job.stopped_by.as_ref()) {
            Some(by) => Err(Fenced::Stopped(by.clone())),
            None => Ok(()),
        }
    }

    /// Whether a run may record what it has done already. A run that was stopped may; one that lost its lease may not.
    pub fn check_record(&self, generation: u64) -> Result<(), Fenced> {
        match &self.running {
            Some(job) if job.generation == generation => Ok(()),
            Some(_) | None if self.is_destroyed => Err(Fenced::Destroyed),
            Some(_) | None => Err(Fenced::Stale),
        }
    }

    /// Ends a run. Returns the rows of the run log; what is tried again and what a sleep puts off waits in the lane.
    pub fn end(
        &mut self,
        now: Timestamp,
        generation: u64,
        end: RunEnd,
        policy: &WakePolicy,
    ) -> Result<Vec<RunRow>, Fenced> {
        self.check_record(generation)?;
        let job = self.running.take().ok_or(Fenced::Stale)?;
        let end = match &job.stopped_by {
            Some(by) => RunEnd::Canceled { by: by.clone() },
            None => end,
        };
        let rows = self.end_job(now, job, end, policy);
        self.settle(now, policy);
        Ok(rows)
    }

    /// Ends the job whose worker is gone, hung or too slow. `None` if there is none.
    pub fn expire(&mut self, now: Timestamp, policy: &WakePolicy) -> Option<Vec<RunRow>> {
        self.settle(now, policy);
        let job = self.running.take_if(|job| job.lease_until.min(job.run_until) <= now)?;
        let end = match &job.stopped_by {
            Some(by) => RunEnd::Canceled { by: by.clone() },
            None => {
                let code = if job.run_until <= now { "run_timed_out" } else { "lease_expired" };
                RunEnd::Failed { code: code.to_owned(), is_retryable: true }
            }
        };
        Some(self.end_job(now, job, end, policy))
    }

    /// Stops the run, if one is under way: it does no further step.
    pub fn stop(&mut self, by: &str) {
        if let Some(job) = &mut self.running {
            job.stopped_by.get_or_insert_with(|| by.to_owned());
        }
    }

    /// Cancels one wake. One that waits is gone at once; the job that runs for it is stopped.
    pub fn cancel(&mut self, run: RunKey, by: &str) -> Option<RunRow> {
        if self.running.as_ref().is_some_and(|job| job.members.iter().any(|member| member.run_key == run)) {
            self.stop(by);
            return None;
        }
        let place = self.waiting.iter().position(|waiting| waiting.run_key == run)?;
        let waiting = self.waiting.remove(place);
        Some(waiting.row(WakeRunStatus::Canceled, run, Some(by)))
    }

    /// The agent is gone: nothing waits any more, and the run that is under way is fenced off.
    pub fn destroy(&mut self, now: Timestamp) -> Vec<RunRow> {
        self.is_destroyed = true;
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let why = Some("agent_destroyed");
        let mut rows: Vec<RunRow> =
            waiting.map(|wake| wake.row(WakeRunStatus::SkippedDestroyed, wake.run_key, why)).collect();
        if let Some(job) = self.running.take() {
            self.ended_at = Some(now);
            rows.extend(job.rows(WakeRunStatus::Canceled, why));
        }
        rows
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
        for at in self.starts.iter_mut().chain(&mut self.ended_at).chain(self.ran_for.values_mut()) {
            *at = (*at).min(now);
        }
        self.starts.retain(|at| now.ms_since(*at) < HOUR_MS);
        for wake in &mut self.waiting {
            wake.queued_at = wake.queued_at.min(now);
        }
        if let Some(job) = &mut self.running {
            job.lease_until = job.lease_until.min(later(now, policy.lease_ms));
            job.run_until = job.run_until.min(later(now, policy.run_ms_max));
        }
    }

    fn push(&mut self, now: Timestamp, run_key: RunKey, wake: NewWake) {
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
        if wake.wake.cause.is_prompted() { wake.ready_at() } else { self.ready_at(wake).max(throttled_until) }
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

    fn job_mut(&mut self, generation: u64) -> Result<&mut RunningJob, Fenced> {
        self.running.as_mut().filter(|job| job.generation == generation).ok_or(Fenced::Stale)
    }

    fn end_job(&mut self, now: Timestamp, job: RunningJob, end: RunEnd, policy: &WakePolicy) -> Vec<RunRow> {
        let run = job.members[0].run_key;
        match end {
            RunEnd::Completed => {
                (self.ended_at, self.failures) = (Some(now), 0);
                job.rows(WakeRunStatus::Completed, None)
            }
            RunEnd::Canceled { by } => {
                if by == RunEnd::CONDITION_GONE {
                    self.take_start_back(&job);
                } else {
                    self.ended_at = Some(now);
                }
                job.rows(WakeRunStatus::Canceled, Some(&by))
            }
            RunEnd::SkippedDestroyed => {
                self.running = Some(job);
                self.destroy(now)
            }
            RunEnd::SkippedSleeping { until } => {
                self.take_start_back(&job);
                let rows = job
                    .members
                    .iter()
                    .map(|member| member.row(WakeRunStatus::SkippedSleeping, run, Some("sleeping")));
                let rows = rows.collect();
                for member in job.members {
                    let cause = member.wake.cause.after_sleep(&self.agent, until);
                    let run_key = cause.run_key(&self.agent);
                    let ready = WakeReady::At(until);
                    self.push(now, run_key, NewWake { cause, ready, min_interval_ms: 0, ..member.wake });
                }
                rows
            }
            RunEnd::Failed { code, is_retryable } => {
                (self.ended_at, self.failures) = (Some(now), self.failures.saturating_add(1));
                self.end_failed(job, &code, is_retryable, policy)
            }
        }
    }

    /// A wake with attempts left waits again, in its old place. The executed one that has none is a dead letter, and
    /// what rode along with it in all of its attempts ends with it.
    fn end_failed(
        &mut self,
        job: RunningJob,
        code: &str,
        is_retryable: bool,
        policy: &WakePolicy,
    ) -> Vec<RunRow> {
        let run = job.members[0].run_key;
        let mut rows = Vec::new();
        for mut member in job.members {
            member.attempts += 1;
            let is_tried_again = is_retryable && member.attempts < policy.attempts_max;
            let status = match (is_tried_again, member.run_key == run) {
                (true, _) => WakeRunStatus::FailedRetryable,
                (false, true) => WakeRunStatus::FailedTerminal,
                (false, false) => WakeRunStatus::Superseded,
            };
            rows.push(member.row(status, run, Some(code)));
            if is_tried_again {
                self.waiting.push(member);
            }
        }
        self.waiting.sort_by_key(|wake| wake.seq);
        rows
    }

    /// A job that found nothing to do does not count against the wakes of an hour.
    fn take_start_back(&mut self, job: &RunningJob) {
        if job.is_throttled {
            self.starts.pop();
        }
    }
}

impl RunningJob {
    /// The row of the executed run with its status, and rows for those that rode along.
    fn rows(&self, status: WakeRunStatus, why: Option<&str>) -> Vec<RunRow> {
        let run = self.members[0].run_key;
        let rows = self.members.iter().map(|member| {
            let is_executed = member.run_key == run || status != WakeRunStatus::Completed;
            member.row(if is_executed { status } else { WakeRunStatus::Superseded }, run, why)
        });
        rows.collect()
    }
}

impl QueuedWake {
    fn row(&self, status: WakeRunStatus, executed_by: RunKey, why: Option<&str>) -> RunRow {
        let why = why.map(str::to_owned);
        RunRow { run_key: self.run_key, status, executed_by, why, attempts: self.attempts }
    }

    fn is_turn(&self) -> bool {
        matches!(self.wake.cause, WakeCause::UserTurn { .. })
    }

    fn subscription(&self) -> Option<&SubscriptionId> {
        match &self.wake.cause {
            WakeCause::Subscription { subscription, .. } => Some(subscription),
            WakeCause::Timer { .. }
            | WakeCause::UserTurn { .. }
            | WakeCause::Manual { .. }
            | WakeCause::AfterSleep { .. } => None,
        }
    }
}

fn later(at: Timestamp, ms: i64) -> Timestamp {
    Timestamp::from_ms(at.ms().saturating_add(ms))
}

#[cfg(test)]
#[path = "lane_tests.rs"]
mod tests;
