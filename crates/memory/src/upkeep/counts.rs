//! What was served, per brain and ISO week: beats, calls and sessions.
//!
//! A count is the size of a small file, one byte for each. It is local state: nothing syncs it, losing it is harmless,
//! and the call is answered even if it cannot be kept.

use crate::gap::Gap;
use crate::limits::RETRIES;
use crate::service::Memory;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_caller::place::CallerPlace;
use brainstem_caller::route::Route;
use brainstem_caller::session::{FirstCall, Session};
use brainstem_vault::{Brain, durable};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the count for callers without a brain; no fingerprint has a `+`.
const WITHOUT_A_BRAIN: &str = "+medulla";
/// How many weeks of a brain are kept.
const WEEKS_MAX: usize = 13;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Beats,
    Calls,
    Sessions,
    /// Of these, the ones that were counted elsewhere before.
    Moved,
}

impl Count {
    /// The folder of the counts, below the home.
    fn folder(self) -> &'static str {
        match self {
            Self::Beats => "local/beats",
            Self::Calls => "local/calls",
            Self::Sessions => "local/sessions",
            Self::Moved => "local/sessions-moved",
        }
    }
}

/// What was served this week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Beats, by `north`.
    pub beats: u64,
    /// Calls of any verb, through any door.
    pub calls: u64,
    /// MCP sessions that made a call.
    pub sessions: u64,
    /// Those of them that had made one in another brain, or without one, before.
    pub moved: u64,
}

impl Served {
    /// What was served in several places together. A session that moved from one to the next counts once.
    pub fn across(places: impl Iterator<Item = Self>) -> Self {
        let places: Vec<Self> = places.collect();
        let sum: Self = places.iter().copied().sum();
        // If the place that it came from is not among these, it is still one session.
        let at_least = places.iter().map(|place| place.sessions).max().unwrap_or_default();
        let sessions = sum.sessions.saturating_sub(sum.moved).max(at_least);
        Self { sessions, moved: 0, ..sum }
    }
}

impl std::iter::Sum for Served {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            beats: sum.beats + one.beats,
            calls: sum.calls + one.calls,
            sessions: sum.sessions + one.sessions,
            moved: sum.moved + one.moved,
        })
    }
}

impl Memory {
    /// Counts a call for the brain its caller works with, and its session when it is the first there.
    pub fn count_call(&self, place: &CallerPlace, session: Option<&Session>) {
        let route = match session {
            Some(session) => self.bind_session(place, session),
            None => self.router.route_of(place),
        };
        self.notice(route.brain());
        if !self.may_count() {
            return;
        }
        if let Route::Replaced { root, .. } | Route::Brainless { root, .. } = &*route {
            self.home.note_root(root);
        }
        let now = self.clock.now();
        self.count(Count::Calls, route.brain(), now);
        match session.and_then(|session| session.first_at(whose(route.brain()))) {
            None => {}
            Some(FirstCall::OfSession) => self.count(Count::Sessions, route.brain(), now),
            Some(FirstCall::Here) => {
                self.count(Count::Sessions, route.brain(), now);
                self.count(Count::Moved, route.brain(), now);
            }
        }
    }

    /// Notes the root of a project without a brain.
    pub fn note_root(&self, root: &Path) {
        if self.may_count() {
            self.home.note_root(root);
        }
    }

    /// Counts a beat for a brain, or for those that have none. A brain that was only read is known from then on.
    pub(crate) fn count_beat(&self, brain: Option<&Brain>, now: Timestamp) {
        self.notice(brain);
        if self.may_count() {
            self.count(Count::Beats, brain, now);
        }
    }

    /// Makes a brain known to this home that was routed to when the call began. It is looked at once more: another process
    /// may have set it aside meanwhile, or taken its claims elsewhere, and no record of what was is written anew.
    pub(crate) fn notice(&self, brain: Option<&Brain>) {
        let Some(brain) = brain else { return };
        let now = self.home.brain_at(&brain.root);
        if let Some(now) = now.filter(|now| now.fingerprint == brain.fingerprint) {
            self.home.notice(&now);
        }
    }

