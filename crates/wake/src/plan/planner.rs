//! What one process keeps in memory about all lanes: which is worth a look, and when.
//!
//! The store has the lanes and decides under its lock ([`super::lane`]). The planner says in which order to ask it, so that no
//! agent starves, and when to ask again. What it knows may be old: then the store refuses, the driver hands in the lane as it
//! is, and the planner knows better.

use super::lane::LaneView;
use super::policy::WakePolicy;
use super::switches::KillSwitches;
use brainstem_base::{AgentId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// What a planner is handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannerEvent {
    /// What the store has, read in one transaction: one lane after a wake was queued, claimed, ended or expired; all that are not
    /// idle at the start of the process and now and then. Lanes that are read together are handed in together, so that
    /// the one that waits longest is found first.
    Lanes {
        /// The lanes.
        lanes: Vec<(AgentId, LaneView)>,
        /// How many jobs run, over all agents and processes.
        places_taken: usize,
    },
    /// The switches as the store has them.
    Switches(KillSwitches),
    /// Time has passed.
    Tick,
}

/// What the driver does. After each it hands in what the store has then, the switches first if one of them refused a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannerEffect {
    /// Claim the next job of this agent, and run it if the store hands one out.
    Claim(AgentId),
    /// End the job of this agent whose lease is over.
    Expire(AgentId),
    /// Read how many jobs run, without any lanes: another process may have left a place.
    CountPlaces,
    /// The clock went back. Read all lanes that are not idle anew.
    ReadLanes,
}

/// Decides which lanes to look at. It reads no clock, starts nothing and awaits nothing.
///
/// Lanes that are idle cost nothing: the driver hands in the ones in which something waits or runs.
#[derive(Clone, Debug)]
pub struct WakePlanner {
    policy: WakePolicy,
    /// The lanes that wait or run and about which the store was not asked.
    lanes: BTreeMap<AgentId, LaneView>,
    /// By when their next job may start: the lane that may start for the longest time is first in line.
    startable: BTreeSet<(Timestamp, AgentId)>,
    expiring: BTreeSet<(Timestamp, AgentId)>,
    /// Claims that the store has not answered. Each has its place.
    claiming: BTreeSet<AgentId>,
    places_taken: usize,
    places_counted_at: Timestamp,
    switches: KillSwitches,
    last_now: Timestamp,
}

impl WakePlanner {
    /// A planner that knows of no lane.
    pub fn new(policy: WakePolicy) -> Self {
        Self {
            policy,
            lanes: BTreeMap::new(),
            startable: BTreeSet::new(),
            expiring: BTreeSet::new(),
            claiming: BTreeSet::new(),
            places_taken: 0,
            places_counted_at: Timestamp::MIN,
            switches: KillSwitches::default(),
            last_now: Timestamp::MIN,
        }
    }

    /// Takes what has happened, and returns what to do.
    pub fn handle(&mut self, now: Timestamp, event: PlannerEvent) -> Vec<PlannerEffect> {
        let mut effects = Vec::new();
        if now < self.last_now {
            // The instants of all lanes were computed with another clock.
            effects.push(PlannerEffect::ReadLanes);
            self.places_counted_at = self.places_counted_at.min(now);
        }
        self.last_now = now;
        match event {
            PlannerEvent::Lanes { lanes, places_taken } => {
                (self.places_taken, self.places_counted_at) = (places_taken, now);
                lanes.into_iter().for_each(|(agent, view)| self.put(agent, view));
            }
            PlannerEvent::Switches(switches) => self.switches = switches,
            PlannerEvent::Tick => {}
        }
        self.plan(now, &mut effects);
        effects
    }

    /// When the driver should next send [`PlannerEvent::Tick`]; `None` if nothing happens before another event.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let expires_at = self.expiring.first().map(|(at, _)| *at);
        let startable_at = self.next_in_line().map(|(at, _)| *at);
        let starts_at = match self.has_place() {
            true => startable_at,
            // A place that this process leaves comes with an event. One that another process leaves has to be looked for.
            false => startable_at.map(|at| at.max(self.next_count_at())),
        };
        [expires_at, starts_at].into_iter().flatten().min()
    }

    fn plan(&mut self, now: Timestamp, effects: &mut Vec<PlannerEffect>) {
        let over: Vec<AgentId> =
            self.expiring.iter().take_while(|(at, _)| *at <= now).map(|(_, agent)| agent.clone()).collect();
        for agent in over {
            self.take_out(&agent);
            effects.push(PlannerEffect::Expire(agent));
        }
        while self.has_place() {
            let due = self.next_in_line().filter(|(at, _)| *at <= now);
            let Some(agent) = due.map(|(_, agent)| agent.clone()) else { return };
            self.take_out(&agent);
            self.claiming.insert(agent.clone());
            effects.push(PlannerEffect::Claim(agent));
        }
        let is_waiting = self.next_in_line().is_some_and(|(at, _)| *at <= now);
        if is_waiting && self.next_count_at() <= now {
            self.places_counted_at = now;
            effects.push(PlannerEffect::CountPlaces);
        }
    }

    /// The lane that may start for the longest time and is not stopped.
    fn next_in_line(&self) -> Option<&(Timestamp, AgentId)> {
        if self.switches.stop_all() {
            return None;
        }
        self.startable.iter().find(|(_, agent)| self.switches.covering(agent).is_none())
    }

    fn has_place(&self) -> bool {
        self.places_taken + self.claiming.len() < self.policy.runs_at_once_max
    }

    fn next_count_at(&self) -> Timestamp {
        Timestamp::from_ms(self.places_counted_at.ms() + self.policy.place_poll_ms)
    }

    fn put(&mut self, agent: AgentId, view: LaneView) {
        self.take_out(&agent);
        self.claiming.remove(&agent);
        if view.startable_at.is_none() && view.expires_at.is_none() {
            return;
        }
        self.startable.extend(view.startable_at.map(|at| (at, agent.clone())));
        self.expiring.extend(view.expires_at.map(|at| (at, agent.clone())));
        self.lanes.insert(agent, view);
    }

    /// Forgets a lane until the store says how it is.
    fn take_out(&mut self, agent: &AgentId) {
        let Some(view) = self.lanes.remove(agent) else { return };
        if let Some(at) = view.startable_at {
            self.startable.remove(&(at, agent.clone()));
        }
        if let Some(at) = view.expires_at {
            self.expiring.remove(&(at, agent.clone()));
        }
    }
}

#[cfg(test)]
#[path = "planner_tests.rs"]
mod tests;
