//! Two versions of one label in one file, until someone decides.

use crate::acts::Act;
use crate::history::Exit;
use crate::scan::{Unreadable, read_sides};
use crate::store::{Live, RETRACT, Store, WriteFault, Written, version};
use crate::{StoreError, durable};
use brainstem_base::Timestamp;
use brainstem_claims::light::keys;
use brainstem_claims::{Claim, ClaimSlug, LightFile};

impl Store {
    /// The two versions that wait for a decision, if there are two.
    pub fn undecided(&self, slug: &ClaimSlug) -> Option<(Claim, Claim)> {
        read_sides(self.disk(), &self.live_path(slug))
    }

    /// Puts the version that `choose` gives in the place of the two; what it does not choose goes to
    /// history. The acts are recorded first, so that a repeat completes what was cut off.
    pub fn decide<R>(
        &self,
        slug: &ClaimSlug,
        choose: impl Fn(&Claim, &Claim) -> Result<LightFile, R>,
        acts: impl Fn(&Claim, &Claim, &Claim) -> Vec<Act>,
    ) -> Result<Option<Written>, WriteFault<R>> {
        let _guard = self.lock(slug)?;
        let path = self.live_path(slug);
        let Some((ours, theirs)) = self.undecided(slug) else {
            return match self.live(slug) {
                Live::Unreadable(bad) => Err(WriteFault::Unreadable(bad)),
                Live::Claim(_) | Live::Absent => Ok(None),
            };
        };
        let new = choose(&ours, &theirs).map_err(WriteFault::Refused)?;
        let chosen = Claim::from(new.clone());
        self.keep_copy(slug, &new)?;
        let mut history = None;
        for version in [&ours, &theirs].into_iter().filter(|version| version.file != new) {
            let outdated = version.outdated().render();
            history = Some(self.archive(slug, version, Exit::Superseded, outdated.as_bytes())?);
        }
        self.acts().record_all(&acts(&ours, &theirs, &chosen))?;
        // Someone may have finished the merge by hand meanwhile: then that is what counts.
        let still = self.undecided(slug).is_some_and(|now| now == (ours, theirs));
        if !still {
            return Err(WriteFault::Unreadable(Unreadable {
                path,
                why: "another program changed it".into(),
            }));
        }
        durable::replace(self.disk(), self.ids(), &path, new.render().as_bytes())
            .map_err(StoreError::disk("cannot store the decision"))?;
        Ok(Some(Written { path, claim: chosen, history, unchanged: false }))
    }

    /// Whether a live claim is one that history had already put away: it came back by a pull or a
    /// checkout. A copy without a successor is only what an interrupted change left.
    pub fn is_resurrected(&self, slug: &ClaimSlug, created: Option<Timestamp>) -> bool {
        let name = crate::history::version_name(slug, created, 0, Exit::Superseded);
        let retracted = crate::history::version_name(slug, created, 0, Exit::Retracted);
        let has = |name: String| self.disk().stat(&self.paths().history.join(name)).is_ok();
        if !has(name) && !has(retracted) {
            return false;
        }
        let Ok((versions, _)) = crate::history::versions(self.disk(), &self.paths().history, slug) else {
            return false;
        };
        // What a stamp put into history was put away by no other version, unless one says that it followed.
        if let Live::Claim(live) = self.live(slug)
            && live.created == created
            && versions
                .iter()
                .filter(|version| version.claim.created == created)
                .all(|version| version.exit == Exit::Superseded && is_before_a_stamp(&version.claim, &live))
        {
            let followed = version(slug, created);
            return versions.iter().any(|later| later.claim.supersedes.as_ref() == Some(&followed));
        }
        let later_was_kept = || {
            let stamps = self.kept_stamps(slug);
            created.is_some_and(|created| stamps.iter().any(|stamp| *stamp > created.ms()))
        };
        // A retraction that was cut off before it was recorded took nothing back.
        let was_retracted = || {
            let act = Act::id_of(RETRACT, &version(slug, created));
            self.acts().has(&act).unwrap_or(false)
        };
        later_was_kept()
            || versions.iter().any(|version| {
                let same = version.claim.created == created;
                version.claim.created > created
                    || (same && version.exit == Exit::Retracted && was_retracted())
            })
    }
}

/// Whether a version is a live claim as it was before its last stamp.
fn is_before_a_stamp(past: &Claim, live: &Claim) -> bool {
    let unstamped = |claim: &Claim| {
        let mut file = claim.outdated();
        file.remove(keys::PROMOTED_TO);
        file
    };
    past.promoted_to != live.promoted_to && unstamped(past) == unstamped(live)
}
