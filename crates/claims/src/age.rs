//! Age: computed when a claim is read, never stored.

use crate::Claim;
use crate::light::keys;
use brainstem_base::Timestamp;

/// A claim is stale when it is older than this: 30 days.
pub const STALE_AFTER_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// A claim is aged out, and wants a new look, when it is older than this: 720 hours.
pub const AGED_OUT_AFTER_MS: i64 = 720 * 60 * 60 * 1000;

/// How old a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Milliseconds since its birth; `None` when its file does not say.
    pub ms: Option<i64>,
    /// Older than [`STALE_AFTER_MS`].
    pub stale: bool,
}

impl Age {
    /// Older than [`AGED_OUT_AFTER_MS`].
    pub fn aged_out(self) -> bool {
        self.ms.is_some_and(|ms| ms > AGED_OUT_AFTER_MS)
    }
}

/// The age of a claim: a medulla copy counts from its original's birth.
pub fn of(claim: &Claim, now: Timestamp) -> Age {
    let since = since(claim);
    let ms = since.map(|born| now.ms_since(born));
    Age { ms, stale: since.is_some_and(|born| is_stale(born, now)) }
}

/// The birth that a claim's age counts from; `None` when its file does not say.
pub fn since(claim: &Claim) -> Option<Timestamp> {
    let origin = claim.file.get(keys::ORIGIN_CREATED).and_then(|ms| ms.parse().ok()).map(Timestamp::from_ms);
    origin.or(claim.created)
}

/// Whether what was born then is stale now.
pub fn is_stale(born: Timestamp, now: Timestamp) -> bool {
    now.ms_since(born) > STALE_AFTER_MS
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
        assert_eq!(at(1_500), Age { ms: Some(500), stale: false });
        assert_eq!(at(1_000 + STALE_AFTER_MS), Age { ms: Some(STALE_AFTER_MS), stale: false });
        assert!(at(1_001 + STALE_AFTER_MS).stale);
        assert!(!at(1_000 + AGED_OUT_AFTER_MS).aged_out() && at(1_001 + AGED_OUT_AFTER_MS).aged_out());
        assert_eq!(at(3), Age { ms: Some(0), stale: false }, "a clock that went back");
        let mut copy = file;
        copy.set(keys::ORIGIN_CREATED, "200");
        assert_eq!(of(&Claim::from(copy), Timestamp::from_ms(1_500)).ms, Some(1_300));
    }
}
