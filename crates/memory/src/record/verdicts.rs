//! The verdicts of a store, as its acts have them: which agent said what of which version.

use crate::promotion::dispute::{self, Dispute};
use crate::reading::row::Row;
use crate::record::retracted_apart::Retractions;
use brainstem_base::Timestamp;
use brainstem_base::disk::FileStamp;
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::act::{Act, DeedKind, VersionRef};
use brainstem_claims::folds::delegations::{DELEGATION_ACTS, Delegation, OpenDelegations, WaitingDelegation};
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::folds::promotions::PromotionAct;
use brainstem_claims::folds::proposals::{PROPOSAL_ACTS, Proposed};
use brainstem_claims::folds::provenance::{EXPLAINING_ACTS, ExplainedVersions};
use brainstem_claims::folds::verdicts::VersionVerdicts;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::trust::Voice;
use brainstem_claims::{ClaimSlug, Trust};
use brainstem_vault::came_back::Renames;
use brainstem_vault::{Store, StoreError};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What was said of the versions of one store, and which of them an act explains.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    voices: VersionVerdicts,
    accounts: ExplainedVersions,
    promotions: Vec<PromotionAct>,
    proposals: Vec<Proposed>,
    retractions: Retractions,
    renames: Renames,
    /// The delegations that were given out and not debriefed.
    waiting: Vec<WaitingDelegation>,
    names: Arc<NamesOnRecord>,
}

/// The print of a store's log, and that of the one under the home of a store in a repository.
type Prints = Vec<Option<FileStamp>>;

impl Verdicts {
    /// What the acts say of live files that came back under an old name.
    pub(crate) fn renames(&self) -> &Renames {
        &self.renames
    }

    /// The names that versions have or had.
    pub(crate) fn names(&self) -> &NamesOnRecord {
        &self.names
    }

    /// Folds acts, in whatever order a merge of two logs left them.
    pub(crate) fn of(acts: &[Act]) -> Self {
        let names = Arc::new(NamesOnRecord::of(acts));
        Self {
            voices: VersionVerdicts::of(acts, &names),
            accounts: ExplainedVersions::of(acts, &names),
            promotions: PromotionAct::all(acts),
            proposals: Proposed::all(acts, is_same_agent),
            retractions: Retractions::of(acts, &names),
            renames: Renames::of(acts),
            // Which of them have run out is for the caller: this is kept until the log changes.
            waiting: Delegation::waiting(acts),
            names,
        }
    }

    /// Adds to a row what the record says of its version: how far it is trusted, which agents dispute it, whether an
    /// act explains it, and which agent brought it in.
    pub(crate) fn mark(&self, place: FilePlace, row: &mut Row) {
        row.trust = self.trust(&row.id, row.created);
        let imported = self.accounts.brought(&row.id, &row.claim);
        let brought: Vec<String> = row.brought.take().into_iter().chain(imported).collect();
        row.brought = (!brought.is_empty()).then(|| brought.join("; "));
        if place == FilePlace::Medulla {
            row.disputed = dispute::upon(self.voices(&row.id, row.created)).map(|dispute| dispute.words());
            if !self.accounts.explain(&row.id, &row.claim) {
                row.unaccounted();
            }
        }
    }

    /// How far a version is trusted; `None` if it has no verdict.
    pub(crate) fn trust(&self, id: &str, created: Option<Timestamp>) -> Option<Trust> {
        self.voices.trust(id, created)
    }

    /// Which versions an act explains.
    pub(crate) fn accounts(&self) -> &ExplainedVersions {
        &self.accounts
    }

    /// What was promoted into this store.
    pub(crate) fn promotions(&self) -> &[PromotionAct] {
        &self.promotions
    }

    /// What was proposed in this store.
    pub(crate) fn proposals(&self) -> &[Proposed] {
        &self.proposals
    }

    /// What was retracted in this store.
    pub(crate) fn retractions(&self) -> &Retractions {
        &self.retractions
    }

    /// How many delegations wait for a debrief.
    pub(crate) fn open_delegations(&self, now: Timestamp) -> OpenDelegations {
        OpenDelegations::of(&self.waiting, now)
    }

    /// The ids of which an agent judged a version.
    pub(crate) fn judged_ids(&self) -> impl Iterator<Item = ClaimSlug> {
        let ids: BTreeSet<ClaimSlug> = self.voices.all().map(|(version, _)| version.slug).collect();
        ids.into_iter()
    }

    /// The versions that are disputed.
    pub(crate) fn disputed(&self) -> impl Iterator<Item = (VersionRef, Dispute)> {
        self.voices.all().filter_map(|(version, voices)| Some((version, dispute::upon(voices)?)))
    }

    /// What was said of a version, oldest first.
    pub(crate) fn voices(&self, id: &str, created: Option<Timestamp>) -> &[Voice] {
        self.voices.upon(id, created)
    }
}

/// The verdicts of the stores this process asked, each with the prints of the logs they were read from.
#[derive(Clone, Default)]
pub(crate) struct VerdictCache(Arc<Mutex<HashMap<PathBuf, CachedVerdicts>>>);

/// The verdicts of one log, and the state of the log that they were read from.
type CachedVerdicts = (Prints, Arc<Verdicts>);

impl VerdictCache {
    /// Returns the verdicts of a store. Its log is read again only when it has changed.
    pub(crate) fn of(&self, store: &Store) -> Result<Arc<Verdicts>, StoreError> {
        let log = store.acts();
        // Looked at before it is read: what is appended meanwhile is read the next time.
        let prints: Prints = store.logs().iter().map(|log| log.stamp()).collect();
        let is_seen = prints.first().is_some_and(Option::is_some);
        let path = &store.paths().acts;
        if is_seen
            && let Some((read, verdicts)) = self.read().get(path)
            && *read == prints
        {
            return Ok(verdicts.clone());
        }
        let kinds: Vec<DeedKind> = [DeedKind::Learn, DeedKind::Rename, DeedKind::Retract]
            .iter()
            .chain(DELEGATION_ACTS)
            .chain(EXPLAINING_ACTS)
            .chain(PROPOSAL_ACTS)
            .copied()
            .collect();
        let verdicts = Arc::new(Verdicts::of(&log.of_kinds(&kinds)?));
        if is_seen {
            self.read().insert(path.clone(), (prints, verdicts.clone()));
        }
        Ok(verdicts)
    }

    fn read(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, (Prints, Arc<Verdicts>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
