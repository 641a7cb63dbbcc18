//! The instants of a schedule: the first one after an instant, and the last one up to it.
//!
//! A time of day (`daily`, and cron with chosen hours) fires once for every local time it names: the first time if the clock
//! shows it twice, and at the jump if the clock leaves it out. Cron that fires in every hour means the running clock: it
//! fires in both passes of an hour that comes twice, and leaves out what the clock leaves out.

use super::cron::Cron;
use super::schedule::Schedule;
use super::zone::Zone;
use crate::limits::SCHEDULE_DAYS_AHEAD_MAX;
use brainstem_base::Timestamp;
use jiff::Span;
use jiff::civil::{Date, Time, time};

const MINUTE_MS: i64 = 60_000;

/// The first occurrence after `after`; `None` if there is none within [`SCHEDULE_DAYS_AHEAD_MAX`].
pub(super) fn first_after(
    schedule: &Schedule,
    zone: &Zone,
    made_at: Timestamp,
    after: Timestamp,
) -> Option<Timestamp> {
    match schedule {
        Schedule::At(at) => (*at > after).then_some(*at),
        Schedule::Every { every_ms } => {
            let passed = after.ms_since(made_at) / every_ms;
            let next = made_at.ms().checked_add((passed + 1).checked_mul(*every_ms)?)?;
            (next <= Timestamp::MAX.ms()).then(|| Timestamp::from_ms(next))
        }
        Schedule::Daily { hour, minute } => {
            let times = [time(*hour, *minute, 0, 0)];
            times_after(zone, after, &times, |_| true)
        }
        Schedule::Cron(cron) if cron.is_every_hour() => minutes_after(zone, after, cron),
        Schedule::Cron(cron) => times_after(zone, after, &times_of(cron), |date| cron.has_date(date)),
    }
}

/// The last occurrence up to `now`, and after `after`; `None` if there is none.
pub(super) fn last_until(
    schedule: &Schedule,
    zone: &Zone,
    made_at: Timestamp,
    after: Timestamp,
    now: Timestamp,
) -> Option<Timestamp> {
    let last = match schedule {
        Schedule::At(at) => (*at <= now).then_some(*at),
        Schedule::Every { every_ms } => {
            let passed = now.ms_since(made_at) / every_ms;
            (passed > 0).then(|| Timestamp::from_ms(made_at.ms() + passed * every_ms))
        }
        Schedule::Daily { hour, minute } => {
            let times = [time(*hour, *minute, 0, 0)];
            times_until(zone, after, now, &times, |_| true)
        }
        Schedule::Cron(cron) if cron.is_every_hour() => minutes_until(zone, after, now, cron),
        Schedule::Cron(cron) => times_until(zone, after, now, &times_of(cron), |date| cron.has_date(date)),
    };
    last.filter(|last| *last > after)
}

fn times_of(cron: &Cron) -> Vec<Time> {
    cron.times().map(|(hour, minute)| time(hour, minute, 0, 0)).collect()
}

/// Local times in order have their first instants in order, so the first that is late enough is the answer.
fn times_after(
    zone: &Zone,
    after: Timestamp,
    times: &[Time],
    has_date: impl Fn(Date) -> bool,
) -> Option<Timestamp> {
    // A jump over midnight puts the last times of a day into the next one.
    let first = zone.wall(after).date().yesterday().ok()?;
    let last = first.checked_add(Span::new().days(SCHEDULE_DAYS_AHEAD_MAX)).unwrap_or(Date::MAX);
    first
        .series(Span::new().days(1))
        .take_while(|date| *date <= last)
        .filter(|date| has_date(*date))
        .find_map(|date| {
            let instants = times.iter().filter_map(|time| zone.first_instant(date.to_datetime(*time)));
            instants.filter(|at| *at > after).min()
        })
}

fn times_until(
    zone: &Zone,
    after: Timestamp,
    now: Timestamp,
    times: &[Time],
    has_date: impl Fn(Date) -> bool,
) -> Option<Timestamp> {
    let first = zone.wall(after).date().yesterday().ok()?;
    let last = zone.wall(now).date().tomorrow().unwrap_or(Date::MAX);
    last.series(Span::new().days(-1))
        .take_while(|date| *date >= first)
        .filter(|date| has_date(*date))
        .find_map(|date| {
            let instants = times.iter().filter_map(|time| zone.first_instant(date.to_datetime(*time)));
            instants.filter(|at| *at <= now).max()
        })
}

/// Walks over the minutes that pass, and leaps over days that do not match.
fn minutes_after(zone: &Zone, after: Timestamp, cron: &Cron) -> Option<Timestamp> {
    let mut at = Timestamp::from_ms((after.ms() / MINUTE_MS + 1) * MINUTE_MS);
    let end = after.ms() + SCHEDULE_DAYS_AHEAD_MAX * 1_440 * MINUTE_MS;
    while at.ms() <= end && at < Timestamp::MAX {
        let wall = zone.wall(at);
        let step = Timestamp::from_ms(at.ms() + MINUTE_MS);
        if !cron.has_date(wall.date()) {
            let midnight = wall.date().tomorrow().ok()?.to_datetime(Time::midnight());
            at = zone.first_instant(midnight).map_or(step, |midnight| midnight.max(step));
        } else if cron.has_minute(wall.minute()) {
            return Some(at);
        } else {
            at = step;
        }
    }
    None
}

