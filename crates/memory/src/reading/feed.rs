//! What recall reads: the stores a caller may see, and what it says about those it could not.

use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::gap::{Gap, WORKTREE_BRAIN};
use crate::limits::{MEDULLA_BUDGET, RETRIES, UNREADABLE_NAMED_MAX};
use crate::reading::evidence::EvidenceRoots;
use crate::reading::row::{Row, Why, tier_of};
use crate::reading::several_claims::several_claims;
use crate::reading::withheld::{HELD_BACK, held_back};
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Coded as _, Timestamp};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_caller::route::Route;
use brainstem_claims::act::DeedKind;
use brainstem_claims::age::{self, STALE_AFTER_MS};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_claims::{Claim, ClaimSlug, Trust};
use brainstem_index::Snapshot;
use brainstem_recall::document::ClaimForm;
use brainstem_recall::rank::{RankBy, RankQuestion, RankedAnswers, StandingBasis, rank};
use brainstem_recall::scope::RecallScope;
use brainstem_vault::home::{BrokenFolder, DisplacedBrain};
use brainstem_vault::scan::{CLAIM_SUFFIX, ClaimFileContent, StoredClaim, UnreadableClaim};
use brainstem_vault::tombstones::Tombstones;
use brainstem_vault::{Brain, Store, StoreError, WrittenHere};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, mpsc};

/// The name of the medulla among the brains.
const MEDULLA: &str = "medulla";

/// Which stores are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The caller's project alone.
    Project,
    /// The medulla alone.
    Medulla,
    /// The caller's project and the medulla: the default.
    Both,
    /// Every brain of the home and the medulla; never a default.
    AllBrains,
}

impl Tier {
    /// Parses the word; absent means both.
    pub fn parse(text: Option<&str>) -> Result<Self, MemoryError> {
        Self::parse_or(text, "project, medulla, all-brains, or nothing for project and medulla")
    }

    /// The same for a verb that is about one project. All brains are refused by the verb itself, with what to do instead, and
    /// are no choice for another word.
    pub fn parse_of_project(text: Option<&str>) -> Result<Self, MemoryError> {
        Self::parse_or(text, "project, medulla, or nothing for both")
    }

    fn parse_or(text: Option<&str>, takes: &'static str) -> Result<Self, MemoryError> {
        match text {
            None => Ok(Self::Both),
            Some("project") => Ok(Self::Project),
            Some("medulla") => Ok(Self::Medulla),
            Some("all-brains") => Ok(Self::AllBrains),
            Some(other) => Err(MemoryError::BadValue {
                field: "tier",
                value: other.chars().take(40).collect(),
                what: "tier",
                takes: takes.into(),
                rule: "MEM-20",
            }),
        }
    }
}

/// Those of them that name claims of the store itself which are in another place and are not counted.
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
    snapshot: Option<Arc<Snapshot>>,
    /// How many claim files it holds; `None` if they cannot be counted.
    files: Option<usize>,
    /// What was forgotten there.
    tombstones: Arc<Tombstones>,
    /// What was said of its claims.
    verdicts: Arc<Verdicts>,
    /// Which of its versions were written through this home, read for the first row that needs it.
    written_here: OnceLock<WrittenHere>,
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
    fn closed(
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
                let forgotten = match row.side {
                    Some(_) => self.tombstones.forgotten(&row.claim),
                    None => self.live(&row.id).iter().find_map(|it| self.tombstones.forgotten(&it.claim)),
                };
                row.mark_forgotten(forgotten);
            }
        }
    }

    /// What trust makes of the rank of a version.
    fn trusted(&self, id: &str, created: i64) -> f32 {
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
    fn has_lost_in(&self, now: &Arc<Snapshot>) -> bool {
        let before = self.snapshot.as_ref().filter(|before| !Arc::ptr_eq(before, now));
        before.is_some_and(|before| before.keys().any(|id| !now.holds(id)))
    }

    /// Names the claims that could be read when it was looked at, and not at a later look.
    fn unread_in(&self, now: &Arc<Snapshot>) -> Vec<Gap> {
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
}

/// What is asked of feeds.
pub(crate) struct FeedQuestion<'a> {
    /// Words or a sentence.
    pub(crate) question: &'a str,
    /// How many rows, at most.
    pub(crate) limit: usize,
    /// Which claims may answer.
    pub(crate) keep: &'a dyn Fn(&StoredClaim) -> bool,
    /// What decides about the order.
    pub(crate) by: RankBy,
    /// Whether a claim that is only faintly about the question answers it.
    pub(crate) faint: Faint,
}

