//! Folders and files that this user may not read or write, so that verbs refuse.

use super::examined_store::ExaminedStore;
use super::finding::{Findings, Trouble, word};
use crate::service::Memory;
use brainstem_base::Disk;
use brainstem_base::disk::FileKind;
use brainstem_vault::written_here::WRITTEN_HERE;
use brainstem_vault::{Brain, Store, StoreError, repo};
use std::path::{Path, PathBuf};

impl Memory {
    /// Looks whether this user may list the home, and list and write the folder of the brains.
    pub(super) fn examine_home_reach(&self, found: &mut Findings) {
        let home = self.home.path();
        if let Err(error) = self.disk.list(home) {
            let detail = format!("this user cannot list it ({}): writes are refused", error.fault());
            found.add(Trouble::HomeUnusable, home, detail, permitting(&*self.disk, home, "700"));
        }
        self.examine_boot_keys(home, &self.home.medulla(), found);
        let brains = home.join("project-brains");
        self.examine_folder(&brains, Trouble::HomeUnwritable, found);
        for log in [WRITTEN_HERE, "field-reports.jsonl", "inbox.jsonl"] {
            self.examine_path(&home.join(log), Meant::Log, Trouble::HomeUnwritable, found);
        }
        // What holds on this machine alone: counts, sessions, tasks. Each kind has a folder, and some have one more below.
        let local = home.join("local");
        self.examine_path(&local, Meant::Folder, Trouble::HomeUnwritable, found);
        for kind in self.folders_below(&local) {
            self.examine_path(&kind, Meant::Folder, Trouble::HomeUnwritable, found);
            for below in self.folders_below(&kind) {
                self.examine_path(&below, Meant::Folder, Trouble::HomeUnwritable, found);
            }
        }
    }

    fn folders_below(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = self.disk.list(folder).unwrap_or_default().into_iter();
        let folders = entries.filter(|entry| entry.kind == FileKind::Dir);
        let mut paths: Vec<PathBuf> = folders.map(|entry| folder.join(entry.name)).collect();
        paths.sort();
        paths
    }

    /// Looks whether this user may list and write the folders of a brain, and read its boot keys.
    pub(super) fn examine_brain_reach(&self, brain: &Brain, found: &mut Findings) {
        self.examine_folder(&brain.folder, Trouble::StoreUnwritable, found);
        self.examine_boot_keys(&brain.folder, &self.store_of(brain), found);
        let repository = repo::folder(&brain.root);
        self.examine_folder(&repository, Trouble::StoreUnwritable, found);
        self.examine_path(&repository.join("inbox.jsonl"), Meant::Log, Trouble::StoreUnwritable, found);
    }

    /// Looks whether this user may list and write the folders of a store, and write its log and its locks.
    pub(super) fn examine_store_reach(&self, examined: &ExaminedStore, found: &mut Findings) {
        let paths = examined.store.paths();
        // Whether the claims, their history and their copies can be listed is known: they were read.
        for folder in [&paths.claims, &paths.history].into_iter().chain(&paths.kept) {
            self.examine_writable(folder, Trouble::StoreUnwritable, found);
        }
        // Where an eject brings the claims of a repository.
        if let Some(owner) = paths.placed.as_ref().and_then(|placed| placed.owner.as_ref()) {
            self.examine_folder(owner, Trouble::StoreUnwritable, found);
        }
        self.examine_folder(&paths.locks, Trouble::StoreUnwritable, found);
        self.examine_file(&paths.acts, found);
        for folder in paths.kept.iter().flat_map(|kept| self.folders_below(kept)) {
            self.examine_path(&folder, Meant::Folder, Trouble::StoreUnwritable, found);
        }
        for lock in self.disk.list(&paths.locks).unwrap_or_default() {
            self.examine_file(&paths.locks.join(lock.name), found);
        }
    }

    /// Names a folder that this user may not write, or not list. One that is not there is in order.
    fn examine_folder(&self, path: &Path, unwritable: Trouble, found: &mut Findings) {
        let is_folder = self.disk.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
        if is_folder {
            self.examine_path(path, Meant::Folder, unwritable, found);
        }
    }

    /// Names a path of this program that this user cannot use as it is meant.
    fn examine_path(&self, path: &Path, meant: Meant, unwritable: Trouble, found: &mut Findings) {
        if let Some(OutOfReach { is_read, detail, fix }) = out_of_reach(&*self.disk, path, meant) {
            let trouble = if is_read { unwritable } else { Trouble::StoreUnreadable };
            found.add(trouble, path, detail, fix);
        }
    }

