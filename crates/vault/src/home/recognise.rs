//! Whether a folder is the root that a record was made of: by the folder itself, by its new place if it moved, and by
//! the marks of a project if the folder was made anew.

use super::{Home, SMALL_FILE_MAX};
use crate::brain::{Brain, BrainManifest, RootRecord};
use crate::layout::{ASIDE, MANIFEST};
use crate::project_marks::CandidateFolder;
use crate::store_paths::StorePlace;
use brainstem_base::DiskFault;
use brainstem_base::disk::{FileIdentity, FileKind};
use std::path::{Path, PathBuf};

/// How many folders beside a root are searched for one that was renamed.
const BESIDE_MAX: usize = 10_000;

/// The record of a folder, or what is wrong with it.
pub(super) type RecordRead = Result<RootRecord, &'static str>;
/// A folder of the home, and the record in it.
pub(super) type RecordedFolder = (PathBuf, RootRecord);

/// Why the memory of a brain is not served in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotServedReason {
    /// Another folder was made at its path.
    OtherFolder,
    /// The folder is elsewhere and has the number and birth of its root, and a mark contradicts it.
    Alike,
    /// A person set the brain aside.
    SetAside,
    /// The folder is a worktree of the brain's repository, which is not at the path that the worktree names.
    Worktree,
    /// The caller's session was served from it, and the folder is the root of another brain now.
    Left,
    /// The caller's session was served from it, and the folder has no brain now.
    LeftBrainless,
}

/// A brain whose memory is kept and not served in a folder that was, or may have been, its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplacedBrain {
    /// The brain. Its place is the home: nothing at its root belongs to it now.
    pub brain: Brain,
    /// Where its claims were.
    pub lay_in: StorePlace,
    /// Why it is not served there.
    pub apart: NotServedReason,
}

impl Home {
    /// The brain with this manifest, whose root and folder these are.
    pub(crate) fn brain(
        &self,
        manifest: BrainManifest,
        root: &Path,
        folder: PathBuf,
        place: StorePlace,
    ) -> Brain {
        let fingerprint =
            folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let sharing = self.sharing(&folder, root, place, manifest.id);
        Brain { manifest, root: root.to_owned(), fingerprint, folder, place, sharing }
    }

    /// The brain of a record that is not served for this reason; `None` if its manifest cannot be read.
    pub(crate) fn kept_apart(
        &self,
        (folder, record): &RecordedFolder,
        apart: NotServedReason,
    ) -> Option<DisplacedBrain> {
        let manifest = self.manifest(&folder.join(MANIFEST))?;
        let brain = self.brain(manifest, Path::new(&record.root), folder.clone(), StorePlace::Owner);
        Some(DisplacedBrain { brain, lay_in: record.place(), apart })
    }

    /// Whether a record names this folder: by its path, or by a path that links lead here from. A project that is moved to
    /// another disk often leaves a link behind, and so does the folder above it.
    pub(super) fn leads_to(&self, record: &RootRecord, root: &Path) -> bool {
        let there = Path::new(&record.root);
        let is_same_folder = |identity: Option<FileIdentity>| match (identity, self.identity(root)) {
            (Some(there), Some(here)) => there == here,
            (None, _) | (_, None) => self.disk.canonical(there).is_ok_and(|real| real == root),
        };
        there == root
            || self.disk.stat(there).is_ok_and(|stat| match stat.kind {
                FileKind::Dir => is_same_folder(stat.identity),
                FileKind::Link => self.disk.canonical(there).is_ok_and(|real| real == root),
                FileKind::File | FileKind::Other => false,
            })
    }

    /// Whether a record names another folder than this one, and its own is no longer there.
    pub(super) fn is_away(&self, root: &Path, folder: &Path, record: &RootRecord) -> bool {
        let there = Path::new(&record.root);
        !self.leads_to(record, root) && !self.is_folder_of(there, folder, record)
    }

