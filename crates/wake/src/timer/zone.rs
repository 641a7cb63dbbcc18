//! A time zone as a value: its IANA name and its rules, which the caller hands in.

use brainstem_base::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// A gap of this length takes a whole day out of the calendar, as Samoa did on 30 December 2011.
const MISSING_DAY_S: i32 = 86_400;

/// A time zone: its IANA name, and its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

/// The rules that came with a zone's name cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rules of the time zone {name:?} cannot be read: {why}")]
pub struct ZoneFault {
    name: String,
    why: String,
}

impl Zone {
    /// Coordinated universal time, which has no gaps and no folds.
    pub fn utc() -> Self {
        Self { name: "UTC".to_owned(), rules: TimeZone::UTC }
    }

    /// Takes a zone's name and its compiled rules, the bytes of its file in the IANA database (RFC 9636).
    pub fn from_tzif(name: &str, rules: &[u8]) -> Result<Self, ZoneFault> {
        let fault = |why: jiff::Error| ZoneFault { name: name.to_owned(), why: why.to_string() };
        Ok(Self { name: name.to_owned(), rules: TimeZone::tzif(name, rules).map_err(fault)? })
    }

    /// Its IANA name: `Europe/Berlin`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a clock on the wall shows at an instant.
    pub(super) fn wall(&self, at: Timestamp) -> DateTime {
        self.rules.to_datetime(instant(at))
    }

    /// The first instant at which a clock on the wall shows `wall` or later.
    ///
    /// A time that comes twice is meant the first time. A time that is left out comes when the clock jumps over it. `None` for
    /// a time of a day that does not exist in this zone, and for an instant outside the range of [`Timestamp`].
    pub(super) fn first_instant(&self, wall: DateTime) -> Option<Timestamp> {
        match self.rules.to_ambiguous_timestamp(wall).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                timestamp(offset.to_timestamp(wall).ok()?)
            }
            AmbiguousOffset::Gap { before, after } if after.seconds() - before.seconds() < MISSING_DAY_S => {
                let (mut early, mut late) =
                    (after.to_timestamp(wall).ok()?.as_second(), before.to_timestamp(wall).ok()?.as_second());
                // The clock is before `wall` at `early` and behind it at `late`, and the jump is between them.
                while late - early > 1 {
                    let middle = early + (late - early) / 2;
                    let shown = self.rules.to_datetime(jiff::Timestamp::from_second(middle).ok()?);
                    if shown >= wall { late = middle } else { early = middle }
                }
                timestamp(jiff::Timestamp::from_second(late).ok()?)
            }
            AmbiguousOffset::Gap { .. } => None,
        }
    }
}

/// The same instant for jiff, whose last one is some hours before ours.
fn instant(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.ms()).unwrap_or(jiff::Timestamp::MAX)
}

fn timestamp(at: jiff::Timestamp) -> Option<Timestamp> {
    let ms = at.as_millisecond();
    (ms >= Timestamp::MIN.ms()).then(|| Timestamp::from_ms(ms))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, zone};
    use super::*;
    use jiff::civil::date;

    #[test] // spec: C-31
    fn a_time_that_is_left_out_comes_when_the_clock_jumps_over_it() {
        let berlin = zone("Europe/Berlin");
        let gap = |hour, minute| berlin.first_instant(date(2026, 3, 29).at(hour, minute, 0, 0));
        assert_eq!(gap(1, 59), Some(at("2026-03-29T00:59:00Z")));
        assert_eq!(gap(2, 0), Some(at("2026-03-29T01:00:00Z")));
        assert_eq!(gap(2, 30), Some(at("2026-03-29T01:00:00Z")));
        assert_eq!(gap(3, 0), Some(at("2026-03-29T01:00:00Z")));
        assert_eq!(gap(3, 1), Some(at("2026-03-29T01:01:00Z")));
    }

    #[test] // spec: C-31
    fn a_time_that_comes_twice_is_meant_the_first_time() {
        let fold = zone("America/New_York").first_instant(date(2026, 11, 1).at(1, 30, 0, 0));
        assert_eq!(fold, Some(at("2026-11-01T05:30:00Z")));
        let half_an_hour = zone("Australia/Lord_Howe").first_instant(date(2026, 4, 5).at(1, 45, 0, 0));
        assert_eq!(half_an_hour, Some(at("2026-04-04T14:45:00Z")));
    }

    #[test]
    fn a_day_that_does_not_exist_has_no_instants() {
        assert_eq!(zone("Pacific/Apia").first_instant(date(2011, 12, 30).at(7, 0, 0, 0)), None);
    }

    #[test]
    fn rules_that_are_none_are_refused_with_the_name_of_the_zone() {
        let fault = Zone::from_tzif("Europe/Berlin", b"no rules").expect_err("no rules");
        assert!(fault.to_string().starts_with("the rules of the time zone \"Europe/Berlin\" cannot be read"));
    }
}
