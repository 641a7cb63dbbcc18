//! The stores that a caller asks, each looked at anew.

use crate::error::MemoryError;
use crate::gap::{Gap, WORKTREE_BRAIN};
use crate::limits::{MEDULLA_BUDGET, RETRIES, UNREADABLE_NAMED_MAX};
use crate::reading::recall_store::{MEDULLA, RecallStore};
use crate::reading::several_claims::several_claims;
use crate::reading::tier::Tier;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Coded as _, advice};
use brainstem_caller::route::Route;
use brainstem_caller::{Caller, git_layout};
use brainstem_claims::Claim;
use brainstem_claims::act::DeedKind;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_index::Snapshot;
use brainstem_vault::home::{BrokenFolder, DisplacedBrain};
use brainstem_vault::scan::{CLAIM_SUFFIX, ClaimFileContent, UnreadableClaim};
use brainstem_vault::{Brain, Store, StoreError};
use std::sync::{Arc, OnceLock, mpsc};

/// Says that claims were taken away while they were read, each time they were looked at.
pub(crate) fn changed_meanwhile(whose: &str) -> Gap {
    let detail = format!(
        "claims of {whose} were moved, removed or changed while they were read, so that some may not be in this answer: ask again"
    );
    Gap::new("changed_meanwhile", detail)
}

/// What is said of a file that the disk gave at the second attempt, after it was counted as unreadable.
const READ_LATE: &str = "it could not be read a moment ago, and is not counted in this answer: ask again";

fn unreadable_gaps(whose: &str, store: &Store, snapshot: &Snapshot) -> Vec<Gap> {
    let files = snapshot.unreadable().iter().map(|id| format!("{id}{CLAIM_SUFFIX}"));
    let names: Vec<String> = files.chain(snapshot.folders().map(str::to_owned)).collect();
    let mut gaps: Vec<Gap> = names
        .iter()
        .take(UNREADABLE_NAMED_MAX)
        .filter_map(|name| {
            let here =
                |why: &str| UnreadableClaim { path: store.paths().claims.join(name), why: why.to_owned() };
            match store.held(name) {
                ClaimFileContent::Unreadable(bad) | ClaimFileContent::Unread(bad) => Some(bad),
                // A name that is no text is shown as well as it can be, and leads nowhere.
                ClaimFileContent::Nothing if name.contains(char::REPLACEMENT_CHARACTER) => {
                    Some(here("its name is not UTF-8"))
                }
                ClaimFileContent::Nothing => None,
                ClaimFileContent::Claim(_) | ClaimFileContent::Sides(_) => Some(here(READ_LATE)),
            }
        })
        .map(|bad| Gap::unreadable(&bad))
        .collect();
    let more = names.len().saturating_sub(UNREADABLE_NAMED_MAX);
    if more > 0 {
        gaps.push(Gap::new("unreadable_claim", format!("and {more} more files of {whose}")));
    }
    gaps
}

/// Names the labels of which several versions wait for a decision.
fn undecided(store: &Store, snapshot: &Snapshot) -> Option<Gap> {
    let acts = store.acts();
    let (mut waiting, mut several) = (Vec::new(), Vec::new());
    for id in snapshot.undecided() {
        let sides = store.stored(id);
        let ours = sides.iter().filter(|stored| stored.side == Some(UndecidedSide::OURS));
        waiting.extend(ours.map(|stored| format!("{:?}", stored.claim.label)));
        let claims: Vec<&Claim> = sides.iter().map(|stored| &stored.claim).collect();
        // One label is one claim, and the log need not be read for it.
        if claims.iter().any(|claim| claim.label != claims[0].label) {
            let acts = acts.of_kinds(&[DeedKind::Rename]).unwrap_or_default();
            several.extend(several_claims(id, &claims, &acts));
        }
    }
    let mut detail = advice![
        "several versions of ",
        waiting.join(", "),
        " wait for a decision: ",
        calls::resolve_take(calls::LABEL, calls::SIDE),
        " decides, with ours, theirs or an author"
    ];
    several.into_iter().for_each(|told| detail.push(advice!["; ", told]));
    (!waiting.is_empty()).then(|| Gap::new("undecided", detail))
}

