//! Which inbox is the caller's, and which one a recipient's name means. Every surface asks here.

use super::error::InboxError;
use super::limits::NEAR_MAX;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::near_names::is_near;
use brainstem_base::{AgentId, Coded as _, codes};
use brainstem_caller::addresses::names_of_hosts;
use brainstem_hosts::Host;
use brainstem_inbox::founding::{NewAgent, found_agent};
use brainstem_inbox::profile::{AiAgent, Capability};
use brainstem_inbox::routing::{InboxRole, RouteReader};
use brainstem_inbox::slug::{OWNER, OWNER_ALIASES, is_all};
use brainstem_inbox::{AgentDefinition, AgentSlug, DefinitionKind, InboxDirectory};
use brainstem_memory::Caller;
use brainstem_memory::identity::IdentitySource;

/// The inbox of a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnInbox {
    /// The slug that it sends from.
    pub slug: AgentSlug,
    /// Every slug whose messages are its own; the one it sends from is the first.
    pub slugs: Vec<AgentSlug>,
}

/// Where a message goes.
pub(super) enum InboxTarget {
    /// To one reader.
    Reader(Box<AgentDefinition>),
    /// To every agent.
    All,
}

impl Post {
    /// The caller's own inbox.
    pub fn own_inbox(&self, caller: &Caller) -> Result<OwnInbox, InboxError> {
        Ok(self.own_inbox_in(&self.inbox_directory()?, caller))
    }

    /// The caller's own inbox, by what the control topics say.
    pub(super) fn own_inbox_in(&self, directory: &InboxDirectory, caller: &Caller) -> OwnInbox {
        let principal = &caller.principal;
        let owner = self.inbox_owner(directory, caller);
        let own = directory.slug_for(&called(&principal.agent));
        // At a home whose settings name no owner, the person at the terminal is the owner, also one that the settings or the
        // environment give another name. The aliases of the owner mean it in every field.
        let is_at_terminal = match principal.source {
            IdentitySource::Login | IdentitySource::Config | IdentitySource::Environment => true,
            IdentitySource::Argument
            | IdentitySource::Flag
            | IdentitySource::Host
            | IdentitySource::Client
            | IdentitySource::Nobody => false,
        };
        let is_owner = principal.kind == AgentKind::Human
            && match self.memory().config(caller.place()).owner() {
                Some(owner) => owner == principal.agent || OWNER_ALIASES.contains(&own.as_str()),
                None => is_at_terminal,
            };
        let unnamed = AgentSlug::parse(OWNER).expect("a plain word");
        let all = if is_owner { vec![owner, own, unnamed] } else { vec![own] };
        let mut slugs: Vec<AgentSlug> = Vec::new();
        for slug in all {
            if !slugs.contains(&slug) {
                slugs.push(slug);
            }
        }
        OwnInbox { slug: slugs[0].clone(), slugs }
    }

    /// The id of the caller's session, under which it holds and finishes messages (INB-7a).
    pub(super) fn inbox_session(&self, caller: &Caller) -> Result<String, InboxError> {
        let missing = || InboxError::Unavailable {
            why: "the caller's session has no id on record".to_owned(),
            fault: brainstem_ledger::BackendFault::Busy,
        };
        // Under a name that is another agent's, the next call could not end what this one takes.
        if caller.principal.mail.session.is_some()
            && let Err(error) = self.open_mail(caller)
            && error.code() == codes::MAIL_NAME_TAKEN
        {
            return Err(InboxError::SessionName(Box::new(error)));
        }
        Ok(self.own_session(caller)?.id.ok_or_else(missing)?.to_string())
    }

    /// The slug of the owner of this home.
    pub(super) fn inbox_owner(&self, directory: &InboxDirectory, caller: &Caller) -> AgentSlug {
        self.new_owner(caller).slug_in(directory)
    }

    /// The agent or person that plays a role, to be made: the one that the settings map it to, or else the owner.
    fn new_role_player(&self, caller: &Caller, role: InboxRole) -> NewAgent {
        match self.memory().config(caller.place()).inbox_role(role) {
            Some(agent) => self.new_configured(caller, &agent),
            None => self.new_owner(caller),
        }
    }

    /// An agent or a person that the settings name, to be made.
    fn new_configured(&self, caller: &Caller, agent: &AgentId) -> NewAgent {
        let (new, owner) = (new_named(&called(agent)), self.new_owner(caller));
        let is_owner = match &owner.agent {
            Some(owner) => new.agent.as_ref() == Some(owner),
            None => new.slug == owner.slug,
        };
        if is_owner { owner } else { new }
    }

    /// The owner as a person to be made.
    pub(super) fn new_owner(&self, caller: &Caller) -> NewAgent {
        let agent = self.memory().config(caller.place()).owner();
        let unnamed = || AgentSlug::parse(OWNER).expect("a plain word");
        let slug = agent.as_ref().map_or_else(unnamed, AgentSlug::of_agent);
        let name = agent.as_ref().map_or_else(|| slug.to_string(), ToString::to_string);
        NewAgent { slug, name, agent, kind: DefinitionKind::Person, ai_agent: None }
    }

