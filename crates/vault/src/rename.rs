//! Giving a claim another label: its history follows, and the old name goes.

pub(crate) mod fault;

pub use fault::RenameFault;

use crate::acts::ChangeError;
use crate::history::VersionName;
use crate::missing_from_checkout::CopyLookup;
use crate::one_claim::{OneClaim, is_one_claim};
use crate::scan::{self, ClaimFileContent};
use crate::store::{LiveFile, RACES_MAX, Store};
use crate::undecided::UndecidedRest;
use crate::{StoreError, durable, piecewise};
use brainstem_base::disk::LockGuard;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_claims::act::{Act, Deed};
use brainstem_claims::folds::names::Relabelling;
use brainstem_claims::lineage::relabelled;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::path::{Path, PathBuf};

/// A claim under its new label.
#[derive(Clone, Debug)]
pub struct RenamedClaim {
    /// Its live file.
    pub path: PathBuf,
    /// What it says.
    pub claim: Claim,
    /// How many versions of its history have its new name.
    pub versions: usize,
    /// How many versions still have a name under the old label too: the disk did not remove it.
    pub left: usize,
    /// It had this label before.
    pub unchanged: bool,
}

/// What is renamed.
pub struct ClaimRename<'a> {
    /// The slug it has.
    pub from: &'a ClaimSlug,
    /// Whether a live claim of that slug is the one to rename.
    pub is_it: &'a dyn Fn(&Claim) -> bool,
    /// The label it gets.
    pub to: &'a Label,
    /// The record of it, for the claim as it was; `returns` counts how often it came back to this name.
    pub act: &'a dyn Fn(&Claim, usize) -> Act,
    /// Whether an act of the log is this very renaming, done before.
    pub is_done_by: &'a dyn Fn(&Act) -> bool,
}

impl Store {
    /// Gives the live claim another label. What it says, its birth and its author stay.
    ///
    /// Order: the history under its new name beside the old, the live file under its new name, the kept copies under
    /// their new names beside the old, the act, then the old live name goes, then the old names of the history and of
    /// the copies. Interrupted anywhere, the claim is there under its old name or under both, and a repeat completes
    /// it.
    pub fn rename(&self, renaming: &ClaimRename<'_>) -> Result<RenamedClaim, RenameFault> {
        let to = ClaimSlug::of(renaming.to);
        let _guards = self.lock_both(renaming.from, &to)?;
        for _ in 0..RACES_MAX {
            let (old, rest) = match self.live_under_lock(renaming.from) {
                LiveFile::Claim(claim) if (renaming.is_it)(&claim) => (*claim, None),
                LiveFile::Claim(_) | LiveFile::Absent => return self.renamed_before(renaming, &to),
                LiveFile::Unreadable(bad) => match self.apart_from_others(renaming)? {
                    Some((old, rest)) if *renaming.from != to => (old, Some(rest)),
                    Some(_) | None => return Err(RenameFault::Unreadable(bad)),
                },
            };
            let new = relabelled(&old, renaming.to);
            let done = if *renaming.from == to {
                self.respell(renaming, &old, &new)?
            } else {
                self.move_over(renaming, &to, (&old, rest.as_ref()), &new)?
            };
            if let Some(renamed) = done {
                return Ok(renamed);
            }
        }
        Err(RenameFault::Unreadable(self.keeps_changing(renaming.from)))
    }

    /// The claim to rename, out of a file in which claims of other labels wait, and the rest of that file; `None` if a
    /// decision between its own versions must come first.
    fn apart_from_others(
        &self,
        renaming: &ClaimRename<'_>,
    ) -> Result<Option<(Claim, UndecidedRest)>, StoreError> {
        let Some(rest) = self.rest(renaming.from, renaming.is_it)? else { return Ok(None) };
        let [old] = rest.gone.as_slice() else { return Ok(None) };
        let (old, acts) = (old.clone(), self.acts().read()?.acts);
        let is_other = |side: &Claim| !is_one_claim(side, &old, renaming.from, &acts);
        let is_apart = !rest.stay.is_empty() && rest.stay.iter().all(is_other);
        Ok(is_apart.then_some((old, rest)))
    }