impl Memory {
    /// Looks at a store: what changed since the last question is read first.
    fn feed(&self, place: FilePlace, whose: &str, store: Store) -> RecallStore {
        let whole =
            if place == FilePlace::Medulla { self.home.check_medulla() } else { store.check_real_folders() };
        let looked = whole.and_then(|()| {
            let index = self.index.of(&store.paths().claims);
            index.refresh().map_err(StoreError::disk("cannot list the store"))
        });
        match looked {
            Ok(snapshot) => {
                let mut gaps = unreadable_gaps(whose, &store, &snapshot);
                gaps.extend(self.gone_gap(whose, &store, snapshot.files()));
                gaps.extend(undecided(&store, &snapshot));
                gaps.extend(Gap::written_here(whose, &store));
                let verdicts = self.verdicts(&store).unwrap_or_else(|error| {
                    let detail = format!("the verdicts in {whose}: {error} [{}]", error.code().name());
                    gaps.push(Gap::new("acts_unreadable", detail));
                    Arc::default()
                });
                let files = Some(snapshot.files());
                let tombstones = self.tombstones(&store);
                let (whose, snapshot) = (whose.to_owned(), Some(snapshot));
                RecallStore {
                    place,
                    whose,
                    gaps,
                    failed: false,
                    store,
                    snapshot,
                    files,
                    tombstones,
                    verdicts,
                    written_here: OnceLock::new(),
                    root: None,
                    floor: self.floor(),
                }
            }
            Err(error) => {
                RecallStore::closed(self.floor(), place, whose, store, Gap::store(whose, &error), None)
            }
        }
    }

    /// Looks at the store of one brain.
    pub(crate) fn project_feed(&self, brain: &Brain) -> RecallStore {
        let mut brain = brain.clone();
        for round in 1.. {
            let mut feed = self.feed(FilePlace::Project, &brain.origin(), self.store_of(&brain));
            let elsewhere = self.repository_gaps(&brain, &feed.store, feed.snapshot.as_ref());
            let has_moved = self.home.has_moved(&brain);
            feed.gaps.extend(elsewhere.gaps);
            feed.root = Some(brain.root.clone());
            if !has_moved && !elsewhere.is_behind {
                return feed;
            }
            if round == RETRIES {
                feed.gaps.push(changed_meanwhile(feed.name()));
                return feed;
            }
            if let Some(now) = self.home.brain_at(&brain.root) {
                brain = now;
            }
        }
        unreachable!("the last round answers")
    }

    /// Looks at the store of a brain that is not the caller's: the calls that its gaps advise name its root.
    pub(crate) fn other_project_feed(&self, brain: &Brain) -> RecallStore {
        let mut feed = self.project_feed(brain);
        if self.home.is_gone(&brain.root) {
            // What brings claims back into a checkout is no advice where there is none.
            let is_of_checkout = |gap: &Gap| gap.detail.calls().any(|call| *call == calls::init());
            if feed.gaps.iter().any(is_of_checkout) {
                feed.gaps.retain(|gap| !is_of_checkout(gap));
                let (origin, root) = (brain.origin(), brain.root.display());
                let detail = advice![
                    "the folder of {origin}, `{root}`, is gone, and what was in its repository is kept and not shown: ",
                    self.take_up_elsewhere(brain)
                ];
                feed.gaps.push(Gap::new("root_gone", detail));
            }
        } else {
            let root = brain.root.display().to_string();
            for gap in &mut feed.gaps {
                gap.detail = std::mem::take(&mut gap.detail).at(&root);
            }
        }
        feed
    }

    /// Looks at what the home has of a brain whose root is another folder now. Nothing at that root is read.
    pub(crate) fn displaced_feed(&self, displaced: &DisplacedBrain) -> RecallStore {
        let mut feed =
            self.feed(FilePlace::Project, &displaced.brain.origin(), self.home.displaced_store(displaced));
        let detail = format!(
            "the root of {} is another folder now; this is what the home has of it",
            displaced.brain.origin()
        );
        feed.gaps.push(Gap::new("root_replaced", detail));
        feed.gaps.extend(self.missing_in(&feed.store, feed.snapshot.as_ref()).gaps);
        feed
    }

    /// Returns the store of the brain that a caller is in. A brain that cannot be read has no rows, and a gap says so.
    pub(crate) fn feed_of(&self, route: &Route) -> Option<RecallStore> {
        match route {
            Route::Bound { brain, .. } => Some(self.project_feed(brain)),
            Route::Broken { folder, .. } => Some(self.broken_feed(folder)),
            Route::Replaced { .. } | Route::Brainless { .. } | Route::Unbound { .. } => None,
        }
    }

