//! Writing a claim: the decision, the history and the new file under one lock.

use super::{LiveFile, Store};
use crate::acts::ChangeError;
use crate::history::{self, ExitReason};
use crate::scan::{self, UnreadableClaim};
use crate::{StoreError, Wording, durable};
use brainstem_base::{DiskError, DiskFault, Timestamp};
use brainstem_claims::decide::Decision;
use brainstem_claims::light::keys;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::path::{Path, PathBuf};

/// How often a write starts again because a program without locks changed the file.
pub(crate) const RACES_MAX: u32 = 20;

/// What a write did.
#[derive(Clone, Debug)]
pub struct WriteOutcome {
    /// The live file.
    pub path: PathBuf,
    /// What it now says.
    pub claim: Claim,
    /// The version before, where it is in history.
    pub history: Option<PathBuf>,
    /// Nothing was written: the live claim said the same.
    pub unchanged: bool,
    /// How many versions that were under the home alone went into history with this write.
    pub gathered: usize,
}

/// Why a write did nothing.
#[derive(Debug)]
pub enum WriteFault<R> {
    /// `decide` refused.
    Refused(R),
    /// The file under the live name is not a claim, and is never replaced.
    Unreadable(UnreadableClaim),
    /// The store failed.
    Store(StoreError),
}

impl<R> From<StoreError> for WriteFault<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<R> ChangeError for WriteFault<R> {
    fn is_left_in_place(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_left_in_place())
    }
}

impl Store {
    /// Writes what `decide` says, with the label's lock held from its look at the live claim to the last sync: check
    /// and write are one step. `decide` may be called again if a program that takes no locks (an editor, git) changed
    /// the file meanwhile.
    pub fn write<R>(
        &self,
        slug: &ClaimSlug,
        decide: impl FnMut(Option<&Claim>) -> Result<Decision, R>,
    ) -> Result<WriteOutcome, WriteFault<R>> {
        self.write_as(Wording::Callers, slug, decide)
    }

    /// The same for a version that repeats another one, author included.
    pub fn write_as<R>(
        &self,
        wording: Wording,
        slug: &ClaimSlug,
        mut decide: impl FnMut(Option<&Claim>) -> Result<Decision, R>,
    ) -> Result<WriteOutcome, WriteFault<R>> {
        let _guard = self.lock(slug)?;
        let elsewhere = self.elsewhere(slug)?;
        let fault = || StoreError::disk("cannot store the claim");
        for _ in 0..RACES_MAX {
            let live = match self.live_under_lock(slug) {
                LiveFile::Absent => None,
                LiveFile::Claim(claim) => Some(*claim),
                LiveFile::Unreadable(bad) => return Err(WriteFault::Unreadable(bad)),
            };
            // If the checkout has no such claim, the new version is compared with the version that was written here
            // last. Only the caller's write brings that one into the checkout: nothing is put there before the decision
            // or with a refusal.
            let absent = if live.is_none() { elsewhere.youngest() } else { None };
            let decision = decide(live.as_ref().or(absent));
            let is_retracted = match (&decision, &live) {
                (Ok(_), Some(live)) => self.drop_leftovers(slug, live)?,
                (Err(_), _) | (_, None) => false,
            };
            // Under the home such a version is in history once, as a retracted one.
            let left_as = match is_retracted && self.paths.kept.is_none() {
                true => ExitReason::Retracted,
                false => ExitReason::Superseded,
            };
            // A stamp makes no version, so nothing is put behind it.
            let makes_version = matches!(decision, Ok(Decision::Birth(_) | Decision::Supersede { .. }));
            let written = match (decision, live, absent) {
                (Err(refusal), _, _) => return Err(WriteFault::Refused(refusal)),
                (Ok(Decision::Unchanged), Some(claim), _) => {
                    // A killed run may have written it before its name was durable, or before its copy counted.
                    self.disk.sync_dir(&self.paths.claims).map_err(fault())?;
                    self.keep_live(slug, &claim.file)?;
                    let path = self.live_path(slug);
                    return Ok(WriteOutcome { path, claim, history: None, unchanged: true, gathered: 0 });
                }
                (Ok(Decision::Birth(file)), None, _) => {
                    let file = self.with_unique_stamp(slug, file, None);
                    self.note_wording(wording, None, &file)?;
                    self.create_live(slug, file)?
                }
                (Ok(Decision::Supersede { outdated, new }), Some(live), _) => {
                    let new = self.with_unique_stamp(slug, new, live.created);
                    self.note_wording(wording, Some(&live), &new)?;
                    self.replace(slug, (&live, left_as), &outdated, new)?
                }
                (Ok(Decision::Stamp { outdated, new }), Some(live), _) => {
                    self.replace(slug, (&live, ExitReason::Superseded), &outdated, new)?
                }
                (Ok(Decision::Supersede { outdated, new }), None, Some(absent)) => {
                    let new = self.with_unique_stamp(slug, new, absent.created);
                    self.note_wording(wording, Some(absent), &new)?;
                    elsewhere.note_owner(self)?;
                    let archived =
                        self.archive_new(slug, absent, ExitReason::Superseded, outdated.render().as_bytes())?;
                    match self.create_live(slug, new) {
                        Ok(Some(written)) => {
                            self.drop_copy_of(slug, absent);
                            Some(WriteOutcome { history: Some(archived.path), ..written })
                        }
                        other => {
                            // Its copy under the home stays and is the one that counts.
                            let removed = archived.remove(self);
                            if let Err(error) = other {
                                return Err(error.after_undo(removed).into());
                            }
                            removed.map_err(StoreError::left_in_place)?;
                            None
                        }
                    }
                }
                (Ok(Decision::Unchanged | Decision::Stamp { .. }), None, Some(absent)) => {
                    // The caller repeats that version.
                    elsewhere.note_owner(self)?;
                    let put = self.put_back(slug, absent)?;
                    if put == durable::NewName::New && elsewhere.is_from_owner(absent) {
                        self.keep_live(slug, &absent.file)?;
                        elsewhere.drop_owner_file(self);
                    }
                    continue;
                }
                (Ok(_), _, _) => {
                    unreachable!("a claim that is there is not born, and one that is not is not replaced")
                }
            };
            if let Some(written) = written {
                let gathered =
                    if makes_version { self.archive_versions_elsewhere(slug, elsewhere) } else { 0 };
                return Ok(WriteOutcome { gathered, ..written });
            }
        }
        Err(WriteFault::Unreadable(self.keeps_changing(slug)))
    }

