//! The doctor's finding about roles that no setting maps.

use super::address::called;
use super::limits::NEAR_MAX;
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::near_names::is_near;
use brainstem_base::next::calls;
use brainstem_base::{AgentId, advice};
use brainstem_caller::addresses::names_of_hosts;
use brainstem_caller::config::FILE;
use brainstem_hosts::Host;
use brainstem_inbox::AgentDefinition;
use brainstem_inbox::memo::is_entity;
use brainstem_inbox::routing::InboxRole;
use brainstem_ledger::Ledger as _;
use brainstem_memory::{Caller, Finding, Trouble};
use brainstem_vault::mail::{SessionRecord, sessions_of};
use std::collections::BTreeSet;

/// How many topics one look reads.
const PAGE: usize = 500;

impl Post {
    /// Returns the ids of agents that an agent's id in the settings may be a slip of. Empty if the agent belongs to a host, or
    /// was ever here: it has a session on record, or appended a message. An inbox alone proves nothing, because events make one for
    /// every agent that the settings name.
    pub fn slips_of(&self, agent: &AgentId) -> Vec<String> {
        let agent = called(agent);
        if Host::called(agent.as_str()).is_some() || agent.kind() == AgentKind::Human {
            return Vec::new();
        }
        let directory = self.inbox_directory().unwrap_or_default();
        let slug = directory.slug_for(&agent);
        let has_spoken =
            |definition: &AgentDefinition| self.ledger().has_message_of(definition.account).unwrap_or(true);
        let is_of = |record: &SessionRecord| record.agent.as_deref() == Some(agent.as_str());
        let (home, now) = (self.memory().home().path(), self.clock().now());
        if directory.agent(&slug).is_some_and(has_spoken)
            || sessions_of(self.disk(), home, &|_| true, now).iter().any(is_of)
        {
            return Vec::new();
        }
        // By their ids: a setting takes an id, and a slug with a dot would be another agent's id.
        let known = directory.agents().filter(|known| known.slug != slug);
        let known =
            known.filter_map(|known| Some((known.slug.to_string(), known.agent.as_ref()?.to_string())));
        let hosts = names_of_hosts().into_iter().map(|name| name.to_string());
        let hosts = hosts.map(|name| (name.clone(), Host::agent_called(&name).to_owned()));
        // Whole names: an agent of a host is no slip of that host's short name.
        let near = known.chain(hosts).filter(|(name, _)| name.contains('.') && is_near(slug.as_str(), name));
        let mut near: Vec<String> = near.map(|(_, id)| id).collect();
        near.sort();
        near.dedup();
        near.truncate(NEAR_MAX);
        near
    }

    /// Names the agents in the settings that may be slips: events go to an inbox that no agent reads.
    fn slipped_roles(&self, caller: &Caller) -> Vec<Finding> {
        let config = self.memory().config(caller.place());
        let roles = InboxRole::MAPPED
            .into_iter()
            .filter_map(|role| Some((format!("inbox.{}", role.as_str()), config.inbox_role(role)?)));
        let table = config.inbox_routes();
        let routed = table.agents().map(|agent| ("inbox.routes".to_owned(), agent.clone()));
        let named: BTreeSet<(String, AgentId)> = roles.chain(routed).collect();
        let slips = named.into_iter().map(|(key, agent)| (self.slips_of(&agent), key, agent));
        let slips = slips.filter(|(near, ..)| !near.is_empty());
        let finding = |(near, key, agent): (Vec<String>, String, AgentId)| Finding {
            trouble: Trouble::InboxRoleUnknown,
            place: self.memory().home_path().join(FILE),
            detail: format!(
                "`{key}` names `{agent}`, which was never here and did nothing yet; {} is nearly the same",
                near.join(", ")
            ),
            fix: advice!["set it to the agent that you mean with ", calls::config_set(key, near[0].clone())],
        };
        slips.map(finding).collect()
    }

    /// Names the roles that no setting maps: what goes to them goes to the owner (INB-10). Events are about entities, so a home
    /// without entities has nothing to map.
    pub fn inbox_role_health(&self, caller: &Caller) -> Vec<Finding> {
        let mut findings = self.slipped_roles(caller);
        findings.extend(self.unmapped_roles(caller));
        findings
    }

    fn unmapped_roles(&self, caller: &Caller) -> Vec<Finding> {
        let config = self.memory().config(caller.place());
        let unmapped: Vec<&str> = InboxRole::MAPPED
            .into_iter()
            .filter(|role| config.inbox_role(*role).is_none())
            .map(InboxRole::as_str)
            .collect();
        let [first, ..] = unmapped[..] else { return Vec::new() };
        if !self.has_entities() {
            return Vec::new();
        }
        let roles = unmapped.join(" and ");
        let owner = self.inbox_owner(&self.inbox_directory().unwrap_or_default(), caller);
        let example = calls::config_set(format!("inbox.{first}"), format!("codex:{first}"));
        vec![Finding {
            trouble: Trouble::InboxRoleUnmapped,
            place: self.memory().home_path().join(FILE),
            detail: format!("no setting says which agent is {roles}; what goes there goes to `{owner}`"),
            fix: advice!["name the agent if there is one, as in ", example],
        }]
    }

    /// Whether the ledger has the topic of an entity. A ledger that cannot be read is a finding of its own.
    fn has_entities(&self) -> bool {
        let ledger = self.ledger();
        let mut after = None;
        while let Ok(topics) = ledger.topics(after, PAGE) {
            let Some(last) = topics.last() else { return false };
            if topics.iter().any(|topic| is_entity(&topic.memo)) {
                return true;
            }
            after = Some(last.id);
        }
        false
    }
}
