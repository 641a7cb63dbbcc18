//! What the control topics say: which agents and entities a home has, and which outsiders may speak, at any time.
//!
//! Every question about a message is asked as of its consensus time. So the answer is the same whether the directory had
//! just read that far or much further.

use crate::connection::{ConnectionState, ConnectionStep};
use crate::control::{
    AgentDefinition, ConnectionDecision, ControlRecord, DefinitionKind, EntityDefinition, HomeTopics,
};
use crate::cursor::MirrorCursor;
use crate::limits::CATCH_UP_PAGE;
use crate::memo;
use crate::quarantine::{QuarantineReason, Quarantined};
use crate::reference::RefId;
use crate::slug::AgentSlug;
use brainstem_base::AgentId;
use brainstem_ledger::RedactionRecord;
use brainstem_ledger::{
    AccountId, ChainFault, ChainFaultKind, ChainWalk, ConsensusTime, Head, Ledger, LedgerError, ReadFrom,
    SubmitPolicy, TopicId, TopicMessage,
};
use std::collections::BTreeMap;

/// What the control topics of a home say, as far as they were read.
#[derive(Clone, Debug, Default)]
pub struct InboxDirectory {
    definitions: Option<TopicId>,
    home: Option<HomeTopics>,
    heads: BTreeMap<TopicId, Head>,
    agents: BTreeMap<AgentSlug, KnownAgent>,
    slugs_by_account: BTreeMap<AccountId, AgentSlug>,
    entities: BTreeMap<RefId, EntityDefinition>,
    decisions: BTreeMap<(AgentSlug, AccountId), Vec<(ConsensusTime, ConnectionDecision)>>,
    roles: BTreeMap<TopicId, TopicRole>,
    closed: BTreeMap<TopicId, ConsensusTime>,
    quarantined: Vec<Quarantined>,
}

#[derive(Clone, Debug)]
struct KnownAgent {
    definition: AgentDefinition,
    since: ConsensusTime,
    revision: u64,
}

/// What a topic that the mirror follows is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicRole {
    /// Messages to an agent.
    Inbound(AgentSlug),
    /// What an agent processed.
    Acks(AgentSlug),
    /// Notes and events of an entity.
    Entity(RefId),
    /// Messages to every agent.
    Broadcast,
    /// A connection of an agent with an outsider.
    Connection(AgentSlug, AccountId),
}

/// Why the control topics could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlReadError {
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The ledger is not what it was.
    #[error("the ledger is not what it was: {0}")]
    Changed(ChainFault),
}

impl InboxDirectory {
    /// Reads what was appended to the control topics since the last time. A home without them stays empty.
    ///
    /// `seen` are the ends that earlier readers saw; a control topic that does not agree with them is refused.
    pub fn refresh(
        &mut self,
        ledger: &dyn Ledger,
        seen: &BTreeMap<TopicId, MirrorCursor>,
    ) -> Result<(), ControlReadError> {
        if self.definitions.is_none() {
            self.definitions = find_definitions(ledger)?;
        }
        let Some(definitions) = self.definitions else { return Ok(()) };
        self.read_on(ledger, definitions, seen.get(&definitions))?;
        if let Some(home) = self.home {
            self.read_on(ledger, home.connections, seen.get(&home.connections))?;
        }
        Ok(())
    }

    fn read_on(
        &mut self,
        ledger: &dyn Ledger,
        topic: TopicId,
        seen: Option<&MirrorCursor>,
    ) -> Result<(), ControlReadError> {
        let mut walk = ChainWalk::after(*self.heads.get(&topic).unwrap_or(&Head::start(topic)));
        loop {
            let from = walk.head().sequence.map_or(ReadFrom::Start, ReadFrom::After);
            let page = ledger.read(topic, from, CATCH_UP_PAGE)?;
            for message in &page.messages {
                walk.step(message).map_err(ControlReadError::Changed)?;
                if let Some(fault) = seen.and_then(|seen| seen.fault_at(message)) {
                    return Err(ControlReadError::Changed(fault));
                }
                self.take(message);
            }
            self.heads.insert(topic, *walk.head());
            if !page.has_more {
                break;
            }
        }
        let is_short = seen.is_some_and(|seen| walk.head().sequence < Some(seen.sequence));
        match seen.filter(|_| is_short) {
            Some(seen) => {
                let kind = ChainFaultKind::Missing;
                Err(ControlReadError::Changed(ChainFault { topic, sequence: seen.sequence, kind }))
            }
            None => Ok(()),
        }
    }