    /// Whether the folder at a path is the one that a record was made of. Number and birth must agree. They also agree
    /// on two volumes that were made from one image. So at another path, and at the same path on another device, no
    /// mark may contradict it; at the same path on the same device, not all of them may.
    pub(crate) fn is_folder_of(&self, root: &Path, folder: &Path, record: &RootRecord) -> bool {
        let Some(now) = self.identity(root).filter(|now| record.is_of(*now)) else { return false };
        let is_here = Path::new(&record.root) == root;
        let is_on_device = record.device == Some(now.device);
        if is_here && is_on_device {
            return !self.place(root).is_another_history(&record.marks);
        }
        match self.carries(root, folder, record) {
            Some(is_its_own) => is_its_own,
            None => self.place(root).agrees(&record.marks, is_here || is_on_device),
        }
    }

    pub(crate) fn identity(&self, path: &Path) -> Option<FileIdentity> {
        self.disk.stat(path).ok().and_then(|stat| stat.identity)
    }

    pub(crate) fn record(&self, folder: &Path) -> RecordRead {
        let bytes = self.disk.read(&folder.join("root.json"), SMALL_FILE_MAX).map_err(|error| match error
            .fault()
        {
            DiskFault::NotFound => "its root.json is missing",
            _ => "its root.json cannot be read",
        })?;
        serde_json::from_slice(&bytes).map_err(|_| "its root.json is damaged")
    }

    /// Whether the folder at a root is another one than the record's, as the file system says. If it does not give folders
    /// an identity, the repository there decides: it has a history, and none of the remembered marks.
    pub(crate) fn is_of_another(&self, root: &Path, folder: &Path, record: &RootRecord) -> bool {
        match record.inode.is_some() && self.identity(root).is_some() {
            true => !self.is_folder_of(root, folder, record),
            false => self.place(root).is_another_history(&record.marks),
        }
    }

    /// Whether a folder at the path of a record, made anew, is the project of the record: it carries the brain itself,
    /// or one of the project's marks.
    pub(crate) fn recognises(&self, root: &Path, folder: &Path, record: &RootRecord) -> bool {
        self.carries(root, folder, record) == Some(true) || self.place(root).is_marked(&record.marks)
    }

    /// Whether a folder is recognised as the project of a brain whose own root is gone: it is that folder, or has the
    /// commits, the origin or the files that are remembered. The brain's id in the folder proves nothing, because every
    /// reader of a repository knows the id that is committed in it.
    pub fn is_project_of(&self, root: &Path, brain: &Brain) -> bool {
        let is_it = |record: RootRecord| {
            self.is_folder_of(root, &brain.folder, &record) || self.place(root).is_marked(&record.marks)
        };
        self.record(&brain.folder).is_ok_and(is_it)
    }

    /// Whether the root of a brain was a folder inside a repository when it was last seen.
    pub fn was_inside_repository(&self, brain: &Brain) -> bool {
        let is_inside = |record: RootRecord| record.marks.inside.is_some_and(|inside| !inside.is_empty());
        self.record(&brain.folder).is_ok_and(is_inside)
    }

    /// Whether the brain in a folder's repository is the one in a folder of the home; `None` if one of them has none. A
    /// repository that was cloned from another address proves only what is committed in it.
    fn carries(&self, root: &Path, folder: &Path, record: &RootRecord) -> Option<bool> {
        let is_its_id = self.repo_manifest(root)?.id == self.manifest(&folder.join(MANIFEST))?.id;
        Some(is_its_id && !self.place(root).is_cloned_elsewhere(&record.marks))
    }

    pub(super) fn place<'a>(&'a self, root: &'a Path) -> CandidateFolder<'a> {
        CandidateFolder { disk: &*self.disk, root, user_home: self.user_home.as_deref() }
    }

    /// Whether the folder of a record is found beside its path, under another name.
    pub(crate) fn is_found_beside(&self, root: &Path, folder: &Path, record: &RootRecord) -> bool {
        let Some(dir) = root.parent() else { return false };
        let entries = self.disk.list(dir).unwrap_or_default();
        entries
            .into_iter()
            .filter(|entry| entry.kind == FileKind::Dir)
            .take(BESIDE_MAX)
            .any(|entry| self.is_folder_of(&dir.join(entry.name), folder, record))
    }

    /// The brains that a person set aside and that belong to this root, recognised as in `set_aside_of`.
    pub(crate) fn set_aside_at(&self, root: &Path) -> Vec<DisplacedBrain> {
        if !self.is_real_folder(root) {
            return Vec::new();
        }
        let aside = self.aside(ASIDE).into_iter();
        let here = aside.filter(|(folder, record)| {
            self.is_folder_of(root, folder, record) || self.is_at_path(root, folder, record)
        });
        here.filter_map(|recorded| self.kept_apart(&recorded, NotServedReason::SetAside)).collect()
    }

