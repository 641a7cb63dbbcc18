//! Times to come, as callers give them.

use crate::error::MemoryError;
use crate::reading::error::ReadError;
use crate::reading::filter::{DAY_MS, no_time, plausible_ms, span_ms, with_clock};
use brainstem_base::Timestamp;

/// What a field takes that means a time to come.
const TAKES: &str =
    "how long from now (2h, 7d), a day (2099-12-01, tomorrow), or a time (2099-12-01 08:00, RFC 3339)";

/// A time that was in the future when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeAhead(Timestamp);

impl TimeAhead {
    /// Reads how long from now (`2h`, `in 3 days`, `an hour from now`), a day (`2099-12-01`, `today`, `tomorrow`: its last
    /// instant), `2099-12-01 08:00`, RFC 3339, or milliseconds since 1970; in UTC. A time that is past is refused.
    pub fn parse(field: &'static str, text: &str, now: Timestamp) -> Result<Self, MemoryError> {
        let at = read(text.trim(), now).ok_or_else(|| no_time(field, text, TAKES))?;
        if at <= now {
            let given = text.trim().chars().take(40).collect();
            return Err(ReadError::Past { field, given, at, now, takes: TAKES }.into());
        }
        Ok(Self(at))
    }

    /// The instant.
    pub fn at(self) -> Timestamp {
        self.0
    }
}

fn read(text: &str, now: Timestamp) -> Option<Timestamp> {
    let words = text.to_lowercase();
    let after = |ms: i64| Timestamp::from_ms(now.ms().saturating_add(ms));
    let day = match words.as_str() {
        "today" => Some(now),
        "tomorrow" => Some(after(DAY_MS)),
        // It is refused as past, with what it means.
        "yesterday" => Some(Timestamp::from_ms(now.ms() - DAY_MS)),
        _ => Timestamp::parse_day(text),
    };
    if let Some(day) = day {
        return Some(day.day_end());
    }
    let span = words.strip_prefix("in ").unwrap_or(&words);
    let span = span.strip_suffix("from now").unwrap_or(span).trim();
    with_clock(text).or_else(|| span_ms(span).map(after)).or_else(|| plausible_ms(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::Coded as _;

    #[test] // spec: MEM-48, MAIL-13
    fn a_time_to_come_is_read_forwards_and_never_mirrored() {
        let now = Timestamp::parse_rfc3339("2026-11-16T07:15:06Z").expect("a time");
        let read = |text: &str| TimeAhead::parse("expires", text, now).map(|ahead| ahead.at().to_rfc3339());
        for (text, at) in [
            ("2026-12-01", "2026-12-01T23:59:59.999Z"),
            ("today", "2026-11-16T23:59:59.999Z"),
            ("Tomorrow", "2026-11-17T23:59:59.999Z"),
            ("2026-12-01 08:30", "2026-12-01T08:30:00.000Z"),
            ("2026-12-01T08:30:00+01:00", "2026-12-01T07:30:00.000Z"),
            ("1h", "2026-11-16T08:15:06.000Z"),
            (" 2 days ", "2026-11-18T07:15:06.000Z"),
            ("in 2 days", "2026-11-18T07:15:06.000Z"),
            ("an hour from now", "2026-11-16T08:15:06.000Z"),
            ("1796083200000", "2026-12-01T00:00:00.000Z"),
        ] {
            assert_eq!(read(text).ok().as_deref(), Some(at), "{text}");
        }
        for past in
            ["2020-01-01", "yesterday", "2020-01-01T00:00:00Z", "2026-11-16 07:15", "0h", "1583020800000"]
        {
            let error = read(past).expect_err(past);
            assert!(error.to_string().contains("is past: it means 20"), "{past}: {error}");
            assert_eq!(error.code().name(), "input.bad_value", "{past}");
        }
        for bad in ["", "5", "1796083200", "2 days ago", "last week", "soon", "-1h", "in", "from now"] {
            let error = read(bad).expect_err(bad);
            assert!(error.to_string().contains("is not a time"), "{bad}: {error}");
            let fix = error.fix().unwrap_or_default();
            assert!(fix.contains("how long from now") && !fix.contains("ago"), "{fix}");
        }
    }
}
