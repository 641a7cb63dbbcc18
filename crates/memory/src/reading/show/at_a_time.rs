//! `show` at a time in the past: which version was live then.

use crate::gap::Gap;
use crate::reading::row::{Row, Why};
use brainstem_base::Timestamp;
use brainstem_claims::act::Act;
use brainstem_claims::age::{STALE_AFTER_MS, is_ahead};
use brainstem_claims::fence::value;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{Claim, ClaimSlug, State};
use brainstem_vault::history::PastVersion;
use brainstem_vault::scan::StoredClaim;

/// What to say of a time in the past if the birth of a version is still to come.
pub(super) const AHEAD_OF_NOW: &str = "a version of this claim has a birth in the future, because a clock ran ahead: when it was written is \
                            not known, and it may have been live at the time you asked for";

/// Whether a time is now, as far as clocks agree.
pub(super) fn is_now(at: Timestamp, now: Timestamp) -> bool {
    !is_ahead(now, at)
}

/// Whether the live version or one before it has a birth that is still to come.
pub(super) fn has_ahead(live: &Option<Row>, versions: &[PastVersion], now: Timestamp) -> bool {
    let births = versions.iter().map(|version| version.claim.created);
    births.chain(live.iter().map(|row| row.created)).flatten().any(|born| born > now)
}

/// The version that was live at a time, and those before it. A version is live from its birth to the
/// birth of the next one, or until it was taken back.
pub(super) fn live_at(
    slug: &ClaimSlug,
    live: Option<Row>,
    versions: Vec<PastVersion>,
    place: FilePlace,
    at: Timestamp,
    retraction: impl Fn(&PastVersion) -> Option<Act>,
) -> (Option<Row>, Vec<PastVersion>) {
    let born = |created: Option<Timestamp>| created.is_some_and(|created| created <= at);
    let mut versions: Vec<PastVersion> =
        versions.into_iter().filter(|version| born(version.claim.created)).collect();
    if let Some(row) = live.filter(|row| born(row.created)) {
        let age_ms = row.created.map(|created| at.ms_since(created));
        let stale = age_ms.is_some_and(|ms| ms > STALE_AFTER_MS);
        return (Some(Row { age_ms, stale, ..row }), versions);
    }
    let Some(youngest) = versions.first() else { return (None, versions) };
    let taken_back = retraction(youngest).and_then(|act| act.time());
    if taken_back.is_some_and(|taken_back| taken_back <= at) {
        return (None, versions);
    }
    let version = versions.remove(0);
    let stored = StoredClaim { id: slug.to_string(), path: version.path, claim: version.claim, side: None };
    let row = Row::new(&stored, place, at, Why::Asked);
    // History stamps a version outdated and keeps no word of the state it had when it was live.
    let state = row.state.filter(|state| *state != State::Outdated);
    (Some(Row { state, ..row }), versions)
}

/// Says that a version was put on record after the time that was asked for: no reader had it here then.
pub(super) fn recorded_later(claim: &Claim, at: Timestamp) -> Option<Gap> {
    let recorded = claim.recorded_at.filter(|recorded| *recorded > at)?;
    let by = claim.recorded_by.as_ref().map(|by| format!(" by {}", value(by))).unwrap_or_default();
    let detail = format!(
        "this version was put on record at {}{by}, after the time you asked for; its header gives an earlier birth",
        recorded.to_words()
    );
    Some(Gap::new("recorded_later", detail))
}
