//! What was done to a claim since a migration moved it, as a reason why it stays and what can be done.

use crate::service::Transfer;
use brainstem_base::Timestamp;
use brainstem_base::next::calls;
use brainstem_claims::act::{Act, Deed, DeedKind, Mention, VersionRef};
use brainstem_claims::lifecycle::MEDULLA;
use brainstem_claims::promotion::on;
use brainstem_claims::{ClaimSlug, Label};
use brainstem_vault::store_transfer::UndoObstacle;
use brainstem_vault::{LiveFile, Store, StoreError};

/// A claim that cannot go back as it was.
pub(super) struct Moved<'a> {
    pub(super) slug: &'a ClaimSlug,
    pub(super) label: &'a str,
    pub(super) created: Option<Timestamp>,
    /// What the act of its leaving is upon.
    pub(super) left: &'a Mention,
    /// The name of the store it left.
    pub(super) origin: &'a str,
    /// The store it went to, and its name.
    pub(super) to: &'a Store,
    pub(super) there: &'a str,
}

/// How a claim left the store it went to.
pub(super) enum Gone {
    /// An act says how.
    Told(String),
    /// It waits to come back: another branch is checked out, or it was cleaned away.
    Away,
    /// Nothing says how.
    Untold,
}

impl Transfer {
    /// Why a claim that is not where it went is not there.
    pub(super) fn gone(&self, moved: &Moved<'_>) -> Result<Gone, StoreError> {
        let Moved { slug, label, created, left, to, there, .. } = moved;
        let tier = (moved.origin == MEDULLA).then_some("medulla");
        let original = format!(
            "its original lies in the history of {}: {}",
            self.place(moved.origin),
            calls::show_in(label, tier)
        );
        let acts = to.acts().of_kinds(&[DeedKind::Retract, DeedKind::Rename, DeedKind::MigrateIn])?;
        let version = VersionRef::new(slug, *created);
        let is_it = |act: &&Act| match act.deed() {
            Deed::Retract { upon, .. } | Deed::Rename { upon, .. } => upon.version() == Some(&version),
            _ => false,
        };
        // The last word: a claim that was renamed and renamed back was taken back after that.
        if let Some(act) = acts.iter().rfind(is_it) {
            let when = on(act.time());
            if let Deed::Rename { to, .. } = act.deed() {
                let to = to.as_deref().unwrap_or_default();
                let share = calls::promote(to, calls::R);
                return Ok(Gone::Told(format!(
                    "it was renamed there to {to:?} {when}, and stays in {there}: {share} shares it"
                )));
            }
            let why = act.deed().reason().map(|why| format!(": {why}")).unwrap_or_default();
            let by = act.agent();
            return Ok(Gone::Told(format!("it was taken back there by {by} {when}{why}; {original}")));
        }
        // Forgetting leaves the second word, which names the row and no claim.
        let is_forgotten = |act: &Act| match act.deed() {
            Deed::MigrateIn { upon, migration: None, moved_from: None } => upon.rest() == left.rest(),
            _ => false,
        };
        if acts.iter().any(is_forgotten) {
            return Ok(Gone::Told(format!("it was forgotten there, and is not brought back; {original}")));
        }
        Ok(if to.missing_of(slug)?.is_none() { Gone::Untold } else { Gone::Away })
    }

    /// Why a claim stays where it is, and what can be done about it.
    pub(super) fn stays(&self, moved: &Moved<'_>, obstacle: UndoObstacle) -> Result<String, StoreError> {
        let Moved { slug, label, there, to, .. } = moved;
        let origin = self.place(moved.origin);
        let share = format!("{}, in {there}, shares it", calls::promote(label, calls::R));
        let live = match to.live(slug) {
            LiveFile::Claim(live) => Some(live),
            LiveFile::Absent | LiveFile::Unreadable(_) => None,
        };
        let is_promoted = live.is_some_and(|live| live.promoted_to.is_some());
        Ok(match obstacle {
            UndoObstacle::NameTaken | UndoObstacle::ChangedThere if is_promoted => format!(
                "it was promoted since, and stays in {there}; its copy goes with {}",
                calls::learn_wrong(label)
            ),
            UndoObstacle::ChangedThere => format!("it says something else there since then: {share}"),
            UndoObstacle::NameTaken => format!(
                "another claim has its name in {origin}, so it stays in {there}: {} there, then {}, has both",
                calls::rename(label, calls::NEW),
                calls::promote(calls::NEW, calls::R)
            ),
            UndoObstacle::OriginalGone => format!("its original is no longer in {origin}'s history: {share}"),
            UndoObstacle::GoneThere => match self.gone(moved)? {
                Gone::Told(why) => why,
                Gone::Away | Gone::Untold => format!("it is no longer in {there}"),
            },
        })
    }

    fn place(&self, origin: &str) -> String {
        if origin == MEDULLA { "the medulla".to_owned() } else { origin.to_owned() }
    }

    /// The label of a moved claim, from wherever it can still be read.
    pub(super) fn label_of(
        &self,
        slug: &ClaimSlug,
        created: Option<Timestamp>,
        from: &Store,
        to: Option<&Store>,
    ) -> String {
        let live = |store: &Store| match store.live(slug) {
            LiveFile::Claim(claim) if claim.created == created => Some(claim.label),
            LiveFile::Claim(_) | LiveFile::Absent | LiveFile::Unreadable(_) => None,
        };
        let past = || {
            let versions = from.history(slug).ok()?.0;
            versions.into_iter().find(|past| past.claim.created == created).map(|past| past.claim.label)
        };
        let label = live(from).or_else(|| to.and_then(live)).or_else(past);
        let other = || match to?.live(slug) {
            LiveFile::Claim(claim) => Some(claim.label),
            LiveFile::Absent | LiveFile::Unreadable(_) => None,
        };
        label.or_else(other).filter(|label| Label::parse(label).is_ok()).unwrap_or_else(|| slug.to_string())
    }
}
