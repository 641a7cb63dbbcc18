//! One store, as a question finds it.

use crate::caller::secrets::Floor;
use crate::gap::Gap;
use crate::limits::UNREADABLE_NAMED_MAX;
use crate::reading::row::Row;
use crate::reading::withheld::{HELD_BACK, held_back};
use crate::record::verdicts::Verdicts;
use brainstem_base::Timestamp;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{Claim, ClaimSlug, Trust};
use brainstem_index::Snapshot;
use brainstem_vault::scan::{CLAIM_SUFFIX, StoredClaim, UnreadableClaim};
use brainstem_vault::tombstones::Tombstones;
use brainstem_vault::{Store, WrittenHere};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The name of the medulla among the brains.
pub(super) const MEDULLA: &str = "medulla";

/// The gaps that name claims of the store itself which are in another place and are not counted.
const ELSEWHERE: &[&str] = &["absent_here", "owner_side_claims"];

/// One store, as a question finds it.
pub(crate) struct RecallStore {
    pub(crate) place: FilePlace,
    /// The brain, or the medulla.
    pub(crate) whose: String,
    pub(crate) gaps: Vec<Gap>,
    /// The store itself could not be read.
    pub(crate) failed: bool,
    pub(crate) store: Store,
    /// Its claims, ready for questions; `None` if it could not be read.
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// How many claim files it holds; `None` if they cannot be counted.
    pub(super) files: Option<usize>,
    /// What was forgotten there.
    pub(super) tombstones: Arc<Tombstones>,
    /// What was said of its claims.
    pub(super) verdicts: Arc<Verdicts>,
    /// Which of its versions were written through this home, read for the first row that needs it.
    pub(super) written_here: OnceLock<WrittenHere>,
    /// The root for the evidence of its claims; the medulla has none.
    pub(crate) root: Option<PathBuf>,
    /// What is held back of it.
    pub(crate) floor: Floor,
}

impl RecallStore {
    /// How many claims it is known to hold. A file that cannot be read as a claim is not counted, and is named by a gap.
    pub(crate) fn memory_exists(&self) -> usize {
        self.files.unwrap_or(0).saturating_sub(self.unreadable())
    }

    /// How many of its claim files cannot be read as claims.
    pub(crate) fn unreadable(&self) -> usize {
        self.snapshot.as_ref().map_or(0, |snapshot| snapshot.unreadable().len())
    }

    /// The ids of its claims that carry a secret.
    pub(crate) fn secret_ids(&self) -> &[String] {
        self.snapshot.as_ref().map_or(&[], |snapshot| snapshot.secret())
    }

    /// Whether it may hold claims that are not counted.
    pub(crate) fn is_uncounted(&self) -> bool {
        let is_elsewhere = || self.gaps.iter().any(|gap| ELSEWHERE.contains(&gap.name));
        self.files.is_none() || self.unreadable() > 0 || is_elsewhere()
    }

    /// A store that answers nothing, and says why.
    pub(super) fn closed(
        floor: Floor,
        place: FilePlace,
        whose: &str,
        store: Store,
        gap: Gap,
        files: Option<usize>,
    ) -> Self {
        Self {
            place,
            whose: whose.to_owned(),
            gaps: vec![gap],
            failed: true,
            store,
            snapshot: None,
            files,
            tombstones: Arc::default(),
            verdicts: Arc::default(),
            written_here: OnceLock::new(),
            root: None,
            floor,
        }
    }

    /// Whether it holds a claim of this kind that may be shown. A store that cannot be listed may hold one. A claim with a
    /// secret does not count: whether a filter or a scope lets it through would confirm a guess at the secret.
    pub(crate) fn has_any_to_show(&self, keep: &dyn Fn(&StoredClaim) -> bool) -> bool {
        let may_be_shown = |stored: &StoredClaim| self.floor.carried(&stored.claim).is_none();
        self.store
            .scan()
            .map_or(true, |scan| scan.claims.iter().any(|stored| keep(stored) && may_be_shown(stored)))
    }

    /// What people call it.
    pub(crate) fn name(&self) -> &str {
        if self.whose == MEDULLA { "the medulla" } else { &self.whose }
    }

    /// Which of its versions were written through this home.
    pub(crate) fn written_here(&self) -> &WrittenHere {
        self.written_here.get_or_init(|| self.store.written_here())
    }

    /// What was said of its claims, and proposed.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// When the claim under an id was born, without a look at its file.
    pub(crate) fn born(&self, id: &str) -> Option<i64> {
        self.snapshot.as_ref()?.born(id)
    }

    /// How many of its claims the encoder has yet to read.
    pub(crate) fn unread(&self) -> usize {
        self.snapshot.as_ref().map_or(0, |snapshot| snapshot.unencoded())
    }

