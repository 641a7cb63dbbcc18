//! The pairs of claims that disagree between a project and the medulla, as a beat shows them.

use crate::limits::COMPARED_ROWS_MAX;
use crate::reading::compose::shortened;
use crate::reading::evidence::{EvidenceRoots, HASHED_IN_RECALL_LEN_MAX};
use crate::reading::facts::Fact;
use crate::reading::recall_store::RecallStore;
use crate::reading::row::{Row, Why};
use crate::service::Memory;
use brainstem_claims::Claim;
use brainstem_claims::conflict::{
    ComparedSide, Disagreement, FoundBy, HoldsBy, Stance, Winner, is_earlier_version, ruling,
};
use brainstem_claims::evidence::{Evidence, Freshness};
use std::collections::HashSet;
use std::path::Path;

/// No form shows a pair in fewer bytes.
const PAIR_LEN_MIN: usize = 96;

/// Two claims that disagree; both are shown, neither is chosen in silence.
#[derive(Clone, Debug)]
pub struct ConflictPair {
    /// The project's label.
    pub label: String,
    /// The medulla's label, if it is another one.
    pub medulla_label: Option<String>,
    /// What the project says.
    pub project_text: String,
    /// What the medulla says.
    pub medulla_text: String,
    /// What there is to know of the project's claim beside its text.
    pub project_facts: Vec<Fact>,
    /// What there is to know of the medulla's.
    pub medulla_facts: Vec<Fact>,
    /// What found the pair.
    pub found_by: FoundBy,
    /// Which side holds.
    pub wins: Option<Winner>,
    /// By which rule.
    pub because: HoldsBy,
}

/// Which pairs that disagree are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touching {
    /// All of them.
    Anything,
    /// Those of which one side is among the rows: what the task touches.
    Rows,
}

/// The pairs that disagree.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    /// As many as could fit, the most certain first.
    pub(crate) pairs: Vec<ConflictPair>,
    /// How many there are of those that are wanted.
    pub(crate) total: usize,
    /// How many there are that the rows do not touch.
    pub(crate) elsewhere: usize,
}

impl Memory {
    /// The pairs that disagree.
    ///
    /// Labels are compared over both stores, by a look into their indexes; entities and texts over the
    /// first rows of this beat alone, so that the cost does not grow with the stores.
    pub(crate) fn conflicts(
        &self,
        project: &RecallStore,
        medulla: &RecallStore,
        served: &[Row],
        touching: Touching,
        budget: usize,
    ) -> Conflicts {
        let (now, floor) = (self.clock.now(), self.floor());
        let mut found: Vec<(Disagreement, Row, Row)> = Vec::new();
        let mut known: HashSet<(String, String)> = HashSet::new();
        for id in medulla.ids_shared_with(project) {
            for theirs in medulla.live(&id) {
                for ours in project.live(&id) {
                    // What is held back is not shown as one side of a pair either.
                    if [&ours.claim, &theirs.claim].into_iter().any(|claim| floor.carried(claim).is_some()) {
                        continue;
                    }
                    let pair = Stance::of(&ours.claim).against(&Stance::of(&theirs.claim));
                    let row = |stored, place| Row::new(stored, place, now, Why::Asked);
                    found.extend(
                        pair.map(|pair| (pair, row(&ours, project.place), row(&theirs, medulla.place))),
                    );
                }
            }
            known.insert((id.clone(), id));
        }
        let of_tier = |tier: &'static str| -> Vec<(&Row, Stance)> {
            let rows = served.iter().filter(|row| row.tier == tier).take(COMPARED_ROWS_MAX);
            rows.map(|row| (row, Stance::of(&row.claim))).collect()
        };
        let (ours, theirs) = (of_tier("project"), of_tier("medulla"));
        for (our_row, our_stance) in &ours {
            for (their_row, their_stance) in &theirs {
                if !known.contains(&(our_row.id.clone(), their_row.id.clone()))
                    && let Some(pair) = our_stance.against(their_stance)
                {
                    found.push((pair, (*our_row).clone(), (*their_row).clone()));
                }
            }
        }
        found.sort_by(|(a, ours, _), (b, others, _)| a.order(b).then_with(|| ours.label.cmp(&others.label)));
        // A row that is only a fallback is not about the task.
        let is_about = |side: &Row| {
            let mut rows = served.iter().filter(|row| !matches!(row.why, Why::Worth | Why::StandsIn));
            rows.any(|row| row.tier == side.tier && row.id == side.id)
        };
        let is_touched = |ours: &Row, theirs: &Row| is_about(ours) || is_about(theirs);
        let all = found.len();
        if touching == Touching::Rows {
            found.retain(|(_, ours, theirs)| is_touched(ours, theirs));
        }
        let (total, elsewhere) = (found.len(), all - found.len());
        // No more than could fit, each side cut to what could be shown of it.
        found.truncate(budget / PAIR_LEN_MIN + 1);
        let cut = |text: &str| shortened(text, budget).unwrap_or_else(|| text.to_owned());
        let roots = EvidenceRoots::of(self);
        // A row of the beat says everything already; a claim that was found by its label alone is looked at now.
        let facts = |feed: &RecallStore, side: &Row| {
            // Of an undecided file each version has a row.
            let is_it = |row: &&Row| row.tier == side.tier && row.id == side.id && row.claim == side.claim;
            if let Some(row) = served.iter().find(is_it) {
                return row.facts();
            }
            let mut row = side.clone();
            feed.mark(std::slice::from_mut(&mut row));
            roots.mark(feed.root.as_deref(), &mut row);
            row.facts()
        };
        let shown = found.iter().map(|(pair, our_row, their_row)| {
            let (ours, theirs) = (&*our_row.claim, &*their_row.claim);
            let root = project.root.as_deref();
            let our_evidence = found_in(&roots, root, ours, |_| true);
            let their_evidence = found_in(&roots, root, theirs, |entry| Path::new(&entry.path).is_absolute());
            let (wins, because) = match is_earlier_version(&project.whose, ours, theirs) {
                true => (Some(Winner::Project), HoldsBy::EarlierVersion),
                false => ruling(
                    ComparedSide { claim: ours, evidence: &our_evidence },
                    ComparedSide { claim: theirs, evidence: &their_evidence },
                ),
            };
            ConflictPair {
                label: ours.label.clone(),
                medulla_label: (theirs.label != ours.label).then(|| theirs.label.clone()),
                project_text: cut(said(ours)),
                medulla_text: cut(said(theirs)),
                project_facts: facts(project, our_row),
                medulla_facts: facts(medulla, their_row),
                found_by: pair.found_by,
                wins,
                because,
            }
        });
        Conflicts { pairs: shown.collect(), total, elsewhere }
    }
}

/// What became of the evidence of a claim in the project where the two disagree: what another project's code says
/// decides nothing here. The medulla's evidence names whole paths, and what is none is not looked at.
fn found_in(
    roots: &EvidenceRoots<'_>,
    root: Option<&Path>,
    claim: &Claim,
    is_looked_at: impl Fn(&Evidence) -> bool,
) -> Vec<Freshness> {
    let found = |entry: &Evidence| match is_looked_at(entry) {
        true => roots.freshness(root, claim, entry, HASHED_IN_RECALL_LEN_MAX),
        false => Freshness::Unverifiable,
    };
    claim.evidence.iter().map(found).collect()
}

fn said(claim: &Claim) -> &str {
    match &claim.title {
        Some(title) if claim.text.is_empty() => title,
        Some(_) | None => &claim.text,
    }
}
