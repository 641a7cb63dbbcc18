//! Outsiders: what they asked for, and what the agent decides.

use super::error::InboxError;
use super::limits::HELD_SHOWN_MAX;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_inbox::connection::{ConnectionFault, ConnectionState, ConnectionStep};
use brainstem_inbox::founding::{decide_connection, found_home};
use brainstem_inbox::row::HeldMessage;
use brainstem_inbox::{
    AgentDefinition, AgentSlug, ConnectionDecision, Envelope, Mirror as _, MirrorError, memo,
};
use brainstem_ledger::{AccountId, Append, AppendKey, ConsensusTime, Ledger as _, Sequence, TopicId};
use brainstem_memory::Caller;

/// An outsider that asked for a connection, or spoke without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsiderRequest {
    /// The agent that it asked.
    pub to: AgentSlug,
    /// The outsider.
    pub account: AccountId,
    /// The state between the agent and the outsider.
    pub state: ConnectionState,
    /// What it said, the newest first: its last messages and its last requests.
    pub held: Vec<HeldMessage>,
}

impl OutsiderRequest {
    /// Whether the agent has something to decide.
    pub fn waits(&self) -> bool {
        matches!(self.state, ConnectionState::Requested | ConnectionState::Unknown)
    }

    /// The last request.
    fn asked(&self) -> Option<&HeldMessage> {
        self.held.iter().find(|held| held.is_request)
    }
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionAnswer {
    /// The agent that decided.
    pub to: AgentSlug,
    /// The outsider.
    pub account: AccountId,
    /// The state between the agent and the outsider now.
    pub state: ConnectionState,
    /// The topic of an accepted connection.
    pub topic: Option<TopicId>,
    /// The agent had decided so before.
    pub unchanged: bool,
}

impl Post {
    /// The outsiders that wait for the caller's answer, and those that it answered. Those that spoke last come first.
    pub fn inbox_requests(&self, caller: &Caller) -> Result<Vec<OutsiderRequest>, InboxError> {
        let Some(opened) = self.open_inbox_to_show()? else { return Ok(Vec::new()) };
        Ok(opened.outsiders(&self.own_inbox_in(&opened.directory, caller).slugs, HELD_SHOWN_MAX)?)
    }

    /// Accepts, denies, blocks or closes the connection with an outsider. A repeat changes nothing.
    pub fn decide_connection(
        &self,
        caller: &Caller,
        account: AccountId,
        step: ConnectionStep,
    ) -> Result<ConnectionAnswer, InboxError> {
        let mut opened = match self.open_inbox_to_read()? {
            Some(opened) => opened,
            None => self.open_inbox()?,
        };
        let own = self.own_inbox_in(&opened.directory, caller);
        // One account may have asked several agents of the caller: the one that waits is meant.
        let asked = opened.outsiders(&own.slugs, 1)?.into_iter().filter(|it| it.account == account);
        let request = asked.min_by_key(|request| !request.waits());
        let state = request.as_ref().map_or(ConnectionState::Unknown, |request| request.state);
        let refused = |state| InboxError::Connection { account, fault: ConnectionFault { state, step } };
        let next = state.after(step).map_err(|fault| InboxError::Connection { account, fault })?;
        let to = request.as_ref().map_or(own.slug, |request| request.to.clone());
        let topic = match step {
            ConnectionStep::Accept => {
                // A message alone asks for nothing that could be accepted.
                let asked = request.as_ref().and_then(OutsiderRequest::asked);
                let asked = asked.ok_or_else(|| refused(ConnectionState::Unknown))?.sequence;
                Some((opened.connection_topic(&to, account, asked)?.ok_or_else(|| refused(state))?, asked))
            }
            ConnectionStep::Request
            | ConnectionStep::Deny
            | ConnectionStep::Block
            | ConnectionStep::Close => None,
        };
        let home = found_home(&*opened.ledger, &mut opened.directory, &opened.seen)?;
        let agent = match opened.directory.agent(&to) {
            Some(agent) => agent.clone(),
            None => opened.sender(self, caller)?,
        };
        let last = opened.last_accepted(&to, account).map(|(topic, _)| topic);
        // An outsider that asks again gets a topic for that request, though it was accepted before.
        let unchanged = state == next && topic.is_none_or(|(topic, _)| last == Some(topic));
        if !unchanged {
            let decision = ConnectionDecision { agent: to.clone(), account, step, topic };
            decide_connection(&*opened.ledger, home, &decision)?;
        }
        // Said also by a repeat: the first try may have been cut off before it. The key makes it once.
        if let Some((topic, asked)) = topic {
            let bytes = Envelope::connection_created(agent.operator(), topic, account, asked.number());
            opened.say_once(&agent, agent.inbound, &format!("connection_created:{topic}"), bytes)?;
        }
        if let (ConnectionStep::Close, Some((topic, at))) = (step, opened.last_accepted(&to, account)) {
            let bytes = Envelope::close_connection(agent.operator());
            opened.say_once(&agent, topic, &format!("close_connection:{at}"), bytes)?;
        }
        let topic = topic.map(|(topic, _)| topic);
        Ok(ConnectionAnswer { to, account, state: next, topic, unchanged })
    }
}

impl OpenedInbox {
    /// The outsiders of these readers, each with at most so many messages and so many requests.
    pub(super) fn outsiders(
        &self,
        own: &[AgentSlug],
        each_max: usize,
    ) -> Result<Vec<OutsiderRequest>, MirrorError> {
        let mut found: Vec<OutsiderRequest> = Vec::new();
        for held in self.mirror.held(own, each_max)? {
            match found.iter_mut().find(|it| it.account == held.account && it.to == held.to) {
                Some(request) => request.held.push(held),
                None => {
                    let (to, account) = (held.to.clone(), held.account);
                    let state = ConnectionState::Unknown;
                    found.push(OutsiderRequest { to, account, state, held: vec![held] });
                }
            }
        }
        for request in &mut found {
            request.state = self.state_of(request);
        }
        Ok(found)
    }

