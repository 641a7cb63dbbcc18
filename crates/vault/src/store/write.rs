//! Writing a claim: decided, kept and put in place under one lock.

use super::{Live, Store};
use crate::history::{self, Exit};
use crate::scan::{self, Unreadable};
use crate::{StoreError, durable};
use brainstem_base::{DiskError, DiskFault, Timestamp};
use brainstem_claims::decide::Decision;
use brainstem_claims::light::keys;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::path::{Path, PathBuf};

/// How often a write starts again because something that takes no locks changed the file.
pub(crate) const RACES_MAX: u32 = 20;

/// What a write did.
#[derive(Clone, Debug)]
pub struct Written {
    /// The live file.
    pub path: PathBuf,
    /// What it now says.
    pub claim: Claim,
    /// The version before, where it lies in history.
    pub history: Option<PathBuf>,
    /// Nothing was written: the live claim said the same.
    pub unchanged: bool,
}

/// Why a write did nothing.
#[derive(Debug)]
pub enum WriteFault<R> {
    /// The decision was to refuse.
    Refused(R),
    /// The file under the live name is no claim, and nothing replaces it unseen.
    Unreadable(Unreadable),
    /// The store failed.
    Store(StoreError),
}

impl<R> From<StoreError> for WriteFault<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Store {
    /// Writes what `decide` says, with the label's lock held from its look at the live claim to the
    /// last sync: check and write are one step. `decide` may be asked again when a program that
    /// takes no locks (an editor, git) changed the file meanwhile.
    pub fn write<R>(
        &self,
        slug: &ClaimSlug,
        mut decide: impl FnMut(Option<&Claim>) -> Result<Decision, R>,
    ) -> Result<Written, WriteFault<R>> {
        let _guard = self.lock(slug)?;
        self.gather(slug)?;
        let path = self.live_path(slug);
        let fault = || StoreError::disk("cannot store the claim");
        for _ in 0..RACES_MAX {
            let live = match self.settled(slug)? {
                Live::Absent => None,
                Live::Claim(claim) => Some(*claim),
                Live::Unreadable(bad) => return Err(WriteFault::Unreadable(bad)),
            };
            match decide(live.as_ref()).map_err(WriteFault::Refused)? {
                Decision::Unchanged => {
                    let claim = live.expect("only a live claim can be unchanged");
                    // Perhaps written by a run that was killed before its name was certain.
                    self.disk.sync_dir(&self.paths.claims).map_err(fault())?;
                    return Ok(Written { path, claim, history: None, unchanged: true });
                }
                Decision::Birth(file) => {
                    let file = self.with_own_stamp(slug, file);
                    self.keep_copy(slug, &file)?;
                    match durable::create(&*self.disk, &*self.ids, &path, file.render().as_bytes()) {
                        Ok(durable::Named::New) => {
                            return Ok(Written { path, claim: file.into(), history: None, unchanged: false });
                        }
                        Ok(durable::Named::Taken) => {}
                        // A checkout of a branch without claims takes the folder away.
                        Err(error) if error.fault() == DiskFault::NotFound => self.prepare()?,
                        Err(error) => return Err(fault()(error).into()),
                    }
                }
                Decision::Supersede { outdated, new } => {
                    let live = live.expect("only a live claim can be superseded");
                    let new = self.with_own_stamp(slug, new);
                    if let Some(written) = self.replace(slug, &live, &outdated, new)? {
                        return Ok(written);
                    }
                }
                Decision::Stamp { outdated, new } => {
                    let live = live.expect("only a live claim can be stamped");
                    if let Some(written) = self.replace(slug, &live, &outdated, new)? {
                        return Ok(written);
                    }
                }
            }
        }
        Err(WriteFault::Unreadable(self.keeps_changing(slug)))
    }