    fn broken_feed(&self, folder: &BrokenFolder) -> RecallStore {
        let error = StoreError::from(folder.clone());
        let fix = error.fix().unwrap_or_default();
        let gap = Gap::new("unreadable_brain", advice!["{error}; ", fix, " [", error.code().name(), "]"]);
        // What is there is counted, and nothing of it is served.
        let files = self.home.claims_in(&folder.path).ok();
        RecallStore::closed(self.floor(), FilePlace::Project, "this project", self.home.medulla(), gap, files)
    }

    /// Looks at the medulla.
    pub(crate) fn medulla_feed(&self) -> RecallStore {
        self.feed(FilePlace::Medulla, MEDULLA, self.home.medulla())
    }

    /// Asks the medulla something within its time; a store that hangs is a named gap, never a hung beat.
    pub(crate) fn medulla_in_time<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Self, &RecallStore) -> T + Send + 'static,
        nothing: T,
    ) -> (RecallStore, T) {
        let (sender, receiver) = mpsc::channel();
        let memory = self.clone();
        let asked = move || {
            let feed = memory.medulla_feed();
            let answer = ask(&memory, &feed);
            // If the time was up, the receiver is gone.
            let _ = sender.send((feed, answer));
        };
        // Without a thread to spare there is no answer in time either.
        let _ = std::thread::Builder::new().name("medulla".into()).spawn(asked);
        receiver.recv_timeout(MEDULLA_BUDGET).unwrap_or_else(|_| {
            let detail = format!("the medulla did not answer within {} ms", MEDULLA_BUDGET.as_millis());
            let gap = Gap::new("medulla_timeout", detail);
            (
                RecallStore::closed(
                    self.floor(),
                    FilePlace::Medulla,
                    MEDULLA,
                    self.home.medulla(),
                    gap,
                    None,
                ),
                nothing,
            )
        })
    }

    /// The feeds of one project's view: exactly its own store and the medulla, as the tier asks.
    pub(crate) fn feeds(&self, caller: &Caller, tier: Tier) -> Result<Vec<RecallStore>, MemoryError> {
        let mut feeds = Vec::new();
        if tier == Tier::Project {
            feeds.push(self.project_feed(&self.bound(caller)?));
        }
        if tier == Tier::Both {
            feeds.extend(self.feed_of(&self.route(caller)));
        }
        if matches!(tier, Tier::Both | Tier::Medulla) {
            feeds.push(self.medulla_feed());
        }
        Ok(feeds)
    }

    /// Names the brain that was made at the path of the caller's worktree, and that is not served there.
    pub(crate) fn worktree_gap(&self, caller: &Caller) -> Option<Gap> {
        let (_, path) = caller.place().deciding()?;
        let path = git_layout::canonical(&*self.disk, &path);
        let own = git_layout::brain_of_worktree(&self.home, &self.never, &path)?;
        Some(Gap::new(WORKTREE_BRAIN, self.worktree_brain_note(&own)))
    }

    /// Says that only the medulla was read, if the caller asked for more; and what else of the caller's folder is not
    /// shown.
    pub(crate) fn unbound_gaps(&self, caller: &Caller, tier: Tier) -> Vec<Gap> {
        if tier != Tier::Both {
            return match tier {
                Tier::Project => self.worktree_gap(caller).into_iter().collect(),
                Tier::Both | Tier::Medulla | Tier::AllBrains => Vec::new(),
            };
        }
        let refused = match self.bound(caller) {
            Err(MemoryError::Replaced(replacement)) => return vec![replacement.gap()],
            Err(MemoryError::Brainless(lost)) => lost,
            Ok(brain) => {
                let package = self.orphan_package_gap(caller, &brain);
                return self.worktree_gap(caller).into_iter().chain(package).collect();
            }
            // A brain that cannot be read is named by its feed.
            Err(_) => return Vec::new(),
        };
        let in_repository = match &refused.route {
            Route::Brainless { root, .. } => self.repository_claims_gap(root),
            _ => None,
        };
        let refused = MemoryError::Brainless(refused);
        let fix = refused.fix().unwrap_or_default();
        let unbound = Gap::new("unbound", advice!["{refused}, so only the medulla was read; ", fix]);
        in_repository.into_iter().chain([unbound]).collect()
    }
}