    /// Gives a claim its live name, which is free; `None` if another program took it meanwhile. A refused call leaves
    /// no trace of the claim.
    fn create_live(&self, slug: &ClaimSlug, file: LightFile) -> Result<Option<WriteOutcome>, StoreError> {
        let path = self.live_path(slug);
        let copy = self.stage_copy(slug, &file)?;
        match durable::create(&*self.disk, &*self.ids, &path, file.render().as_bytes()) {
            Ok(durable::NewName::New) => {
                let claim = Claim::from(file);
                let put = copy.put().map_err(|error| error.after_undo(self.take_out(&path, &claim)))?;
                put.confirm();
                Ok(Some(WriteOutcome { path, claim, history: None, unchanged: false, gathered: 0 }))
            }
            Ok(durable::NewName::Taken) => Ok(None),
            // A checkout of a branch without claims removes the folder.
            Err(error) if error.fault() == DiskFault::NotFound => self.prepare().map(|()| None),
            Err(error) => Err(StoreError::disk("cannot store the claim")(error)),
        }
    }

    /// Puts the live version into history, then the new file under the live name; `None` if another program changed the
    /// file meanwhile. If any step is refused, the live version is as it was, and the new one is nowhere.
    pub(crate) fn replace(
        &self,
        slug: &ClaimSlug,
        (live, left_as): (&Claim, ExitReason),
        outdated: &LightFile,
        new: LightFile,
    ) -> Result<Option<WriteOutcome>, StoreError> {
        let path = self.live_path(slug);
        let fault = || StoreError::disk("cannot store the claim");
        let copy = self.stage_copy(slug, &new)?;
        let staged = durable::StagedFile::new(&*self.disk, &*self.ids, &path, new.render().as_bytes())
            .map_err(fault())?;
        let past = if left_as == ExitReason::Retracted { live.file.render() } else { outdated.render() };
        let archived = self.archive_new(slug, live, left_as, past.as_bytes())?;
        let mut is_left = false;
        let placed = (|| -> Result<Option<()>, StoreError> {
            let Some(kept) = self.pin_live_bytes(&path, live).map_err(fault())? else { return Ok(None) };
            let placed = match staged.put() {
                Err(error) if !error.is_unconfirmed() => {
                    // Nothing was replaced. A leftover temporary name is harmless, so a failed removal is ignored.
                    let _ = self.disk.unlink(&kept);
                    return Err(fault()(error));
                }
                placed => placed.map_err(fault()).and_then(|()| copy.put()),
            };
            let released = placed.and_then(|copy| {
                match self.unpin_live_bytes(slug, &kept, live, ExitReason::Superseded) {
                    Ok(()) => {
                        copy.confirm();
                        Ok(())
                    }
                    Err(error) => Err(error.after_undo(copy.take_back())),
                }
            });
            match released {
                Ok(()) => Ok(Some(())),
                Err(error) => {
                    let back = self.disk.rename(&kept, &path);
                    if back.is_err() && !self.is_still(&path, live).unwrap_or(false) {
                        // The new version stays, and so does the one before it in history.
                        is_left = true;
                        return Err(error.left_in_place());
                    }
                    // Best effort: the earlier live version has its name again.
                    let _ = back.and_then(|()| self.disk.sync_dir(&self.paths.claims));
                    Err(error)
                }
            }
        })();
        match placed {
            Ok(Some(())) => {
                if !Claim::from(new.clone()).is_version(live) {
                    self.drop_copy_of(slug, live);
                }
                let history = Some(archived.path);
                Ok(Some(WriteOutcome { path, claim: new.into(), history, unchanged: false, gathered: 0 }))
            }
            Ok(None) => {
                archived.take_back(self);
                Ok(None)
            }
            Err(error) => {
                if !is_left {
                    archived.take_back(self);
                }
                Err(error)
            }
        }
    }

