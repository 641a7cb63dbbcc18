//! What recall reads: the stores a caller may see, and what it says about those it could not.

use crate::limits::{MEDULLA_BUDGET, UNREADABLE_NAMED_MAX};
use crate::refusal::MemoryError;
use crate::route::Route;
use crate::row::{Row, Why, youngest_first};
use crate::service::{Caller, Memory};
use crate::words::{self, Document};
use brainstem_base::{Coded as _, Timestamp};
use brainstem_claims::ClaimSlug;
use brainstem_claims::age::STALE_AFTER_MS;
use brainstem_claims::lifecycle::Place;
use brainstem_claims::merge::Side;
use brainstem_vault::home::BrokenFolder;
use brainstem_vault::scan::{Scan, Stored};
use brainstem_vault::{Brain, Store, StoreError};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

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
        match text {
            None => Ok(Self::Both),
            Some("project") => Ok(Self::Project),
            Some("medulla") => Ok(Self::Medulla),
            Some("all-brains") => Ok(Self::AllBrains),
            Some(other) => Err(MemoryError::BadValue {
                field: "tier",
                value: other.chars().take(40).collect(),
                what: "tier",
                takes: "project, medulla, all-brains, or nothing for project and medulla",
                rule: "MEM-20",
            }),
        }
    }
}

/// Something recall could not look at, or did not find; named, never an absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// A stable name for programs.
    pub name: &'static str,
    /// What it is, for people.
    pub detail: String,
}

impl Gap {
    pub(crate) fn new(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, detail: detail.into() }
    }

    pub(crate) fn store(whose: &str, error: &StoreError) -> Self {
        Self::new("store_unreadable", format!("the store of {whose}: {error} [{}]", error.code().name()))
    }
}

/// One store as it was read.
pub(crate) struct Feed {
    pub(crate) place: Place,
    pub(crate) scan: Scan,
    pub(crate) gaps: Vec<Gap>,
    /// The store itself could not be read.
    pub(crate) failed: bool,
    store: Store,
}

impl Feed {
    pub(crate) fn memory_exists(&self) -> usize {
        self.scan.files
    }

    fn read(place: Place, whose: &str, store: Store, read: Result<Scan, StoreError>) -> Self {
        match read {
            Ok(scan) => {
                let mut gaps = unreadable_gaps(whose, &scan);
                gaps.extend(undecided(&scan));
                Self { place, scan, gaps, failed: false, store }
            }
            Err(error) => Self {
                place,
                scan: Scan::default(),
                gaps: vec![Gap::store(whose, &error)],
                failed: true,
                store,
            },
        }
    }

    /// The claims that share words with a question, best first.
    pub(crate) fn matched(&self, question: &str, now: Timestamp, keep: impl Fn(&Stored) -> bool) -> Vec<Row> {
        self.ready(keep).matched(question, now)
    }

    /// The claims that are kept, ready for many questions.
    pub(crate) fn ready(&self, keep: impl Fn(&Stored) -> bool) -> Ready<'_> {
        let kept: Vec<&Stored> = self.scan.claims.iter().filter(|stored| keep(stored)).collect();
        let documents = kept.iter().map(|stored| document(stored)).collect();
        Ready { place: self.place, kept, documents }
    }

    /// Marks the rows about to be served that history had already put away, or that were forgotten.
    pub(crate) fn mark_resurrected(&self, rows: &mut [Row]) {
        if rows.is_empty() {
            return;
        }
        let tombstones = self.store.tombstones();
        let served: HashSet<&Path> = rows.iter().map(|row| row.path.as_path()).collect();
        let served = self.scan.claims.iter().filter(|stored| served.contains(stored.path.as_path()));
        let back: HashSet<PathBuf> = served
            .filter(|stored| tombstones.cover(&stored.claim))
            .map(|stored| stored.path.clone())
            .collect();
        for row in rows.iter_mut().filter(|row| row.side.is_none()) {
            let slug = ClaimSlug::parse(&row.id);
            row.forgotten = back.contains(&row.path);
            row.resurrected =
                row.forgotten || slug.is_some_and(|slug| self.store.is_resurrected(&slug, row.created));
        }
    }

    /// The most recent claims.
    pub(crate) fn recent(&self, now: Timestamp, count: usize) -> Vec<Row> {
        let mut claims: Vec<&Stored> = self.scan.claims.iter().collect();
        claims.sort_by(|a, b| youngest_first(&a.claim, &b.claim));
        claims.into_iter().take(count).map(|stored| Row::new(stored, self.place, now, Why::Recent)).collect()
    }
}

/// The claims of one feed that a query is about, cut into words once.
pub(crate) struct Ready<'a> {
    place: Place,
    kept: Vec<&'a Stored>,
    documents: Vec<Document>,
}

impl Ready<'_> {
    /// The claims that share words with a question, best first.
    pub(crate) fn matched(&self, question: &str, now: Timestamp) -> Vec<Row> {
        let scores = words::score(question, &self.documents);
        let mut rows: Vec<Row> = self
            .kept
            .iter()
            .zip(scores)
            .filter(|(_, lexical)| *lexical > 0.0)
            .map(|(stored, lexical)| {
                let mut row = Row::new(stored, self.place, now, Why::Recent);
                row.why = Why::Matched { lexical, recency: recency(row.age_ms) };
                row
            })
            .collect();
        rows.sort_by(best_first);
        rows
    }
}

