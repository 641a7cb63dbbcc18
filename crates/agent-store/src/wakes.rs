//! The queue of wakes, and how a run begins and ends.
//!
//! A wake is one row of the run log for good, and one row of the queue until it ends. Asking for it, claiming it and ending
//! it are one transaction each: however many processes do so at once, a wake is queued once, is run by one of them at a time,
//! and has one end.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::leases::AgentLease;
use crate::runs::WakeRun;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, to_json};
use brainstem_agents::vocabulary::{AgentWakeReason, WakeRunStatus};
use brainstem_agents::{CanonicalJson, RunKey, ThreadId};
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite::{self, params};

/// A wake that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WakeRequest {
    /// What it is known by on every device.
    pub run_key: RunKey,
    /// The agent.
    pub agent: AgentId,
    /// Why.
    pub reason: AgentWakeReason,
    /// The subscription, the timer, the turn or the request.
    pub reason_id: String,
    /// The thread that its messages go to.
    pub thread: ThreadId,
    /// What a person said.
    pub seed_input: Option<String>,
    /// The change behind it.
    pub batch: Option<BatchRecord>,
    /// Not before this instant.
    pub ready_at: Timestamp,
    /// What the scheduler has to know of it when it runs.
    pub cause: CanonicalJson,
}

/// Which change woke an agent, with what its key was derived from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRecord {
    /// The batch in the process that saw it, for diagnosis.
    pub local_batch_id: u64,
    /// The key of the change.
    pub logical_change_key: String,
    /// The keys of its units, sorted.
    pub change_unit_keys: Vec<String>,
}

/// A wake in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredWake {
    /// What was asked for.
    pub request: WakeRequest,
    /// Its place in the line of its agent.
    pub seq: u64,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// How often it was started.
    pub attempts: u32,
    /// The lease under which it runs. `None` if it waits.
    pub generation: Option<u64>,
}

/// What became of a wake that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnqueueOutcome {
    /// It waits.
    Queued,
    /// It was asked for before, and is here now.
    Known(WakeRunStatus),
}

/// What a worker is handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedWakes {
    /// What every write of the run carries.
    pub generation: u64,
    /// The wakes that it is for, the executed one first.
    pub wakes: Vec<StoredWake>,
}

/// How one wake of a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnding {
    /// It is tried again, not before an instant.
    Retry {
        /// The instant.
        at: Timestamp,
        /// What went wrong.
        why: String,
    },
    /// It is over.
    Over {
        /// The terminal status.
        status: WakeRunStatus,
        /// The run that was executed for it, if it was another one.
        executed_by: Option<RunKey>,
        /// Why it ended so, if the status does not say it all.
        why: Option<String>,
    },
}

const FROM: &str = "q.run_key, q.agent_id, q.seq, q.ready_at, q.generation, q.seed_input, q.local_batch_id,
                    q.logical_change_key, q.change_unit_keys, q.cause, r.reason, r.reason_id, r.thread_id, r.queued_at,
                    r.attempts
                    FROM agent_wake_queue q JOIN agent_wake_runs r ON r.run_key = q.run_key";

fn wake(row: &Columns<'_>) -> rusqlite::Result<StoredWake> {
    let batch = match row.plain::<Option<String>>("logical_change_key")? {
        None => None,
        Some(logical_change_key) => Some(BatchRecord {
            local_batch_id: row.number("local_batch_id")?,
            logical_change_key,
            change_unit_keys: row.plain_json("change_unit_keys")?,
        }),
    };
    let request = WakeRequest {
        run_key: row.id("run_key")?,
        agent: row.agent("agent_id")?,
        reason: row.word("reason", AgentWakeReason::parse)?,
        reason_id: row.plain("reason_id")?,
        thread: row.id("thread_id")?,
        seed_input: row.plain("seed_input")?,
        batch,
        ready_at: row.time("ready_at")?,
        cause: row.json("cause")?,
    };
    let generation = row.plain::<Option<i64>>("generation")?.map(u64::try_from).transpose();
    Ok(StoredWake {
        request,
        seq: row.number("seq")?,
        queued_at: row.time("queued_at")?,
        attempts: row.plain("attempts")?,
        generation: generation.map_err(|error| row.damaged("generation", error))?,
    })
}

