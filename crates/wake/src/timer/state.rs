//! A timer between its firings: what it has fired for, what it fires for next, and what a gap comes to.

use super::occurrence::{first_after, last_until};
use super::schedule::Schedule;
use super::zone::Zone;
use brainstem_base::Timestamp;

/// A firing that is at most this late is on time; a later one is a catch-up.
pub const ON_TIME_MS: i64 = 60_000;

/// What becomes of firings that were missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// All of them come to one wake.
    One,
    /// They are left out.
    None,
}

/// What a timer means. It is what syncs; every instant is computed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerIntent {
    /// When it fires.
    pub schedule: Schedule,
    /// Where the clock hangs that a time of day means.
    pub zone: Zone,
    /// What becomes of missed firings.
    pub catch_up: CatchUp,
    /// When it was made: the instant from which `every` counts.
    pub made_at: Timestamp,
}

/// How far a timer has come. The row of a timer keeps it, and it is advanced with the enqueue in one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerState {
    /// Every occurrence up to here is settled: fired, left out, or before the timer was armed.
    pub settled_until: Timestamp,
    /// The next occurrence; `None` if there is none.
    pub next_run_at: Option<Timestamp>,
}

/// A wake that a timer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerFiring {
    /// The occurrence: the only one that was due, or the latest of those that were missed. The run key is made from it.
    pub scheduled_at: Timestamp,
    /// Whether it is a catch-up: it is late, or it is for more than one occurrence.
    pub is_catch_up: bool,
}

impl TimerIntent {
    /// The state of a timer that is made, edited or moved to another zone at `now`: it has missed nothing.
    pub fn armed(&self, now: Timestamp) -> TimerState {
        // An instant that has passed already is what the caller asked for, and is fired at once.
        let settled_until = match self.schedule {
            Schedule::At(at) if at <= now && at >= self.made_at => Timestamp::from_ms(at.ms() - 1),
            Schedule::At(_) | Schedule::Every { .. } | Schedule::Daily { .. } | Schedule::Cron(_) => now,
        };
        TimerState { settled_until, next_run_at: self.next_after(settled_until) }
    }

    /// The wake that is due at `now`, if one is, and the state of the timer behind it.
    ///
    /// It depends on the intent, on what is settled and on `now`; the stored `next_run_at` is only where to look. So it
    /// gives the same after a restart, a gap or a jump of the clock.
    pub fn fire(&self, state: TimerState, now: Timestamp) -> (Option<TimerFiring>, TimerState) {
        // A clock that was ahead and was set back must not silence the timer until it is there again. What fired for an
        // occurrence in that time fires for it again, under the same run key, and the run log knows that key.
        let settled_until = state.settled_until.min(now);
        let Some(scheduled_at) = last_until(&self.schedule, &self.zone, self.made_at, settled_until, now)
        else {
            return (None, TimerState { settled_until, next_run_at: self.next_after(settled_until) });
        };
        let is_late = now.ms_since(scheduled_at) > ON_TIME_MS;
        let is_catch_up = is_late || self.next_after(settled_until) != Some(scheduled_at);
        let firing = match self.catch_up {
            CatchUp::None if is_late => None,
            CatchUp::None | CatchUp::One => Some(TimerFiring { scheduled_at, is_catch_up }),
        };
        (firing, TimerState { settled_until: scheduled_at, next_run_at: self.next_after(scheduled_at) })
    }

    fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        first_after(&self.schedule, &self.zone, self.made_at, after)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, zone};
    use super::*;

    fn daily_at_seven(place: &str) -> TimerIntent {
        let schedule = Schedule::parse("daily 07:00").expect("a schedule");
        let made_at = at("2026-03-01T00:00:00Z");
        TimerIntent { schedule, zone: zone(place), catch_up: CatchUp::One, made_at }
    }

    fn fired(at: Timestamp) -> Option<TimerFiring> {
        Some(TimerFiring { scheduled_at: at, is_catch_up: false })
    }

    fn caught_up(at: Timestamp) -> Option<TimerFiring> {
        Some(TimerFiring { scheduled_at: at, is_catch_up: true })
    }

    #[test] // spec: C-30, C-31, C-36
    fn a_timer_fires_once_for_each_occurrence() {
        let timer = daily_at_seven("Europe/Berlin");
        let state = timer.armed(at("2026-03-27T12:00:00Z"));
        let first = at("2026-03-28T06:00:00Z");
        assert_eq!(state.next_run_at, Some(first));
        assert_eq!(timer.fire(state, at("2026-03-28T05:59:59.999Z")).0, None);
        let (firing, state) = timer.fire(state, first);
        assert_eq!((firing, state.next_run_at), (fired(first), Some(at("2026-03-29T05:00:00Z"))));
        assert_eq!(timer.fire(state, first).0, None);
        assert_eq!(timer.fire(state, at("2026-03-29T04:59:59Z")).0, None);
        assert_eq!(timer.fire(state, at("2026-03-29T05:00:01Z")).0, fired(at("2026-03-29T05:00:00Z")));
    }

    #[test] // spec: C-32, Z-4
    fn all_that_was_missed_comes_to_one_catch_up_for_the_latest() {
        let timer = daily_at_seven("Europe/Berlin");
        let state = timer.armed(at("2026-03-27T12:00:00Z"));
        let back = at("2026-04-02T12:00:00Z");
        let (firing, state) = timer.fire(state, back);
        assert_eq!(firing, caught_up(at("2026-04-02T05:00:00Z")));
        assert_eq!(timer.fire(state, back), (None, state));
        assert_eq!(state.next_run_at, Some(at("2026-04-03T05:00:00Z")));
    }

    #[test] // spec: Z-4, Z-9, C-35
    fn a_device_that_was_off_asks_for_the_same_occurrence_as_one_that_fired_on_time() {
        let timer = daily_at_seven("Europe/Berlin");
        let state = timer.armed(at("2026-03-27T12:00:00Z"));
        let (on_time, _) = timer.fire(state, at("2026-03-28T06:00:00Z"));
        let (late, _) = timer.fire(state, at("2026-03-28T09:30:00Z"));
        assert_eq!(on_time.map(|f| f.scheduled_at), late.map(|f| f.scheduled_at));
        assert_eq!((on_time.map(|f| f.is_catch_up), late.map(|f| f.is_catch_up)), (Some(false), Some(true)));
    }

    #[test] // spec: Z-9
    fn without_catch_up_a_late_firing_is_left_out_and_the_next_one_comes() {
        let timer = TimerIntent { catch_up: CatchUp::None, ..daily_at_seven("UTC") };
        let state = timer.armed(at("2026-03-27T12:00:00Z"));
        let (firing, state) = timer.fire(state, at("2026-03-28T07:02:00Z"));
        assert_eq!((firing, state.next_run_at), (None, Some(at("2026-03-29T07:00:00Z"))));
        assert_eq!(timer.fire(state, at("2026-03-29T07:00:30Z")).0, fired(at("2026-03-29T07:00:00Z")));
    }

    #[test] // spec: C-33
    fn a_clock_that_jumps_ahead_gives_one_catch_up_and_back_again_no_silence() {
        let timer = daily_at_seven("UTC");
        let state = timer.armed(at("2026-03-27T12:00:00Z"));
        let (firing, state) = timer.fire(state, at("2035-01-01T12:00:00Z"));
        assert_eq!(firing, caught_up(at("2035-01-01T07:00:00Z")));
        let (firing, state) = timer.fire(state, at("2026-03-27T12:01:00Z"));
        assert_eq!((firing, state.next_run_at), (None, Some(at("2026-03-28T07:00:00Z"))));
        assert_eq!(timer.fire(state, at("2026-03-28T07:00:00Z")).0, fired(at("2026-03-28T07:00:00Z")));
    }

    #[test] // spec: C-34
    fn a_timer_that_moves_to_another_zone_keeps_its_time_of_day_and_has_missed_nothing() {
        let now = at("2026-06-10T10:00:00Z");
        assert_eq!(
            daily_at_seven("America/New_York").armed(now).next_run_at,
            Some(at("2026-06-10T11:00:00Z"))
        );
        let moved = daily_at_seven("Europe/Berlin");
        let state = moved.armed(now);
        assert_eq!(moved.fire(state, now).0, None);
        assert_eq!(state.next_run_at, Some(at("2026-06-11T05:00:00Z")));
    }

    #[test]
    fn an_instant_fires_once_and_has_nothing_after_it() {
        let made_at = at("2026-03-01T00:00:00Z");
        let schedule = Schedule::At(at("2026-03-02T00:00:00Z"));
        let timer = TimerIntent { schedule, made_at, ..daily_at_seven("UTC") };
        let (firing, state) = timer.fire(timer.armed(made_at), at("2026-03-02T00:00:10Z"));
        assert_eq!((firing, state.next_run_at), (fired(at("2026-03-02T00:00:00Z")), None));
        assert_eq!(timer.fire(state, at("2027-01-01T00:00:00Z")), (None, state));
        // One that has passed while it was being made is fired at once.
        let late = timer.armed(at("2026-03-02T00:00:05Z"));
        assert_eq!(timer.fire(late, at("2026-03-02T00:00:05Z")).0, fired(at("2026-03-02T00:00:00Z")));
    }
}