    /// Takes one record of a control topic.
    fn take(&mut self, message: &TopicMessage) {
        let refused = |reason, detail: String| Quarantined {
            topic: message.topic,
            sequence: message.sequence,
            at: message.consensus,
            reason,
            detail,
        };
        // A record whose bytes are gone defines nothing, and neither does the record of its redaction.
        if message.redacted.is_some() || RedactionRecord::parse(&message.bytes).is_some() {
            return;
        }
        if message.submitter != memo::system_account() {
            let detail = format!("account {} submitted it, and not the program", message.submitter);
            self.quarantined.push(refused(QuarantineReason::SenderMismatch, detail));
            return;
        }
        let taken = match ControlRecord::from_bytes(&message.bytes) {
            Ok(ControlRecord::Home(home)) => self.take_home(home),
            Ok(ControlRecord::Agent(agent)) => self.take_agent(*agent, message.consensus),
            Ok(ControlRecord::Entity(entity)) => self.take_entity(entity),
            Ok(ControlRecord::Connection(decision)) => self.take_decision(decision, message.consensus),
            Err(fault) => {
                self.quarantined.push(refused(QuarantineReason::Malformed, fault.to_string()));
                return;
            }
        };
        if let Err(detail) = taken {
            self.quarantined.push(refused(QuarantineReason::Conflict, detail.to_owned()));
        }
    }