impl AgentReads<'_> {
    /// The wakes of an agent that wait or run, in their order.
    pub fn queue(&self, agent: &AgentId) -> Result<Vec<StoredWake>, AgentStoreError> {
        self.list(&format!("SELECT {FROM} WHERE q.agent_id = ?1 ORDER BY q.seq"), (agent.as_str(),), wake)
    }

    /// The wakes that wait and may start now, the one that waits longest first.
    pub fn ready_wakes(&self, now: Timestamp, count_max: usize) -> Result<Vec<StoredWake>, AgentStoreError> {
        let sql = format!(
            "SELECT {FROM} WHERE q.generation IS NULL AND q.ready_at <= ?1 ORDER BY q.ready_at, q.agent_id LIMIT ?2"
        );
        self.list(&sql, (now.ms(), number_to_sql(count_max as u64)), wake)
    }

    /// When the next wake may start that waits. `None` if none waits.
    pub fn next_ready_at(&self) -> Result<Option<Timestamp>, AgentStoreError> {
        let sql = "SELECT ready_at FROM agent_wake_queue WHERE generation IS NULL ORDER BY ready_at LIMIT 1";
        self.one(sql, (), |row| row.time("ready_at"))
    }
}

impl AgentWrites<'_> {
    /// Queues a wake, once for each run key. An agent that was destroyed is woken by nothing any more.
    pub fn enqueue(&self, request: &WakeRequest, now: Timestamp) -> Result<EnqueueOutcome, AgentStoreError> {
        let agent = &request.agent;
        self.check_authority(agent, WriteAuthority::Program)?;
        if let Some(known) = self.run(request.run_key)? {
            return Ok(EnqueueOutcome::Known(known.status));
        }
        self.insert_run(&WakeRun {
            run_key: request.run_key,
            agent: agent.clone(),
            reason: request.reason,
            reason_id: request.reason_id.clone(),
            thread: request.thread.clone(),
            status: WakeRunStatus::Queued,
            executed_by: None,
            why: None,
            attempts: 0,
            queued_at: now,
            started_at: None,
            ended_at: None,
        })?;
        let batch = request.batch.as_ref();
        let sql = "INSERT INTO agent_wake_queue (run_key, agent_id, seq, ready_at, seed_input, local_batch_id,
                       logical_change_key, change_unit_keys, cause)
                   VALUES (?1, ?2, (SELECT coalesce(max(seq), 0) + 1 FROM agent_wake_queue WHERE agent_id = ?2),
                       ?3, ?4, ?5, ?6, ?7, ?8)";
        let given = params![
            request.run_key.to_string(),
            agent.as_str(),
            request.ready_at.ms(),
            request.seed_input,
            batch.map(|batch| number_to_sql(batch.local_batch_id)),
            batch.map(|batch| &batch.logical_change_key),
            batch.map(|batch| to_json(&batch.change_unit_keys)),
            request.cause.as_str(),
        ];
        self.execute(sql, given)?;
        Ok(EnqueueOutcome::Queued)
    }

    /// Claims wakes of an agent for a process: takes the lease, and marks the wakes that `choose` picks of those that are
    /// ready, in the order in which it returns them. `None` if the agent is run by a process, or if nothing is picked.
    ///
    /// The lease and the marks are one transaction, so that of many processes one gets them.
    pub fn claim(
        &self,
        agent: &AgentId,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
        choose: impl FnOnce(&[StoredWake]) -> Vec<RunKey>,
    ) -> Result<Option<ClaimedWakes>, AgentStoreError> {
        self.check_authority(agent, WriteAuthority::Program)?;
        if self.lease(agent)?.is_some() {
            return Ok(None);
        }
        let mut ready = self.queue(agent)?;
        ready.retain(|wake| wake.generation.is_none() && wake.request.ready_at <= now);
        let chosen = choose(&ready);
        let picked = chosen.iter().map(|key| {
            let found = ready.iter().find(|wake| wake.request.run_key == *key);
            found.cloned().ok_or(AgentStoreError::NoWake(*key))
        });
        let mut wakes = picked.collect::<Done<Vec<_>>>()?;
        if wakes.is_empty() {
            return Ok(None);
        }
        let Some(generation) = self.take_lease(agent, holder, until)? else { return Ok(None) };
        for wake in &mut wakes {
            let sql = "UPDATE agent_wake_queue SET generation = ?2 WHERE run_key = ?1";
            self.execute(sql, (wake.request.run_key.to_string(), number_to_sql(generation)))?;
            self.mark_started(wake.request.run_key, now)?;
            (wake.generation, wake.attempts) = (Some(generation), wake.attempts + 1);
        }
        Ok(Some(ClaimedWakes { generation, wakes }))
    }

    /// Ends a run: every wake of it gets its end, and the lease is free again. A run that lost its lease is refused.
    ///
    /// `end_of` returns how a wake ends.
    pub fn end_run(
        &self,
        agent: &AgentId,
        generation: u64,
        now: Timestamp,
        end_of: impl Fn(&StoredWake) -> RunEnding,
    ) -> Result<(), AgentStoreError> {
        self.check_generation(agent, generation)?;
        for wake in self.queue(agent)?.iter().filter(|wake| wake.generation == Some(generation)) {
            self.end_wake(wake, end_of(wake), now)?;
        }
        self.end_lease(agent)
    }

    /// Ends the run of a process that is gone or hangs: one whose lease was found to be over. Returns whether it did; if the
    /// process renewed its lease or ended its run meanwhile, nothing is changed.
    pub fn expire_run(
        &self,
        found: &AgentLease,
        now: Timestamp,
        end_of: impl Fn(&StoredWake) -> RunEnding,
    ) -> Result<bool, AgentStoreError> {
        let current = self.lease(&found.agent)?;
        let is_over = current.is_some_and(|lease| lease.generation == found.generation && lease.until <= now);
        if is_over {
            self.end_run(&found.agent, found.generation, now, end_of)?;
        }
        Ok(is_over)
    }

    /// Ends a wake that waits, without a run. One that is gone or runs is refused.
    pub fn end_waiting(&self, key: RunKey, ending: RunEnding, now: Timestamp) -> Result<(), AgentStoreError> {
        let sql = format!("SELECT {FROM} WHERE q.run_key = ?1 AND q.generation IS NULL");
        let waiting = self.one(&sql, (key.to_string(),), wake)?.ok_or(AgentStoreError::NoWake(key))?;
        self.end_wake(&waiting, ending, now)
    }

    /// What waits for an agent that is gone is skipped, and what runs is canceled.
    pub(crate) fn end_wakes_of_destroyed(&self, agent: &AgentId, now: Timestamp) -> Done<()> {
        for wake in self.queue(agent)? {
            let status = match wake.generation {
                None => WakeRunStatus::SkippedDestroyed,
                Some(_) => WakeRunStatus::Canceled,
            };
            let why = Some("agent_destroyed".to_owned());
            self.end_wake(&wake, RunEnding::Over { status, executed_by: None, why }, now)?;
        }
        Ok(())
    }

    fn end_wake(&self, wake: &StoredWake, ending: RunEnding, now: Timestamp) -> Done<()> {
        let key = wake.request.run_key;
        match ending {
            RunEnding::Retry { at, why } => {
                self.mark_ended(key, WakeRunStatus::FailedRetryable, None, Some(&why), now)?;
                let sql = "UPDATE agent_wake_queue SET generation = NULL, ready_at = ?2 WHERE run_key = ?1";
                self.execute(sql, (key.to_string(), at.ms())).map(drop)
            }
            RunEnding::Over { status, executed_by, why } => {
                if !status.is_terminal() {
                    return Err(AgentStoreError::NotTerminal(status));
                }
                self.mark_ended(key, status, executed_by, why.as_deref(), now)?;
                self.execute("DELETE FROM agent_wake_queue WHERE run_key = ?1", (key.to_string(),)).map(drop)
            }
        }
    }
}
