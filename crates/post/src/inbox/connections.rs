//! Outsiders: what they asked for, and what the agent decides.

use super::error::InboxError;
use super::limits::LIST_MAX;
use crate::Post;
use brainstem_inbox::connection::{ConnectionState, ConnectionStep};
use brainstem_inbox::founding::decide_connection;
use brainstem_inbox::row::HeldMessage;
use brainstem_inbox::{AgentSlug, ConnectionDecision, Envelope, Mirror as _, memo};
use brainstem_ledger::{AccountId, Append, Ledger as _, Sequence, TopicId};
use brainstem_memory::Caller;

/// An outsider that asked for a connection, or spoke without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsiderRequest {
    /// The agent that it asked.
    pub to: AgentSlug,
    /// The outsider.
    pub account: AccountId,
    /// How the agent stands with it.
    pub state: ConnectionState,
    /// What it said, the newest first.
    pub held: Vec<HeldMessage>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionAnswer {
    /// The outsider.
    pub account: AccountId,
    /// How the agent stands with it now.
    pub state: ConnectionState,
    /// The topic of an accepted connection.
    pub topic: Option<TopicId>,
}

impl Post {
    /// The outsiders that wait for the caller's answer, and those that it answered.
    pub fn inbox_requests(&self, caller: &Caller) -> Result<Vec<OutsiderRequest>, InboxError> {
        let Some(opened) = self.open_inbox_to_show()? else { return Ok(Vec::new()) };
        let own = self.own_inbox(caller).slugs;
        let mut found: Vec<OutsiderRequest> = Vec::new();
        for held in opened.mirror.held(&own, LIST_MAX)? {
            match found.iter_mut().find(|it| it.account == held.account && it.to == held.to) {
                Some(request) => request.held.push(held),
                None => {
                    let (to, account) = (held.to.clone(), held.account);
                    found.push(OutsiderRequest {
                        to,
                        account,
                        state: ConnectionState::Unknown,
                        held: vec![held],
                    });
                }
            }
        }
        for request in &mut found {
            request.state = state_of(&opened.directory, request);
        }
        Ok(found)
    }

    /// Accepts, denies, blocks or closes the connection with an outsider.
    pub fn decide_connection(
        &self,
        caller: &Caller,
        account: AccountId,
        step: ConnectionStep,
    ) -> Result<ConnectionAnswer, InboxError> {
        let request = self.inbox_requests(caller)?.into_iter().find(|request| request.account == account);
        let state = request.as_ref().map_or(ConnectionState::Unknown, |request| request.state);
        let next = state.after(step).map_err(|fault| InboxError::Connection { account, fault })?;
        let mut opened = self.open_inbox()?;
        let to = request.as_ref().map_or_else(|| self.own_inbox(caller).slug, |request| request.to.clone());
        let home =
            brainstem_inbox::founding::found_home(&*opened.ledger, &mut opened.directory, &opened.seen)?;
        let agent = match opened.directory.agent(&to) {
            Some(agent) => agent.clone(),
            None => opened.sender(self, caller)?,
        };
        let asked: Option<Sequence> = request
            .as_ref()
            .and_then(|request| request.held.iter().find(|held| held.is_request))
            .map(|held| held.sequence);
        let topic = match (step, asked) {
            (ConnectionStep::Accept, Some(asked)) => {
                Some((opened.ledger.create_topic(&memo::connection(agent.inbound, asked))?.id, asked))
            }
            // A message alone asks for nothing that could be accepted.
            (ConnectionStep::Accept, None) => {
                let fault =
                    brainstem_inbox::connection::ConnectionFault { state: ConnectionState::Unknown, step };
                return Err(InboxError::Connection { account, fault });
            }
            (
                ConnectionStep::Request
                | ConnectionStep::Deny
                | ConnectionStep::Block
                | ConnectionStep::Close,
                _,
            ) => None,
        };
        let decision = ConnectionDecision { agent: to, account, step, topic };
        decide_connection(&*opened.ledger, home, &decision)?;
        if let Some((topic, asked)) = topic {
            let bytes = Envelope::connection_created(agent.operator(), topic, account, asked.number());
            let append = Append { topic: agent.inbound, submitter: agent.account, key: None, bytes };
            opened.ledger.append(&append)?;
        }
        Ok(ConnectionAnswer { account, state: next, topic: topic.map(|(topic, _)| topic) })
    }
}

/// How an agent stands with an outsider now: its last decision, or the request that came after it.
fn state_of(directory: &brainstem_inbox::InboxDirectory, request: &OutsiderRequest) -> ConnectionState {
    let asked = request.held.iter().filter(|held| held.is_request).map(|held| held.at).max();
    let mut state = ConnectionState::Unknown;
    let mut asked = asked;
    for (at, decision) in directory.decisions(&request.to, request.account) {
        // A decision answers a request, so one came before it.
        state = state
            .after(ConnectionStep::Request)
            .and_then(|state| state.after(decision.step))
            .unwrap_or(state);
        asked = asked.filter(|asked| asked > at);
    }
    match asked {
        Some(_) => state.after(ConnectionStep::Request).unwrap_or(state),
        None => state,
    }
}