fn minutes_until(zone: &Zone, after: Timestamp, now: Timestamp, cron: &Cron) -> Option<Timestamp> {
    let mut at = Timestamp::from_ms(now.ms() / MINUTE_MS * MINUTE_MS);
    while at > after {
        let wall = zone.wall(at);
        let step = Timestamp::from_ms(at.ms() - MINUTE_MS);
        if !cron.has_date(wall.date()) {
            let midnight = zone.first_instant(wall.date().to_datetime(Time::midnight()));
            at = midnight.map_or(step, |midnight| Timestamp::from_ms(midnight.ms() - MINUTE_MS).min(step));
        } else if cron.has_minute(wall.minute()) {
            return Some(at);
        } else {
            at = step;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, zone};
    use super::*;

    /// The first `count` occurrences after an instant.
    fn series(schedule: &str, place: &str, after: &str, count: usize) -> Vec<String> {
        let (schedule, zone) = (Schedule::parse(schedule).expect(schedule), zone(place));
        let next = |after: &Timestamp| first_after(&schedule, &zone, at("2026-01-01T00:00:00Z"), *after);
        let instants = std::iter::successors(next(&at(after)), next).take(count);
        instants.map(|at| at.to_rfc3339().replace(":00.000Z", "Z")).collect()
    }

    #[test] // spec: C-31, C-34
    fn seven_in_the_morning_stays_seven_across_both_changes_of_the_clock() {
        assert_eq!(
            series("daily 07:00", "Europe/Berlin", "2026-03-27T12:00:00Z", 3),
            ["2026-03-28T06:00Z", "2026-03-29T05:00Z", "2026-03-30T05:00Z"]
        );
        assert_eq!(
            series("daily 07:00", "America/New_York", "2026-10-31T00:00:00Z", 3),
            ["2026-10-31T11:00Z", "2026-11-01T12:00Z", "2026-11-02T12:00Z"]
        );
    }

    #[test] // spec: C-31, C-31a
    fn a_time_of_day_fires_once_a_day_in_gaps_and_folds() {
        assert_eq!(
            series("daily 02:30", "Europe/Berlin", "2026-03-28T00:00:00Z", 3),
            ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"]
        );
        assert_eq!(
            series("daily 01:30", "America/New_York", "2026-11-01T00:00:00Z", 2),
            ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]
        );
        // Nuuk leaps from 23:00 to midnight: the times before midnight come at the leap.
        assert_eq!(
            series("daily 23:30", "America/Nuuk", "2024-03-30T12:00:00Z", 2),
            ["2024-03-31T01:00Z", "2024-04-01T00:30Z"]
        );
        // Apia had no 30 December.
        assert_eq!(
            series("daily 07:00", "Pacific/Apia", "2011-12-29T12:00:00Z", 2),
            ["2011-12-29T17:00Z", "2011-12-30T17:00Z"]
        );
    }

    #[test] // spec: C-31, C-31a
    fn cron_of_every_hour_follows_the_running_clock() {
        assert_eq!(
            series("cron 30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3),
            ["2026-03-29T00:30Z", "2026-03-29T01:30Z", "2026-03-29T02:30Z"]
        );
        assert_eq!(
            series("cron 30 * * * *", "America/New_York", "2026-11-01T05:00:00Z", 3),
            ["2026-11-01T05:30Z", "2026-11-01T06:30Z", "2026-11-01T07:30Z"]
        );
        assert_eq!(
            series("cron 30 1,2 * * *", "America/New_York", "2026-11-01T05:00:00Z", 2),
            ["2026-11-01T05:30Z", "2026-11-01T07:30Z"]
        );
    }

    #[test]
    fn days_of_the_week_and_of_the_month_are_found_far_ahead() {
        assert_eq!(
            series("cron 0 7 * * mon-fri", "UTC", "2026-11-20T08:00:00Z", 2),
            ["2026-11-23T07:00Z", "2026-11-24T07:00Z"]
        );
        assert_eq!(
            series("cron 0 7 29 feb *", "UTC", "2026-11-20T08:00:00Z", 2),
            ["2028-02-29T07:00Z", "2032-02-29T07:00Z"]
        );
        // Never on a weekend: 29 February 2100 does not exist.
        assert_eq!(series("cron 0 7 29 feb */6", "UTC", "2076-03-01T00:00:00Z", 1), ["2088-02-29T07:00Z"]);
        assert_eq!(series("cron * * 1 jan *", "UTC", "2026-11-20T08:00:00Z", 1), ["2027-01-01T00:00Z"]);
    }

    #[test]
    fn once_and_every_need_no_zone() {
        assert_eq!(
            series("at 2026-11-18T07:00:00Z", "UTC", "2026-11-01T00:00:00Z", 3),
            ["2026-11-18T07:00Z"]
        );
        assert_eq!(
            series("every 90m", "Europe/Berlin", "2026-03-29T00:00:00Z", 2),
            ["2026-03-29T01:30Z", "2026-03-29T03:00Z"]
        );
    }
}
