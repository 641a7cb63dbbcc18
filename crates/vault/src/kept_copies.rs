//! Kept copies: each version that was written here into a repository is also under the home, until history has it.
//!
//! `git clean`, a checkout of another branch or a forced pull may remove a live file silently. A copy is not a state of
//! its own: it says only that this version was once written here. [`crate::missing_from_checkout`] works out what
//! became of it since.

pub use crate::layout::KEPT;

use crate::history::{self, ExitReason, SAME_STAMP_MAX, VersionName, version_name};
use crate::real_folder::real_folder;
use crate::scan::{self, CLAIM_SUFFIX, UnreadableClaim};
use crate::store::Store;
use crate::{StoreError, durable};
use brainstem_base::disk::{FileKind, FolderEntry};
use brainstem_base::{Disk, DiskFault, Timestamp, hash};
use brainstem_claims::light::ParseFault;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::path::{Path, PathBuf};

/// A copy under the home of a version that was written into a repository.
#[derive(Clone, Debug)]
pub struct KeptCopy {
    /// The label's slug when it was written.
    pub slug: ClaimSlug,
    /// Its path.
    pub path: PathBuf,
    /// What it says.
    pub claim: Claim,
}

/// The copies of one label, from their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLabel {
    /// Its slug.
    pub slug: ClaimSlug,
    /// Its copies, oldest first; at least one.
    names: Vec<KeptName>,
}

impl KeptLabel {
    /// Whether there is one copy, of a version born then: most likely the live one, and nothing is missing.
    pub fn is_only(&self, born_ms: Option<i64>) -> bool {
        matches!(self.names.as_slice(), [only] if Some(only.born_ms) == born_ms)
    }

    /// The birth of its youngest copy, in ms.
    pub fn youngest_ms(&self) -> i64 {
        self.names.last().map_or(0, |name| name.born_ms)
    }
}

/// A copy, read from its name without opening the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptName {
    /// The label's slug when it was written.
    pub slug: ClaimSlug,
    /// Its birth stamp in milliseconds; 0 where it has none.
    pub born_ms: i64,
    /// Its path.
    pub path: PathBuf,
}

/// The folder of a slug's copies. There are 256, so that neither a write nor a look at all of them opens many.
fn shard(slug: &ClaimSlug) -> String {
    // No slug starts so: the folders that an older program made, one a slug, have other names.
    format!("_{}", hash::sha256_hex(slug.as_str().as_bytes(), 2))
}

fn is_shard(name: &str) -> bool {
    name.strip_prefix('_').is_some_and(|hex| hex.len() == 2 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A copy under a temporary name, which does not count yet. [`StagedCopy::put`] makes it count; dropped, it is removed.
pub(crate) struct StagedCopy<'a> {
    store: &'a Store,
    /// `None` if no copies are kept.
    staged: Option<StagedCopyFile>,
}

struct StagedCopyFile {
    slug: ClaimSlug,
    claim: Claim,
    /// The folder it goes to.
    folder: PathBuf,
    /// Its temporary name, and the name it gets; `None` if the same bytes are there already.
    file: Option<(PathBuf, CopyName)>,
}

/// A copy that counts; if it is dropped before the change is confirmed, it is removed.
#[must_use]
pub(crate) struct PutCopy<'a>(Option<durable::Undo<'a>>);

impl PutCopy<'_> {
    /// The change is complete.
    pub(crate) fn confirm(self) {
        self.0.into_iter().for_each(durable::Undo::confirm);
    }

    /// The change is taken back: the copy no longer counts. After an error it still counts.
    pub(crate) fn take_back(self) -> Result<(), StoreError> {
        let back = self.0.map_or(Ok(()), durable::Undo::take_back);
        back.map_err(StoreError::disk("cannot take back the copy of the claim"))
    }
}