    fn take_home(&mut self, home: HomeTopics) -> Result<(), &'static str> {
        if self.home.is_some_and(|known| known != home) {
            return Err("the home has other topics already");
        }
        self.home = Some(home);
        self.roles.insert(home.broadcast, TopicRole::Broadcast);
        Ok(())
    }

    fn take_agent(&mut self, agent: AgentDefinition, at: ConsensusTime) -> Result<(), &'static str> {
        if let Some(known) = self.agents.get_mut(&agent.slug) {
            if !known.definition.has_address_of(&agent) {
                return Err("the slug has another address already");
            }
            // The first id to have a slug keeps it: another id that is written the same way has a slug of its own.
            let id = known.definition.agent.take().or(agent.agent.clone());
            known.definition = AgentDefinition { agent: id, ..agent };
            known.revision += 1;
            return Ok(());
        }
        let is_used = [agent.inbound, agent.acks].iter().any(|topic| self.roles.contains_key(topic));
        if is_used || self.slugs_by_account.contains_key(&agent.account) {
            return Err("the account or a topic is another agent's");
        }
        self.slugs_by_account.insert(agent.account, agent.slug.clone());
        self.roles.insert(agent.inbound, TopicRole::Inbound(agent.slug.clone()));
        self.roles.insert(agent.acks, TopicRole::Acks(agent.slug.clone()));
        self.agents.insert(agent.slug.clone(), KnownAgent { definition: agent, since: at, revision: 1 });
        Ok(())
    }

    fn take_entity(&mut self, entity: EntityDefinition) -> Result<(), &'static str> {
        if self.entities.contains_key(&entity.id) || self.roles.contains_key(&entity.topic) {
            return Err("the id or the topic is another entity's");
        }
        self.roles.insert(entity.topic, TopicRole::Entity(entity.id.clone()));
        self.entities.insert(entity.id.clone(), entity);
        Ok(())
    }

    fn take_decision(&mut self, decision: ConnectionDecision, at: ConsensusTime) -> Result<(), &'static str> {
        if let Some((topic, _)) = decision.topic {
            let role = TopicRole::Connection(decision.agent.clone(), decision.account);
            if self.roles.get(&topic).is_some_and(|known| *known != role) {
                return Err("the topic is another connection's");
            }
            self.roles.insert(topic, role);
        }
        let of_both = self.decisions.entry((decision.agent.clone(), decision.account)).or_default();
        of_both.push((at, decision));
        Ok(())
    }

    /// The topics that the home has once; `None` before the first agent was made.
    pub fn home(&self) -> Option<HomeTopics> {
        self.home
    }

    /// The control topics that were read, and where each ended.
    pub fn control_heads(&self) -> impl Iterator<Item = &Head> {
        self.heads.values()
    }

    /// Records of the control topics that mean nothing.
    pub fn quarantined(&self) -> &[Quarantined] {
        &self.quarantined
    }

    /// The topics that the mirror follows.
    pub fn followed(&self) -> impl Iterator<Item = (TopicId, &TopicRole)> {
        self.roles.iter().map(|(topic, role)| (*topic, role))
    }

    /// What a topic is for; `None` if the mirror does not follow it.
    pub fn role(&self, topic: TopicId) -> Option<&TopicRole> {
        self.roles.get(&topic)
    }

    /// The agent of a slug.
    pub fn agent(&self, slug: &AgentSlug) -> Option<&AgentDefinition> {
        self.agents.get(slug).map(|known| &known.definition)
    }

    /// How often a slug was defined.
    pub fn revision(&self, slug: &AgentSlug) -> u64 {
        self.agents.get(slug).map_or(0, |known| known.revision)
    }

    /// Every agent and person, by slug.
    pub fn agents(&self) -> impl Iterator<Item = &AgentDefinition> {
        self.agents.values().map(|known| &known.definition)
    }

    /// The agent of a slug, if it was defined before a time.
    pub fn agent_before(&self, slug: &AgentSlug, time: ConsensusTime) -> Option<&AgentDefinition> {
        self.agents.get(slug).filter(|known| known.since < time).map(|known| &known.definition)
    }

    /// The agents that were defined before a time, by slug.
    pub fn agents_before(&self, time: ConsensusTime) -> impl Iterator<Item = &AgentDefinition> {
        self.agents.values().filter(move |known| known.since < time).map(|known| &known.definition)
    }

    /// The agent of an account, if it was defined before a time.
    pub fn account_before(&self, account: AccountId, time: ConsensusTime) -> Option<&AgentDefinition> {
        self.agent_before(self.slugs_by_account.get(&account)?, time)
    }

    /// The slug of an agent id that is on record.
    pub fn slug_of(&self, agent: &str) -> Option<&AgentSlug> {
        let is_it =
            |known: &&KnownAgent| known.definition.agent.as_ref().is_some_and(|id| id.as_str() == agent);
        self.agents.values().find(is_it).map(|known| &known.definition.slug)
    }

    /// The slug of an agent id (INB-1): the one on record; of an id that is not on record its plain slug, or one apart from it if the
    /// plain slug is another id's.
    pub fn slug_for(&self, agent: &AgentId) -> AgentSlug {
        if let Some(slug) = self.slug_of(agent.as_str()) {
            return slug.clone();
        }
        // The owner of a home whose settings name none is defined without an id.
        let is_free =
            |slug: &AgentSlug| self.agents.get(slug).is_none_or(|known| known.definition.agent.is_none());
        let plain = std::iter::once(AgentSlug::of_agent(agent));
        plain.chain(AgentSlug::apart(agent)).find(is_free).expect("fewer agents than slugs")
    }

    /// People, by slug.
    pub fn people(&self) -> impl Iterator<Item = &AgentDefinition> {
        self.agents().filter(|agent| agent.kind == DefinitionKind::Person)
    }

    /// The entity that an id means: its own, or that of its topic.
    pub fn entity(&self, id: &str) -> Option<&EntityDefinition> {
        if let Some(entity) = RefId::parse(id).ok().and_then(|id| self.entities.get(&id)) {
            return Some(entity);
        }
        match self.roles.get(&id.parse().ok()?) {
            Some(TopicRole::Entity(id)) => self.entities.get(id),
            Some(
                TopicRole::Inbound(_) | TopicRole::Acks(_) | TopicRole::Broadcast | TopicRole::Connection(..),
            )
            | None => None,
        }
    }

    /// Every entity, by id.
    pub fn entities(&self) -> impl Iterator<Item = &EntityDefinition> {
        self.entities.values()
    }

    /// The state between an agent and an outsider before a time, by the agent's decisions alone.
    pub fn connection_before(
        &self,
        agent: &AgentSlug,
        account: AccountId,
        time: ConsensusTime,
    ) -> ConnectionState {
        state_after(self.decisions(agent, account).iter().rev().find(|(at, _)| *at < time))
    }

    /// The state between an agent and an outsider, by the agent's last decision.
    pub fn connection_now(&self, agent: &AgentSlug, account: AccountId) -> ConnectionState {
        state_after(self.decisions(agent, account).last())
    }

    /// The decisions of an agent about an outsider, in their order.
    pub fn decisions(&self, agent: &AgentSlug, account: AccountId) -> &[(ConsensusTime, ConnectionDecision)] {
        self.decisions.get(&(agent.clone(), account)).map_or(&[], Vec::as_slice)
    }

    /// Notes that a connection's topic was closed by the outsider at a time. The earliest counts.
    pub fn note_closed(&mut self, topic: TopicId, at: ConsensusTime) {
        let closed = self.closed.entry(topic).or_insert(at);
        *closed = at.min(*closed);
    }

    /// Whether the outsider closed a connection's topic. It stays closed.
    pub fn is_closed(&self, topic: TopicId) -> bool {
        self.closed.contains_key(&topic)
    }

    /// Whether the outsider had closed a connection's topic before a time.
    pub fn was_closed_before(&self, topic: TopicId, time: ConsensusTime) -> bool {
        self.closed.get(&topic).is_some_and(|at| *at < time)
    }
}

fn state_after(last: Option<&(ConsensusTime, ConnectionDecision)>) -> ConnectionState {
    match last.map(|(_, decision)| decision.step) {
        None | Some(ConnectionStep::Request) => ConnectionState::Unknown,
        Some(ConnectionStep::Accept) => ConnectionState::Accepted,
        Some(ConnectionStep::Deny) => ConnectionState::Denied,
        Some(ConnectionStep::Block) => ConnectionState::Blocked,
        Some(ConnectionStep::Close) => ConnectionState::Closed,
    }
}

/// The topic of definitions: the first with its memo that the program alone may append to.
fn find_definitions(ledger: &dyn Ledger) -> Result<Option<TopicId>, LedgerError> {
    let wanted = memo::definitions();
    let mut after = None;
    loop {
        let topics = ledger.topics(after, CATCH_UP_PAGE)?;
        let is_it = |topic: &&brainstem_ledger::Topic| {
            topic.memo == wanted.memo && topic.policy == SubmitPolicy::Only(memo::system_account())
        };
        if let Some(found) = topics.iter().find(is_it) {
            return Ok(Some(found.id));
        }
        match topics.last() {
            Some(last) => after = Some(last.id),
            None => return Ok(None),
        }
    }
}
