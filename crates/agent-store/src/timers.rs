//! What wakes agents by the clock.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::subscriptions::standing;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, time_to_sql, to_json};
use brainstem_agents::AgentTimer;
use brainstem_agents::ids::TimerId;
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite::{self, params};

const COLUMNS: &str =
    "id, agent_id, schedule, timezone, catch_up, next_run_at, last_scheduled_at, active, created_at,
                       updated_at, deleted_at, host_id, clock";

fn timer(row: &Columns<'_>) -> rusqlite::Result<AgentTimer> {
    Ok(AgentTimer {
        id: row.id("id")?,
        agent: row.agent("agent_id")?,
        schedule: row.plain("schedule")?,
        timezone: row.plain("timezone")?,
        catch_up: row.plain("catch_up")?,
        next_run_at: row.optional_time("next_run_at")?,
        last_scheduled_at: row.optional_time("last_scheduled_at")?,
        standing: standing(row)?,
        stamp: row.stamp()?,
    })
}

impl AgentReads<'_> {
    /// A timer, taken back or not.
    pub fn timer(&self, id: &TimerId) -> Result<Option<AgentTimer>, AgentStoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM agent_timers WHERE id = ?1"), (id.as_str(),), timer)
    }

    /// The timers of an agent, those that were taken back too.
    pub fn timers_of(&self, agent: &AgentId) -> Result<Vec<AgentTimer>, AgentStoreError> {
        self.list(
            &format!("SELECT {COLUMNS} FROM agent_timers WHERE agent_id = ?1"),
            (agent.as_str(),),
            timer,
        )
    }

    /// The timers that are due, the one that is due longest first.
    pub fn due_timers(&self, now: Timestamp, count_max: usize) -> Result<Vec<AgentTimer>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_timers WHERE active = 1 AND next_run_at <= ?1 ORDER BY next_run_at LIMIT ?2"
        );
        self.list(&sql, (now.ms(), number_to_sql(count_max as u64)), timer)
    }

    /// When the next timer is due. `None` if none fires again.
    pub fn next_timer_at(&self) -> Result<Option<Timestamp>, AgentStoreError> {
        let sql = "SELECT next_run_at FROM agent_timers WHERE active = 1 AND next_run_at IS NOT NULL
                   ORDER BY next_run_at LIMIT 1";
        self.one(sql, (), |row| row.time("next_run_at"))
    }
}

impl AgentWrites<'_> {
    /// Writes a timer as it is now: a new one, a changed one, one that has fired, is switched off or taken back. In the
    /// transaction that enqueues its wake, so that it fires once. One that was taken back stays so.
    pub fn put_timer(&self, given: &AgentTimer, by: WriteAuthority) -> Result<(), AgentStoreError> {
        given.check()?;
        self.check_authority(&given.agent, by)?;
        match self.timer(&given.id)? {
            Some(known) if known.agent != given.agent => {
                return Err(AgentStoreError::Rewritten(given.id.to_string()));
            }
            Some(known) if known.standing.deleted_at().is_some() => return Ok(()),
            Some(_) | None => {}
        }
        let sql = format!(
            "INSERT INTO agent_timers ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET schedule = excluded.schedule, timezone = excluded.timezone,
                 catch_up = excluded.catch_up, next_run_at = excluded.next_run_at,
                 last_scheduled_at = excluded.last_scheduled_at, active = excluded.active,
                 updated_at = excluded.updated_at, deleted_at = excluded.deleted_at, host_id = excluded.host_id,
                 clock = excluded.clock"
        );
        let values = params![
            given.id.as_str(),
            given.agent.as_str(),
            given.schedule,
            given.timezone,
            given.catch_up,
            time_to_sql(given.next_run_at),
            time_to_sql(given.last_scheduled_at),
            given.standing.is_active(),
            given.standing.created_at().ms(),
            given.standing.updated_at().ms(),
            time_to_sql(given.standing.deleted_at()),
            given.stamp.host.as_str(),
            to_json(&given.stamp.clock),
        ];
        self.execute(&sql, values).map(drop)
    }

    /// Takes back every timer of an agent.
    pub(crate) fn take_back_timers_of(&self, agent: &AgentId, now: Timestamp) -> Done<()> {
        let sql = "UPDATE agent_timers SET active = 0, updated_at = ?2, deleted_at = coalesce(deleted_at, ?2)
                   WHERE agent_id = ?1";
        self.execute(sql, (agent.as_str(), now.ms())).map(drop)
    }
}
