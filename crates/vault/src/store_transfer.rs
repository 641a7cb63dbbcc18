//! Moving a claim to another store of the home, and back.
//!
//! It is written there before it leaves here: interrupted anywhere, it is live in one of the two stores or, until a
//! repeat, in both.

use crate::acts::ChangeError;
use crate::history::{self, ExitReason};
use crate::scan::{self, CLAIM_SUFFIX};
use crate::store::{LiveFile, Store};
use crate::{StoreError, durable};
use brainstem_base::{DiskFault, Timestamp, hash};
use brainstem_claims::act::Act;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::path::PathBuf;

/// A claim that leaves.
pub struct LeavingClaim<'a> {
    /// Its slug, here and there.
    pub slug: &'a ClaimSlug,
    /// The version that the decision was made on; another version is not moved.
    pub claim: &'a Claim,
    /// The file that is written there.
    pub arriving: &'a LightFile,
    /// The act here, recorded before anything else: an undo finds by it every claim that the move may have touched.
    pub left: &'a Act,
    /// The acts there; the first one says that it arrived.
    pub arrived: &'a [Act],
    /// Whether the log there says so already: the arrived claim may have been changed or taken back since, and still
    /// has left.
    pub has_arrived: bool,
}

/// What became of a claim that was to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferOutcome {
    /// It is there now, and its original is in history here.
    Moved {
        /// The path of the original.
        history: PathBuf,
    },
    /// It is no longer the version that the decision was made on.
    Changed,
    /// Something else has its name there.
    Taken,
}

/// A claim whose move is to be undone.
pub struct ReturningClaim<'a> {
    /// Its slug, here and there.
    pub slug: &'a ClaimSlug,
    /// The birth stamp of its original.
    pub created: Option<Timestamp>,
    /// The sha256 of its original.
    pub original: &'a str,
    /// The sha256 of what was written there; `None` where the same had been there before.
    pub arrived: Option<&'a str>,
    /// Whether the log there says that it arrived.
    pub has_arrived: bool,
    /// Whether it may be gone there without an act: then only its original is left.
    pub may_be_gone: bool,
}

/// Why a move cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoObstacle {
    /// Its content there has changed.
    ChangedThere,
    /// It is no longer where it went.
    GoneThere,
    /// Another claim has its name where it was.
    NameTaken,
    /// Its original is no longer in history.
    OriginalGone,
}

/// Whether a move can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferState {
    /// It can be undone.
    Undoable,
    /// It was undone, or never done.
    Undone,
    /// Something changed since, and this says what.
    Changed(UndoObstacle),
}

impl Store {
    /// Whether another claim than `arriving` has this name here, or had it and waits to come back.
    pub fn is_taken(&self, slug: &ClaimSlug, arriving: &LightFile) -> Result<bool, StoreError> {
        self.check_real_folders()?;
        let is_other = match self.live(slug) {
            LiveFile::Absent => false,
            LiveFile::Claim(there) => there.file != *arriving,
            LiveFile::Unreadable(_) => true,
        };
        // The next write compares a version that git took away, or that is still under the home; `init` brings it back.
        let owner = self.paths.placed.as_ref().and_then(|placed| placed.owner.as_ref());
        let waits =
            owner.is_some_and(|dir| self.disk.stat(&dir.join(format!("{slug}{CLAIM_SUFFIX}"))).is_ok());
        let is_missed = || -> Result<bool, StoreError> {
            let missing = self.missing_given(slug)?;
            let mut copies = missing.iter().flat_map(|missing| &missing.versions);
            Ok(copies.any(|copy| copy.claim.file != *arriving))
        };
        Ok(is_other || waits || is_missed()?)
    }

