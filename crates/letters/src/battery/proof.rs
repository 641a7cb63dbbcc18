//! When a case made from a letter counts: after it was seen to fail, or after a person says that it cannot fail.

use super::{CannotFail, CaseDefinition, SeenFailing};
use brainstem_base::{AgentId, Timestamp, hash};

/// How many hex digits the fingerprint of a case has.
const PRINT_LEN: usize = 16;
/// How many hex digits the digest of a person's statement has.
const WORD_LEN: usize = 64;

impl CaseDefinition {
    /// Whether the case was made from a letter, and neither a run nor a person has shown that it can tell the fault
    /// from its fix. A draft accounts for no letter.
    pub fn is_draft(&self) -> bool {
        let print = self.fingerprint();
        let failed = self.seen_failing.as_ref().is_some_and(|seen| seen.of == print);
        let vouched = self.cannot_fail.as_ref().is_some_and(|said| said.of == print);
        self.from_letter.is_some() && !failed && !vouched
    }

    /// The digest of a person's statement, if the case counts by that alone. A statement about another letter, of
    /// another person or time, or about a case with other questions, has another digest.
    pub fn word_it_rests_on(&self) -> Option<String> {
        let print = self.fingerprint();
        let failed = self.seen_failing.as_ref().is_some_and(|seen| seen.of == print);
        let said = self.cannot_fail.as_ref().filter(|said| said.of == print && !failed)?;
        self.from_letter.as_ref()?;
        let bytes = serde_json::to_vec(&(&self.from_letter, said)).expect("a case is plain data");
        Some(hash::sha256_hex(&bytes, WORD_LEN))
    }

    /// The case after a run saw it fail.
    #[must_use]
    pub fn failed_at(self, now: Timestamp) -> Self {
        let seen = SeenFailing { at: now.to_rfc3339(), of: self.fingerprint() };
        Self { seen_failing: Some(seen), ..self }
    }

    /// The case after a person said why it cannot be seen to fail.
    #[must_use]
    pub fn vouched_for(self, by: &AgentId, now: Timestamp, why: &str) -> Self {
        let (by, at, why) = (by.to_string(), now.to_rfc3339(), why.to_owned());
        let said = CannotFail { by, at, why, of: self.fingerprint() };
        Self { cannot_fail: Some(said), ..self }
    }

    /// A fingerprint of the claims and questions of the case.
    fn fingerprint(&self) -> String {
        let bytes = serde_json::to_vec(&(&self.given, &self.ask)).expect("a case is plain data");
        hash::sha256_hex(&bytes, PRINT_LEN)
    }
}
