//! What the agent that promotes a claim should know of it first: what others say of it, whether its evidence is there,
//! whether it is out of date. It refuses nothing, because only a reader can tell.

use crate::reading::evidence::HASHED_LEN_MAX;
use crate::service::Memory;
use brainstem_base::next::{Placeholder, field};
use brainstem_base::{Advice, advice};
use brainstem_claims::evidence::{Evidence, Freshness};
use brainstem_claims::promotion::on;
use brainstem_claims::{Claim, ClaimSlug, Label, State, age, repo_dependence};
use brainstem_vault::home::MEDULLA_SOFT_CAP;
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

impl Memory {
    /// Returns what a reader in another project may miss in the claim.
    pub(crate) fn promotion_warnings(
        &self,
        witness: &Claim,
        has_ground: bool,
        medulla: &Store,
    ) -> Vec<Advice> {
        let mut notes = Vec::new();
        if !has_ground {
            notes.push(advice![
                "no ground was given (",
                field("because").is(Placeholder("observed-in:ROOT")),
                ", doctrine or telemetry): others cannot see why it is for every project"
            ]);
        }
        let leans = repo_dependence::repo_words(witness);
        if !leans.is_empty() {
            notes.push(
                format!(
                    "it should read without its repository, and speaks of {}",
                    leans.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
                )
                .into(),
            );
        }
        let has = |label: &String| {
            let slug = Label::parse(label).ok().map(|label| ClaimSlug::of(&label));
            slug.is_some_and(|slug| self.disk.stat(&medulla.live_path(&slug)).is_ok())
        };
        let absent: Vec<String> =
            witness.depends_on.iter().filter(|label| !has(label)).map(|label| format!("{label:?}")).collect();
        if !absent.is_empty() {
            notes.push(format!("it rests on what the medulla does not have: {}", absent.join(", ")).into());
        }
        notes
    }
}

/// The note for a writer of a medulla that holds this many claims; `None` below the limit.
pub(crate) fn fullness(count: usize) -> Option<String> {
    (count >= MEDULLA_SOFT_CAP).then(|| {
        format!("the medulla holds {count} claims and should hold fewer than {MEDULLA_SOFT_CAP}: consolidate says what can go")
    })
}
