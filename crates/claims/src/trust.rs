//! Trust: the sum of the verdicts of the agents that used a claim. Computed when read, stored nowhere.
//!
//! Each agent has one voice, its last verdict. Trust is the mean of a uniform prior after these voices:
//! `(correct + partial / 2 + 1) / (voices + 2)`. One voice moves it from the middle to a third or two
//! thirds, and it takes many to come near 0 or 1.

use brainstem_base::Timestamp;
use std::collections::BTreeMap;

/// What an agent that used a claim says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It held.
    Correct,
    /// It held in part.
    Partial,
    /// It did not hold.
    Wrong,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 3] = [Self::Correct, Self::Partial, Self::Wrong];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Partial => "partial",
            Self::Wrong => "wrong",
        }
    }

    /// Parses the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text)
    }

    fn weight(self) -> f64 {
        match self {
            Self::Correct => 1.0,
            Self::Partial => 0.5,
            Self::Wrong => 0.0,
        }
    }
}

/// One verdict as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voice {
    /// The agent.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// The id of its act: it breaks the tie between two verdicts of one moment, so that the order of a log does not
    /// matter.
    pub act: String,
    /// What was said.
    pub verdict: Verdict,
    /// Why, in the agent's words.
    pub note: Option<String>,
    /// The agent that imported the record of it, if it was imported.
    pub brought_by: Option<String>,
    /// Only the log of the repository has it: it was not recorded here.
    pub is_foreign: bool,
}

/// The trust after one voice that found the claim correct.
const OF_ONE_VOICE: f64 = 2.0 / 3.0;

/// How far a claim is trusted, between 0 and 1. A claim without a verdict has no trust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust(f64);

