//! Times as callers give them, and the filters of recall.

use crate::identity::is_same_agent;
use crate::refusal::MemoryError;
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_claims::{Claim, State};

/// The end of a day that is meant where a time is no more exact than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DayMeans {
    /// Since that day: from its first instant on.
    Start,
    /// At that day: when it was over, or now while it lasts.
    End,
}

/// Reads a time: RFC 3339, `2026-07-04 08:00`, a day (`2026-07-04`, `today`, `yesterday`), milliseconds since the
/// epoch, or how long ago (`7d`, `2 days ago`, `12h`, `an hour ago`). Days and hours are those of UTC. Of a day the
/// field `at` means the end, every other field the start.
pub fn parse_time(field: &'static str, text: &str, now: Timestamp) -> Result<Timestamp, MemoryError> {
    let means = if field == "at" { DayMeans::End } else { DayMeans::Start };
    let parsed = read_time(text.trim(), now, means);
    parsed.ok_or_else(|| MemoryError::BadValue {
        field,
        value: text.trim().chars().take(40).collect(),
        what: "time",
        takes: "a day (2026-07-04, yesterday), a time (2026-07-04 08:00, RFC 3339), or how long ago (7d, 12h, 2 days ago)",
        rule: "MEM-48",
    })
}

fn read_time(text: &str, now: Timestamp, means: DayMeans) -> Option<Timestamp> {
    let words = text.to_lowercase();
    let before = |days: i64| Timestamp::from_ms(now.ms().saturating_sub(days * DAY_MS));
    let day = match words.as_str() {
        "now" => return Some(now),
        "today" => Some(now),
        "yesterday" => Some(before(1)),
        "last week" => return Some(before(7)),
        "last month" => return Some(before(30)),
        _ => Timestamp::parse_day(text),
    };
    if let Some(day) = day {
        return Some(match means {
            DayMeans::Start => day.day_start(),
            DayMeans::End => day.day_end().min(now),
        });
    }
    Timestamp::parse_rfc3339(text).or_else(|| without_zone(text)).or_else(|| ago(&words, now)).or_else(|| {
        let ms: i64 = text.parse().ok()?;
        (Timestamp::MIN.ms()..=Timestamp::MAX.ms()).contains(&ms).then(|| Timestamp::from_ms(ms))
    })
}

/// A day and a time of it, as people write them, in UTC: `2026-07-04 08:00`, `2026-07-04T08:00:30`.
fn without_zone(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix("UTC").unwrap_or(text).trim_end();
    let (day, time) = text.split_once(['T', ' '])?;
    let seconds = if time.len() == 5 { ":00" } else { "" };
    Timestamp::parse_rfc3339(&format!("{day}T{}{seconds}Z", time.trim()))
}

const DAY_MS: i64 = 86_400_000;

fn ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.strip_suffix("ago").map_or(text, str::trim_end);
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
    Some(Timestamp::from_ms(now.ms().saturating_sub(count.checked_mul(unit)?)))
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
            && self.tag.as_ref().is_none_or(|tag| claim.tags.contains(tag))
    }
}

impl Memory {
    /// Reads a time as callers give it.
    pub fn time(&self, field: &'static str, text: &str) -> Result<Timestamp, MemoryError> {
        parse_time(field, text, self.clock.now())
    }

    /// Reads the filters as callers give them.
    pub fn filter(
        &self,
        since: Option<&str>,
        agent: Option<String>,
        state: Option<&str>,
        tag: Option<String>,
    ) -> Result<Filter, MemoryError> {
        let since = since.map(|since| self.time("since", since)).transpose()?;
        Ok(Filter { since, agent, state: state.map(State::parse).transpose()?, tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::Coded as _;

    #[test] // spec: MEM-48
    fn a_time_is_a_date_a_number_or_how_long_ago() {
        let now = Timestamp::from_ms(1_783_209_431_408);
        let read = |text: &str| {
            parse_time("since", text, now).map(Timestamp::ms).map_err(|error| error.code().name())
        };
        assert_eq!(read("2026-07-04T23:57:11.408Z"), Ok(now.ms()));
        assert_eq!(read("1783209431408"), Ok(now.ms()));
        assert_eq!(read("7d"), Ok(now.ms() - 7 * 86_400_000));
        assert_eq!(read(" 12 h "), Ok(now.ms() - 12 * 3_600_000));
        assert_eq!(read("30min"), Ok(now.ms() - 30 * 60_000));
        assert_eq!(read("9999999999d"), Ok(0), "before the epoch is the epoch");
        for bad in
            ["", "d", "7", "-7d", "7 dogs", "soon", "ago", "the day", "99999999999999999999d", "2026-02-30"]
        {
            let expected = if bad == "7" { Ok(7) } else { Err("input.bad_value") };
            assert_eq!(read(bad), expected, "{bad:?}");
        }
    }

    #[test] // spec: MEM-48
    fn a_time_is_read_as_people_write_it() {
        let now = Timestamp::from_ms(1_783_209_431_408);
        let read = |field, text: &str| parse_time(field, text, now).map(Timestamp::to_rfc3339).ok();
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
            (agent("codex"), false, false),
            (state(State::Verified), true, false),
            (state(State::Authored), false, false),
            (tag("http"), true, false),
            (tag("htt"), false, false),
        ];
        for (filter, passes, bare_passes) in table {
            assert_eq!((filter.passes(&full), filter.passes(&bare)), (passes, bare_passes), "{filter:?}");
        }
    }
}