    /// The caller as an agent or a person to be made.
    pub(super) fn new_caller(&self, directory: &InboxDirectory, caller: &Caller) -> NewAgent {
        if self.own_inbox_in(directory, caller).slug == self.inbox_owner(directory, caller) {
            return self.new_owner(caller);
        }
        let agent = &caller.principal.agent;
        let name = caller.principal.display_name.clone().unwrap_or_else(|| agent.to_string());
        NewAgent { name, ..new_named(&called(agent)) }
    }
}

/// The one id of an agent that has several names.
pub(super) fn called(agent: &AgentId) -> AgentId {
    AgentId::parse(Host::agent_called(agent.as_str())).unwrap_or_else(|_| agent.clone())
}

/// An agent or a person as its id says.
pub(super) fn new_named(agent: &AgentId) -> NewAgent {
    match agent.kind() {
        AgentKind::Human => NewAgent { kind: DefinitionKind::Person, ai_agent: None, ..new_program(agent) },
        AgentKind::Agent | AgentKind::System => new_program(agent),
    }
}

/// A program as an agent to be made.
pub(super) fn new_program(agent: &AgentId) -> NewAgent {
    let host = agent.as_str().split(':').next().unwrap_or_default();
    NewAgent {
        slug: AgentSlug::of_agent(agent),
        name: agent.to_string(),
        agent: Some(agent.clone()),
        kind: DefinitionKind::Agent,
        ai_agent: Some(AiAgent {
            is_autonomous: true,
            model: host.to_owned(),
            capabilities: Capability::of_role(agent.role()),
        }),
    }
}

impl OpenedInbox {
    /// The caller with its topics, which are made at its first send (INB-2). The owner of the home gets its own along.
    pub(super) fn sender(&mut self, post: &Post, caller: &Caller) -> Result<AgentDefinition, InboxError> {
        self.known_or_made(&post.new_owner(caller))?;
        self.known_or_made(&post.new_caller(&self.directory, caller))
    }

    /// What a recipient's name means: `ALL`, the owner, a role, a slug, an agent id, or a name of a host's agent.
    pub(super) fn target(
        &mut self,
        post: &Post,
        caller: &Caller,
        field: &'static str,
        name: &str,
    ) -> Result<InboxTarget, InboxError> {
        match is_all(name) {
            true => Ok(InboxTarget::All),
            false => {
                self.reader(post, caller, field, name).map(|reader| InboxTarget::Reader(Box::new(reader)))
            }
        }
    }

    /// The one reader that a name means.
    pub(super) fn reader(
        &mut self,
        post: &Post,
        caller: &Caller,
        field: &'static str,
        name: &str,
    ) -> Result<AgentDefinition, InboxError> {
        if OWNER_ALIASES.contains(&name) {
            let owner = post.new_owner(caller);
            return Ok(found_agent(&*self.ledger, &mut self.directory, &self.seen, &owner)?.0);
        }
        // A role that the settings map means that agent, whatever an agent is called.
        let role = InboxRole::find(name);
        if let Some(role) =
            role.filter(|role| post.memory().config(caller.place()).inbox_role(*role).is_some())
        {
            return self.known_or_made(&post.new_role_player(caller, role));
        }
        let agent = AgentId::parse(Host::agent_called(name)).ok();
        if let Some(known) = self.called(agent.as_ref()) {
            return Ok(known);
        }
        if let Some(role) = role {
            return self.known_or_made(&post.new_role_player(caller, role));
        }
        // An agent of a host has its address before it was ever here.
        if let Some(agent) = agent.filter(|_| Host::called(name).is_some()) {
            let new = new_program(&agent);
            return Ok(found_agent(&*self.ledger, &mut self.directory, &self.seen, &new)?.0);
        }
        Err(self.unknown(field, name))
    }

    /// The reader that a row of the routing table means. The owner of the home wrote the table, so an agent that it names and
    /// that is not here yet is made.
    pub(super) fn routed(
        &mut self,
        post: &Post,
        caller: &Caller,
        reader: &RouteReader,
    ) -> Result<AgentDefinition, InboxError> {
        self.known_or_made(&match reader {
            RouteReader::Role(role) => post.new_role_player(caller, *role),
            RouteReader::Agent(agent) => post.new_configured(caller, agent),
        })
    }

    /// The agent on record that a name means: the slug of one, or its id.
    fn called(&self, name: Option<&AgentId>) -> Option<AgentDefinition> {
        let name = name?;
        // An id with a colon is no slug: its plain slug may be another id's.
        let slug = AgentSlug::parse(name.as_str()).ok().filter(|slug| self.directory.agent(slug).is_some());
        let slug = slug.unwrap_or_else(|| self.directory.slug_for(name));
        self.directory.agent(&slug).cloned()
    }

    pub(super) fn known_or_made(&mut self, new: &NewAgent) -> Result<AgentDefinition, InboxError> {
        match self.directory.agent(&new.slug_in(&self.directory)) {
            Some(known) => Ok(known.clone()),
            None => Ok(found_agent(&*self.ledger, &mut self.directory, &self.seen, new)?.0),
        }
    }

    fn unknown(&self, field: &'static str, name: &str) -> InboxError {
        let known = self.directory.agents().map(|agent| agent.slug.to_string());
        let hosts = names_of_hosts().into_iter().map(|name| name.to_string());
        let mut near: Vec<String> = known.chain(hosts).filter(|known| is_near(name, known)).collect();
        near.sort();
        near.dedup();
        near.truncate(NEAR_MAX);
        InboxError::UnknownRecipient { field, name: name.chars().take(80).collect(), near }
    }
}
