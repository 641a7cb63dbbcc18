//! Instants, as milliseconds since the Unix epoch.

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use std::fmt;

/// An instant in milliseconds since 1970-01-01T00:00:00Z.
///
/// `created` fields carry the number; `timestamp` and `*_at` fields carry [`Timestamp::to_rfc3339`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// How long a day is.
const DAY_MS: i64 = 86_400_000;
/// The day that instants are counted from.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

impl Timestamp {
    /// The latest instant that can be written as RFC 3339 (the end of year 9999).
    pub const MAX: Self = Self(253_402_300_799_999);
    /// The earliest instant this program accepts: the epoch itself.
    pub const MIN: Self = Self(0);

    /// Takes milliseconds since the epoch; a value outside `MIN..=MAX` becomes the nearer end.
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Milliseconds since the epoch.
    pub fn ms(self) -> i64 {
        self.0
    }

    /// Milliseconds from `earlier` to here; zero when the clock went backwards.
    pub fn ms_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).max(0)
    }

    /// The next representable instant.
    pub fn next(self) -> Self {
        Self::from_ms(self.0 + 1)
    }

    /// Reads RFC 3339 with any offset of less than a day; `None` for a time outside `MIN..=MAX`.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let text = text.trim();
        let time_at = text.find(['T', 't', ' '])? + 1;
        let zone_at = time_at + text[time_at..].find(['Z', 'z', '+', '-'])?;
        let (local, zone) = text.split_at(zone_at);
        let local: DateTime = local.parse().ok()?;
        let ms = ms_since_epoch(local) - offset_ms(zone)?;
        (Self::MIN.0..=Self::MAX.0).contains(&ms).then_some(Self(ms))
    }

    /// The first instant of a day, `2026-07-05`, in UTC.
    pub fn parse_day(text: &str) -> Option<Self> {
        let is_day = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        is_day.then(|| Self::parse_rfc3339(&format!("{text}T00:00:00Z"))).flatten()
    }

    /// The first instant of its day, in UTC.
    pub fn day_start(self) -> Self {
        Self(self.0 - self.0.rem_euclid(DAY_MS))
    }

    /// The last instant of its day, in UTC.
    pub fn day_end(self) -> Self {
        Self::from_ms(self.day_start().0 + DAY_MS - 1)
    }

    /// For people, to the minute: `2026-07-05 08:09 UTC`.
    pub fn to_words(self) -> String {
        let text = self.to_rfc3339();
        format!("{} {} UTC", &text[..10], &text[11..16])
    }

    /// Its ISO week, in UTC: `2026-W27`.
    pub fn iso_week(self) -> String {
        let day = self.in_utc().date().iso_week_date();
        format!("{:04}-W{:02}", day.year(), day.week())
    }

    /// RFC 3339 in UTC with milliseconds: `2026-07-05T08:09:10.123Z`.
    pub fn to_rfc3339(self) -> String {
        format!("{:.3}Z", self.in_utc())
    }

    /// The date and the time of day in UTC. `jiff::Timestamp` ends a day before the year 9999 does; a date does not.
    fn in_utc(self) -> DateTime {
        EPOCH
            .checked_add(SignedDuration::from_millis(self.0))
            .expect("MIN and MAX lie inside the range of DateTime")
    }
}

/// Milliseconds from the epoch to a date and time in UTC, without what is smaller.
fn ms_since_epoch(utc: DateTime) -> i64 {
    let since = utc.duration_since(EPOCH);
    since.as_secs() * 1_000 + i64::from(since.subsec_millis())
}