    /// Undoes a write of this store because the change it was part of was refused elsewhere: the earlier version is
    /// live again. Only if the label was not written again. After an error that is left in place a part of the write
    /// stays; after any other error the disk did not confirm that it is undone.
    pub fn undo(
        &self,
        slug: &ClaimSlug,
        written: &WriteOutcome,
        before: Option<&Claim>,
    ) -> Result<(), StoreError> {
        if written.unchanged {
            return Ok(());
        }
        let undone = self.lock(slug).and_then(|_guard| self.undo_locked(slug, written, before));
        undone.map_err(|error| match error {
            unconfirmed @ StoreError::Unconfirmed { .. } => unconfirmed,
            other => other.left_in_place(),
        })
    }

    /// The same with the label's lock held.
    fn undo_locked(
        &self,
        slug: &ClaimSlug,
        written: &WriteOutcome,
        before: Option<&Claim>,
    ) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot undo the write");
        let bytes = written.claim.file.render();
        match self.disk.read(&written.path, bytes.len() as u64) {
            Ok(there) if there == bytes.as_bytes() => {}
            Ok(_) => return Ok(()),
            Err(error) if matches!(error.fault(), DiskFault::NotFound | DiskFault::TooLarge { .. }) => {
                return Ok(());
            }
            Err(_) => {
                // It cannot be read now. It stays under a second name, whatever another program has made of it.
                let second = durable::temp_in(&self.paths.claims, &*self.ids);
                self.disk.link(&written.path, &second).map_err(fault())?;
            }
        }
        match before {
            None => {
                let out = self.take_out(&written.path, &written.claim).map_err(fault());
                let copy = self.give_up_copy_of(slug, &written.claim);
                out.and(copy)
            }
            Some(before) => {
                let bytes = before.file.render();
                let back = durable::replace(&*self.disk, &*self.ids, &written.path, bytes.as_bytes());
                if let Err(error) = back.as_ref()
                    && !error.is_unconfirmed()
                {
                    return back.map_err(fault());
                }
                let copies = if before.is_version(&written.claim) {
                    // The copy counts for the version, with a stamp or without.
                    let _ = self.keep_live(slug, &before.file);
                    Ok(())
                } else {
                    let copy = self.give_up_copy_of(slug, &written.claim);
                    copy.and(self.keep_live(slug, &before.file))
                };
                // History gives it up once it is live again, durably.
                back.map_err(fault()).and(copies)?;
                let gone = written.history.as_ref().map_or(Ok(()), |history| {
                    self.disk.unlink(history).and_then(|()| self.disk.sync_dir(&self.paths.history))
                });
                gone.map_err(fault())
            }
        }
    }

    /// Removes a live file that a write has just put there and could not complete. After an error it may still be
    /// there: it is whole, and a repeat finds it.
    pub(crate) fn take_out(&self, path: &Path, claim: &Claim) -> Result<(), DiskError> {
        let aside = durable::temp_in(&self.paths.claims, &*self.ids);
        durable::take_back(&*self.disk, &aside, path, claim.file.render().as_bytes())
    }

    /// Increases a birth stamp until it is unique: `<slug>@<ms>` names one version, and an act upon it is an act upon
    /// no other. Stamps collide when a claim is born again in the millisecond of one that was taken back, or after a
    /// clock went back. A version that is in history as it was before the stamp of a promotion is the same one.
    ///
    /// `before` is the stamp of the version that it takes the place of. At the end of time there is no later stamp, and
    /// the next free one before it is taken.
    pub(crate) fn with_unique_stamp(
        &self,
        slug: &ClaimSlug,
        mut file: LightFile,
        before: Option<Timestamp>,
    ) -> LightFile {
        let born = Claim::from(file.clone());
        let is_unstamped = |path: &Path| {
            let past = scan::read_claim(&*self.disk, path).and_then(Result::ok);
            past.is_some_and(|past| past.promoted_to != born.promoted_to && past.is_version_kept(&born))
        };
        let in_history = |created| {
            ExitReason::ALL.into_iter().any(|exit| {
                let name = history::version_name(slug, Some(created), 0, exit);
                let path = self.paths.history.join(name);
                self.disk.stat(&path).is_ok() && !(exit == ExitReason::Superseded && is_unstamped(&path))
            })
        };
        let is_taken =
            |created| before == Some(created) || in_history(created) || self.is_stamp_kept(slug, created);
        let Some(first) = born.created else { return file };
        let one_later = |at: &Timestamp| (*at < Timestamp::MAX).then(|| at.next());
        let one_earlier = |at: &Timestamp| (*at > Timestamp::MIN).then(|| Timestamp::from_ms(at.ms() - 1));
        let later = std::iter::successors(Some(first), one_later);
        let earlier = std::iter::successors(one_earlier(&first), one_earlier);
        let created = later.chain(earlier).find(|created| !is_taken(*created)).unwrap_or(Timestamp::MIN);
        if created != first {
            file.set(keys::CREATED, &created.ms().to_string());
        }
        file
    }

    /// Gives the live file a second name, so that its bytes stay when the first name goes; `None` if its content is no
    /// longer what the decision was made on.
    fn pin_live_bytes(&self, path: &Path, live: &Claim) -> Result<Option<PathBuf>, DiskError> {
        let kept = durable::temp_in(&self.paths.claims, &*self.ids);
        match self.disk.link(path, &kept) {
            Ok(()) => {}
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        match self.is_still(path, live) {
            Ok(true) => Ok(Some(kept)),
            Ok(false) => self.disk.unlink(&kept).map(|()| None),
            Err(error) => {
                // A leftover temporary name is harmless, so a failed removal is ignored.
                let _ = self.disk.unlink(&kept);
                Err(error)
            }
        }
    }

    /// Removes the second name. If an editor wrote into the file at the last moment, after the decision, that content
    /// goes to history as a version of its own.
    pub(super) fn unpin_live_bytes(
        &self,
        slug: &ClaimSlug,
        kept: &Path,
        live: &Claim,
        exit: ExitReason,
    ) -> Result<(), StoreError> {
        if !self.is_still(kept, live).unwrap_or(false) {
            let fault = StoreError::disk("cannot keep what another program wrote");
            let bytes = match self.disk.read(kept, CLAIM_LEN_READ_MAX) {
                Ok(bytes) => bytes,
                Err(error) if error.fault() == DiskFault::PowerLost => return Err(fault(error)),
                // It is too large for a claim, or cannot be read now. It stays under its temporary name, which `doctor`
                // reports, and the change is made.
                Err(_) => return Ok(()),
            };
            // A disk that failed to read the file the first time may succeed now, and the file may be unchanged.
            if bytes != live.file.render().as_bytes() {
                let bytes = match (exit, Claim::parse(&bytes)) {
                    (ExitReason::Superseded, Ok(edited)) => edited.outdated().render().into_bytes(),
                    (ExitReason::Superseded | ExitReason::Retracted | ExitReason::Moved, _) => bytes,
                };
                self.archive(slug, live, exit, &bytes)?;
            }
        }
        // A leftover temporary name is harmless, so a failed removal is ignored.
        let _ = self.disk.unlink(kept);
        Ok(())
    }
}