    /// What was served this week in a brain, or without one.
    pub(crate) fn served(&self, brain: Option<&Brain>) -> Served {
        let counted = |what| {
            let path = self.count_file(what, brain, self.clock.now());
            self.disk.stat(&path).map_or(0, |stat| stat.len)
        };
        Served {
            beats: counted(Count::Beats),
            calls: counted(Count::Calls),
            sessions: counted(Count::Sessions),
            moved: counted(Count::Moved),
        }
    }

    /// The beats of each ISO week that is still counted, over all brains and those without.
    pub fn beats_by_week(&self) -> BTreeMap<String, u64> {
        let dir = self.home.path().join(Count::Beats.folder());
        let mut weeks = BTreeMap::new();
        for entry in self.disk.list(&dir).unwrap_or_default() {
            let name = entry.name.to_string_lossy().into_owned();
            let len = self.disk.stat(&dir.join(&entry.name)).map_or(0, |stat| stat.len);
            if let Some((_, week)) = name.rsplit_once('.') {
                *weeks.entry(week.to_owned()).or_default() += len;
            }
        }
        weeks
    }

    /// The live claims over all stores; those that cannot be counted are named. A file that the disk does not give is tried
    /// again: one that it gives at no attempt is no readable claim.
    pub fn live_claims(&self) -> (usize, Vec<Gap>) {
        for _ in 1..RETRIES {
            let (memory, reads) = self.noting_reads();
            let counted = memory.count_live_claims();
            if reads.claims().is_empty() {
                return counted;
            }
        }
        self.count_live_claims()
    }

    fn count_live_claims(&self) -> (usize, Vec<Gap>) {
        let (mut claims, mut gaps) = (0, Vec::new());
        let stores = self.home.roster().map(|roster| self.stores_in(&roster)).unwrap_or_default();
        let stores = stores.into_iter().map(|(brain, store)| (brain.origin(), store));
        for (whose, store) in stores.chain([("medulla".to_owned(), self.home.medulla())]) {
            // A file that is no readable claim is no claim.
            match store.scan() {
                Ok(scan) => claims += scan.files.saturating_sub(scan.unreadable.len()),
                Err(error) => gaps.push(Gap::store(&whose, &error)),
            }
        }
        (claims, gaps)
    }

    fn count(&self, what: Count, brain: Option<&Brain>, now: Timestamp) {
        let path = self.count_file(what, brain, now);
        let Some(dir) = path.parent() else { return };
        let counted = match self.disk.count_up(&path) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(&*self.disk, dir).ok().and_then(|()| self.disk.count_up(&path).ok())
            }
            counted => counted.ok(),
        };
        if counted == Some(1) {
            self.drop_old_weeks(dir, brain);
        }
    }

    fn count_file(&self, what: Count, brain: Option<&Brain>, now: Timestamp) -> PathBuf {
        self.home.path().join(what.folder()).join(format!("{}.{}", whose(brain), now.iso_week()))
    }

    /// Once a week for each brain: its oldest weeks go.
    fn drop_old_weeks(&self, dir: &Path, brain: Option<&Brain>) {
        let entries = self.disk.list(dir).unwrap_or_default().into_iter();
        let names = entries.filter_map(|entry| entry.name.into_string().ok());
        let is_its = |name: &String| name.rsplit_once('.').is_some_and(|(of, _)| of == whose(brain));
        let mut weeks: Vec<String> = names.filter(is_its).collect();
        weeks.sort();
        let surplus = weeks.len().saturating_sub(WEEKS_MAX);
        for name in weeks.into_iter().take(surplus) {
            // A count that stays is a few bytes.
            let _ = self.disk.unlink(&dir.join(name));
        }
    }
}

fn whose(brain: Option<&Brain>) -> &str {
    brain.map_or(WITHOUT_A_BRAIN, |brain| brain.fingerprint.as_str())
}
