//! What whoever promotes a claim should know of it first: what others say of it, whether its evidence is there,
//! whether it is out of date. It refuses nothing, because only a reader can tell.

use crate::reading::evidence::HASHED_LEN_MAX;
use crate::service::Memory;
use brainstem_claims::evidence::{Evidence, Freshness};
use brainstem_claims::promotion::on;
use brainstem_claims::{Claim, ClaimSlug, State, age};
use brainstem_vault::{Brain, Store};

/// Below this trust more voices are against a claim than for it.
const TRUST_LOW: f64 = 0.5;

impl Memory {
    /// What speaks against sharing a claim.
    pub(crate) fn cautions(
        &self,
        brain: &Brain,
        project: &Store,
        slug: &ClaimSlug,
        claim: &Claim,
    ) -> Vec<String> {
        let mut notes = Vec::new();
        if claim.state == Some(State::Outdated) {
            notes.push("it says of itself that it is outdated".to_owned());
        }
        let now = self.clock.now();
        if age::of(claim, now).stale {
            notes.push(format!("nobody affirmed it since its birth {}", on(claim.created)));
        }
        if let Some(born) = claim.created.filter(|born| age::is_ahead(*born, now)) {
            notes.push(format!("it says that it was born {}, which lies in the future", on(Some(born))));
        }
        if let Ok(verdicts) = self.verdicts(project) {
            let trust = verdicts.trust(slug.as_str(), claim.created);
            let voices = verdicts.voices(slug.as_str(), claim.created);
            if let (Some(trust), Some(last)) =
                (trust.filter(|trust| trust.value() < TRUST_LOW), voices.last())
            {
                let note = last.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
                notes.push(format!(
                    "those who used it doubt it (trust {:.2}); {} found it {}{note}",
                    trust.value(),
                    last.agent,
                    last.verdict.as_str()
                ));
            }
        }
        notes.extend(claim.evidence.iter().filter_map(|entry| self.evidence_caution(brain, entry)));
        notes
    }

    fn evidence_caution(&self, brain: &Brain, entry: &Evidence) -> Option<String> {
        let path = entry.place();
        let found = self.hashes.freshness(&*self.disk, Some(&brain.root), entry, HASHED_LEN_MAX);
        match found {
            Freshness::Missing if entry.hash.is_none() => {
                Some(format!("its evidence `{path}` was not found"))
            }
            Freshness::Missing => Some(format!("its evidence `{path}` is gone")),
            Freshness::Changed => Some(format!("its evidence `{path}` says something else by now")),
            Freshness::Fresh | Freshness::Moved(_) | Freshness::Unverifiable => None,
        }
    }
}
