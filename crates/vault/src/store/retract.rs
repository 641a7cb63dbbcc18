//! Taking a claim back.

use super::{LiveFile, RACES_MAX, Store, WriteFault};
use crate::acts::ChangeError;
use crate::history::ExitReason;
use crate::{StoreError, durable, scan};
use brainstem_claims::act::{Act, Deed};
use brainstem_claims::lineage::Lineage;
use brainstem_claims::{Claim, ClaimSlug};
use std::path::PathBuf;

/// What taking a claim back did.
#[derive(Clone, Debug)]
pub enum Retracted {
    /// It is in history now.
    Done {
        /// Where.
        history: PathBuf,
        /// What it said.
        claim: Box<Claim>,
    },
    /// There was no live claim of that name.
    Absent,
}

impl Store {
    /// Takes the live claim back: a copy in history, the acts in the log, then the live name goes.
    ///
    /// Interrupted anywhere, the claim is live as it was, or gone; a repeat completes it.
    pub fn retract(
        &self,
        slug: &ClaimSlug,
        acts: impl Fn(&Claim) -> Vec<Act>,
    ) -> Result<Retracted, WriteFault<std::convert::Infallible>> {
        self.retract_if(slug, |_| true, acts)
    }

    /// The same for a version that `is_it` accepts; any other counts as absent.
    pub fn retract_if(
        &self,
        slug: &ClaimSlug,
        is_it: impl Fn(&Claim) -> bool,
        acts: impl Fn(&Claim) -> Vec<Act>,
    ) -> Result<Retracted, WriteFault<std::convert::Infallible>> {
        let _guard = self.lock(slug)?;
        for _ in 0..RACES_MAX {
            let live = match scan::read_claim(&*self.disk, &self.live_path(slug)) {
                None => return Ok(Retracted::Absent),
                Some(Ok(claim)) if !is_it(&claim) => return Ok(Retracted::Absent),
                Some(Ok(claim)) => claim,
                Some(Err(bad)) => return Err(WriteFault::Unreadable(bad)),
            };
            let bytes = live.file.render();
            self.drop_copy(slug, &live, ExitReason::Moved, bytes.as_bytes())?;
            // The copy of an interrupted supersession goes first: after a kill between the two it would be a version in
            // two states.
            self.drop_copy(slug, &live, ExitReason::Superseded, live.outdated().render().as_bytes())?;
            // Before the copy is there: a copy that is found now belongs to an earlier retraction.
            let acts: Vec<Act> = acts(&live).into_iter().map(|act| covering(act, &live)).collect();
            let archived = self.archive_new(slug, &live, ExitReason::Retracted, bytes.as_bytes())?;
            let history = archived.path.clone();
            // The acts are upon this version: if it stays live, they are taken back.
            let removed = self.acts().record_for(&acts, || match self.remove_live(slug, &live) {
                Ok(true) => Ok(()),
                Ok(false) => Err(NotRemoved::Changed),
                Err(error) => Err(NotRemoved::Failed(error)),
            });
            match removed {
                Ok(()) => {
                    self.drop_copy_of(slug, &live);
                    return Ok(Retracted::Done { history, claim: Box::new(live) });
                }
                Err(NotRemoved::Changed) => archived.take_back(self),
                // A retraction that stays on record is completed from the copy in history.
                Err(NotRemoved::Failed(error)) if error.is_left_in_place() => return Err(error.into()),
                Err(NotRemoved::Failed(error)) => {
                    archived.take_back(self);
                    return Err(error.into());
                }
            }
        }
        Err(WriteFault::Unreadable(self.keeps_changing(slug)))
    }

    /// Records acts upon the live claim, with the label's lock held: they are upon the version that is live when they
    /// are recorded, in the store where it then is. `None` if nothing is live.
    pub fn record_on_live(
        &self,
        slug: &ClaimSlug,
        acts: impl FnOnce(&Claim) -> Result<Vec<Act>, StoreError>,
    ) -> Result<Option<Claim>, WriteFault<std::convert::Infallible>> {
        let _guard = self.lock(slug)?;
        match self.live_under_lock(slug) {
            LiveFile::Absent => Ok(None),
            LiveFile::Unreadable(bad) => Err(WriteFault::Unreadable(bad)),
            LiveFile::Claim(live) => {
                self.acts().record_all(&acts(&live)?)?;
                Ok(Some(*live))
            }
        }
    }

    /// Removes the live name; returns false if another program has changed the file. After an error that is left in
    /// place the live name is gone; after any other error it is there.
    pub(crate) fn remove_live(&self, slug: &ClaimSlug, live: &Claim) -> Result<bool, StoreError> {
        let fault = || StoreError::disk("cannot take the claim back");
        let path = self.live_path(slug);
        if !self.is_still(&path, live).map_err(fault())? {
            return Ok(false);
        }
        // Renamed and not unlinked: a file that another program has put there meanwhile is not lost.
        let kept = durable::temp_in(&self.paths.claims, &*self.ids);
        self.disk.rename(&path, &kept).map_err(fault())?;
        let removed = self.disk.sync_dir(&self.paths.claims).map_err(fault());
        let released = removed.and_then(|()| self.unpin_live_bytes(slug, &kept, live, ExitReason::Retracted));
        released.map(|()| true).map_err(|error| match self.disk.rename_new(&kept, &path) {
            Ok(()) => match self.disk.sync_dir(&self.paths.claims) {
                Ok(()) => error,
                Err(sync) => StoreError::unconfirmed(sync),
            },
            // The temporary name has the bytes, so nothing is lost.
            Err(_) => error.left_in_place(),
        })
    }
}

/// Why a claim is still live after its retraction was recorded.
enum NotRemoved {
    /// Another program changed the file.
    Changed,
    /// The store failed.
    Failed(StoreError),
}

impl From<StoreError> for NotRemoved {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl ChangeError for NotRemoved {
    fn is_left_in_place(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_left_in_place())
    }
}

/// A retraction that names the versions it takes back by their content, for the clones that hold copies of them.
fn covering(act: Act, live: &Claim) -> Act {
    match act.deed() {
        Deed::Retract { .. } => act.with_deed(|deed| {
            if let Deed::Retract { covers, .. } = deed {
                *covers = Some(Lineage::up_to(live));
            }
        }),
        _ => act,
    }
}
