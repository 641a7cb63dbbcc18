//! The run log: what became of every wake.

use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, time_to_sql};
use brainstem_agents::vocabulary::{AgentWakeReason, WakeRunStatus};
use brainstem_agents::{RunKey, ThreadId};
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite::{self, params};

/// What became of a wake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WakeRun {
    /// Its key.
    pub run_key: RunKey,
    /// The agent.
    pub agent: AgentId,
    /// Why it was asked for.
    pub reason: AgentWakeReason,
    /// The subscription, the timer, the turn or the request.
    pub reason_id: String,
    /// The thread that its messages go to.
    pub thread: ThreadId,
    /// Where it is.
    pub status: WakeRunStatus,
    /// The run that was executed for it, if it was another one (Z-3).
    pub executed_by: Option<RunKey>,
    /// Why it ended so, if the status does not say it all.
    pub why: Option<String>,
    /// How often it was started.
    pub attempts: u32,
    /// When it was asked for.
    pub queued_at: Timestamp,
    /// When it was started last.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

const COLUMNS: &str =
    "run_key, agent_id, reason, reason_id, thread_id, status, executed_by, why, attempts, queued_at,
                       started_at, ended_at";

fn run(row: &Columns<'_>) -> rusqlite::Result<WakeRun> {
    Ok(WakeRun {
        run_key: row.id("run_key")?,
        agent: row.agent("agent_id")?,
        reason: row.word("reason", AgentWakeReason::parse)?,
        reason_id: row.plain("reason_id")?,
        thread: row.id("thread_id")?,
        status: row.word("status", WakeRunStatus::parse)?,
        executed_by: row.optional_id("executed_by")?,
        why: row.plain("why")?,
        attempts: row.plain("attempts")?,
        queued_at: row.time("queued_at")?,
        started_at: row.optional_time("started_at")?,
        ended_at: row.optional_time("ended_at")?,
    })
}

impl AgentReads<'_> {
    /// What became of a wake. `None` if it was never asked for.
    pub fn run(&self, key: RunKey) -> Result<Option<WakeRun>, AgentStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_wake_runs WHERE run_key = ?1");
        self.one(&sql, (key.to_string(),), run)
    }

    /// The wakes of an agent, the newest first.
    pub fn runs_of(&self, agent: &AgentId, count_max: usize) -> Result<Vec<WakeRun>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_wake_runs WHERE agent_id = ?1 ORDER BY queued_at DESC LIMIT ?2"
        );
        self.list(&sql, (agent.as_str(), number_to_sql(count_max as u64)), run)
    }

    /// The wakes with a status, those that ended last first: `failed_terminal` are the dead letters.
    pub fn runs_with(
        &self,
        status: WakeRunStatus,
        count_max: usize,
    ) -> Result<Vec<WakeRun>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_wake_runs WHERE status = ?1 ORDER BY ended_at DESC LIMIT ?2"
        );
        self.list(&sql, (status.as_str(), number_to_sql(count_max as u64)), run)
    }
}

impl AgentWrites<'_> {
    /// Adds the first row of a run key.
    pub(crate) fn insert_run(&self, run: &WakeRun) -> Done<()> {
        let sql = format!(
            "INSERT INTO agent_wake_runs ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        );
        let given = params![
            run.run_key.to_string(),
            run.agent.as_str(),
            run.reason.as_str(),
            run.reason_id,
            run.thread.to_string(),
            run.status.as_str(),
            run.executed_by.map(|key| key.to_string()),
            run.why,
            run.attempts,
            run.queued_at.ms(),
            time_to_sql(run.started_at),
            time_to_sql(run.ended_at),
        ];
        self.execute(&sql, given).map(drop)
    }

    /// Notes that a worker has the run.
    pub(crate) fn mark_started(&self, key: RunKey, now: Timestamp) -> Done<()> {
        let sql = "UPDATE agent_wake_runs SET status = ?2, attempts = attempts + 1, started_at = ?3
                   WHERE run_key = ?1";
        self.execute(sql, (key.to_string(), WakeRunStatus::Started.as_str(), now.ms())).map(drop)
    }

    /// Notes how a run ended, or that it is tried again.
    pub(crate) fn mark_ended(
        &self,
        key: RunKey,
        status: WakeRunStatus,
        executed_by: Option<RunKey>,
        why: Option<&str>,
        now: Timestamp,
    ) -> Done<()> {
        let sql = "UPDATE agent_wake_runs SET status = ?2, executed_by = ?3, why = ?4, ended_at = ?5
                   WHERE run_key = ?1";
        let ended_at = status.is_terminal().then_some(now);
        let executed_by = executed_by.map(|key| key.to_string());
        self.execute(sql, (key.to_string(), status.as_str(), executed_by, why, time_to_sql(ended_at)))
            .map(drop)
    }
}