    /// Another spelling with the same slug: one file, replaced whole.
    fn respell(
        &self,
        renaming: &ClaimRename<'_>,
        old: &Claim,
        new: &Claim,
    ) -> Result<Option<RenamedClaim>, RenameFault> {
        let path = self.live_path(renaming.from);
        let own = self.one_claim_of(renaming.from, old)?;
        let versions = self.own_version_names(renaming.from, &own)?.len();
        if old.label == new.label {
            return Ok(Some(RenamedClaim { path, claim: new.clone(), versions, left: 0, unchanged: true }));
        }
        // A version of another claim under this label would count as a version of this one.
        let is_to = |claim: &&Claim| claim.label == new.label && !own.has(claim);
        if let Some(holder) = self.versions_of(renaming.from)?.iter().find(is_to) {
            return Err(RenameFault::Taken { holder: holder.label.clone() });
        }
        let fault = || StoreError::disk("cannot rename the claim");
        self.drop_leftovers(renaming.from, old)?;
        self.note_source(new, self.source_of(old)?)?;
        let copy = self.stage_copy(renaming.from, &new.file)?;
        let bytes = new.file.render();
        let staged =
            durable::StagedFile::new(&*self.disk, &*self.ids, &path, bytes.as_bytes()).map_err(fault())?;
        let mut undo =
            durable::Undo::of(&*self.disk, &*self.ids, &path, &self.paths.claims).map_err(fault())?;
        let spelled = self.acts().record_for(&[self.act_of(renaming, old)?], || {
            if !self.is_still(&path, old).map_err(fault())? {
                return Err(NotRenamed::Changed);
            }
            let placed = staged.put_undoable(&mut undo).map_err(fault()).and_then(|()| copy.put());
            match placed {
                Ok(put_copy) => {
                    undo.confirm();
                    put_copy.confirm();
                    Ok(())
                }
                Err(error) => Err(error.after_undo(undo.take_back()).into()),
            }
        });
        match spelled {
            Ok(()) => {
                self.drop_copy_of(renaming.from, old);
                Ok(Some(RenamedClaim { path, claim: new.clone(), versions, left: 0, unchanged: false }))
            }
            Err(NotRenamed::Changed) => Ok(None),
            Err(NotRenamed::Failed(error)) => Err(error.into()),
        }
    }

