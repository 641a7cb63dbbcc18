//! One store that the doctor examines, and how much it holds.

use super::finding::{Findings, Trouble};
use crate::reading::row::reason_of;
use brainstem_base::{Coded as _, Timestamp};
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::{Store, StoreError, StorePaths};
use std::path::{Path, PathBuf};

/// How much a store holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreCount {
    /// The brain's origin, or `medulla`.
    pub store: String,
    /// Its project's root; `None` for the medulla, and if the root is another folder now.
    pub root: Option<PathBuf>,
    /// Live claims.
    pub claims: usize,
    /// Files in their place that are no readable claims.
    pub unreadable: usize,
    /// Versions in history.
    pub versions: usize,
    /// Recorded acts.
    pub acts: usize,
    /// The beats served this week.
    pub beats: u64,
}

/// A store to examine.
pub(super) struct ExaminedStore {
    pub(super) name: String,
    pub(super) store: Store,
    pub(super) is_medulla: bool,
    /// The root of its project.
    pub(super) root: Option<PathBuf>,
    /// The beats served this week.
    pub(super) beats: u64,
    /// The folder that had its claims is gone or is another one: those of which the home has copies count too.
    pub(super) is_gone: bool,
    /// Its files may be named to this caller.
    pub(super) whole: bool,
}

/// A birth, and the folder of its store.
pub(super) type Birth = (Timestamp, PathBuf);

/// Adds a finding for a live claim that is in history already.
pub(super) fn found_returned(
    store: &Store,
    slug: &ClaimSlug,
    live: &Claim,
    path: &Path,
    found: &mut Findings,
) {
    let after = match store.retraction_of(slug, live) {
        Some(act) => format!("it was retracted here: {}", reason_of(&act)),
        None => "a later version was written here".to_owned(),
    };
    let detail = format!("{:?} came back after {after}", live.label);
    found.add(Trouble::ClaimResurrected, path, detail, "memorize what holds, or retract it");
}

pub(super) fn or_unreadable<T>(
    read: Result<T, StoreError>,
    paths: &StorePaths,
    found: &mut Findings,
) -> Option<T> {
    read.map_err(|error| {
        let fix = error.fix().unwrap_or_default();
        let detail = brainstem_base::Fault::from(error).message;
        found.add(Trouble::StoreUnreadable, &paths.claims, detail, fix);
    })
    .ok()
}

/// Returns how long ago something happened; 0 if it is in the future.
pub(super) fn age_ms(now: Timestamp, ns: i128) -> i64 {
    let age = i128::from(now.ms()) - ns / 1_000_000;
    i64::try_from(age.max(0)).unwrap_or(i64::MAX)
}
