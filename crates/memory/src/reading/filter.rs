//! Times as callers give them, and the filters of recall.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::{Claim, State};

/// Which end of a day is meant if a time names the day alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DayMeans {
    /// Since that day: from its first instant on.
    Start,
    /// At that day: when it was over, or now while it lasts.
    End,
}

/// Reads a time that a caller looks back to: RFC 3339, `2026-07-04 08:00`, a day (`2026-07-04`, `today`, `yesterday`),
/// milliseconds since 1970, or how long ago (`7d`, `2 days ago`, `12h`, `an hour ago`). Days and hours are those of
/// UTC. Of a day the field `at` means the end, every other field the start. A time to come is read by
/// [`crate::TimeAhead`], and a plain point in time by [`parse_instant`].
pub fn parse_past(field: &'static str, text: &str, now: Timestamp) -> Result<Timestamp, MemoryError> {
    let means = if field == "at" { DayMeans::End } else { DayMeans::Start };
    read_past(text.trim(), now, means).ok_or_else(|| {
        let takes =
            "a day (2026-07-04, yesterday), a time (2026-07-04 08:00, RFC 3339), or how long ago (7d, 12h, 2 days ago)";
        no_time(field, text, takes)
    })
}

/// Reads a time that needs no clock: RFC 3339, `2026-07-04 08:00`, a day (its first instant), or any number of milliseconds
/// since 1970.
pub fn parse_instant(field: &'static str, text: &str) -> Result<Timestamp, MemoryError> {
    let (text, takes) = (text.trim(), "RFC 3339, a day (2026-07-04), or milliseconds since 1970");
    let number = || {
        let ms: i64 = text.parse().ok()?;
        (Timestamp::MIN.ms()..=Timestamp::MAX.ms()).contains(&ms).then(|| Timestamp::from_ms(ms))
    };
    let parsed = Timestamp::parse_day(text).or_else(|| with_clock(text)).or_else(number);
    parsed.ok_or_else(|| no_time(field, text, takes))
}

/// The refusal of a text that is no time for this field.
pub(crate) fn no_time(field: &'static str, text: &str, takes: &'static str) -> MemoryError {
    let value = text.trim().chars().take(40).collect();
    MemoryError::BadValue { field, value, what: "time", takes: takes.into(), rule: "MEM-48" }
}

fn read_past(text: &str, now: Timestamp, means: DayMeans) -> Option<Timestamp> {
    let words = text.to_lowercase();
    let before = |ms: i64| Timestamp::from_ms(now.ms().saturating_sub(ms));
    let day = match words.as_str() {
        "now" => return Some(now),
        "today" => Some(now),
        "yesterday" => Some(before(DAY_MS)),
        "last week" => return Some(before(7 * DAY_MS)),
        "last month" => return Some(before(30 * DAY_MS)),
        _ => Timestamp::parse_day(text),
    };
    if let Some(day) = day {
        return Some(match means {
            DayMeans::Start => day.day_start(),
            DayMeans::End => day.day_end().min(now),
        });
    }
    let ago = || span_ms(words.strip_suffix("ago").map_or(words.as_str(), str::trim_end)).map(before);
    with_clock(text).or_else(ago).or_else(|| plausible_ms(text))
}

/// A day with a time of it: RFC 3339, or without a zone, in UTC.
pub(crate) fn with_clock(text: &str) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(text).or_else(|| without_zone(text))
}

/// Milliseconds since 1970, as a program writes them. A smaller number is a slip: a count of days, or of seconds.
pub(crate) fn plausible_ms(text: &str) -> Option<Timestamp> {
    let ms: i64 = text.parse().ok()?;
    (PLAUSIBLE_MS..=Timestamp::MAX.ms()).contains(&ms).then(|| Timestamp::from_ms(ms))
}

/// A day and a time of it, as people write them, in UTC: `2026-07-04 08:00`, `2026-07-04T08:00:30`.
fn without_zone(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix("UTC").unwrap_or(text).trim_end();
    let (day, time) = text.split_once(['T', ' '])?;
    let seconds = if time.len() == 5 { ":00" } else { "" };
    Timestamp::parse_rfc3339(&format!("{day}T{}{seconds}Z", time.trim()))
}

pub(crate) const DAY_MS: i64 = 86_400_000;
/// The first instant of the year 2000.
const PLAUSIBLE_MS: i64 = 946_684_800_000;

