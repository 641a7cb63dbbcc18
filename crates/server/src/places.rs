//! The places of calls that run at once, given out fairly.
//!
//! Agents take turns, and so do the sessions of each agent, however many calls each has waiting. An agent may take one more
//! place only while it has fewer than are free. So an agent in a loop stops at half of the places, and a second one at half of
//! the rest: a new caller always finds a place. In the same way a session leaves half of its agent's half to the agent's other
//! sessions.

use crate::caller_key::{AgentKey, CallerKey};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// The places of calls that run at once.
#[derive(Debug)]
pub(crate) struct CallPlaces(Mutex<PlacesState>);

#[derive(Debug)]
struct PlacesState {
    free: usize,
    /// The most places of one agent.
    agent_max: usize,
    agents: HashMap<AgentKey, AgentCalls>,
    /// Waiting agents, the next one first.
    turns: VecDeque<AgentKey>,
}

#[derive(Debug, Default)]
struct AgentCalls {
    running: usize,
    sessions: HashMap<Arc<str>, SessionCalls>,
    /// Waiting sessions, the next one first.
    turns: VecDeque<Arc<str>>,
}

#[derive(Debug, Default)]
struct SessionCalls {
    running: usize,
    waiting: VecDeque<oneshot::Sender<RunningPlace>>,
}

/// The place of a running call, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct RunningPlace {
    places: Arc<CallPlaces>,
    key: CallerKey,
}

impl CallPlaces {
    pub(crate) fn new(count: usize) -> Arc<Self> {
        let agent_max = count.div_ceil(2);
        let state = PlacesState { free: count, agent_max, agents: HashMap::new(), turns: VecDeque::new() };
        Arc::new(Self(Mutex::new(state)))
    }

    /// Waits for a place. A caller that stops waiting drops this future, and is passed over.
    pub(crate) async fn take(self: &Arc<Self>, key: &CallerKey) -> RunningPlace {
        let (sender, place) = oneshot::channel();
        self.enter(key, sender);
        place.await.expect("whoever waits is in line until it has its place")
    }

    fn enter(self: &Arc<Self>, key: &CallerKey, sender: oneshot::Sender<RunningPlace>) {
        let mut state = self.lock();
        state.enter(key, sender);
        self.hand_out(state);
    }

    /// Gives a place to each waiting call whose turn it is and whose caller may have one more.
    fn hand_out(self: &Arc<Self>, mut state: std::sync::MutexGuard<'_, PlacesState>) {
        let mut given = Vec::new();
        while let Some((key, sender)) = state.next() {
            given.push((sender, RunningPlace { places: self.clone(), key }));
        }
        drop(state);
        for (sender, place) in given {
            // A receiver that was dropped just now returns its place by dropping it.
            let _ = sender.send(place);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PlacesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PlacesState {
    fn enter(&mut self, key: &CallerKey, sender: oneshot::Sender<RunningPlace>) {
        let agent = self.agents.entry(key.agent.clone()).or_default();
        let session = agent.sessions.entry(key.session.clone()).or_default();
        session.waiting.push_back(sender);
        if !agent.turns.contains(&key.session) {
            agent.turns.push_back(key.session.clone());
        }
        if !self.turns.contains(&key.agent) {
            self.turns.push_back(key.agent.clone());
        }
    }

    /// The next call that gets a place. The place is taken for it.
    fn next(&mut self) -> Option<(CallerKey, oneshot::Sender<RunningPlace>)> {
        for _ in 0..self.turns.len() {
            let name = self.turns.pop_front()?;
            let (free, agent_max) = (self.free, self.agent_max);
            let agent = self.agents.get_mut(&name)?;
            let next = if agent.running < free { agent.next(agent_max) } else { None };
            if !agent.turns.is_empty() {
                // An agent that got a place goes to the end. An agent that may have no more also keeps its turn, behind the
                // others.
                self.turns.push_back(name.clone());
            }
            match next {
                Some((session, sender)) => {
                    self.free -= 1;
                    return Some((CallerKey { agent: name, session }, sender));
                }
                None => self.forget_if_idle(&name),
            }
        }
        None
    }

    fn leave(&mut self, key: &CallerKey) {
        self.free += 1;
        if let Some(agent) = self.agents.get_mut(&key.agent) {
            agent.running -= 1;
            if let Some(session) = agent.sessions.get_mut(&key.session) {
                session.running -= 1;
            }
            agent.forget_if_idle(&key.session);
        }
        self.forget_if_idle(&key.agent);
    }

    fn forget_if_idle(&mut self, name: &AgentKey) {
        if self.agents.get(name).is_some_and(|agent| agent.sessions.is_empty()) {
            self.agents.remove(name);
        }
    }
}

impl AgentCalls {
    /// The next call of the agent, if a waiting session may have one more.
    fn next(&mut self, agent_max: usize) -> Option<(Arc<str>, oneshot::Sender<RunningPlace>)> {
        for _ in 0..self.turns.len() {
            let name = self.turns.pop_front()?;
            let session = self.sessions.get_mut(&name)?;
            session.waiting.retain(|sender| !sender.is_closed());
            let may_have = session.running < agent_max.saturating_sub(self.running);
            let sender = if may_have { session.waiting.pop_front() } else { None };
            if !session.waiting.is_empty() {
                self.turns.push_back(name.clone());
            }
            match sender {
                Some(sender) => {
                    session.running += 1;
                    self.running += 1;
                    return Some((name, sender));
                }
                None => self.forget_if_idle(&name),
            }
        }
        None
    }

    fn forget_if_idle(&mut self, name: &Arc<str>) {
        if self.sessions.get(name).is_some_and(|of| of.running == 0 && of.waiting.is_empty()) {
            self.sessions.remove(name);
        }
    }
}

impl Drop for RunningPlace {
    fn drop(&mut self) {
        let mut state = self.places.lock();
        state.leave(&self.key);
        self.places.hand_out(state);
    }
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