    /// `None` if another program changed the claim meanwhile.
    fn move_over(
        &self,
        renaming: &ClaimRename<'_>,
        to: &ClaimSlug,
        (old, rest): (&Claim, Option<&UndecidedRest>),
        new: &Claim,
    ) -> Result<Option<RenamedClaim>, RenameFault> {
        let fault = || StoreError::disk("cannot rename the claim");
        let path = self.live_path(to);
        // A live file with exactly this content was left by an interrupted run.
        let resumes = match self.live(to) {
            LiveFile::Absent => false,
            LiveFile::Claim(there) if there.file == new.file => true,
            LiveFile::Claim(there) => return Err(RenameFault::Taken { holder: there.label }),
            LiveFile::Unreadable(bad) => return Err(RenameFault::Unreadable(bad)),
        };
        self.check_free(renaming.from, to, new)?;
        self.drop_leftovers(renaming.from, old)?;
        let act = self.act_of(renaming, old)?;
        self.note_source(new, self.source_of(old)?)?;
        // A version that another clone renamed from this slug stays where its claim finds it; one that an interrupted
        // run left under both names continues.
        let of_others = self.renamed_away(renaming.from, &CopyLookup::at(self))?.without(to);
        // So does a version of another claim with this slug.
        let own = self.one_claim_of(renaming.from, old)?;
        let mut names = self.own_version_names(renaming.from, &own)?;
        names.retain(|name| !of_others.has(&self.paths.history.join(name)));
        let mut along = self.copies_along((renaming.from, to), &own, &of_others, new)?;
        let copy = self.stage_copy(to, &new.file)?;
        let unlink_new = || self.unlink_names(&names, renaming.from, to, VersionNames::New);
        self.link_history(renaming.from, to, &names).map_err(|fault| match fault {
            RenameFault::Store(error) => RenameFault::Store(error.after_undo(unlink_new())),
            other => other,
        })?;
        // A claim under two names loses nothing, and a repeat continues from there.
        let undo = || -> Result<(), StoreError> {
            let gone = self.disk.unlink(&path).and_then(|()| self.disk.sync_dir(&self.paths.claims));
            gone.map_err(fault()).and(unlink_new())
        };
        let create = || -> Result<durable::NewName, StoreError> {
            if resumes {
                self.disk.sync_dir(&self.paths.claims).map_err(fault())?;
                return Ok(durable::NewName::New);
            }
            let bytes = new.file.render();
            durable::create(&*self.disk, &*self.ids, &path, bytes.as_bytes()).map_err(fault())
        };
        match create() {
            Ok(durable::NewName::New) => {}
            Ok(durable::NewName::Taken) => {
                return unlink_new().map(|()| None).map_err(|left| left.left_in_place().into());
            }
            Err(error) => return Err(error.after_undo(unlink_new()).into()),
        }
        let put_copy = copy.put().map_err(|error| error.after_undo(undo()))?;
        // The versions that git took away move along.
        if let Err(error) = along.link() {
            return Err(error.after_undo(along.take_back().and(put_copy.take_back()).and(undo())).into());
        }
        let leave = || match rest {
            None => self.remove_live(renaming.from, old),
            Some(rest) => Ok(match self.put_rest(renaming.from, rest)? {
                Some(before) => {
                    // A leftover temporary name is harmless, so a failed removal is ignored.
                    let _ = self.disk.unlink(&before);
                    true
                }
                None => false,
            }),
        };
        let renamed = self.acts().record_for(&[act], || match leave() {
            Ok(true) => Ok(()),
            Ok(false) => Err(NotRenamed::Changed),
            Err(error) => Err(NotRenamed::Failed(error)),
        });
        match renamed {
            Ok(()) => put_copy.confirm(),
            Err(NotRenamed::Changed) => {
                let undone = along.take_back().and(put_copy.take_back()).and(undo());
                return undone.map(|()| None).map_err(|left| left.left_in_place().into());
            }
            // The old name is gone, or the log says so: the new one stays, and a repeat completes it.
            Err(NotRenamed::Failed(error)) if error.is_left_in_place() => {
                put_copy.confirm();
                return Err(error.into());
            }
            Err(NotRenamed::Failed(error)) => {
                let undone = along.take_back().and(put_copy.take_back()).and(undo());
                return Err(error.after_undo(undone).into());
            }
        }
        // It is renamed. Old names that cannot be removed lose nothing; the answer and `doctor` name them.
        match self.unlink_names(&names, renaming.from, to, VersionNames::Old) {
            Err(error) if error.disk_fault() == Some(DiskFault::PowerLost) => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        // A path that cannot be looked at may be there.
        let is_gone = |error: &brainstem_base::DiskError| error.fault() == DiskFault::NotFound;
        let is_there =
            |name: &&String| !self.disk.stat(&self.paths.history.join(name)).as_ref().is_err_and(is_gone);
        let left = names.iter().filter(is_there).count() + along.drop_old()?;
        Ok(Some(RenamedClaim { path, claim: new.clone(), versions: names.len(), left, unchanged: false }))
    }

    /// The claim has the new label already: completes what an interrupted run left undone.
    fn renamed_before(
        &self,
        renaming: &ClaimRename<'_>,
        to: &ClaimSlug,
    ) -> Result<RenamedClaim, RenameFault> {
        let there = match self.live(to) {
            LiveFile::Claim(there) if there.label == renaming.to.as_str() => *there,
            LiveFile::Claim(_) | LiveFile::Absent | LiveFile::Unreadable(_) => {
                return Err(RenameFault::Absent);
            }
        };
        // A claim that lived under the old name since then is another claim.
        let lived_since = |act: &Act| {
            let Some(Relabelling { from: Some(from), born, .. }) = Relabelling::by(act) else {
                return Ok(false);
            };
            Ok::<_, StoreError>(renaming.from != to && self.has_lived_since(&from, born)?)
        };
        let acts = self.acts().read()?.acts.into_iter();
        let mut done = None;
        for act in acts.filter(renaming.is_done_by) {
            if !lived_since(&act)? {
                done = Some(act);
            }
        }
        let Some(done) = done else { return Err(RenameFault::Absent) };
        self.sync()?;
        self.keep_live(to, &there.file)?;
        let mut left = 0;
        if renaming.from != to {
            let of_others = self.renamed_away(renaming.from, &CopyLookup::at(self))?.without(to);
            let from = Relabelling::by(&done).and_then(|done| done.from);
            let own = self.one_claim(from.as_ref().unwrap_or(renaming.to))?;
            let mut along = self.copies_along((renaming.from, to), &own, &of_others, &there)?;
            along.link().map_err(|error| error.after_undo(along.take_back()))?;
            self.unlink_history(renaming.from, to)?;
            left = along.drop_old()?;
        }
        let versions = self.version_names(to)?.len();
        Ok(RenamedClaim { path: self.live_path(to), claim: there, versions, left, unchanged: true })
    }

    /// Whether history has a version of this label that was born later than `born`; false for an unknown time. A
    /// version that cannot be read may be one.
    pub fn has_lived_since(&self, label: &Label, born: Option<Timestamp>) -> Result<bool, StoreError> {
        let ms = born.map_or(i64::MAX, Timestamp::ms);
        let names = self.version_names(&ClaimSlug::of(label))?;
        let is_later = |name: &&String| VersionName::parse(name).is_some_and(|version| version.born_ms > ms);
        Ok(names.iter().filter(is_later).any(|name| {
            let read = scan::read_claim(&*self.disk, &self.paths.history.join(name));
            read.is_some_and(|read| read.map_or(true, |claim| label.is_read_as(&claim.label)))
        }))
    }

    /// The record of a renaming.
    fn act_of(&self, renaming: &ClaimRename<'_>, old: &Claim) -> Result<Act, StoreError> {
        let back = |act: &&Act| match act.deed() {
            Deed::Rename { to_slug, created, .. } => {
                to_slug.as_ref() == Some(renaming.from) && *created == old.created
            }
            _ => false,
        };
        let returns = self.acts().read()?.acts.iter().filter(back).count();
        Ok((renaming.act)(old, returns))
    }

    /// Refuses a name of a claim that git took away: its versions would count as versions of the renamed claim. The
    /// copies of `from` that an interrupted run has put there do not count.
    fn check_free(&self, from: &ClaimSlug, to: &ClaimSlug, new: &Claim) -> Result<(), RenameFault> {
        let missing = self.missing_given(to)?;
        let mut copies = missing.into_iter().flat_map(|missing| missing.versions);
        let ours = self.kept_names(from)?;
        let is_ours = |path: &Path| ours.iter().any(|our| piecewise::are_same(&*self.disk, &our.path, path));
        match copies.find(|copy| !copy.claim.is_version(new) && !is_ours(&copy.path)) {
            Some(copy) => Err(RenameFault::Taken { holder: copy.claim.label }),
            None => Ok(()),
        }
    }

    /// Gives every version of `from` a second name under `to`; refuses if another version has it.
    fn link_history(&self, from: &ClaimSlug, to: &ClaimSlug, names: &[String]) -> Result<(), RenameFault> {
        let fault = || StoreError::disk("cannot move the history");
        let dir = &self.paths.history;
        let targets: Vec<String> = names.iter().map(|name| under(name, from, to)).collect();
        for name in self.version_names(to)? {
            let is_ours = targets
                .iter()
                .position(|target| *target == name)
                .is_some_and(|at| self.is_same_file(&names[at], &name));
            if !is_ours {
                let holder = scan::read_claim(&*self.disk, &dir.join(&name)).and_then(Result::ok);
                return Err(RenameFault::Taken { holder: holder.map_or(name, |claim| claim.label) });
            }
        }
        for (name, target) in names.iter().zip(&targets) {
            match self.disk.link(&dir.join(name), &dir.join(target)) {
                Err(error) if error.fault() != DiskFault::Exists => return Err(fault()(error).into()),
                Ok(()) | Err(_) => {}
            }
        }
        if !names.is_empty() {
            self.disk.sync_dir(dir).map_err(fault())?;
        }
        Ok(())
    }

    /// Removes one of the two names of each of these versions of `from` that has a name under `to` too.
    fn unlink_names(
        &self,
        names: &[String],
        from: &ClaimSlug,
        to: &ClaimSlug,
        which: VersionNames,
    ) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot move the history");
        let dir = &self.paths.history;
        let mut unlinked = Ok(());
        for name in names {
            let new = under(name, from, to);
            if self.is_same_file(name, &new) {
                let gone = match which {
                    VersionNames::Old => name,
                    VersionNames::New => &new,
                };
                // A name that cannot be removed does not stop the others.
                let removed = self.disk.unlink(&dir.join(gone));
                unlinked = unlinked.and(removed.map_err(fault()));
            }
        }
        let synced = match self.disk.sync_dir(dir) {
            Err(error) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
            Ok(()) | Err(_) => Ok(()),
        };
        unlinked.and(synced)
    }