/// How far the local time of a zone (`Z`, `+02:00`) is ahead of UTC; `None` for a text that is not a zone, and for a day
/// or more.
fn offset_ms(zone: &str) -> Option<i64> {
    let noon = date(2000, 1, 1).at(12, 0, 0, 0);
    let there = format!("{noon}{zone}").parse::<jiff::Timestamp>().ok()?;
    let ahead = ms_since_epoch(noon) - there.as_millisecond();
    (ahead.abs() < DAY_MS).then_some(ahead)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_utc_with_milliseconds() {
        assert_eq!(Timestamp::from_ms(0).to_rfc3339(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_ms(1_783_209_431_408).to_rfc3339(), "2026-07-04T23:57:11.408Z");
        assert_eq!(Timestamp::MAX.to_rfc3339(), "9999-12-31T23:59:59.999Z");
    }

    #[test] // spec: MEM-48
    fn a_day_has_a_start_an_end_and_words() {
        let day = Timestamp::parse_day("2026-07-04").expect("a day");
        assert_eq!(day.to_rfc3339(), "2026-07-04T00:00:00.000Z");
        let evening = Timestamp::from_ms(1_783_209_431_408);
        assert_eq!((evening.day_start(), evening.to_words().as_str()), (day, "2026-07-04 23:57 UTC"));
        assert_eq!(evening.day_end().to_rfc3339(), "2026-07-04T23:59:59.999Z");
        for bad in ["2026-7-4", "2026-02-30", "1960-01-01", "today", "2026-07-04 "] {
            assert_eq!(Timestamp::parse_day(bad), None, "{bad}");
        }
        assert_eq!(Timestamp::MAX.day_end(), Timestamp::MAX);
    }

    #[test] // spec: MEM-31
    fn a_week_begins_on_monday_and_belongs_to_the_year_of_its_thursday() {
        let week = |text| Timestamp::parse_rfc3339(text).map(Timestamp::iso_week);
        let check = |text, expected: &str| assert_eq!(week(text).as_deref(), Some(expected), "{text}");
        check("2026-07-04T23:57:11Z", "2026-W27");
        check("2026-07-05T23:59:59Z", "2026-W27");
        check("2026-07-06T00:00:00Z", "2026-W28");
        check("2027-01-01T00:00:00Z", "2026-W53");
        check("2024-12-30T00:00:00Z", "2025-W01");
        assert_eq!(Timestamp::MAX.iso_week(), "9999-W52");
    }

    #[test]
    fn times_are_read_with_any_offset() {
        let read = |text| Timestamp::parse_rfc3339(text).map(Timestamp::ms);
        assert_eq!(read("2026-07-04T23:57:11.408Z"), Some(1_783_209_431_408));
        assert_eq!(read(" 2026-07-05T01:57:11.408+02:00 "), Some(1_783_209_431_408));
        for bad in ["", "2026-07-04", "yesterday", "1960-01-01T00:00:00Z", "2026-07-04T23:57:11"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test] // spec: MEM-48
    fn an_offset_of_a_day_or_more_is_no_time() {
        let read = Timestamp::parse_rfc3339;
        for bad in ["2026-07-04T00:00:00+25:00", "2026-07-04T00:00:00-24:00", "2026-07-04T00:00:00+99:00"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        let utc = read("2026-07-03T00:01:00Z");
        assert!(utc.is_some());
        assert_eq!(read("2026-07-04T00:00:00+23:59"), utc);
        // Forms of other programs.
        for same in ["2026-07-04 02:00:00+02:00", "2026-07-04t00:00:00z", "2026-07-04T02:00:00+0200"] {
            assert_eq!(read(same), read("2026-07-04T00:00:00Z"), "{same}");
        }
    }

    #[test] // spec: MEM-48
    fn the_last_second_of_the_year_9999_is_a_time() {
        for text in ["9999-12-31T23:59:59.999Z", "9999-12-31T21:59:59.999-02:00"] {
            assert_eq!(Timestamp::parse_rfc3339(text), Some(Timestamp::MAX), "{text}");
        }
        assert_eq!(Timestamp::parse_rfc3339("9999-12-31T23:59:59-00:01"), None);
        let day = Timestamp::parse_day("9999-12-31").expect("a day");
        assert_eq!(day.to_words(), "9999-12-31 00:00 UTC");
    }

    #[test]
    fn a_clock_that_went_backwards_gives_no_negative_age() {
        assert_eq!(Timestamp::from_ms(5).ms_since(Timestamp::from_ms(9)), 0);
        assert_eq!(Timestamp::from_ms(-5), Timestamp::MIN);
    }
}