impl<'a> StagedCopy<'a> {
    /// Makes the copy count, durably. To be called with the label's lock held, once the version is live.
    pub(crate) fn put(mut self) -> Result<PutCopy<'a>, StoreError> {
        let fault = || StoreError::disk("cannot keep a copy of the claim");
        let store: &'a Store = self.store;
        let (disk, ids) = (store.disk(), store.ids());
        let Some(StagedCopyFile { slug, claim, folder, file }) = &mut self.staged else {
            return Ok(PutCopy(None));
        };
        let above = folder.parent().unwrap_or(folder);
        let mut undo: Option<durable::Undo<'a>> = None;
        if let Some((temp, name)) = file {
            // A copy that stayed after a failure would look like a version that git took away.
            let place = |name: &CopyName| match name {
                CopyName::SameBytes => Ok(None),
                CopyName::Free(path) => durable::Undo::new_name(disk, temp, path).map(Some),
                CopyName::Over(path) => {
                    let mut undo = durable::Undo::of(disk, ids, path, above)?;
                    undo.rename(temp).map(|()| Some(undo))
                }
            };
            undo = match place(name) {
                // Another copy of the same call has taken the name since.
                Err(error) if error.fault() == DiskFault::Exists => {
                    place(&store.copy_name(folder, slug, claim)?).map_err(fault())?
                }
                placed => placed.map_err(fault())?,
            };
            if undo.is_some() {
                *file = None;
            }
        }
        // Also if it was there already: a killed run may have left it, or its folder, without a sync.
        disk.sync_dir(folder).and_then(|()| disk.sync_dir(above)).map_err(fault())?;
        Ok(PutCopy(undo))
    }
}

impl Drop for StagedCopy<'_> {
    fn drop(&mut self) {
        if let Some((temp, _)) = self.staged.as_ref().and_then(|staged| staged.file.as_ref()) {
            // A leftover temporary name is harmless, so a failed removal is ignored.
            let _ = self.store.disk().unlink(temp);
        }
    }
}