    /// Removes the names under `from` of versions that have one under `to`.
    fn unlink_history(&self, from: &ClaimSlug, to: &ClaimSlug) -> Result<(), StoreError> {
        self.unlink_names(&self.version_names(from)?, from, to, VersionNames::Old)
    }

    fn is_same_file(&self, one: &str, other: &str) -> bool {
        piecewise::are_same(&*self.disk, &self.paths.history.join(one), &self.paths.history.join(other))
    }

    /// The files of the versions of one claim. A damaged file belongs to this claim if no other has the slug, or if it
    /// contains the label. A file that the disk fails to read could belong to either, which is an error.
    fn own_version_names(&self, slug: &ClaimSlug, own: &OneClaim) -> Result<Vec<String>, RenameFault> {
        let mut names = Vec::new();
        for name in self.version_names(slug)? {
            let path = self.paths.history.join(&name);
            let is_own = match scan::read_content(&*self.disk, &path) {
                ClaimFileContent::Claim(claim) => own.has(&claim),
                ClaimFileContent::Nothing => false,
                _ if own.is_alone() => true,
                ClaimFileContent::Sides(_) | ClaimFileContent::Unreadable(_) => {
                    self.mentions(&path, own.names())
                }
                ClaimFileContent::Unread(bad) => return Err(RenameFault::Unreadable(bad)),
            };
            if is_own {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Both labels' locks, always in the same order, so that two renamings never wait for each other.
    fn lock_both(&self, a: &ClaimSlug, b: &ClaimSlug) -> Result<Vec<Box<dyn LockGuard>>, StoreError> {
        self.lock_each(&[a.clone(), b.clone()])
    }
}

/// A version's file name under another slug.
fn under(name: &str, from: &ClaimSlug, to: &ClaimSlug) -> String {
    format!("{to}{}", &name[from.as_str().len()..])
}

/// The names of a version while its claim is renamed.
#[derive(Clone, Copy)]
enum VersionNames {
    /// Under the slug that the claim had.
    Old,
    /// Under the slug that it gets.
    New,
}

/// Why a claim that was about to be renamed was not.
enum NotRenamed {
    /// Another program changed it.
    Changed,
    /// The store failed.
    Failed(StoreError),
}

impl From<StoreError> for NotRenamed {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl ChangeError for NotRenamed {
    fn is_left_in_place(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_left_in_place())
    }
}