impl Trust {
    /// The trust from these voices, in whatever order they come.
    ///
    /// Anyone that can commit to a repository can write voices into its log, in any number and under any name. Those
    /// that this home did not record count together as one voice, which says what they say on average, and raise trust
    /// to what one voice gives at most. Voices in the name of an agent whose own verdict this home recorded do not
    /// count: each agent has one voice.
    pub fn of<'a>(voices: impl IntoIterator<Item = &'a Voice>) -> Option<Self> {
        let mut last: BTreeMap<(&str, bool), &Voice> = BTreeMap::new();
        for voice in voices {
            let kept = last.entry((voice.agent.as_str(), voice.is_foreign)).or_insert(voice);
            if (voice.at, &voice.act) > (kept.at, &kept.act) {
                *kept = voice;
            }
        }
        let is_own = |voice: &Voice| last.contains_key(&(voice.agent.as_str(), false));
        let weights = |is_foreign: bool| -> Vec<f64> {
            let counted = last.values().filter(|voice| voice.is_foreign == is_foreign);
            let counted = counted.filter(|voice| !is_foreign || !is_own(voice));
            counted.map(|voice| voice.verdict.weight()).collect()
        };
        let mean = |weights: &[f64]| (weights.iter().sum::<f64>() + 1.0) / (weights.len() as f64 + 2.0);
        let (own, foreign) = (weights(false), weights(true));
        if foreign.is_empty() {
            return (!own.is_empty()).then(|| Self(mean(&own)));
        }
        let one = foreign.iter().sum::<f64>() / foreign.len() as f64;
        let all: Vec<f64> = own.iter().copied().chain([one]).collect();
        Some(Self(mean(&all).min(mean(&own).max(OF_ONE_VOICE))))
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The factor for a rank: 0.8 with no trust, 1 in the middle, 1.1 with full trust. A claim without a verdict ranks
    /// like one in the middle.
    pub fn factor(self) -> f32 {
        let off_middle = self.0 - 0.5;
        let slope = if off_middle < 0.0 { 0.4 } else { 0.2 };
        (1.0 + slope * off_middle) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(agent: &str, at: i64, verdict: Verdict) -> Voice {
        let at = Timestamp::from_ms(at);
        Voice {
            agent: agent.into(),
            act: format!("{agent}{}", at.ms()),
            at,
            verdict,
            note: None,
            brought_by: None,
            is_foreign: false,
        }
    }

    fn of(voices: &[Voice]) -> Option<f64> {
        Trust::of(voices).map(|trust| (trust.value() * 1000.0).round() / 1000.0)
    }

    #[test] // spec: MEM-33
    fn trust_is_a_fold_in_which_each_agent_has_one_voice() {
        use Verdict::{Correct, Partial, Wrong};
        assert_eq!(of(&[]), None, "nobody judged it");
        assert_eq!(of(&[voice("a", 1, Correct)]), Some(0.667));
        assert_eq!(of(&[voice("a", 1, Partial)]), Some(0.5));
        assert_eq!(of(&[voice("a", 1, Wrong)]), Some(0.333));
        assert_eq!(of(&[voice("a", 1, Correct), voice("b", 1, Correct)]), Some(0.75));
        assert_eq!(of(&[voice("a", 1, Correct), voice("b", 1, Wrong)]), Some(0.5));
        let loud: Vec<Voice> = (0..50).map(|at| voice("a", at, Wrong)).collect();
        assert_eq!(of(&loud), Some(0.333), "who says it fifty times has said it once");
        assert_eq!(of(&[voice("a", 1, Wrong), voice("a", 2, Correct)]), Some(0.667), "the last one counts");
    }

    #[test] // spec: MEM-10a, MEM-33
    fn voices_that_this_home_did_not_record_raise_trust_to_that_of_one_voice_at_most() {
        use Verdict::{Correct, Wrong};
        let foreign = |agent: &str, at, verdict| Voice { is_foreign: true, ..voice(agent, at, verdict) };
        let crowd: Vec<Voice> = (0..50).map(|n| foreign(&format!("human:p{n}"), n, Correct)).collect();
        assert_eq!(of(&crowd), Some(0.667), "as many as somebody cares to write");
        let mut beside = crowd.clone();
        beside.extend([voice("a", 1, Correct), voice("b", 1, Correct)]);
        assert_eq!(of(&beside), Some(0.75), "what this home's own two say");
        let forged = [voice("human:ana", 1, Wrong), foreign("human:ana", 9, Correct)];
        assert_eq!(of(&forged), Some(0.333), "a later word in her name does not unsay hers");
        assert_eq!(of(&[voice("a", 1, Correct), foreign("b", 1, Wrong)]), Some(0.5), "a doubt counts");
    }

    #[test] // spec: MEM-10a, MEM-33
    fn voices_that_this_home_did_not_record_lower_trust_as_one_voice_does() {
        use Verdict::{Correct, Partial, Wrong};
        let foreign = |agent: &str, at, verdict| Voice { is_foreign: true, ..voice(agent, at, verdict) };
        let mut crowd: Vec<Voice> = (0..9).map(|n| foreign(&format!("evil:bot{n}"), n, Wrong)).collect();
        assert_eq!(of(&crowd), Some(0.333));
        crowd.push(voice("human:ana", 1, Correct));
        assert_eq!(of(&crowd), Some(0.5), "one for it and one against it");
        let twice = [voice("codex:x", 5, Wrong), foreign("codex:x", 1, Wrong)];
        assert_eq!(of(&twice), Some(0.333), "one agent in two homes has one voice");
        let later = [voice("codex:x", 9, Partial), foreign("codex:x", 1, Wrong)];
        assert_eq!(of(&later), Some(0.5), "its last verdict alone counts");
    }

    #[test] // spec: MEM-33
    fn the_order_and_the_repetition_of_a_log_change_nothing() {
        use Verdict::{Correct, Partial, Wrong};
        let voices = [
            voice("a", 1, Wrong),
            voice("b", 2, Partial),
            voice("a", 3, Correct),
            Voice { act: "z".into(), ..voice("b", 2, Wrong) },
        ];
        let expected = of(&voices);
        for turn in 0..voices.len() {
            let mut turned = voices.to_vec();
            turned.rotate_left(turn);
            assert_eq!(of(&turned), expected);
            turned.reverse();
            turned.extend(voices.to_vec());
            assert_eq!(of(&turned), expected);
        }
    }

    #[test] // spec: MEM-33, MEM-25
    fn trust_moves_a_rank_a_little() {
        let factor = |value| (Trust(value).factor() * 1000.0).round() / 1000.0;
        assert_eq!([factor(0.0), factor(0.5), factor(1.0)], [0.8, 1.0, 1.1]);
        assert_eq!([factor(1.0 / 3.0), factor(2.0 / 3.0)], [0.933, 1.033], "one voice");
    }

    #[test]
    fn a_verdict_is_one_of_three_words() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::parse(verdict.as_str()), Some(verdict));
        }
        assert_eq!(Verdict::parse("Correct"), None);
    }
}
