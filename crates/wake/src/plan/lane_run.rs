//! What may happen to the job of a lane that runs: it keeps its lease, does a step, ends, is stopped, or is given up.

use super::lane::{AgentLane, RunningJob, later};
use super::policy::WakePolicy;
use super::queued::{NewWake, RunRow, WakeReady};
use crate::run::RunEnd;
use brainstem_agents::RunKey;
use brainstem_agents::vocabulary::WakeRunStatus;
use brainstem_base::Timestamp;

/// Why a run of an agent that is gone has ended.
const AGENT_DESTROYED: &str = "agent_destroyed";

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

impl AgentLane {
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
        let why = Some(AGENT_DESTROYED);
        let mut rows: Vec<RunRow> =
            waiting.map(|wake| wake.row(WakeRunStatus::SkippedDestroyed, wake.run_key, why)).collect();
        if let Some(job) = self.running.take() {
            self.ended_at = Some(now);
            rows.extend(job.rows(WakeRunStatus::Canceled, why));
        }
        rows
    }

    fn job_mut(&mut self, generation: u64) -> Result<&mut RunningJob, Fenced> {
        self.running.as_mut().filter(|job| job.generation == generation).ok_or(Fenced::Stale)
    }

    fn end_job(&mut self, now: Timestamp, job: RunningJob, end: RunEnd, policy: &WakePolicy) -> Vec<RunRow> {
        let run = job.members[0].run_key;
        self.free_since = Some(now);
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
                let mut rows = job.rows(WakeRunStatus::SkippedDestroyed, Some(AGENT_DESTROYED));
                rows.extend(self.destroy(now));
                rows
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
                // Its instant has come once. A clock that goes back must not put it off until then again.
                member.wake.ready = WakeReady::After(0);
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

#[cfg(test)]
#[path = "lane_tests.rs"]
mod tests;