    /// Moves a live claim into another store. A repeat after a crash continues.
    pub fn move_to(&self, to: &Store, leaving: &LeavingClaim<'_>) -> Result<TransferOutcome, StoreError> {
        let slug = leaving.slug;
        // There, then here: moves, the way back and promotions take the project's lock before the medulla's.
        let _there = to.lock(slug)?;
        let _here = self.lock(slug)?;
        match self.live_under_lock(slug) {
            LiveFile::Claim(live) if live.file == leaving.claim.file => {}
            LiveFile::Claim(_) | LiveFile::Absent | LiveFile::Unreadable(_) => {
                return Ok(TransferOutcome::Changed);
            }
        }
        let bytes = leaving.claim.file.render();
        let mut room = None;
        if !leaving.has_arrived {
            if to.is_taken(slug, leaving.arriving)? {
                return Ok(TransferOutcome::Taken);
            }
            to.prepare()?;
            to.note_source(&Claim::from(leaving.arriving.clone()), self.source_of(leaving.claim)?)?;
            // A log there that cannot be written, and a disk without room for the original in history, refuse before
            // anything is there.
            drop(to.acts().reserve(0)?);
            room = Some(self.reserve(bytes.len())?);
            let arrived =
                self.acts().record_for(std::slice::from_ref(leaving.left), || to.take_arriving(leaving));
            match arrived {
                Ok(()) => {}
                Err(NotArrived::Taken) => return Ok(TransferOutcome::Taken),
                Err(NotArrived::Failed(error)) => return Err(error),
            }
        }
        drop(room);
        // It is there: from here on it is live twice until a repeat, so an error is not a refusal.
        let _ = self.drop_unrecorded_retraction(slug, leaving.claim).map_err(StoreError::left_in_place)?;
        let archived = self.archive(slug, leaving.claim, ExitReason::Moved, bytes.as_bytes());
        let history = archived.map_err(StoreError::left_in_place)?;
        // A file that a program without locks put there meanwhile stays; the decided version is there.
        let removed = self.remove_live(slug, leaving.claim).map_err(StoreError::left_in_place)?;
        Ok(if removed { TransferOutcome::Moved { history } } else { TransferOutcome::Changed })
    }

    /// Writes a claim that comes from another store, and the act that it arrived. If the log cannot be written, the
    /// claim is removed again.
    fn take_arriving(&self, leaving: &LeavingClaim<'_>) -> Result<(), NotArrived> {
        let slug = leaving.slug;
        let fault = || StoreError::disk("cannot store the claim");
        let copy = self.stage_copy(slug, leaving.arriving)?;
        let (path, bytes) = (self.live_path(slug), leaving.arriving.render());
        match durable::create(self.disk(), self.ids(), &path, bytes.as_bytes()).map_err(fault())? {
            durable::NewName::New => {
                let arriving = Claim::from(leaving.arriving.clone());
                let put = copy.put().map_err(|error| error.after_undo(self.take_out(&path, &arriving)))?;
                match self.acts().record_all(leaving.arrived) {
                    Ok(()) => put.confirm(),
                    // The log says that it is here, so it stays.
                    Err(error) if error.is_left_in_place() => {
                        put.confirm();
                        return Err(error.into());
                    }
                    Err(error) => {
                        let out = self.take_out(&path, &arriving).map_err(fault());
                        return Err(error.after_undo(put.take_back().and(out)).into());
                    }
                }
            }
            // An interrupted run wrote it, perhaps before its name was durable.
            durable::NewName::Taken if matches!(self.live(slug), LiveFile::Claim(live) if live.file == *leaving.arriving) =>
            {
                self.disk().sync_dir(&self.paths.claims).map_err(fault())?;
                copy.put()?.confirm();
                self.acts().record_all(leaving.arrived)?;
            }
            durable::NewName::Taken => return Err(NotArrived::Taken),
        }
        Ok(())
    }

    /// Whether a move from here to there can be undone.
    pub fn transfer_state(
        &self,
        to: &Store,
        returning: &ReturningClaim<'_>,
    ) -> Result<TransferState, StoreError> {
        let here = self.live_hash(returning.slug)?;
        let there = to.live_hash(returning.slug)?;
        let is_there = match returning.arrived {
            Some(_) if there.is_none() => returning.may_be_gone,
            Some(arrived) => there.as_deref() == Some(arrived),
            None => true,
        };
        let has_copy = self.moved_copy(returning).is_some();
        Ok(match here.as_deref() {
            Some(here) if here == returning.original => match (returning.arrived, is_there) {
                (Some(_), true) if there.is_some() => TransferState::Undoable,
                (Some(_), false) if there.is_some() && returning.has_arrived => {
                    TransferState::Changed(UndoObstacle::ChangedThere)
                }
                (Some(_) | None, _) if has_copy => TransferState::Undoable,
                (Some(_) | None, _) => TransferState::Undone,
            },
            // It never left or is back, and was changed here since.
            Some(_) if !has_copy && (returning.arrived.is_none() || !is_there || there.is_none()) => {
                TransferState::Undone
            }
            Some(_) => TransferState::Changed(UndoObstacle::NameTaken),
            None if !has_copy => TransferState::Changed(UndoObstacle::OriginalGone),
            None if is_there => TransferState::Undoable,
            None if there.is_some() => TransferState::Changed(UndoObstacle::ChangedThere),
            None => TransferState::Changed(UndoObstacle::GoneThere),
        })
    }

