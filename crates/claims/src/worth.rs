//! What a claim is worth to a reader whose task is unknown: how reliable it is, and how much it was relied on. Youth is
//! the smallest part of it.

use crate::{Claim, Confidence, State, Trust, age};
use brainstem_base::Timestamp;

/// The facts about a claim besides its file.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorthFacts {
    /// Its trust from verdicts.
    pub trust: Option<Trust>,
    /// How many agents that used it said so.
    pub users: usize,
    /// What became of its evidence.
    pub evidence: EvidenceSeen,
    /// Only its file names its author or its state: this home has no record of it.
    pub is_unrecorded: bool,
    /// It is doubtful: nothing explains it, it is disputed, it came back, or it waits for a decision.
    pub is_doubtful: bool,
}

/// What became of the evidence of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvidenceSeen {
    /// It has none, or it was not checked.
    #[default]
    None,
    /// It names some that cannot be compared, or that was not checked yet.
    Named,
    /// Its content is the same.
    Holds,
    /// Some of it changed or is gone.
    Broken,
}

const OF_TRUST: f64 = 0.30;
const OF_CONFIDENCE: f64 = 0.25;
const OF_VERIFIED: f64 = 0.10;
const OF_EVIDENCE: f64 = 0.15;
const OF_USE: f64 = 0.10;
const OF_YOUTH: f64 = 0.10;
const LESS_OUTDATED: f64 = 0.40;
const LESS_DOUBTFUL: f64 = 0.20;

/// The worth of a claim; only the order of the numbers has a meaning.
pub fn of(claim: &Claim, known: &WorthFacts, now: Timestamp) -> f64 {
    let trust = known.trust.map_or(0.5, Trust::value);
    let confidence = claim.confidence.unwrap_or(Confidence::UNSTATED).value();
    let state = match claim.state {
        Some(State::Verified) if !known.is_unrecorded => OF_VERIFIED,
        Some(State::Outdated) => -LESS_OUTDATED,
        Some(State::Verified | State::Authored) | None => 0.0,
    };
    let evidence = match known.evidence {
        EvidenceSeen::Holds => 1.0,
        EvidenceSeen::Named => 0.3,
        EvidenceSeen::None => 0.0,
        EvidenceSeen::Broken => -0.7,
    };
    let users = known.users as f64;
    let doubt = if known.is_doubtful { LESS_DOUBTFUL } else { 0.0 };
    OF_TRUST * trust
        + OF_CONFIDENCE * confidence
        + state
        + OF_EVIDENCE * evidence
        + OF_USE * users / (users + 1.0)
        + OF_YOUTH * youth(claim, now)
        - doubt
}

/// 1 at birth, half of that for every month; 0 if the birth is unknown or in the future.
fn youth(claim: &Claim, now: Timestamp) -> f64 {
    match age::of(claim, now) {
        age if age.is_ahead => 0.0,
        age => age.ms.map_or(0.0, |ms| (-(ms as f64) / age::STALE_AFTER_MS as f64).exp2()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use crate::trust::Voice;
    use crate::{ClaimDraft, Verdict};

    const NOW: i64 = 1_783_209_431_408;
    const DAY: i64 = 86_400_000;

    fn claim(days_old: i64, draft: ClaimDraft) -> Claim {
        Claim::from(draft.file(&author(), Timestamp::from_ms(NOW - days_old * DAY), None))
    }

    fn sure(value: f64) -> ClaimDraft {
        ClaimDraft { confidence: Confidence::new(value).ok(), ..draft("a", "b") }
    }

    fn trusted(verdict: Verdict) -> WorthFacts {
        let voice = Voice {
            agent: "codex:maker".into(),
            at: Timestamp::from_ms(NOW),
            act: "x".into(),
            verdict,
            note: None,
            brought_by: None,
            is_foreign: false,
        };
        WorthFacts { trust: Trust::of([&voice]), users: 1, ..WorthFacts::default() }
    }

    #[test] // spec: MEM-28
    fn what_can_be_relied_on_comes_before_what_is_young() {
        let now = Timestamp::from_ms(NOW);
        let seen = |evidence| WorthFacts { evidence, ..WorthFacts::default() };
        let young = claim(0, draft("a", "b"));
        let old = claim(20, draft("a", "b"));
        let order: Vec<(&str, f64)> = vec![
            ("sure, with evidence that holds", of(&claim(20, sure(0.9)), &seen(EvidenceSeen::Holds), now)),
            ("found correct", of(&old, &trusted(Verdict::Correct), now)),
            ("sure", of(&claim(20, sure(0.9)), &WorthFacts::default(), now)),
            ("young", of(&young, &WorthFacts::default(), now)),
            ("old", of(&old, &WorthFacts::default(), now)),
            ("born in the future", of(&claim(-20, draft("a", "b")), &WorthFacts::default(), now)),
            ("evidence gone", of(&young, &seen(EvidenceSeen::Broken), now)),
            ("doubtful", of(&young, &WorthFacts { is_doubtful: true, ..WorthFacts::default() }, now)),
            (
                "outdated",
                of(
                    &claim(0, ClaimDraft { state: State::Outdated, ..draft("a", "b") }),
                    &WorthFacts::default(),
                    now,
                ),
            ),
        ];
        for pair in order.windows(2) {
            assert!(pair[0].1 > pair[1].1, "{:?} before {:?}", pair[0], pair[1]);
        }
    }
}
