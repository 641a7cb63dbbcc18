//! The places of calls that run at once, handed out fairly.
//!
//! Agents take turns, and so do the sessions of each of them, however many calls each has waiting. And nobody takes the
//! last places: an agent may have one more while it has fewer than are free, so one in a loop stops at half of them and
//! a second one at half of the rest. In the same way a session leaves the half of its agent's half to the agent's
//! other sessions. Whoever comes anew finds a place.

use crate::caller_key::{AgentKey, CallerKey};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// The places.
#[derive(Debug)]
pub(crate) struct Places(Mutex<State>);

#[derive(Debug)]
struct State {
    free: usize,
    /// The most that one agent has.
    agent_max: usize,
    agents: HashMap<AgentKey, Agent>,
    /// Agents that wait, the one whose turn is next first.
    turns: VecDeque<AgentKey>,
}

#[derive(Debug, Default)]
struct Agent {
    running: usize,
    sessions: HashMap<Arc<str>, Session>,
    /// Sessions that wait, the one whose turn is next first.
    turns: VecDeque<Arc<str>>,
}

#[derive(Debug, Default)]
struct Session {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
}

/// The place of a call that runs, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    key: CallerKey,
}

impl Places {
    pub(crate) fn new(count: usize) -> Arc<Self> {
        let agent_max = count.div_ceil(2);
        let state = State { free: count, agent_max, agents: HashMap::new(), turns: VecDeque::new() };
        Arc::new(Self(Mutex::new(state)))
    }

    /// Waits for a place. Whoever stops waiting drops this, and is passed over.
    pub(crate) async fn take(self: &Arc<Self>, key: &CallerKey) -> Place {
        let (sender, place) = oneshot::channel();
        self.enter(key, sender);
        place.await.expect("whoever waits is in line until it has its place")
    }

    fn enter(self: &Arc<Self>, key: &CallerKey, sender: oneshot::Sender<Place>) {
        let mut state = self.lock();
        state.enter(key, sender);
        self.hand_out(state);
    }

    /// Gives a place to everybody whose turn it is and who may have one more.
    fn hand_out(self: &Arc<Self>, mut state: std::sync::MutexGuard<'_, State>) {
        let mut given = Vec::new();
        while let Some((key, sender)) = state.next() {
            given.push((sender, Place { places: self.clone(), key }));
        }
        drop(state);
        for (sender, place) in given {
            // One that stopped waiting just now gives its place back by dropping it.
            let _ = sender.send(place);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn enter(&mut self, key: &CallerKey, sender: oneshot::Sender<Place>) {
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

    /// The next call that gets a place, which is taken for it.
    fn next(&mut self) -> Option<(CallerKey, oneshot::Sender<Place>)> {
        for _ in 0..self.turns.len() {
            let name = self.turns.pop_front()?;
            let (free, agent_max) = (self.free, self.agent_max);
            let agent = self.agents.get_mut(&name)?;
            let next = if agent.running < free { agent.next(agent_max) } else { None };
            if !agent.turns.is_empty() {
                // Whoever was served goes to the end, and whoever may have no more keeps its turn behind the others.
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

impl Agent {
    /// The next call of the agent, if a session that waits may have one more.
    fn next(&mut self, agent_max: usize) -> Option<(Arc<str>, oneshot::Sender<Place>)> {
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

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.lock();
        state.leave(&self.key);
        self.places.hand_out(state);
    }
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