/// The answers to a question.
#[derive(Default)]
pub(crate) struct Answers {
    /// The rows, best first.
    pub(crate) rows: Vec<Row>,
    /// How many claims are about the question, shown or not; filters are not counted.
    pub(crate) about: usize,
    /// What was held back.
    pub(crate) gaps: Vec<Gap>,
    /// Claims that were found changed or went each time they were read, and are not among the rows.
    pub(crate) changed: bool,
    /// The claims that could be read when the feeds were made, and not when the question was asked.
    pub(crate) unread: Vec<Gap>,
}

/// What becomes of claims that are only faintly about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faint {
    /// They are no answer.
    LeftOut,
    /// They come last, as far as the limit reaches.
    Last,
}

/// What evidence that changed or is gone makes of a row's score.
const EVIDENCE_CHANGED: f32 = 0.95;

/// Says that claims were taken away while they were read, each time they were looked at.
pub(crate) fn changed_meanwhile(whose: &str) -> Gap {
    let detail = format!(
        "claims of {whose} were moved, removed or changed while they were read, so that some may not be in this answer: ask again"
    );
    Gap::new("changed_meanwhile", detail)
}

impl Memory {
    /// The claims of these feeds that answer a question, best first: ranked by the index, and read from
    /// their files before they are shown. Numbers that rank are those of these feeds alone.
    pub(crate) fn answers(
        &self,
        feeds: &[&RecallStore],
        asked: &FeedQuestion<'_>,
        now: Timestamp,
    ) -> Answers {
        let mut answers = Answers::default();
        for round in 0..RETRIES {
            // If no folder is watched, the look that made the feed is fresh enough for one question.
            let is_fresh = round == 0 && self.index.is_for_one_question();
            let shelves: Vec<(&RecallStore, Arc<Snapshot>)> = feeds
                .iter()
                .filter_map(|feed| {
                    let refresh = || self.index.of(&feed.store.paths().claims).refresh().ok();
                    let snapshot = if is_fresh { None } else { refresh() };
                    Some((*feed, snapshot.or_else(|| feed.snapshot.clone())?)).filter(|_| !feed.failed)
                })
                .collect();
            let (found, changed) = self.ranked(&shelves, asked, now);
            answers = found;
            // An index that was cut short while it was read tells nothing.
            let is_intact = shelves.iter().all(|(_, snapshot)| snapshot.is_intact());
            // A claim that the feeds named and that has gone since is in no answer.
            answers.changed =
                changed || !is_intact || shelves.iter().any(|(feed, now)| feed.has_lost_in(now));
            answers.unread = shelves.iter().flat_map(|(feed, now)| feed.unread_in(now)).collect();
            if !changed && is_intact && answers.unread.is_empty() {
                break;
            }
        }
        let roots = EvidenceRoots::of(self);
        for feed in feeds {
            let tier = tier_of(feed.place);
            answers.rows.iter_mut().filter(|row| row.tier == tier).for_each(|row| {
                feed.mark(std::slice::from_mut(row));
                roots.mark(feed.root.as_deref(), row);
                weigh_evidence(row);
            });
            feed.tell_shared(&mut answers.rows);
        }
        let weigh = |a: &Row, b: &Row| b.why.score().total_cmp(&a.why.score());
        if answers.rows.iter().any(Row::has_broken_evidence) {
            answers.rows.sort_by(weigh);
        }
        answers
    }