/// How long a span is: `7d`, `2 days`, `an hour`; in lower case.
pub(crate) fn span_ms(text: &str) -> Option<i64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, unit) = match text.split_once(' ').filter(|_| digits == 0) {
        Some(("a" | "an" | "one", unit)) => (1, unit),
        Some(_) => return None,
        None => (text[..digits].parse::<i64>().ok()?, &text[digits..]),
    };
    let unit = match unit.trim() {
        "s" | "sec" | "second" | "seconds" => 1_000,
        "m" | "min" | "minute" | "minutes" => 60_000,
        "h" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => DAY_MS,
        "w" | "week" | "weeks" => 7 * DAY_MS,
        "month" | "months" => 30 * DAY_MS,
        "y" | "year" | "years" => 365 * DAY_MS,
        _ => return None,
    };
    count.checked_mul(unit)
}

/// Which claims a query is about; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Born at this time or later.
    pub since: Option<Timestamp>,
    /// Written by this agent, under any of its names.
    pub agent: Option<String>,
    /// In this state.
    pub state: Option<State>,
    /// With this tag.
    pub tag: Option<String>,
}

impl Filter {
    /// Whether it lets everything through.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a claim passes. What a claim does not say, it does not pass.
    pub fn passes(&self, claim: &Claim) -> bool {
        self.since.is_none_or(|since| claim.created.is_some_and(|created| created >= since))
            && self.agent.as_ref().is_none_or(|agent| {
                claim.source_agent.as_ref().is_some_and(|author| is_same_agent(author, agent))
            })
            && self.state.is_none_or(|state| claim.state == Some(state))
            && self.tag.as_ref().is_none_or(|tag| {
                // A row shows a tag as `#tag`. Case makes no other tag.
                let shown = tag.strip_prefix('#').unwrap_or(tag);
                claim.tags.iter().any(|own| [tag, shown].into_iter().any(|tag| is_same_tag(own, tag)))
            })
    }
}

/// Whether two tags are one, whatever their case.
pub(crate) fn is_same_tag(one: &str, other: &str) -> bool {
    folded_tag(one) == folded_tag(other)
}

/// A tag without the differences of case. By way of the capitals, so that `Straße` and `STRASSE` are one.
pub(crate) fn folded_tag(tag: &str) -> String {
    tag.to_uppercase().to_lowercase()
}

impl Memory {
    /// Reads a time that a caller looks back to.
    pub fn past_time(&self, field: &'static str, text: &str) -> Result<Timestamp, MemoryError> {
        parse_past(field, text, self.clock.now())
    }