    /// Puts the live version into history, then the new file under the live name; `None` when another
    /// program changed the file meanwhile.
    fn replace(
        &self,
        slug: &ClaimSlug,
        live: &Claim,
        outdated: &LightFile,
        new: LightFile,
    ) -> Result<Option<Written>, StoreError> {
        let path = self.live_path(slug);
        let fault = || StoreError::disk("cannot store the claim");
        self.keep_copy(slug, &new)?;
        let staged =
            durable::Staged::new(&*self.disk, &*self.ids, &path, new.render().as_bytes()).map_err(fault())?;
        let history = self.archive(slug, live, Exit::Superseded, outdated.render().as_bytes())?;
        let Some(kept) = self.keep(&path, live).map_err(fault())? else { return Ok(None) };
        staged.put().map_err(fault())?;
        self.release(slug, &kept, live, Exit::Superseded)?;
        let history = Some(history);
        Ok(Some(Written { path, claim: new.into(), history, unchanged: false }))
    }

    pub(crate) fn keeps_changing(&self, slug: &ClaimSlug) -> Unreadable {
        Unreadable { path: self.live_path(slug), why: "another program keeps changing it".into() }
    }

    /// Moves a birth stamp on until no version in history has it: `<slug>@<ms>` names one version, and
    /// an act upon it is an act upon no other. Stamps meet when a claim is born again in the millisecond
    /// of one that was taken back, or after a clock went back. A version that is in history as it was before
    /// the stamp of a promotion is the same one.
    fn with_own_stamp(&self, slug: &ClaimSlug, mut file: LightFile) -> LightFile {
        let born = Claim::from(file.clone());
        let is_unstamped = |path: &Path| {
            let Some(Ok(before)) = scan::read_claim(&*self.disk, path) else { return false };
            let before = Claim { state: born.state, ..before };
            before.created == born.created
                && before.promoted_to != born.promoted_to
                && says_the_same(&before, &born)
        };
        let is_taken = |created| {
            Exit::ALL.into_iter().any(|exit| {
                let name = history::version_name(slug, Some(created), 0, exit);
                let path = self.paths.history.join(name);
                self.disk.stat(&path).is_ok() && !(exit == Exit::Superseded && is_unstamped(&path))
            })
        };
        let Some(first) = born.created else { return file };
        let mut created = first;
        while created < Timestamp::MAX && is_taken(created) {
            created = created.next();
        }
        if created != first {
            file.set(keys::CREATED, &created.ms().to_string());
        }
        file
    }

    /// Gives the live file a second name, so that its bytes outlive the name that is about to go;
    /// `None` when it no longer says what was decided over.
    fn keep(&self, path: &Path, live: &Claim) -> Result<Option<PathBuf>, DiskError> {
        let kept = durable::temp_in(&self.paths.claims, &*self.ids);
        match self.disk.link(path, &kept) {
            Ok(()) if self.is_still(path, live) => Ok(Some(kept)),
            Ok(()) => self.disk.unlink(&kept).map(|()| None),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the second name up. What an editor wrote into the file at the last moment, after it was
    /// decided over, goes to history as a version of its own.
    pub(super) fn release(
        &self,
        slug: &ClaimSlug,
        kept: &Path,
        live: &Claim,
        exit: Exit,
    ) -> Result<(), StoreError> {
        if !self.is_still(kept, live) {
            let fault = StoreError::disk("cannot keep what another program wrote");
            let bytes = self.disk.read(kept, u64::MAX).map_err(fault)?;
            let bytes = match (exit, Claim::parse(&bytes)) {
                (Exit::Superseded, Ok(edited)) => edited.outdated().render().into_bytes(),
                (Exit::Superseded | Exit::Retracted | Exit::Moved, _) => bytes,
            };
            self.archive(slug, live, exit, &bytes)?;
        }
        // A leftover temporary name is harmless, so its removal decides nothing.
        let _ = self.disk.unlink(kept);
        Ok(())
    }

    /// Whether the file still has the bytes that were decided over.
    pub(crate) fn is_still(&self, path: &Path, live: &Claim) -> bool {
        let bytes = live.file.render();
        self.disk.read(path, bytes.len() as u64).is_ok_and(|there| there == bytes.as_bytes())
    }
}