    /// Whether a folder is at a record's path and its project is recognised; if the file system has no identity, its
    /// repository must not be of another project.
    pub(crate) fn is_at_path(&self, root: &Path, folder: &Path, record: &RootRecord) -> bool {
        let is_told = || self.identity(root).is_some() && record.inode.is_some();
        let is_it = || !self.is_found_beside(root, folder, record) && self.recognises(root, folder, record);
        let is_its = || if is_told() { is_it() } else { !self.is_of_another(root, folder, record) };
        Path::new(&record.root) == root && is_its()
    }

    pub(crate) fn is_real_folder(&self, path: &Path) -> bool {
        self.disk().stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir)
    }

    /// Every folder that was set aside under a name with this prefix, with its record.
    pub(crate) fn aside(&self, prefix: &str) -> Vec<(PathBuf, RootRecord)> {
        let dir = self.brains_dir();
        let entries = self.disk().list(&dir).unwrap_or_default().into_iter();
        let swept = entries.filter(|entry| {
            entry.kind == FileKind::Dir && entry.name.as_encoded_bytes().starts_with(prefix.as_bytes())
        });
        let mut folders: Vec<PathBuf> = swept.map(|entry| dir.join(entry.name)).collect();
        folders.sort();
        folders
            .into_iter()
            .filter_map(|folder| self.record(&folder).ok().map(|record| (folder, record)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AtRoot, BeginAnew};
    use super::*;
    use brainstem_base::clock::ManualClock;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use brainstem_base::{AgentId, Disk as _};
    use serde_json::Value;
    use std::sync::Arc;

    const ROOT: &str = "/src/cherry";

    /// A repository with this commit checked out, cloned from this address.
    fn check_out(disk: &SimDisk, commit: &str, url: &str) {
        disk.write_raw(format!("{ROOT}/.git/HEAD"), format!("{commit}\n").as_bytes());
        let (folder, name) = commit.split_at(2);
        disk.write_raw(format!("{ROOT}/.git/objects/{folder}/{name}"), b"x");
        let config = format!("[remote \"origin\"]\n\turl = {url}\n");
        disk.write_raw(format!("{ROOT}/.git/config"), config.as_bytes());
    }

    #[test] // spec: MEM-1, MEM-21
    fn without_identities_another_repository_at_the_path_is_another_project() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let disk = Arc::new(SimDisk::new());
        let (ids, clock) = (Arc::new(CountingIds::from(1)), Arc::new(ManualClock::at(5)));
        let home = Home::new(disk.clone(), ids, clock, "/home".into());
        check_out(&disk, &one, "https://example.org/cherry");
        let agent = AgentId::parse("human:ana").expect("an id");
        let (brain, _) = home.create_brain(ROOT, "cherry", &agent, BeginAnew::No).expect("a working disk");
        // As on a file system that does not say when a folder was made.
        let path = brain.folder.join("root.json");
        let mut record: Value =
            serde_json::from_slice(&disk.read(&path, 1 << 16).expect("a record")).expect("JSON");
        for key in ["device", "inode", "born_ns"] {
            record.as_object_mut().expect("an object").remove(key);
        }
        disk.write_raw(&path, record.to_string().as_bytes());
        assert_eq!(home.brain_at(Path::new(ROOT)).map(|brain| brain.folder), Some(brain.folder.clone()));

        disk.unlink(format!("{ROOT}/.git/objects/11/{}", "1".repeat(38)).as_ref()).expect("it is there");
        check_out(&disk, &two, "https://example.org/plum");
        match home.look_at(Path::new(ROOT)) {
            AtRoot::Replaced(before) => assert_eq!(before[0].brain.folder, brain.folder),
            other => panic!("{other:?}"),
        }
        assert_eq!(home.roster().expect("a roster").displaced.len(), 1);

        // The same project whose history was written anew keeps its origin.
        check_out(&disk, &two, "https://example.org/cherry");
        assert!(home.brain_at(Path::new(ROOT)).is_some());
    }
}