    /// Reads the filters as callers give them. A value with a secret in it is refused: whether a claim has it would confirm a
    /// guess.
    pub fn filter(
        &self,
        since: Option<&str>,
        agent: Option<String>,
        state: Option<&str>,
        tag: Option<String>,
    ) -> Result<Filter, MemoryError> {
        let since = since.map(|since| self.past_time("since", since)).transpose()?;
        for (field, text) in [("agent", &agent), ("tag", &tag)] {
            self.floor().check_secret(field, text.as_deref().unwrap_or_default())?;
        }
        Ok(Filter { since, agent, state: state.map(State::parse).transpose()?, tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::Coded as _;

    #[test] // spec: MEM-48
    fn case_makes_no_other_tag_in_any_script() {
        for (one, other) in [("Net", "nEt"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ", "οδοσ")]
        {
            assert!(is_same_tag(one, other), "{one} {other}");
        }
        assert!(!is_same_tag("net", "nest"));
    }

    #[test] // spec: MEM-48
    fn a_time_is_a_date_a_number_or_how_long_ago() {
        let now = Timestamp::from_ms(1_783_209_431_408);
        let read = |text: &str| {
            parse_past("since", text, now).map(Timestamp::ms).map_err(|error| error.code().name())
        };
        assert_eq!(read("2026-07-04T23:57:11.408Z"), Ok(now.ms()));
        assert_eq!(read("1783209431408"), Ok(now.ms()));
        assert_eq!(read("7d"), Ok(now.ms() - 7 * 86_400_000));
        assert_eq!(read(" 12 h "), Ok(now.ms() - 12 * 3_600_000));
        assert_eq!(read("30min"), Ok(now.ms() - 30 * 60_000));
        assert_eq!(read("9999999999d"), Ok(0), "before the epoch is the epoch");
        for bad in ["", "d", "-7d", "7 dogs", "soon", "ago", "the day", "99999999999999999999d", "2026-02-30"]
        {
            assert_eq!(read(bad), Err("input.bad_value"), "{bad:?}");
        }
        for slip in ["3", "20261115", "1783209431"] {
            assert_eq!(read(slip), Err("input.bad_value"), "{slip}: a count, a day, seconds since 1970");
        }
    }

    #[test] // spec: MEM-47, MEM-48
    fn a_time_that_stands_for_itself_needs_no_clock() {
        let read = |text: &str| parse_instant("created", text).map(Timestamp::ms).ok();
        assert_eq!(read("1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(read("1970-01-02"), Some(DAY_MS));
        assert_eq!(read(" 1970-01-01 00:00:02 "), Some(2_000));
        assert_eq!(read("5"), Some(5), "records of other programs count as they like");
        for bad in ["7d", "7D", "NOW", "Today", "YESTERDAY", "2 DAYS AGO", "-1", ""] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test] // spec: MEM-48
    fn a_time_is_read_as_people_write_it() {
        let now = Timestamp::from_ms(1_783_209_431_408);
        let read = |field, text: &str| parse_past(field, text, now).map(Timestamp::to_rfc3339).ok();
        let since = |text: &str| read("since", text).unwrap_or_default();
        assert_eq!(since("2026-06-15"), "2026-06-15T00:00:00.000Z");
        assert_eq!(since("yesterday"), "2026-07-03T00:00:00.000Z");
        assert_eq!(since("Today"), "2026-07-04T00:00:00.000Z");
        assert_eq!(since("2026-06-15 08:30"), "2026-06-15T08:30:00.000Z");
        assert_eq!(since("2026-06-15 08:30 UTC"), "2026-06-15T08:30:00.000Z");
        assert_eq!(since("2026-06-15T08:30:10"), "2026-06-15T08:30:10.000Z");
        for (text, ms) in [
            ("2 days ago", 2 * DAY_MS),
            ("7 days", 7 * DAY_MS),
            ("an hour ago", 3_600_000),
            ("a week ago", 7 * DAY_MS),
            ("90 minutes ago", 90 * 60_000),
            ("last week", 7 * DAY_MS),
            ("3 months ago", 90 * DAY_MS),
        ] {
            assert_eq!(since(text), Timestamp::from_ms(now.ms() - ms).to_rfc3339(), "{text}");
        }
        assert_eq!(
            read("at", "2026-06-15").as_deref(),
            Some("2026-06-15T23:59:59.999Z"),
            "when that day was over"
        );
        assert_eq!(read("at", "today"), Some(now.to_rfc3339()), "while it lasts, now");
    }

    #[test] // spec: MEM-48
    fn a_claim_passes_only_what_it_says() {
        let claim = |head: &str| {
            let text = format!("---\nProtocol: L1GHT/1.0\nNode: x\n{head}---\n");
            Claim::parse(text.as_bytes()).expect("a claim")
        };
        let full = claim("State: verified\nCreated: 5\nSource-Agent: codex:maker\nTags: net, http\n");
        let bare = claim("");
        let at = |ms| Filter { since: Some(Timestamp::from_ms(ms)), ..Filter::default() };
        let agent = |text: &str| Filter { agent: Some(text.into()), ..Filter::default() };
        let state = |state| Filter { state: Some(state), ..Filter::default() };
        let tag = |text: &str| Filter { tag: Some(text.into()), ..Filter::default() };
        let table = [
            (Filter::default(), true, true),
            (at(5), true, false),
            (at(6), false, false),
            (agent("codex:maker"), true, false),
            (agent("codex"), true, false),
            (agent("cod"), false, false),
            (agent("claude:maker"), false, false),
            (state(State::Verified), true, false),
            (state(State::Authored), false, false),
            (tag("http"), true, false),
            (tag("#http"), true, false),
            (tag("HTTP"), true, false),
            (tag("htt"), false, false),
            (tag("##http"), false, false),
        ];
        for (filter, passes, bare_passes) in table {
            assert_eq!((filter.passes(&full), filter.passes(&bare)), (passes, bare_passes), "{filter:?}");
        }
    }
}