    /// The ids that another store holds too, in order, without a look at a file.
    pub(crate) fn ids_shared_with(&self, other: &Self) -> Vec<String> {
        let (Some(own), Some(other)) = (&self.snapshot, &other.snapshot) else { return Vec::new() };
        let mut ids: Vec<String> = own.keys().filter(|id| other.holds(id)).map(str::to_owned).collect();
        // The two sides of a merge that waits have one id.
        ids.sort();
        ids.dedup();
        ids
    }

    /// The claims under an id, from their file as it is now: one, or two that wait for a decision.
    pub(crate) fn live(&self, id: &str) -> Vec<StoredClaim> {
        self.store.stored(id)
    }

    /// Tells of the rows about to be served how far they are trusted, whether an act explains them, and
    /// whether history had already put them away, or they were forgotten.
    pub(crate) fn mark(&self, rows: &mut [Row]) {
        for row in rows {
            self.verdicts.mark(self.place, row);
            if row.claim.claims_authority() {
                row.mark_unrecorded_renamed(self.written_here(), self.verdicts.renames(), &self.store);
            }
            let slug = ClaimSlug::parse(&row.id);
            if let Some(slug) = slug {
                row.mark_returned(self.verdicts.renames(), &self.store, &slug);
                row.mark_retracted_apart(self.verdicts.retractions(), &self.store, &slug);
            }
            if !self.tombstones.is_empty() {
                let forgotten = |claim: &Claim| match ClaimSlug::parse(&row.id) {
                    Some(slug) => self.verdicts.renames().forgotten(&self.tombstones, &slug, claim),
                    None => self.tombstones.forgotten(claim),
                };
                let forgotten = match row.side {
                    Some(_) => forgotten(&row.claim),
                    None => self.live(&row.id).iter().find_map(|it| forgotten(&it.claim)),
                };
                row.mark_forgotten(forgotten);
            }
        }
    }

    /// What trust makes of the rank of a version.
    pub(super) fn trusted(&self, id: &str, created: i64) -> f32 {
        let created = (created != 0).then(|| Timestamp::from_ms(created));
        self.verdicts.trust(id, created).map_or(1.0, Trust::factor)
    }

    /// The ids of its youngest claims, youngest first.
    pub(crate) fn youngest(&self, count: usize) -> Vec<String> {
        self.snapshot.as_ref().map(|snapshot| snapshot.youngest(count)).unwrap_or_default()
    }

    /// Whether it holds a claim under an id, without a look at its file.
    pub(crate) fn holds(&self, id: &str) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.holds(id))
    }

    /// Whether a claim that it held when it was looked at is not in a later look.
    pub(super) fn has_lost_in(&self, now: &Arc<Snapshot>) -> bool {
        let before = self.snapshot.as_ref().filter(|before| !Arc::ptr_eq(before, now));
        before.is_some_and(|before| before.keys().any(|id| !now.holds(id)))
    }

    /// Names the claims that could be read when it was looked at, and not at a later look.
    pub(super) fn unread_in(&self, now: &Arc<Snapshot>) -> Vec<Gap> {
        let Some(before) = self.snapshot.as_ref().filter(|before| !Arc::ptr_eq(before, now)) else {
            return Vec::new();
        };
        let newly = now.unreadable().iter().filter(|id| !before.unreadable().contains(id));
        newly
            .map(|id| {
                let path = self.store.paths().claims.join(format!("{id}{CLAIM_SUFFIX}"));
                Gap::unreadable(&UnreadableClaim { path, why: "it could not be read: ask again".into() })
            })
            .collect()
    }

    /// Whether a claim that it held when it was looked at is not among these ids.
    pub(crate) fn has_lost(&self, ids: &HashSet<&str>) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.keys().any(|id| !ids.contains(id)))
    }

    /// The gaps that name the claims which are held back, the same for every question: a gap that came with some
    /// questions alone would confirm a guess at the secret.
    pub(crate) fn held_back(&self) -> Vec<Gap> {
        let ids = self.secret_ids();
        let named = ids.iter().take(UNREADABLE_NAMED_MAX).map(|id| {
            let carried = self.live(id).iter().find_map(|stored| held_back(&self.floor, self.name(), stored));
            carried.unwrap_or_else(|| {
                let detail =
                    format!("a file of {} carried a secret when it was read last; ask again", self.name());
                Gap::new(HELD_BACK, detail)
            })
        });
        let mut gaps: Vec<Gap> = named.collect();
        let more = ids.len().saturating_sub(UNREADABLE_NAMED_MAX);
        if more > 0 {
            let detail = format!("and {more} more files of {} carry a secret and are held back", self.name());
            gaps.push(Gap::new(HELD_BACK, detail));
        }
        gaps
    }
}
