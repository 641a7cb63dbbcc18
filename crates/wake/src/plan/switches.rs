//! Kill switches: everything, or one agent. They are stored, so a restart finds them as they were.

use brainstem_base::AgentId;
use std::collections::BTreeMap;
use std::fmt;

/// What a switch stops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KillScope {
    /// Every agent.
    All,
    /// One agent.
    Agent(AgentId),
}

impl fmt::Display for KillScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("switch:all"),
            Self::Agent(agent) => write!(f, "switch:agent:{agent}"),
        }
    }
}

/// The switches of a home.
///
/// Every change of a switch raises its generation, and the greater one wins where two copies meet. So a process that has an
/// old copy cannot release a switch that was engaged since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KillSwitches(BTreeMap<KillScope, Switch>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Switch {
    generation: u64,
    is_engaged: bool,
}

impl KillSwitches {
    /// The switches as rows keep them: scope, generation, and whether it is engaged.
    pub fn from_rows(rows: impl IntoIterator<Item = (KillScope, u64, bool)>) -> Self {
        let mut switches = Self::default();
        for (scope, generation, is_engaged) in rows {
            switches.take(scope, Switch { generation, is_engaged });
        }
        switches
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = (&KillScope, u64, bool)> {
        self.0.iter().map(|(scope, switch)| (scope, switch.generation, switch.is_engaged))
    }

    /// Engages a switch: the runs it covers are to be stopped. Returns its generation; engaging it twice changes nothing.
    pub fn engage(&mut self, scope: KillScope) -> u64 {
        self.turn(scope, true)
    }

    /// Releases a switch. Returns its generation.
    pub fn release(&mut self, scope: KillScope) -> u64 {
        self.turn(scope, false)
    }

    /// The switch that stops an agent, if one does.
    pub fn covering(&self, agent: &AgentId) -> Option<KillScope> {
        let scopes = [KillScope::All, KillScope::Agent(agent.clone())];
        scopes.into_iter().find(|scope| self.0.get(scope).is_some_and(|switch| switch.is_engaged))
    }

    /// Whether everything is stopped.
    pub fn stop_all(&self) -> bool {
        self.0.get(&KillScope::All).is_some_and(|switch| switch.is_engaged)
    }

    /// Takes what another copy knows.
    pub fn join(&mut self, other: &Self) {
        for (scope, switch) in &other.0 {
            self.take(scope.clone(), *switch);
        }
    }

    fn turn(&mut self, scope: KillScope, is_engaged: bool) -> u64 {
        let switch = self.0.entry(scope).or_insert(Switch { generation: 0, is_engaged: false });
        if switch.is_engaged != is_engaged {
            *switch = Switch { generation: switch.generation + 1, is_engaged };
        }
        switch.generation
    }

    /// Of two copies with one generation the one that is engaged wins: a stop is never lost.
    fn take(&mut self, scope: KillScope, switch: Switch) {
        let known = self.0.entry(scope).or_insert(switch);
        *known = (*known).max(switch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> AgentId {
        AgentId::parse(name).expect("an agent")
    }

    #[test] // spec: F-08, F-08a
    fn a_switch_covers_everything_or_one_agent_until_it_is_released() {
        let mut switches = KillSwitches::default();
        let coach = KillScope::Agent(agent("coach"));
        switches.engage(coach.clone());
        assert_eq!(switches.covering(&agent("coach")), Some(coach.clone()));
        assert_eq!(switches.covering(&agent("planner")), None);
        switches.engage(KillScope::All);
        assert_eq!(switches.covering(&agent("planner")), Some(KillScope::All));
        assert!(switches.stop_all());
        switches.release(KillScope::All);
        assert_eq!(switches.covering(&agent("coach")), Some(coach.clone()), "its own is still engaged");
        switches.release(coach);
        assert_eq!(switches.covering(&agent("coach")), None);
    }

    #[test] // spec: F-08a
    fn switches_survive_a_restart_and_an_old_copy_releases_nothing() {
        let mut switches = KillSwitches::default();
        let old = switches.clone();
        assert_eq!((switches.engage(KillScope::All), switches.engage(KillScope::All)), (1, 1));
        let rows: Vec<_> = switches.rows().map(|(scope, at, engaged)| (scope.clone(), at, engaged)).collect();
        let mut restarted = KillSwitches::from_rows(rows);
        assert_eq!(restarted, switches);
        restarted.join(&old);
        assert_eq!(restarted, switches);
        switches.release(KillScope::All);
        let mut released = switches.clone();
        released.join(&restarted);
        assert_eq!((released.covering(&agent("coach")), released.release(KillScope::All)), (None, 2));
    }
}