    /// The state between an agent and an outsider now: by the agent's last decision, or by what the outsider did after it.
    fn state_of(&self, request: &OutsiderRequest) -> ConnectionState {
        let mut state = ConnectionState::Unknown;
        let mut asked = request.held.iter().filter(|held| held.is_request).map(|held| held.at).max();
        for (at, decision) in self.directory.decisions(&request.to, request.account) {
            // A decision answers a request, so one came before it.
            state = state
                .after(ConnectionStep::Request)
                .and_then(|state| state.after(decision.step))
                .unwrap_or(state);
            asked = asked.filter(|asked| asked > at);
        }
        let last = self.last_accepted(&request.to, request.account);
        if state == ConnectionState::Accepted
            && last.is_some_and(|(topic, _)| self.directory.is_closed(topic))
        {
            state = ConnectionState::Closed;
        }
        match asked {
            Some(_) => state.after(ConnectionStep::Request).unwrap_or(state),
            None => state,
        }
    }

    /// The topic of the last connection that an agent accepted from an outsider, and when.
    fn last_accepted(&self, to: &AgentSlug, account: AccountId) -> Option<(TopicId, ConsensusTime)> {
        let decisions = self.directory.decisions(to, account).iter().rev();
        decisions.filter_map(|(at, decision)| Some((decision.topic?.0, *at))).next()
    }

    /// The topic of a connection, made once for a request; `None` if the outsider closed it, and has to ask again.
    fn connection_topic(
        &self,
        to: &AgentSlug,
        account: AccountId,
        asked: Sequence,
    ) -> Result<Option<TopicId>, InboxError> {
        let Some(agent) = self.directory.agent(to) else { return Ok(None) };
        let last = self.last_accepted(to, account).map(|(topic, _)| topic);
        let topic = self.ledger.create_topic(&memo::connection(agent.inbound, asked))?.id;
        Ok(Some(topic).filter(|topic| last != Some(*topic) || !self.directory.is_closed(*topic)))
    }

    /// Appends what an agent says about a connection, once.
    fn say_once(
        &self,
        agent: &AgentDefinition,
        topic: TopicId,
        key: &str,
        bytes: Vec<u8>,
    ) -> Result<(), InboxError> {
        let key = Some(AppendKey::parse(key)?);
        self.ledger.append(&Append { topic, submitter: agent.account, key, bytes })?;
        Ok(())
    }
}
