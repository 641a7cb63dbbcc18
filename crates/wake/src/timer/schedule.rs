//! What a timer means, and the line that a person types for it.

use super::cron::{Cron, CronFault};
use brainstem_base::Timestamp;
use std::fmt;
use std::ops::RangeInclusive;

/// How often an `every` may fire, in milliseconds: once a minute to once in 366 days.
pub const EVERY_MS_RANGE: RangeInclusive<i64> = 60_000..=366 * 86_400_000;

/// When a timer fires.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Once.
    At(Timestamp),
    /// Again and again, in time that passes evenly, counted from when the timer was made.
    Every {
        /// The pause, within [`EVERY_MS_RANGE`].
        every_ms: i64,
    },
    /// Once a day, when the clock on the wall shows this.
    Daily {
        /// 0 to 23.
        hour: i8,
        /// 0 to 59.
        minute: i8,
    },
    /// When the clock on the wall matches a cron expression.
    Cron(Cron),
}

/// Why a text is not a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleFault {
    /// It begins with none of the four words.
    #[error(
        "{text:?} begins with no kind of schedule: write at TIME, every 15m, daily 07:00 or cron 0 7 * * mon-fri"
    )]
    Kind {
        /// The text.
        text: String,
    },
    /// What follows `at` is not a time.
    #[error("{text:?} is not a time: write at 2026-11-18T07:00:00Z, with an offset or Z")]
    At {
        /// What follows.
        text: String,
    },
    /// What follows `every` is not a length of time, or one that is out of bounds.
    #[error("{text:?} is not a pause: write every and 1m to 366d, as in every 15m, every 2h or every 1d")]
    Every {
        /// What follows.
        text: String,
    },
    /// What follows `daily` is not a time of day.
    #[error("{text:?} is not a time of day: write daily 07:00, from 00:00 to 23:59")]
    Daily {
        /// What follows.
        text: String,
    },
    /// What follows `cron` is not a cron expression.
    #[error(transparent)]
    Cron(#[from] CronFault),
}

impl Schedule {
    /// Reads `at TIME`, `every 15m`, `daily 07:00` or `cron 0 7 * * mon-fri`.
    pub fn parse(text: &str) -> Result<Self, ScheduleFault> {
        let text = text.trim();
        let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let owned = || rest.to_owned();
        match kind {
            "at" => Timestamp::parse_rfc3339(rest)
                .map(Self::At)
                .ok_or_else(|| ScheduleFault::At { text: owned() }),
            "every" => every(rest).ok_or_else(|| ScheduleFault::Every { text: owned() }),
            "daily" => daily(rest).ok_or_else(|| ScheduleFault::Daily { text: owned() }),
            "cron" => Ok(Self::Cron(Cron::parse(rest)?)),
            _ => Err(ScheduleFault::Kind { text: text.to_owned() }),
        }
    }
}

fn every(text: &str) -> Option<Schedule> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let unit_ms = match unit.trim_start() {
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let every_ms = number.parse::<i64>().ok()?.checked_mul(unit_ms)?;
    EVERY_MS_RANGE.contains(&every_ms).then_some(Schedule::Every { every_ms })
}

fn daily(text: &str) -> Option<Schedule> {
    let (hour, minute) = text.split_once(':')?;
    let part = |part: &str, end: i8| {
        let is_plain = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<i8>().ok().filter(|number| is_plain && *number < end)
    };
    Some(Schedule::Daily { hour: part(hour, 24)?, minute: part(minute, 60).filter(|_| minute.len() == 2)? })
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "at {at}"),
            Self::Every { every_ms } => {
                let (number, unit) = match every_ms / 60_000 {
                    minutes if minutes % 1_440 == 0 => (minutes / 1_440, 'd'),
                    minutes if minutes % 60 == 0 => (minutes / 60, 'h'),
                    minutes => (minutes, 'm'),
                };
                write!(f, "every {number}{unit}")
            }
            Self::Daily { hour, minute } => write!(f, "daily {hour:02}:{minute:02}"),
            Self::Cron(cron) => write!(f, "cron {cron}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_and_written() {
        let check = |text: &str, written: &str| {
            let schedule = Schedule::parse(text).expect(text);
            assert_eq!(schedule.to_string(), written);
            assert_eq!(Schedule::parse(written), Ok(schedule));
        };
        check("at 2026-11-18T07:00:00+01:00", "at 2026-11-18T06:00:00.000Z");
        check("every 15m", "every 15m");
        check("every 90 m", "every 90m");
        check("every 48h", "every 2d");
        check(" daily  7:05 ", "daily 07:05");
        check("cron 0  7 * * MON-fri", "cron 0 7 * * MON-fri");
    }

    #[test]
    fn an_error_names_what_is_wrong_and_what_to_write() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Schedule::parse(text).expect_err(text).to_string(), expected);
        };
        check(
            "hourly",
            "\"hourly\" begins with no kind of schedule: write at TIME, every 15m, daily 07:00 or cron 0 7 * * mon-fri",
        );
        check("at seven", "\"seven\" is not a time: write at 2026-11-18T07:00:00Z, with an offset or Z");
        for bad in ["0m", "30s", "367d", "m", "99999999999999999999d", ""] {
            let text = bad.to_owned();
            assert_eq!(Schedule::parse(&format!("every {bad}")), Err(ScheduleFault::Every { text }));
        }
        for bad in ["7", "24:00", "07:60", "7:5", "+7:00", "07:000", ""] {
            let text = bad.to_owned();
            assert_eq!(Schedule::parse(&format!("daily {bad}")), Err(ScheduleFault::Daily { text }));
        }
    }
}
