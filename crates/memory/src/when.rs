//! Times as callers give them, and the filters of recall.

use crate::refusal::MemoryError;
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_claims::{Claim, State};

/// Reads a time: RFC 3339, milliseconds since the epoch, or how long ago (`7d`, `12h`, `30min`, `2w`).
pub fn parse_time(field: &'static str, text: &str, now: Timestamp) -> Result<Timestamp, MemoryError> {
    let text = text.trim();
    let parsed = Timestamp::parse_rfc3339(text).or_else(|| ago(text, now)).or_else(|| {
        let ms: i64 = text.parse().ok()?;
        (Timestamp::MIN.ms()..=Timestamp::MAX.ms()).contains(&ms).then(|| Timestamp::from_ms(ms))
    });
    parsed.ok_or_else(|| MemoryError::BadValue {
        field,
        value: text.chars().take(40).collect(),
        what: "time",
        takes: "RFC 3339 (2026-07-04T08:00:00Z), or how long ago (7d, 12h, 30min)",
        rule: "MEM-48",
    })
}

fn ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count: i64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "s" => 1_000,
        "min" | "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 7 * 86_400_000,
        _ => return None,
    };
    Some(Timestamp::from_ms(now.ms().saturating_sub(count.checked_mul(unit)?)))
}

/// Which claims a query is about; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Born at this time or later.
    pub since: Option<Timestamp>,
    /// Written by this agent.
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
            && self.agent.as_ref().is_none_or(|agent| claim.source_agent.as_ref() == Some(agent))
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
        for bad in ["", "d", "7", "-7d", "7 days", "soon", "99999999999999999999d"] {
            let expected = if bad == "7" { Ok(7) } else { Err("input.bad_value") };
            assert_eq!(read(bad), expected, "{bad:?}");
        }
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