    /// Undoes a move: live here again, byte for byte, and gone there. A repeat after a crash continues.
    pub fn move_back(
        &self,
        to: &Store,
        returning: &ReturningClaim<'_>,
        back: &Act,
    ) -> Result<TransferState, StoreError> {
        let slug = returning.slug;
        let _there = to.lock(slug)?;
        let _here = self.lock(slug)?;
        match self.transfer_state(to, returning)? {
            TransferState::Undoable | TransferState::Undone => {}
            changed @ TransferState::Changed(_) => return Ok(changed),
        }
        let fault = || StoreError::disk("cannot bring the claim back");
        let copy = self.moved_copy(returning);
        if let Some(copy) = &copy {
            let bytes = self.disk.read(copy, CLAIM_LEN_READ_MAX).map_err(fault())?;
            let path = self.live_path(slug);
            match durable::create(&*self.disk, &*self.ids, &path, &bytes).map_err(fault())? {
                durable::NewName::New => {}
                durable::NewName::Taken if self.live_hash(slug)?.as_deref() == Some(returning.original) => {
                    self.disk.sync_dir(&self.paths.claims).map_err(fault())?;
                }
                durable::NewName::Taken => {
                    return Ok(TransferState::Changed(UndoObstacle::NameTaken));
                }
            }
        }
        if let Some(arrived) = returning.arrived {
            to.drop_arrived(slug, arrived)?;
        }
        to.prepare()?;
        to.acts().record(back)?;
        if let Some(copy) = copy {
            self.disk.unlink(&copy).map_err(fault())?;
        }
        match self.disk.sync_dir(&self.paths.history) {
            Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
            Ok(()) | Err(_) => {}
        }
        // Last: the claims of this act are not looked at again.
        self.acts().record(back)?;
        Ok(TransferState::Undone)
    }

    /// Removes what came from another store, with its copy: it is live where it came from.
    fn drop_arrived(&self, slug: &ClaimSlug, arrived: &str) -> Result<(), StoreError> {
        let is_it = |bytes: &[u8]| hash::sha256_hex(bytes, 64) == arrived;
        self.drop_copies_if(slug, |copy| is_it(copy.file.render().as_bytes()))?;
        if let LiveFile::Claim(live) = self.live(slug)
            && is_it(live.file.render().as_bytes())
        {
            self.remove_live(slug, &live)?;
        }
        self.sync()
    }

    /// The original of a claim that left, in history.
    fn moved_copy(&self, returning: &ReturningClaim<'_>) -> Option<PathBuf> {
        let names = (0..history::SAME_STAMP_MAX)
            .map(|n| history::version_name(returning.slug, returning.created, n, ExitReason::Moved));
        let read = names.map(|name| {
            let path = self.paths.history.join(name);
            self.disk.read(&path, CLAIM_LEN_READ_MAX).ok().map(|bytes| (path, bytes))
        });
        let mut there = read.map_while(|read| read);
        there.find_map(|(path, bytes)| (hash::sha256_hex(&bytes, 64) == returning.original).then_some(path))
    }

    /// The sha256 of the live file, whatever it holds.
    fn live_hash(&self, slug: &ClaimSlug) -> Result<Option<String>, StoreError> {
        self.check_real_folders()?;
        match scan::read_file(&*self.disk, &self.live_path(slug)) {
            Ok(bytes) => Ok(Some(hash::sha256_hex(&bytes, 64))),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(error) => Err(StoreError::disk("cannot read the claim")(error)),
        }
    }

    /// Whether history has a version that was taken back here and says what `claim` says.
    pub fn was_taken_back(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        let is_it = |past: &Claim| past.text == claim.text && past.label == claim.label;
        let retracted = |n| history::version_name(slug, claim.created, n, ExitReason::Retracted);
        let read = (0..history::SAME_STAMP_MAX)
            .map(|n| scan::read_claim(&*self.disk, &self.paths.history.join(retracted(n))));
        read.map_while(|read| read).any(|read| read.is_ok_and(|past| is_it(&past)))
    }
}

/// Why a claim that was to move has not arrived.
enum NotArrived {
    /// Something else has its name.
    Taken,
    /// The store failed.
    Failed(StoreError),
}

impl From<StoreError> for NotArrived {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl ChangeError for NotArrived {
    fn is_left_in_place(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_left_in_place())
    }
}