/// Best first; between equals the younger one, then the label, so that an order is the same twice.
pub(crate) fn best_first(a: &Row, b: &Row) -> std::cmp::Ordering {
    b.why
        .score()
        .total_cmp(&a.why.score())
        .then_with(|| b.created.cmp(&a.created))
        .then_with(|| a.label.cmp(&b.label))
}

fn document(stored: &Stored) -> Document {
    let claim = &stored.claim;
    let mut document = Document::default();
    document.add(words::LABEL, &claim.label);
    document.add(words::TITLE, claim.title.as_deref().unwrap_or_default());
    document.add(words::TEXT, &claim.text);
    for tag in &claim.tags {
        document.add(words::TAGS, tag);
    }
    for evidence in &claim.evidence {
        document.add(words::EVIDENCE, &evidence.path);
    }
    document
}

/// A claim of this moment weighs a tenth more than one that is long stale.
fn recency(age_ms: Option<i64>) -> f64 {
    let months = age_ms.map_or(f64::INFINITY, |ms| ms as f64 / STALE_AFTER_MS as f64);
    1.0 + 0.1 * (-months).exp2()
}

fn unreadable_gaps(whose: &str, scan: &Scan) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = scan
        .unreadable
        .iter()
        .chain(&scan.folders)
        .take(UNREADABLE_NAMED_MAX)
        .map(|bad| Gap::new("unreadable_claim", format!("`{}`: {}", bad.path.display(), bad.why)))
        .collect();
    let more = (scan.unreadable.len() + scan.folders.len()).saturating_sub(UNREADABLE_NAMED_MAX);
    if more > 0 {
        gaps.push(Gap::new("unreadable_claim", format!("and {more} more files in the store of {whose}")));
    }
    gaps
}

/// Names the labels of which two versions wait for a decision.
fn undecided(scan: &Scan) -> Option<Gap> {
    let waiting: Vec<String> = scan
        .claims
        .iter()
        .filter(|stored| stored.side == Some(Side::Ours))
        .map(|stored| format!("{:?}", stored.claim.label))
        .collect();
    let detail = format!("two versions wait for a decision (resolve) of {}", waiting.join(", "));
    (!waiting.is_empty()).then(|| Gap::new("undecided", detail))
}

impl Memory {
    /// Reads the store of one brain.
    pub(crate) fn project_feed(&self, brain: &Brain) -> Feed {
        let store = self.store_of(brain);
        let read = store.scan();
        let mut feed = Feed::read(Place::Project, &brain.origin(), store, read);
        feed.gaps.extend(self.repository_gaps(brain));
        feed
    }

    /// Reads the store of where a caller stands. A brain that cannot be read has no rows, and says so.
    pub(crate) fn feed_of(&self, route: &Route) -> Option<Feed> {
        match route {
            Route::Bound { brain, .. } => Some(self.project_feed(brain)),
            Route::Broken { folder, .. } => Some(self.broken_feed(folder)),
            Route::Brainless { .. } | Route::Unbound { .. } => None,
        }
    }

    fn broken_feed(&self, folder: &BrokenFolder) -> Feed {
        let error = StoreError::from(folder.clone());
        let fix = error.fix().unwrap_or_default();
        let gaps = vec![Gap::new("unreadable_brain", format!("{error}; {fix} [{}]", error.code().name()))];
        // What is there is counted, and nothing of it is served.
        let files = self.home.claims_in(&folder.path).unwrap_or(0);
        let scan = Scan { files, ..Scan::default() };
        Feed { place: Place::Project, scan, gaps, failed: true, store: self.home.medulla() }
    }

    /// Reads the medulla.
    pub(crate) fn medulla_feed(&self) -> Feed {
        let store = self.home.medulla();
        let read = store.scan();
        Feed::read(Place::Medulla, "the medulla", store, read)
    }

    /// Reads the medulla within its time; a store that hangs is a named gap, never a hung beat.
    pub(crate) fn medulla_feed_in_time(&self) -> Feed {
        let (sender, receiver) = mpsc::channel();
        let store: Store = self.home.medulla();
        let spawned = std::thread::Builder::new().name("medulla".into()).spawn(move || {
            // Nobody listens any more when the time was up.
            let _ = sender.send(store.scan());
        });
        if spawned.is_err() {
            return self.medulla_feed();
        }
        match receiver.recv_timeout(MEDULLA_BUDGET) {
            Ok(read) => Feed::read(Place::Medulla, "the medulla", self.home.medulla(), read),
            Err(_) => {
                let detail = format!("the medulla did not answer within {} ms", MEDULLA_BUDGET.as_millis());
                let gaps = vec![Gap::new("medulla_timeout", detail)];
                let store = self.home.medulla();
                Feed { place: Place::Medulla, scan: Scan::default(), gaps, failed: true, store }
            }
        }
    }

    /// The feeds of one project's view: exactly its own store and the medulla, as the tier asks.
    pub(crate) fn feeds(&self, caller: &Caller, tier: Tier) -> Result<Vec<Feed>, MemoryError> {
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

    /// Says that only the medulla was read, where that is not what the caller asked for.
    pub(crate) fn unbound_gap(&self, caller: &Caller, tier: Tier) -> Option<Gap> {
        if tier != Tier::Both {
            return None;
        }
        let MemoryError::Brainless(route) = self.bound(caller).err()? else {
            // A brain that cannot be read is named by its feed.
            return None;
        };
        let refused = MemoryError::Brainless(route);
        let fix = refused.fix().unwrap_or_default();
        Some(Gap::new("unbound", format!("{refused}, so only the medulla was read; {fix}")))
    }
}
