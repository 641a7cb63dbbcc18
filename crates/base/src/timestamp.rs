//! Instants, as milliseconds since the Unix epoch.

use std::fmt;

/// An instant in milliseconds since 1970-01-01T00:00:00Z.
///
/// `created` fields carry the number; `timestamp` and `*_at` fields carry [`Timestamp::to_rfc3339`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// How long a day is.
const DAY_MS: i64 = 86_400_000;

impl Timestamp {
    /// The latest instant that can be written as RFC 3339 (the end of year 9999).
    pub const MAX: Self = Self(253_402_207_199_999);
    /// The earliest instant this program accepts: the epoch itself.
    pub const MIN: Self = Self(0);

    /// Takes milliseconds since the epoch; what lies outside `MIN..=MAX` is moved to the nearer end.
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

    /// Reads RFC 3339 with any offset; what lies outside `MIN..=MAX` is none.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let ms = text.trim().parse::<jiff::Timestamp>().ok()?.as_millisecond();
        (Self::MIN.0..=Self::MAX.0).contains(&ms).then_some(Self(ms))
    }

    /// The first instant of a day, `2026-07-05`, in UTC.
    pub fn parse_day(text: &str) -> Option<Self> {
        let is_day = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        is_day.then(|| Self::parse_rfc3339(&format!("{text}T00:00:00Z"))).flatten()
    }

    /// The first instant of the day it lies in, in UTC.
    pub fn day_start(self) -> Self {
        Self(self.0 - self.0.rem_euclid(DAY_MS))
    }

    /// The last instant of the day it lies in, in UTC.
    pub fn day_end(self) -> Self {
        Self::from_ms(self.day_start().0 + DAY_MS - 1)
    }

    /// For people, to the minute: `2026-07-05 08:09 UTC`.
    pub fn to_words(self) -> String {
        let text = self.to_rfc3339();
        format!("{} {} UTC", &text[..10], &text[11..16])
    }

    /// The ISO week it lies in, in UTC: `2026-W27`.
    pub fn iso_week(self) -> String {
        let instant = jiff::Timestamp::from_millisecond(self.0)
            .expect("MIN and MAX lie inside the range of jiff::Timestamp");
        let day = instant.to_zoned(jiff::tz::TimeZone::UTC).date().iso_week_date();
        format!("{:04}-W{:02}", day.year(), day.week())
    }

    /// RFC 3339 in UTC with milliseconds: `2026-07-05T08:09:10.123Z`.
    pub fn to_rfc3339(self) -> String {
        let instant = jiff::Timestamp::from_millisecond(self.0)
            .expect("MIN and MAX lie inside the range of jiff::Timestamp");
        format!("{instant:.3}")
    }
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
        assert_eq!(Timestamp::MAX.to_rfc3339(), "9999-12-30T21:59:59.999Z");
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

    #[test]
    fn a_clock_that_went_backwards_gives_no_negative_age() {
        assert_eq!(Timestamp::from_ms(5).ms_since(Timestamp::from_ms(9)), 0);
        assert_eq!(Timestamp::from_ms(-5), Timestamp::MIN);
    }
}
