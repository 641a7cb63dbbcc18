//! The numbers of the scheduler, in one value.

use crate::change::ChangeOrigin;

/// How many runs, how often, how long. The defaults are those of the specification, and all of them are settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakePolicy {
    /// Runs at once, over all agents and processes.
    pub runs_at_once_max: usize,
    /// Runs of one agent in an hour that no person asked for; at least one.
    pub wakes_per_hour_max: usize,
    /// The pause behind a run before the agent's next one, unless a person asks for it.
    pub cooldown_ms: i64,
    /// How long the first change on this device waits for others to ride along.
    pub window_local_ms: i64,
    /// How long the first change of another device waits for others to ride along.
    pub window_sync_ms: i64,
    /// A change with this many runs behind it wakes no agent.
    pub causation_depth_max: u32,
    /// A worker that does not renew its lease for so long has lost its run.
    pub lease_ms: i64,
    /// The longest that a run may take.
    pub run_ms_max: i64,
    /// How often a wake is tried.
    pub attempts_max: u32,
    /// The pause behind the first failure; each one in a row doubles it.
    pub backoff_first_ms: i64,
    /// The longest pause behind a failure.
    pub backoff_longest_ms: i64,
    /// How often a process that waits for a place looks whether another process has left one.
    pub place_poll_ms: i64,
    /// A conversation in which nothing is said for so long is over.
    pub session_ttl_ms: i64,
}

impl Default for WakePolicy {
    fn default() -> Self {
        Self {
            runs_at_once_max: 4,
            wakes_per_hour_max: 12,
            cooldown_ms: 30_000,
            window_local_ms: 100,
            window_sync_ms: 1_000,
            causation_depth_max: 4,
            lease_ms: 60_000,
            run_ms_max: 30 * 60_000,
            attempts_max: 5,
            backoff_first_ms: 30_000,
            backoff_longest_ms: 60 * 60_000,
            place_poll_ms: 1_000,
            session_ttl_ms: 15 * 60_000,
        }
    }
}

impl WakePolicy {
    /// How long the first change of this origin waits for others to ride along.
    pub fn window_ms(&self, origin: ChangeOrigin) -> i64 {
        match origin {
            ChangeOrigin::User | ChangeOrigin::Agent => self.window_local_ms,
            ChangeOrigin::Sync => self.window_sync_ms,
        }
    }

    /// The pause behind this many failures in a row.
    pub fn backoff_ms(&self, failures: u32) -> i64 {
        let doubled = self.backoff_first_ms.saturating_mul(1_i64 << failures.saturating_sub(1).min(40));
        doubled.clamp(self.backoff_first_ms, self.backoff_longest_ms.max(self.backoff_first_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: Z-29, Z-29a, Z-32, Z-14
    fn the_defaults_are_those_of_the_specification() {
        let policy = WakePolicy::default();
        assert_eq!((policy.runs_at_once_max, policy.wakes_per_hour_max), (4, 12));
        assert_eq!((policy.cooldown_ms, policy.session_ttl_ms), (30_000, 15 * 60_000));
        let windows = ChangeOrigin::ALL.map(|origin| policy.window_ms(origin));
        assert_eq!(windows, [100, 100, 1_000]);
        assert_eq!(policy.causation_depth_max, 4);
    }

    #[test]
    fn the_pause_doubles_up_to_its_longest() {
        let policy = WakePolicy::default();
        let pauses = [1, 2, 3, 8, 200].map(|failures| policy.backoff_ms(failures) / 1_000);
        assert_eq!(pauses, [30, 60, 120, 3_600, 3_600]);
    }
}
