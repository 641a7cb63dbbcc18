//! What wakes agents on a change, and the index that finds it by a token.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, time_to_sql, to_json};
use brainstem_agents::AgentSubscription;
use brainstem_agents::ids::SubscriptionId;
use brainstem_agents::trigger::{SelectorToken, TriggerStanding};
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite::{self, params};
use std::collections::BTreeSet;

const COLUMNS: &str =
    "id, agent_id, notification_key, match, predicate, origins, min_interval_seconds, active, created_at,
                       updated_at, deleted_at, host_id, clock";

/// A subscription without its tokens.
fn subscription(row: &Columns<'_>) -> rusqlite::Result<AgentSubscription> {
    Ok(AgentSubscription {
        id: row.id("id")?,
        agent: row.agent("agent_id")?,
        notification_key: row.plain("notification_key")?,
        selectors: BTreeSet::new(),
        match_mode: row.plain("match")?,
        predicate: row.plain("predicate")?,
        origins: row.plain_json("origins")?,
        min_interval_seconds: row.plain("min_interval_seconds")?,
        standing: standing(row)?,
        stamp: row.stamp()?,
    })
}

/// The columns that subscriptions and timers share.
pub(crate) fn standing(row: &Columns<'_>) -> rusqlite::Result<TriggerStanding> {
    let (created_at, updated_at) = (row.time("created_at")?, row.time("updated_at")?);
    Ok(TriggerStanding::stored(
        row.plain("active")?,
        created_at,
        updated_at,
        row.optional_time("deleted_at")?,
    ))
}

impl AgentReads<'_> {
    /// A subscription, taken back or not.
    pub fn subscription(&self, id: &SubscriptionId) -> Result<Option<AgentSubscription>, AgentStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_subscriptions WHERE id = ?1");
        let found = self.one(&sql, (id.as_str(),), subscription)?;
        found.map(|found| self.with_selectors(found)).transpose()
    }

    /// The subscriptions of an agent that wake it.
    pub fn active_subscriptions_of(
        &self,
        agent: &AgentId,
    ) -> Result<Vec<AgentSubscription>, AgentStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_subscriptions WHERE agent_id = ?1 AND active = 1");
        self.list_with_selectors(&sql, agent.as_str())
    }

    /// The subscriptions that are mainly about a semantic key.
    pub fn active_subscriptions_about(
        &self,
        notification_key: &str,
    ) -> Result<Vec<AgentSubscription>, AgentStoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM agent_subscriptions WHERE notification_key = ?1 AND active = 1");
        self.list_with_selectors(&sql, notification_key)
    }

    /// Every subscription that wakes, behind an id, in the order of ids: what a process needs to match changes in memory.
    pub fn active_subscriptions(
        &self,
        after: Option<&SubscriptionId>,
        count_max: usize,
    ) -> Result<Vec<AgentSubscription>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_subscriptions WHERE id > ?1 AND active = 1 ORDER BY id LIMIT ?2"
        );
        let given = (after.map_or("", SubscriptionId::as_str), number_to_sql(count_max as u64));
        let found = self.list(&sql, given, subscription)?;
        found.into_iter().map(|found| self.with_selectors(found)).collect()
    }

    /// The subscriptions that wait for a token and wake.
    pub fn subscriptions_waiting_for(
        &self,
        token: &SelectorToken,
    ) -> Result<BTreeSet<SubscriptionId>, AgentStoreError> {
        let sql = "SELECT subscription_id FROM agent_subscription_tokens
                   WHERE token_class = ?1 AND token_namespace IS ?2 AND token_value = ?3 AND active = 1";
        let given = (&token.class, &token.namespace, &token.value);
        Ok(self.list(sql, given, |row| row.id("subscription_id"))?.into_iter().collect())
    }

    fn list_with_selectors(&self, sql: &str, given: &str) -> Done<Vec<AgentSubscription>> {
        let found = self.list(sql, (given,), subscription)?;
        found.into_iter().map(|found| self.with_selectors(found)).collect()
    }

    fn with_selectors(&self, found: AgentSubscription) -> Done<AgentSubscription> {
        let sql = "SELECT token_class, token_namespace, token_value FROM agent_subscription_tokens
                   WHERE subscription_id = ?1";
        let selectors = self.list(sql, (found.id.as_str(),), |row| {
            Ok(SelectorToken {
                class: row.plain("token_class")?,
                namespace: row.plain("token_namespace")?,
                value: row.plain("token_value")?,
            })
        })?;
        Ok(AgentSubscription { selectors: selectors.into_iter().collect(), ..found })
    }
}

impl AgentWrites<'_> {
    /// Writes a subscription as it is now: a new one, a changed one, one that is switched off or taken back. Its tokens
    /// follow. One that was taken back stays so.
    pub fn put_subscription(
        &self,
        given: &AgentSubscription,
        by: WriteAuthority,
    ) -> Result<(), AgentStoreError> {
        given.check()?;
        self.check_authority(&given.agent, by)?;
        match self.subscription(&given.id)? {
            Some(known) if known.agent != given.agent => {
                return Err(AgentStoreError::Rewritten(given.id.to_string()));
            }
            Some(known) if known.standing.deleted_at().is_some() => return Ok(()),
            Some(_) | None => {}
        }
        let sql = format!(
            "INSERT INTO agent_subscriptions ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET notification_key = excluded.notification_key, match = excluded.match,
                 predicate = excluded.predicate, origins = excluded.origins,
                 min_interval_seconds = excluded.min_interval_seconds, active = excluded.active,
                 updated_at = excluded.updated_at, deleted_at = excluded.deleted_at, host_id = excluded.host_id,
                 clock = excluded.clock"
        );
        let values = params![
            given.id.as_str(),
            given.agent.as_str(),
            given.notification_key,
            given.match_mode,
            given.predicate,
            to_json(&given.origins),
            given.min_interval_seconds,
            given.standing.is_active(),
            given.standing.created_at().ms(),
            given.standing.updated_at().ms(),
            time_to_sql(given.standing.deleted_at()),
            given.stamp.host.as_str(),
            to_json(&given.stamp.clock),
        ];
        self.execute(&sql, values)?;
        self.put_tokens(given)
    }

    /// Takes back every subscription of an agent.
    pub(crate) fn take_back_subscriptions_of(&self, agent: &AgentId, now: Timestamp) -> Done<()> {
        let sql = "UPDATE agent_subscription_tokens SET active = 0 WHERE subscription_id IN
                       (SELECT id FROM agent_subscriptions WHERE agent_id = ?1)";
        self.execute(sql, (agent.as_str(),))?;
        let sql = "UPDATE agent_subscriptions SET active = 0, updated_at = ?2, deleted_at = coalesce(deleted_at, ?2)
                   WHERE agent_id = ?1";
        self.execute(sql, (agent.as_str(), now.ms())).map(drop)
    }

    fn put_tokens(&self, given: &AgentSubscription) -> Done<()> {
        let sql = "DELETE FROM agent_subscription_tokens WHERE subscription_id = ?1";
        self.execute(sql, (given.id.as_str(),))?;
        for token in &given.selectors {
            let sql = "INSERT INTO agent_subscription_tokens
                           (subscription_id, token_class, token_namespace, token_value, active)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let values =
                (given.id.as_str(), &token.class, &token.namespace, &token.value, given.standing.is_active());
            self.execute(sql, values)?;
        }
        Ok(())
    }
}