impl Store {
    /// Writes a copy of a version that is about to become live, under a name that does not count yet: if the write is
    /// refused after this, nothing is left that looks like a version.
    pub(crate) fn stage_copy(
        &self,
        slug: &ClaimSlug,
        file: &LightFile,
    ) -> Result<StagedCopy<'_>, StoreError> {
        let (Some(kept), Some(folder)) = (&self.paths().kept, self.shard_of(slug)?) else {
            return Ok(StagedCopy { store: self, staged: None });
        };
        let (claim, bytes) = (Claim::from(file.clone()), file.render());
        let name = self.copy_name(&folder, slug, &claim)?;
        let staged = StagedCopyFile { slug: slug.clone(), claim, folder: folder.clone(), file: None };
        let mut staged = StagedCopy { store: self, staged: Some(staged) };
        if let CopyName::SameBytes = name {
            return Ok(staged);
        }
        // Beside the folders of the copies: the folder above them shows that something was kept.
        let temp = durable::temp_in(kept, self.ids());
        let write = || self.disk().write_new(&temp, bytes.as_bytes());
        let written = match write() {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(self.disk(), kept)?;
                write()
            }
            written => written,
        };
        written.map_err(StoreError::disk("cannot keep a copy of the claim"))?;
        if let Some(staged) = &mut staged.staged {
            staged.file = Some((temp, name));
        }
        if self.disk().stat(&folder).is_err() {
            durable::make_dirs(self.disk(), &folder)?;
        }
        Ok(staged)
    }

    /// The folder of a slug's copies, checked to be a real one; `None` if no copies are kept.
    pub(crate) fn shard_of(&self, slug: &ClaimSlug) -> Result<Option<PathBuf>, StoreError> {
        let Some(kept) = &self.paths().kept else { return Ok(None) };
        let folder = kept.join(shard(slug));
        real_folder(self.disk(), &folder)?;
        Ok(Some(folder))
    }

    /// The name of a version's copy: the name of its copy from before a stamp, or a free one.
    fn copy_name(&self, folder: &Path, slug: &ClaimSlug, claim: &Claim) -> Result<CopyName, StoreError> {
        for n in 0..SAME_STAMP_MAX {
            let path = folder.join(version_name(slug, claim.created, n, ExitReason::Superseded));
            match scan::read_claim(self.disk(), &path) {
                Some(Ok(there)) if there.file == claim.file => return Ok(CopyName::SameBytes),
                Some(Ok(there)) if there.is_version(claim) => return Ok(CopyName::Over(path)),
                None => return Ok(CopyName::Free(path)),
                Some(Ok(_) | Err(_)) => {}
            }
        }
        let taken = brainstem_base::DiskError::new("keep", folder, DiskFault::Exists);
        Err(StoreError::disk("cannot keep a copy of the claim")(taken))
    }

    /// Keeps a copy of a version that is live already: an interrupted run may have left it without one.
    pub(crate) fn keep_live(&self, slug: &ClaimSlug, file: &LightFile) -> Result<(), StoreError> {
        self.stage_copy(slug, file)?.put().map(PutCopy::confirm)
    }

    /// The copies of one label, oldest first. Those that cannot be read as claims are left out.
    pub(crate) fn kept_copies(&self, slug: &ClaimSlug) -> Result<Vec<KeptCopy>, StoreError> {
        Ok(self.copies_named(&self.kept_names(slug)?))
    }

    /// The same for a change that relies on them: an error if the disk fails to read one of them.
    pub(crate) fn kept_copies_given(&self, slug: &ClaimSlug) -> Result<Vec<KeptCopy>, StoreError> {
        let mut copies = Vec::new();
        for KeptName { slug, path, .. } in self.kept_names(slug)? {
            if let Some(claim) = scan::claim_given(self.disk(), &path)? {
                copies.push(KeptCopy { slug, path, claim });
            }
        }
        Ok(copies)
    }

    /// The names of the copies of one label, oldest first.
    pub(crate) fn kept_names(&self, slug: &ClaimSlug) -> Result<Vec<KeptName>, StoreError> {
        let (Some(kept), Some(folder)) = (&self.paths().kept, self.shard_of(slug)?) else {
            return Ok(Vec::new());
        };
        let mut names = names_in_shard(self.disk(), &folder)?;
        names.retain(|name| name.slug == *slug);
        names.extend(names_of_old(self.disk(), &kept.join(slug.as_str()), slug)?);
        names.sort();
        Ok(names)
    }

    /// The copies of these names. Those that cannot be read as claims are left out.
    fn copies_named(&self, names: &[KeptName]) -> Vec<KeptCopy> {
        let read = |KeptName { slug, path, .. }: &KeptName| {
            let claim = scan::read_claim(self.disk(), path)?.ok()?;
            Some(KeptCopy { slug: slug.clone(), path: path.clone(), claim })
        };
        names.iter().filter_map(read).collect()
    }

    /// The copies of one label, oldest first, read by the names that were found.
    pub(crate) fn copies_in(&self, label: &KeptLabel) -> Vec<KeptCopy> {
        self.copies_named(&label.names)
    }

    /// The same; an error names the first copy that cannot be read as a claim.
    pub(crate) fn all_copies_in(&self, label: &KeptLabel) -> Result<Vec<KeptCopy>, StoreError> {
        let mut copies = Vec::new();
        for KeptName { slug, path, .. } in &label.names {
            let bytes = match self.disk().read(path, CLAIM_LEN_READ_MAX) {
                Ok(bytes) => bytes,
                Err(error) if error.fault() == DiskFault::NotFound => continue,
                Err(error) => return Err(StoreError::disk("cannot read the kept copies")(error)),
            };
            let damaged = |why: ParseFault| StoreError::Damaged {
                file: path.display().to_string(),
                why: why.to_string(),
            };
            let claim = Claim::parse(&bytes).map_err(damaged)?;
            copies.push(KeptCopy { slug: slug.clone(), path: path.clone(), claim });
        }
        Ok(copies)
    }

    /// The copies of one label that are there and were not read as claims.
    pub(crate) fn unreadable_in(&self, label: &KeptLabel, read: &[KeptCopy]) -> Vec<PathBuf> {
        let paths = label.names.iter().map(|name| &name.path);
        let unread = paths.filter(|path| !read.iter().any(|copy| copy.path == **path));
        unread.filter(|path| self.disk().stat(path).is_ok()).cloned().collect()
    }

    /// The files of a label that are there and cannot be read as claims: versions in history, and copies of what was
    /// written here.
    pub fn damaged(&self, slug: &ClaimSlug) -> Result<Vec<UnreadableClaim>, StoreError> {
        let mut damaged = history::versions(self.disk(), &self.paths().history, slug)?.1;
        damaged.extend(self.damaged_copies(slug)?);
        Ok(damaged)
    }

    /// The copies of a label that are there and cannot be read as claims.
    pub fn damaged_copies(&self, slug: &ClaimSlug) -> Result<Vec<UnreadableClaim>, StoreError> {
        let names = self.kept_names(slug)?.into_iter();
        Ok(names.filter_map(|name| scan::read_claim(self.disk(), &name.path)?.err()).collect())
    }

    /// The copies of every label that are there and cannot be read as claims.
    pub fn unreadable_copies(&self) -> Result<Vec<UnreadableClaim>, StoreError> {
        let Some(kept) = &self.paths().kept else { return Ok(Vec::new()) };
        let names = names_below(self.disk(), kept)?.into_iter();
        Ok(names.filter_map(|name| scan::read_claim(self.disk(), &name.path)?.err()).collect())
    }

    /// Every label of which copies are kept, from the names alone.
    pub fn kept_labels(&self) -> Result<Vec<KeptLabel>, StoreError> {
        let Some(kept) = &self.paths().kept else { return Ok(Vec::new()) };
        let mut labels: Vec<KeptLabel> = Vec::new();
        for name in names_below(self.disk(), kept)? {
            match labels.last_mut() {
                Some(label) if label.slug == name.slug => label.names.push(name),
                _ => labels.push(KeptLabel { slug: name.slug.clone(), names: vec![name] }),
            }
        }
        Ok(labels)
    }

    /// Drops a copy that is live or in history according to `crate::missing_from_checkout`. Best effort: a copy that
    /// stays is looked at again, with the same result.
    pub(crate) fn drop_copy_kept(&self, copy: &Path) {
        let _ = self.disk().unlink(copy);
        copy.parent().into_iter().for_each(|folder| self.drop_folder_of_old(folder));
    }

    /// Removes the folder of an older program with its last copy; an empty shard stays.
    pub(crate) fn drop_folder_of_old(&self, folder: &Path) {
        if !folder.file_name().and_then(|name| name.to_str()).is_some_and(is_shard) {
            let _ = self.disk().remove_dir(folder);
        }
    }

    /// Drops the copy of a version that has just gone to history.
    pub(crate) fn drop_copy_of(&self, slug: &ClaimSlug, version: &Claim) {
        let Ok(Some(folder)) = self.shard_of(slug) else { return };
        for n in 0..SAME_STAMP_MAX {
            let path = folder.join(version_name(slug, version.created, n, ExitReason::Superseded));
            match scan::read_claim(self.disk(), &path) {
                Some(Ok(copy)) if copy.is_version_kept(version) => return self.drop_copy_kept(&path),
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Drops the copy of a version that was live for a moment and no longer is. After an error the copy may still
    /// count, as a version that git took away.
    pub(crate) fn give_up_copy_of(&self, slug: &ClaimSlug, version: &Claim) -> Result<(), StoreError> {
        let Some(folder) = self.shard_of(slug)? else { return Ok(()) };
        for n in 0..SAME_STAMP_MAX {
            let path = folder.join(version_name(slug, version.created, n, ExitReason::Superseded));
            match scan::read_claim(self.disk(), &path) {
                Some(Ok(copy)) if copy.is_version_kept(version) => {
                    let gone = self.disk().unlink(&path).and_then(|()| self.disk().sync_dir(&folder));
                    return gone.map_err(StoreError::disk("cannot drop the copy of the claim"));
                }
                Some(Ok(_)) => {}
                Some(Err(bad)) => {
                    // A file that is not a claim is not a copy; one that cannot be read now may be it.
                    let read = self.disk().read(&bad.path, CLAIM_LEN_READ_MAX);
                    read.map_err(StoreError::disk("cannot read the copy of the claim"))?;
                }
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Drops the copies of a label for which `is_it` is true, durably: also those that a killed run has dropped.
    pub(crate) fn drop_copies_if(
        &self,
        slug: &ClaimSlug,
        is_it: impl Fn(&Claim) -> bool,
    ) -> Result<(), StoreError> {
        let (Some(kept), Some(folder)) = (&self.paths().kept, self.shard_of(slug)?) else { return Ok(()) };
        let fault = || StoreError::disk("cannot drop the kept copies");
        for copy in self.kept_copies(slug)?.into_iter().filter(|copy| is_it(&copy.claim)) {
            self.disk().unlink(&copy.path).map_err(fault())?;
        }
        for folder in [folder, kept.join(slug.as_str())] {
            match self.disk().sync_dir(&folder) {
                Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Whether a copy of some version has this birth stamp.
    pub(crate) fn is_stamp_kept(&self, slug: &ClaimSlug, created: Timestamp) -> bool {
        let name = version_name(slug, Some(created), 0, ExitReason::Superseded);
        let folder = self.shard_of(slug).ok().flatten();
        folder.is_some_and(|folder| self.disk().stat(&folder.join(name)).is_ok())
    }
}

/// Every copy below a folder of copies, by slug and birth, from the names alone.
pub(crate) fn names_below(disk: &dyn Disk, kept: &Path) -> Result<Vec<KeptName>, StoreError> {
    let mut names = Vec::new();
    for FolderEntry { name, kind } in list(disk, kept)? {
        let Some(name) = name.to_str() else { continue };
        if is_shard(name) && kind != FileKind::Dir {
            let path = kept.join(name).display().to_string();
            return Err(StoreError::NotAFolder { path, what: "no folder" });
        }
        if kind != FileKind::Dir {
            continue;
        }
        if is_shard(name) {
            names.extend(names_in_shard(disk, &kept.join(name))?);
        } else if let Some(slug) = ClaimSlug::parse(name) {
            names.extend(names_of_old(disk, &kept.join(name), &slug)?);
        }
    }
    names.sort();
    Ok(names)
}

fn names_in_shard(disk: &dyn Disk, folder: &Path) -> Result<Vec<KeptName>, StoreError> {
    let named = |entry: FolderEntry| {
        let VersionName { slug, born_ms, exit } = VersionName::parse(entry.name.to_str()?)?;
        (exit == ExitReason::Superseded).then(|| KeptName { slug, born_ms, path: folder.join(entry.name) })
    };
    Ok(list(disk, folder)?.into_iter().filter_map(named).collect())
}

/// The copies in a folder that an older program made for one slug: `<ms>.light.md`.
fn names_of_old(disk: &dyn Disk, folder: &Path, slug: &ClaimSlug) -> Result<Vec<KeptName>, StoreError> {
    let named = |entry: FolderEntry| {
        let born_ms = entry.name.to_str()?.strip_suffix(CLAIM_SUFFIX)?.parse().ok()?;
        Some(KeptName { slug: slug.clone(), born_ms, path: folder.join(entry.name) })
    };
    Ok(list(disk, folder)?.into_iter().filter_map(named).collect())
}

fn list(disk: &dyn Disk, folder: &Path) -> Result<Vec<FolderEntry>, StoreError> {
    match disk.list(folder) {
        Ok(entries) => Ok(entries),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::disk("cannot list the kept copies")(error)),
    }
}

/// Where a version's copy goes.
enum CopyName {
    /// It is there, byte for byte.
    SameBytes,
    /// Under this name, which is free.
    Free(PathBuf),
    /// Under this name, in the place of the same version as it was before a stamp.
    Over(PathBuf),
}