    /// Names a folder that this user may not write; returns whether it may.
    fn examine_writable(&self, path: &Path, unwritable: Trouble, found: &mut Findings) -> bool {
        let is_writable = self.disk.facts(path).writable != Some(false);
        if !is_writable {
            let mode = self.permissions(path);
            let detail = format!("this user cannot write to the folder{mode}: writes are refused");
            found.add(unwritable, path, detail, permitting(&*self.disk, path, "u+rwx"));
        }
        is_writable
    }

    /// The permissions of a file or a folder, in brackets, if they are known.
    fn permissions(&self, path: &Path) -> String {
        let mode = self.disk.facts(path).mode;
        mode.map(|mode| format!(" (its permissions are {mode:o})")).unwrap_or_default()
    }

    /// Names a file that this user may not write. One that is not there is in order.
    fn examine_file(&self, path: &Path, found: &mut Findings) {
        if self.disk.facts(path).writable == Some(false) {
            let mode = self.permissions(path);
            let detail = format!("this user cannot write the file{mode}: writes are refused");
            found.add(Trouble::StoreUnwritable, path, detail, permitting(&*self.disk, path, "u+rw"));
        }
    }

    /// Names the boot keys of a store if they cannot be read.
    fn examine_boot_keys(&self, folder: &Path, store: &Store, found: &mut Findings) {
        let path = folder.join("boot_memory_state.json");
        if let Err(error) = self.boot_file(path.clone(), store).read() {
            let fix = match &error {
                StoreError::Disk { .. } => permitting(&*self.disk, &path, "u+rw"),
                _ => format!("restore {} from a backup, or move it aside and set the keys anew", word(&path)),
            };
            let detail = format!("the boot keys cannot be read ({error})");
            found.add(Trouble::StoreUnreadable, &path, detail, fix);
        }
    }
}

/// The command that gives this user these permissions of a path. Only its owner may change them, so that what another user
/// made (root, in most cases) changes its owner first, a folder with all that is in it.
pub(super) fn permitting(disk: &dyn Disk, path: &Path, bits: &str) -> String {
    let (facts, shown) = (disk.facts(path), word(path));
    if facts.owned != Some(false) {
        return format!("chmod {bits} {shown}");
    }
    let is_folder = disk.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
    let all = if is_folder { "-R " } else { "" };
    format!("sudo chown {all}\"$(id -u)\" {shown} && chmod {bits} {shown}")
}

/// What a path of this program is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// A folder in which files are listed, made and replaced.
    Folder,
    /// A file that is read, and to which lines are added.
    Log,
}

/// Why this user cannot use a path as it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfReach {
    /// It can be read, and not written.
    pub is_read: bool,
    /// What is wrong.
    pub detail: String,
    /// The one thing to do.
    pub fix: String,
}

/// Returns what keeps this user from using a path as it is meant. A missing path is fine, and a path in a folder that
/// cannot be entered is named with that folder.
pub fn out_of_reach(disk: &dyn Disk, path: &Path, meant: Meant) -> Option<OutOfReach> {
    let kind = disk.stat(path).ok()?.kind;
    let facts = disk.facts(path);
    let mode = facts.mode.map(|mode| format!(" (its permissions are {mode:o})")).unwrap_or_default();
    let (what, wanted, bits, is_listed) = match meant {
        Meant::Folder => ("folder", FileKind::Dir, "u+rwx", disk.list(path).is_ok()),
        Meant::Log => ("file", FileKind::File, "u+rw", disk.read_part(path, 0, 1).is_ok()),
    };
    if kind != wanted {
        let detail = format!("it is no {what}: what is kept in it is not read, and writes are refused");
        let fix = format!("move {} aside", word(path));
        return Some(OutOfReach { is_read: false, detail, fix });
    }
    let is_written = facts.writable != Some(false);
    let cannot = match (is_listed, meant, is_written) {
        (true, _, true) => return None,
        (false, Meant::Folder, _) => "list the folder",
        (false, Meant::Log, _) => "read the file",
        (true, Meant::Folder, false) => "write to the folder",
        (true, Meant::Log, false) => "write the file",
    };
    let unread = if is_listed { "" } else { "it is not read, and " };
    let detail = format!("this user cannot {cannot}{mode}: {unread}writes are refused");
    Some(OutOfReach { is_read: is_listed, detail, fix: permitting(disk, path, bits) })
}
