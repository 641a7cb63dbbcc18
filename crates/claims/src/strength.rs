//! How strong a claim is: its state first, then its confidence.

use brainstem_base::{Advice, Coded, ErrorCode, codes};
use std::cmp::Ordering;
use std::fmt;

/// What the author says about how far the claim was checked. The order is the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// No longer true; the lowest rank, and the state of superseded versions.
    Outdated,
    /// Written down, not checked.
    Authored,
    /// Checked against reality.
    Verified,
}

impl State {
    /// All states, weakest first.
    pub const ALL: [Self; 3] = [Self::Outdated, Self::Authored, Self::Verified];

    /// The word in the header.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outdated => "outdated",
            Self::Authored => "authored",
            Self::Verified => "verified",
        }
    }

    /// Parses the word in the header.
    pub fn parse(text: &str) -> Result<Self, StateFault> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| StateFault(text.chars().take(40).collect()))
    }
}

/// An unknown state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a state")]
pub struct StateFault(String);

impl Coded for StateFault {
    fn code(&self) -> ErrorCode {
        codes::CLAIM_BAD_STATE
    }
    fn fix(&self) -> Option<Advice> {
        Some("use authored, verified or outdated".into())
    }
    fn field(&self) -> Option<String> {
        Some("state".into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("MEM-5")
    }
}

/// How sure the author is, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// The value of a missing confidence.
    pub const UNSTATED: Self = Self(0.6);

    /// Takes a number from 0 to 1.
    pub fn new(value: f64) -> Result<Self, ConfidenceFault> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value + 0.0)) // -0.0 becomes 0.0
        } else {
            Err(ConfidenceFault(value.to_string()))
        }
    }

    /// Parses a number from 0 to 1, or `high` (.9), `medium` (.6), `low` (.3).
    pub fn parse(text: &str) -> Result<Self, ConfidenceFault> {
        match text.trim() {
            "high" => Ok(Self(0.9)),
            "medium" => Ok(Self(0.6)),
            "low" => Ok(Self(0.3)),
            other => match other.parse::<f64>() {
                Ok(value) => Self::new(value),
                Err(_) => Err(ConfidenceFault(other.chars().take(40).collect())),
            },
        }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Eq for Confidence {}

impl PartialOrd for Confidence {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Confidence {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A confidence outside 0..1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a confidence")]
pub struct ConfidenceFault(String);

impl Coded for ConfidenceFault {
    fn code(&self) -> ErrorCode {
        codes::CLAIM_BAD_CONFIDENCE
    }
    fn fix(&self) -> Option<Advice> {
        Some("give a number from 0 to 1, or high (0.9), medium (0.6) or low (0.3)".into())
    }
    fn field(&self) -> Option<String> {
        Some("confidence".into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("MEM-9")
    }
}

/// State, then confidence: what decides whether one claim may replace another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strength {
    /// Compared first.
    pub state: State,
    /// Compared between equal states.
    pub confidence: Confidence,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.state.as_str(), self.confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-9
    fn confidence_is_a_number_from_0_to_1_or_a_word() {
        let value = |text| Confidence::parse(text).map(Confidence::value);
        assert_eq!(value("high"), Ok(0.9));
        assert_eq!(value("medium"), Ok(0.6));
        assert_eq!(value("low"), Ok(0.3));
        assert_eq!(value("1"), Ok(1.0));
        assert_eq!(value("0"), Ok(0.0));
        assert_eq!(Confidence::parse("-0").expect("zero").to_string(), "0");
        assert_eq!(value(" .25 "), Ok(0.25));
        for bad in ["99", "1.0000001", "-0.1", "NaN", "inf", "", "very", "90%"] {
            assert!(Confidence::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test] // spec: MEM-11
    fn state_ranks_before_confidence() {
        let strength =
            |state, confidence| Strength { state, confidence: Confidence::new(confidence).expect("0..1") };
        assert!(strength(State::Verified, 0.1) > strength(State::Authored, 1.0));
        assert!(strength(State::Authored, 0.0) > strength(State::Outdated, 1.0));
        assert!(strength(State::Authored, 0.7) > strength(State::Authored, 0.6));
        assert_eq!(Confidence::UNSTATED, Confidence::parse("medium").expect("a word"));
    }
}