    /// The rows, and whether a file changed while they were read.
    fn ranked(
        &self,
        shelves: &[(&RecallStore, Arc<Snapshot>)],
        asked: &FeedQuestion<'_>,
        now: Timestamp,
    ) -> (Answers, bool) {
        let scope =
            RecallScope::over(&shelves.iter().map(|(_, snapshot)| snapshot.segments()).collect::<Vec<_>>());
        let meaning = |text: &str| self.index.question(text);
        let standing = |standing: &StandingBasis<'_>| {
            let (feed, _) = &shelves[standing.found.store as usize];
            recency(now, standing.created) * feed.trusted(standing.found.key, standing.created)
        };
        let mut wanted = asked.limit;
        loop {
            let question = RankQuestion {
                text: asked.question,
                meaning: &meaning,
                by: asked.by,
                limit: wanted,
                standing: &standing,
            };
            let RankedAnswers { hits, about } = rank(&scope, &question);
            let is_all = hits.len() < wanted;
            let mut rows = Vec::new();
            let mut gaps = Vec::new();
            let mut changed = false;
            let answers = hits.iter().filter(|hit| asked.faint == Faint::Last || !hit.is_faint);
            for hit in answers {
                let (feed, snapshot) = &shelves[hit.found.store as usize];
                // An undecided file has two documents: its first version, and all others together.
                let is_meant = |side: Option<UndecidedSide>| match hit.form {
                    ClaimForm::Ours => side == Some(UndecidedSide::OURS),
                    ClaimForm::Theirs => side.is_some_and(|side| side != UndecidedSide::OURS),
                    ClaimForm::Claim | ClaimForm::Unreadable | ClaimForm::Secret => side.is_none(),
                };
                let mut stored: Vec<StoredClaim> = feed.live(hit.found.key);
                stored.retain(|stored| is_meant(stored.side));
                let is_same =
                    |it: &StoredClaim| it.side.is_some() || snapshot.is_about(hit.found.key, &it.claim);
                // Ranked by what it said before: it is ranked again, or left out if its file changes at every look.
                changed |= stored.is_empty() || !stored.iter().all(is_same);
                // A copy whose witness is among the stores of this call is named with the witness.
                let is_told = |stored: &StoredClaim| {
                    feed.place == FilePlace::Medulla
                        && feed.accounts_for(stored)
                        && shelves.iter().any(|(other, _)| other.has_witness_of(&stored.claim))
                };
                stored.retain(|stored| is_same(stored) && !is_told(stored));
                for stored in stored {
                    // The index of a program with fewer rules may hold it. No filter is asked first: whether the gap is
                    // named must not depend on one.
                    if let Some(gap) = held_back(&feed.floor, feed.name(), &stored) {
                        gaps.push(gap);
                        continue;
                    }
                    if !(asked.keep)(&stored) {
                        continue;
                    }
                    let why = Why::Matched { score: hit.score, parts: hit.parts };
                    rows.push(Row::new(&stored, feed.place, now, why));
                }
                if rows.len() >= asked.limit {
                    break;
                }
            }
            if changed || is_all || rows.len() >= asked.limit {
                rows.truncate(asked.limit);
                return (Answers { rows, about, gaps, changed: false, unread: Vec::new() }, changed);
            }
            wanted = wanted.saturating_mul(8);
        }
    }
}

/// A claim whose evidence changed or is gone weighs a little less among the rows about to be served.
fn weigh_evidence(row: &mut Row) {
    let is_broken = row.has_broken_evidence();
    if let (Why::Matched { score, parts }, true) = (&mut row.why, is_broken) {
        *score *= EVIDENCE_CHANGED;
        parts.standing *= EVIDENCE_CHANGED;
    }
}

/// A claim of this moment weighs a tenth more than one that is long stale.
fn recency(now: Timestamp, created: i64) -> f32 {
    if created == 0 {
        return 1.0;
    }
    // A birth that is still to come is no youth.
    if age::is_ahead(Timestamp::from_ms(created), now) {
        return 1.0;
    }
    let months = now.ms().saturating_sub(created).max(0) as f32 / STALE_AFTER_MS as f32;
    1.0 + 0.1 * (-months).exp2()
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
        if !self.home.is_gone(&brain.root) {
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
            Ok(_) => return self.worktree_gap(caller).into_iter().collect(),
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

impl RecallStore {
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
