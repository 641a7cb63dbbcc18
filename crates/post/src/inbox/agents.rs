//! Agents and their topics, made once.

use super::address::{called, new_named, new_program};
use super::error::InboxError;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_base::AgentId;
use brainstem_base::agent::AgentKind;
use brainstem_inbox::AgentDefinition;
use brainstem_inbox::founding::{Made, NewAgent, found_agent};
use brainstem_memory::Caller;
use brainstem_vault::mail::sessions_of;

/// Whether topics were made just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeTopics {
    /// Now.
    Now,
    /// They were there.
    Before,
}

/// An agent or a person with its topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTopics {
    /// The definition.
    pub definition: AgentDefinition,
    /// Whether its topics were made, or its profile published, just now.
    pub made: MadeTopics,
}

impl Post {
    /// Makes what is missing: topics and profile of the owner, of the caller, of the agents that are named, and of every
    /// agent that is on record. A repeat changes nothing.
    pub fn make_agent_topics(
        &self,
        caller: &Caller,
        named: &[AgentId],
    ) -> Result<Vec<AgentTopics>, InboxError> {
        let floor = self.memory().floor();
        for agent in named {
            floor.check("agent", agent.as_str())?;
        }
        let mut opened = self.open_inbox()?;
        let owner = self.new_owner(caller);
        let mut wanted: Vec<NewAgent> = vec![owner, self.new_caller(&opened.directory, caller)];
        wanted.extend(named.iter().map(|agent| new_named(&called(agent))));
        let mut done: Vec<AgentTopics> = Vec::new();
        for new in &wanted {
            let slug = new.slug_in(&opened.directory);
            if done.iter().any(|done| done.definition.slug == slug) {
                continue;
            }
            let (definition, made) = found_agent(&*opened.ledger, &mut opened.directory, &opened.seen, new)?;
            let made = match made {
                Made::Now => MadeTopics::Now,
                Made::Before => MadeTopics::Before,
            };
            done.push(AgentTopics { definition, made });
        }
        for known in opened.directory.agents() {
            if !done.iter().any(|done| done.definition.slug == known.slug) {
                done.push(AgentTopics { definition: known.clone(), made: MadeTopics::Before });
            }
        }
        done.sort_by(|a, b| a.definition.slug.cmp(&b.definition.slug));
        Ok(done)
    }

    /// The caller's definition; `None` before its first send.
    pub fn inbox_definition(&self, caller: &Caller) -> Result<Option<AgentDefinition>, InboxError> {
        let Some(opened) = self.open_inbox_to_show()? else { return Ok(None) };
        let own = self.own_inbox_in(&opened.directory, caller);
        Ok(opened.directory.agent(&own.slug).cloned())
    }
}

impl OpenedInbox {
    /// Makes the topics of the agents that are connected, and of every agent whose session is on record here, so that a message to
    /// all of them reaches those that have sent nothing yet.
    pub(super) fn make_topics_of_all(
        &mut self,
        post: &Post,
        connected: &[AgentId],
    ) -> Result<(), InboxError> {
        for agent in connected {
            self.known_or_made(&new_program(&called(agent)))?;
        }
        let records = sessions_of(post.disk(), post.memory().home().path(), &|_| true, post.clock().now());
        for agent in records.iter().filter_map(|record| AgentId::parse(record.agent.as_deref()?).ok()) {
            if agent.kind() != AgentKind::Human {
                self.known_or_made(&new_program(&called(&agent)))?;
            }
        }
        Ok(())
    }
}
