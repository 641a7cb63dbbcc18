//! The claims of a store that are worth most, for a beat without a task, and for a task that nothing is about.

use crate::gap::Gap;
use crate::limits::WEIGHED_MAX;
use crate::promotion::dispute;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::recall_store::RecallStore;
use crate::reading::row::{Row, Why, youngest_first};
use crate::reading::withheld::held_back;
use brainstem_base::Timestamp;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::trust::Voice;
use brainstem_claims::worth::{self, EvidenceSeen, WorthFacts};
use brainstem_vault::HeaderSource;
use brainstem_vault::scan::StoredClaim;
use std::collections::HashSet;

impl RecallStore {
    /// The claims that are worth most, what was held back among them, and whether some went before they were read.
    pub(crate) fn worthiest(
        &self,
        roots: &EvidenceRoots<'_>,
        now: Timestamp,
        count: usize,
    ) -> (Vec<Row>, Vec<Gap>, bool) {
        let mut ids = self.youngest(WEIGHED_MAX);
        if ids.len() == WEIGHED_MAX {
            let judged =
                self.verdicts().judged_ids().filter(|id| self.holds(id.as_str())).map(|id| id.to_string());
            ids.extend(judged.take(WEIGHED_MAX).collect::<Vec<_>>());
            ids.sort();
            ids.dedup();
        }
        let mut changed = false;
        let live = ids.iter().flat_map(|id| {
            let stored = self.live(id);
            changed |= stored.is_empty();
            stored
        });
        let weighed = live.map(|stored| {
            let voices = self.verdicts().voices(&stored.id, stored.claim.created);
            let known = WorthFacts {
                trust: self.verdicts().trust(&stored.id, stored.claim.created),
                users: users(voices),
                evidence: match stored.claim.evidence.is_empty() {
                    true => EvidenceSeen::None,
                    false => EvidenceSeen::Named,
                },
                is_unrecorded: stored.claim.claims_authority()
                    && self.written_here().source_of(&stored.claim) == HeaderSource::File,
                is_doubtful: stored.side.is_some()
                    || self.place == FilePlace::Medulla
                        && (dispute::upon(voices).is_some()
                            || !self.verdicts().accounts().explain(&stored.id, &stored.claim)),
            };
            (worth::of(&stored.claim, &known, now), known, stored)
        });
        let mut weighed: Vec<(f64, WorthFacts, StoredClaim)> = weighed.collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| youngest_first(&a.2.claim, &b.2.claim)));
        let (mut rows, mut gaps) = (Vec::new(), Vec::new());
        for (_, known, stored) in &weighed {
            if rows.len() == count {
                break;
            }
            match held_back(&self.floor, self.name(), stored) {
                Some(gap) => gaps.push(gap),
                None => rows.push((*known, Row::new(stored, self.place, now, Why::Worth))),
            }
        }
        // The files that evidence names are looked into for what is about to be served alone.
        let mut rows: Vec<(f64, Row)> = rows
            .into_iter()
            .map(|(mut known, mut row)| {
                self.mark(std::slice::from_mut(&mut row));
                roots.mark(self.root.as_deref(), &mut row);
                known.is_doubtful |= row.resurrected;
                known.evidence = match (row.has_broken_evidence(), row.evidence_holds) {
                    (true, _) => EvidenceSeen::Broken,
                    (false, true) => EvidenceSeen::Holds,
                    (false, false) => known.evidence,
                };
                (worth::of(&row.claim, &known, now), row)
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| youngest_first(&a.1.claim, &b.1.claim)));
        (rows.into_iter().map(|(_, row)| row).collect(), gaps, changed)
    }
}

/// How many agents said something of a version.
fn users(voices: &[Voice]) -> usize {
    let agents = |is_foreign| {
        let voices = voices.iter().filter(move |voice| voice.is_foreign == is_foreign);
        voices.map(|voice| voice.agent.as_str()).collect::<HashSet<_>>().len()
    };
    // Those that only a repository's log names may be one hand.
    agents(false) + agents(true).min(1)
}
