//! The pairs of claims that disagree between a project and the medulla, as a beat shows them.

use crate::evidence::HASHED_IN_RECALL_LEN_MAX;
use crate::limits::CONFLICTS_MAX;
use crate::recall::Feed;
use crate::row::Row;
use crate::service::Memory;
use brainstem_claims::Claim;
use brainstem_claims::conflict::{
    Disagreement, FoundBy, Rule, Side, Stance, Winner, is_earlier_version, ruling,
};
use brainstem_claims::evidence::Freshness;
use std::collections::HashSet;

/// Two claims that disagree; both are shown, neither is chosen in silence.
#[derive(Clone, Debug)]
pub struct ConflictPair {
    /// The project's label.
    pub label: String,
    /// The medulla's, where it is another one.
    pub medulla_label: Option<String>,
    /// What the project says.
    pub project_text: String,
    /// What the medulla says.
    pub medulla_text: String,
    /// What found the pair.
    pub found_by: FoundBy,
    /// Which side holds.
    pub wins: Option<Winner>,
    /// By which rule.
    pub because: Rule,
}

impl Memory {
    /// The pairs that disagree, the most certain first, and how many there are beyond those.
    ///
    /// Labels are compared over both stores, by a look into their indexes; entities and texts over the
    /// rows of this beat alone, so that the cost does not grow with the stores.
    pub(crate) fn conflicts(
        &self,
        project: &Feed,
        medulla: &Feed,
        served: &[Row],
        text_len_max: usize,
    ) -> (Vec<ConflictPair>, usize) {
        let floor = self.floor();
        let mut found: Vec<(Disagreement, Claim, Claim)> = Vec::new();
        let mut known: HashSet<(String, String)> = HashSet::new();
        for id in medulla.ids_shared_with(project) {
            for theirs in medulla.live(&id) {
                for ours in project.live(&id) {
                    // What is held back is not shown as one side of a pair either.
                    if [&ours.claim, &theirs.claim].into_iter().any(|claim| floor.carried(claim).is_some()) {
                        continue;
                    }
                    let pair = Stance::of(&ours.claim).against(&Stance::of(&theirs.claim));
                    found.extend(pair.map(|pair| (pair, ours.claim.clone(), theirs.claim.clone())));
                }
            }
            known.insert((id.clone(), id));
        }
        let of_tier = |tier: &'static str| -> Vec<(&Row, Stance)> {
            let rows = served.iter().filter(|row| row.tier == tier);
            rows.map(|row| (row, Stance::of(&row.claim))).collect()
        };
        let (ours, theirs) = (of_tier("project"), of_tier("medulla"));
        for (our_row, our_stance) in &ours {
            for (their_row, their_stance) in &theirs {
                if !known.contains(&(our_row.id.clone(), their_row.id.clone()))
                    && let Some(pair) = our_stance.against(their_stance)
                {
                    found.push((pair, (*our_row.claim).clone(), (*their_row.claim).clone()));
                }
            }
        }
        found.sort_by(|(a, ours, _), (b, others, _)| a.order(b).then_with(|| ours.label.cmp(&others.label)));
        let more = found.len().saturating_sub(CONFLICTS_MAX);
        found.truncate(CONFLICTS_MAX);
        let cut = |text: &str| text[..text.floor_char_boundary(text_len_max)].to_owned();
        let shown = found.iter().map(|(pair, ours, theirs)| {
            let (our_evidence, their_evidence) = (self.found(project, ours), self.found(medulla, theirs));
            let (wins, because) = match is_earlier_version(&project.whose, ours, theirs) {
                true => (Some(Winner::Project), Rule::EarlierVersion),
                false => ruling(
                    Side { claim: ours, evidence: &our_evidence },
                    Side { claim: theirs, evidence: &their_evidence },
                ),
            };
            ConflictPair {
                label: ours.label.clone(),
                medulla_label: (theirs.label != ours.label).then(|| theirs.label.clone()),
                project_text: cut(said(ours)),
                medulla_text: cut(said(theirs)),
                found_by: pair.found_by,
                wins,
                because,
            }
        });
        (shown.collect(), more)
    }

    /// What became of the evidence of a claim.
    fn found(&self, feed: &Feed, claim: &Claim) -> Vec<Freshness> {
        let root = feed.root.as_deref();
        let each = claim.evidence.iter();
        each.map(|entry| self.hashes.freshness(&*self.disk, root, entry, HASHED_IN_RECALL_LEN_MAX)).collect()
    }
}

fn said(claim: &Claim) -> &str {
    match &claim.title {
        Some(title) if claim.text.is_empty() => title,
        Some(_) | None => &claim.text,
    }
}
