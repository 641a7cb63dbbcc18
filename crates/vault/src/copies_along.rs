//! Kept copies that move along when their claim gets another name.
//!
//! A version that git took away exists only as a copy. Before the renaming is on record, every copy that the new name
//! needs gets a second name there; afterwards the first names go. If a copy cannot be read, the renaming is refused
//! before anything has changed, because its claim is unknown.

use crate::StoreError;
use crate::history::{ExitReason, SAME_STAMP_MAX, version_name};
use crate::kept_copies::KeptName;
use crate::missing_from_checkout::is_same_under_its_label;
use crate::one_claim::OneClaim;
use crate::piecewise;
use crate::rename::fault::RenameFault;
use crate::scan::{self, ClaimFileContent};
use crate::store::Store;
use crate::version_owner::OfOthers;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_claims::{Claim, ClaimSlug};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The copies of a claim that is about to get another name.
pub(crate) struct CopiesAlong<'a> {
    store: &'a Store,
    to: ClaimSlug,
    /// Those that the new name needs: neither the live version nor history has their content.
    needed: Vec<KeptName>,
    /// All of them, under the name that the claim had.
    old: Vec<PathBuf>,
    /// The second names that this run has made.
    made: Vec<PathBuf>,
}

impl Store {
    /// The copies that move along from one name to another, with the locks of both held. `new` is the live version
    /// under the new name. Copies that belong, or may belong, to another claim stay.
    pub(crate) fn copies_along(
        &self,
        (from, to): (&ClaimSlug, &ClaimSlug),
        own: &OneClaim,
        of_others: &OfOthers,
        new: &Claim,
    ) -> Result<CopiesAlong<'_>, RenameFault> {
        let mut along = CopiesAlong {
            store: self,
            to: to.clone(),
            needed: Vec::new(),
            old: Vec::new(),
            made: Vec::new(),
        };
        // A version in a file of its own under the home keeps its name, and so does its copy.
        let stays = self.owner_versions(from)?;
        for name in self.kept_names(from)? {
            if of_others.has(&name.path) {
                continue;
            }
            let is_needed = match scan::read_content(self.disk(), &name.path) {
                ClaimFileContent::Claim(claim)
                    if !own.has(&claim) || stays.iter().any(|it| it.is_version(&claim)) =>
                {
                    continue;
                }
                ClaimFileContent::Claim(claim) => {
                    let is_past = |past: &Claim| past.is_version_kept(&claim);
                    // A copy that the live version was written over must stay too: history does not have it.
                    !is_same_under_its_label(&claim, new)
                        && !self.in_history(from, claim.created, is_past)
                        && !self.in_history(to, claim.created, is_past)
                }
                ClaimFileContent::Sides(_) | ClaimFileContent::Unreadable(_)
                    if !own.is_alone() && !self.mentions(&name.path, own.names()) =>
                {
                    continue;
                }
                // A damaged file is still all that is left of a version of this name.
                ClaimFileContent::Sides(_) | ClaimFileContent::Unreadable(_) => {
                    match self.disk().stat(&name.path) {
                        Ok(stat) if stat.kind == brainstem_base::disk::FileKind::File => true,
                        Ok(_) | Err(_) => continue,
                    }
                }
                ClaimFileContent::Unread(bad) => return Err(RenameFault::Unreadable(bad)),
                ClaimFileContent::Nothing => continue,
            };
            along.old.push(name.path.clone());
            if is_needed {
                along.needed.push(name);
            }
        }
        Ok(along)
    }

    /// The copy under another name with the same bytes, or the name that it gets there.
    fn second_name(&self, name: &KeptName, to: &ClaimSlug) -> Result<SecondName, StoreError> {
        let taken = || brainstem_base::DiskError::new("link", &name.path, DiskFault::Exists);
        let fault = StoreError::disk("cannot take the kept copies along");
        let Some(folder) = self.shard_of(to)? else { return Err(fault(taken())) };
        let born = (name.born_ms != 0).then(|| Timestamp::from_ms(name.born_ms));
        for n in 0..SAME_STAMP_MAX {
            let path = folder.join(version_name(to, born, n, ExitReason::Superseded));
            match self.disk().stat(&path) {
                Ok(_) if piecewise::are_same(self.disk(), &name.path, &path) => {
                    return Ok(SecondName { path, is_there: true });
                }
                Ok(_) => {}
                Err(error) if error.fault() == DiskFault::NotFound => {
                    return Ok(SecondName { path, is_there: false });
                }
                Err(error) => return Err(fault(error)),
            }
        }
        Err(fault(taken()))
    }
}

/// The name of a copy under another slug.
struct SecondName {
    path: PathBuf,
    /// An interrupted run has made it.
    is_there: bool,
}

impl CopiesAlong<'_> {
    /// Gives each copy that the new name needs its second name, durably. After an error some may have one:
    /// [`CopiesAlong::take_back`] removes those.
    pub(crate) fn link(&mut self) -> Result<(), StoreError> {
        if self.needed.is_empty() {
            return Ok(());
        }
        let fault = || StoreError::disk("cannot take the kept copies along");
        let disk = self.store.disk();
        if let Some(folder) = self.store.shard_of(&self.to)? {
            crate::durable::make_dirs(disk, &folder)?;
        }
        for name in &self.needed {
            let second = self.store.second_name(name, &self.to)?;
            if !second.is_there {
                disk.link(&name.path, &second.path).map_err(fault())?;
                self.made.push(second.path);
            }
        }
        // Also if they were there already: a killed run may have left them without a sync.
        self.sync_new().map_err(fault())
    }

    /// Removes the second names that this run has made. After an error one of them may still be there.
    pub(crate) fn take_back(&self) -> Result<(), StoreError> {
        if self.made.is_empty() {
            return Ok(());
        }
        let fault = || StoreError::disk("cannot take the kept copies back");
        let gone: Vec<_> = self.made.iter().map(|path| self.store.disk().unlink(path)).collect();
        gone.into_iter().collect::<Result<(), _>>().and_then(|()| self.sync_new()).map_err(fault())
    }

    /// The claim is renamed: removes the names under the old slug. Returns how many the disk did not remove. Fails only
    /// on a disk without power.
    pub(crate) fn drop_old(self) -> Result<usize, StoreError> {
        let disk = self.store.disk();
        let fault = || StoreError::disk("cannot drop the kept copies");
        let mut left = 0;
        for path in &self.old {
            match disk.unlink(path) {
                Err(error) if error.fault() == DiskFault::PowerLost => return Err(fault()(error)),
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(_) => left += 1,
                Ok(()) => {}
            }
        }
        let folders: BTreeSet<&Path> = self.old.iter().filter_map(|path| path.parent()).collect();
        for folder in folders {
            self.store.drop_folder_of_old(folder);
            match disk.sync_dir(folder) {
                Err(error) if error.fault() == DiskFault::PowerLost => return Err(fault()(error)),
                // The next look finds a name that a power cut brings back.
                Ok(()) | Err(_) => {}
            }
        }
        Ok(left)
    }

    fn sync_new(&self) -> Result<(), brainstem_base::DiskError> {
        let Ok(Some(folder)) = self.store.shard_of(&self.to) else { return Ok(()) };
        self.store.disk().sync_dir(&folder)
    }
}
