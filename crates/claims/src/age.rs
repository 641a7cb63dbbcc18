//! Age: computed when a claim is read, never stored.

use crate::Claim;
use crate::light::keys;
use brainstem_base::Timestamp;

/// A claim is stale when it is older than this: 30 days.
pub const STALE_AFTER_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// A claim is aged out, and should be checked again, when it is older than this: 720 hours.
pub const AGED_OUT_AFTER_MS: i64 = 720 * 60 * 60 * 1000;

/// Clocks differ by less than this: a birth further ahead is in the future.
pub const CLOCKS_DIFFER_MS_MAX: i64 = 60_000;

/// How old a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Milliseconds since its birth; `None` if its file does not say. 0 for a birth in the future.
    pub ms: Option<i64>,
    /// Older than [`STALE_AFTER_MS`].
    pub stale: bool,
    /// Its birth is in the future, so its age is unknown.
    pub is_ahead: bool,
}

impl Age {
    /// Older than [`AGED_OUT_AFTER_MS`].
    pub fn aged_out(self) -> bool {
        self.ms.is_some_and(|ms| ms > AGED_OUT_AFTER_MS)
    }
}

/// The age of a claim: a medulla copy counts from the birth of its original.
pub fn of(claim: &Claim, now: Timestamp) -> Age {
    let since = since(claim);
    let ms = since.map(|born| now.ms_since(born));
    let is_ahead = since.is_some_and(|born| is_ahead(born, now));
    Age { ms, stale: since.is_some_and(|born| is_stale(born, now)), is_ahead }
}

/// The birth that a claim's age counts from; `None` when its file does not say.
pub fn since(claim: &Claim) -> Option<Timestamp> {
    let origin = claim.file.get(keys::ORIGIN_CREATED).and_then(|ms| ms.parse().ok()).map(Timestamp::from_ms);
    origin.or(claim.created)
}

/// Whether a claim that was born then is stale now.
pub fn is_stale(born: Timestamp, now: Timestamp) -> bool {
    now.ms_since(born) > STALE_AFTER_MS
}

/// Whether a birth is further in the future than clocks differ.
pub fn is_ahead(born: Timestamp, now: Timestamp) -> bool {
    born.ms_since(now) > CLOCKS_DIFFER_MS_MAX
}

/// An age for people: `just now`, `5 min`, `3 h`, `12 d`, `7 months`, `2 years`.
pub fn words(ms: i64) -> String {
    const MINUTE: i64 = 60_000;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match ms {
        ms if ms < MINUTE => "just now".into(),
        ms if ms < HOUR => format!("{} min", ms / MINUTE),
        ms if ms < DAY => format!("{} h", ms / HOUR),
        ms if ms < 60 * DAY => format!("{} d", ms / DAY),
        ms if ms < 730 * DAY => format!("{} months", ms / (30 * DAY)),
        ms => format!("{} years", ms / (365 * DAY)),
    }
}

/// An age in a sentence: `just now`, `5 min ago`.
pub fn ago(ms: i64) -> String {
    match words(ms) {
        now if now == "just now" => now,
        words => format!("{words} ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};

    #[test] // spec: MEM-24
    fn a_claim_is_stale_after_thirty_days() {
        let file = draft("a", "b").file(&author(), Timestamp::from_ms(1_000), None);
        let claim = Claim::from(file.clone());
        let at = |ms| of(&claim, Timestamp::from_ms(ms));
        assert_eq!(at(1_500), Age { ms: Some(500), stale: false, is_ahead: false });
        assert_eq!(
            at(1_000 + STALE_AFTER_MS),
            Age { ms: Some(STALE_AFTER_MS), stale: false, is_ahead: false }
        );
        assert!(at(1_001 + STALE_AFTER_MS).stale);
        assert!(!at(1_000 + AGED_OUT_AFTER_MS).aged_out() && at(1_001 + AGED_OUT_AFTER_MS).aged_out());
        assert_eq!(at(3), Age { ms: Some(0), stale: false, is_ahead: false }, "a clock that went back");
        let mut copy = file;
        copy.set(keys::ORIGIN_CREATED, "200");
        assert_eq!(of(&Claim::from(copy), Timestamp::from_ms(1_500)).ms, Some(1_300));
    }
    #[test] // spec: MEM-24
    fn a_birth_in_the_future_is_no_youth() {
        let at = |born: i64| {
            let claim = Claim::from(draft("a", "b").file(&author(), Timestamp::from_ms(born), None));
            of(&claim, Timestamp::from_ms(1_000_000))
        };
        assert!(!at(1_000_000 + CLOCKS_DIFFER_MS_MAX).is_ahead, "clocks differ");
        let ahead = Age { ms: Some(0), stale: false, is_ahead: true };
        assert_eq!(at(1_000_001 + CLOCKS_DIFFER_MS_MAX), ahead);
    }

    #[test]
    fn ages_are_rough() {
        let cases = [(0, "just now"), (61_000, "1 min"), (7_200_000, "2 h"), (86_400_000 * 31, "31 d")];
        for (ms, expected) in cases {
            assert_eq!(words(ms), expected);
        }
        assert_eq!(words(86_400_000 * 400), "13 months");
        assert_eq!(words(86_400_000 * 800), "2 years");
        assert_eq!(
            (words(-5), ago(-5), ago(61_000)),
            ("just now".into(), "just now".into(), "1 min ago".into())
        );
    }
}
