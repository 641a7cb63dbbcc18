//! Folders and files that this user may not read or write, so that verbs refuse.

use super::ground::word;
use super::{Findings, Patient, Trouble};
use crate::service::Memory;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_vault::{Brain, repo};
use std::path::Path;

/// The longest file of boot keys that is looked at.
const BOOT_LEN_MAX: u64 = 1024 * 1024;

impl Memory {
    /// Looks whether this user may list the home, and list and write the folder that the brains lie in.
    pub(super) fn examine_home_reach(&self, found: &mut Findings) {
        let home = self.home.path();
        if let Err(error) = self.disk.list(home) {
            let detail = format!("this user cannot list it ({}): writes are refused", error.fault());
            found.add(Trouble::HomeUnusable, home, detail, format!("chmod 700 {}", word(home)));
        }
        self.examine_boot_keys(home, found);
        let brains = home.join("project-brains");
        self.examine_folder(&brains, Trouble::HomeUnwritable, found);
    }

    /// Looks whether this user may list and write the folders of a brain, and read its boot keys.
    pub(super) fn examine_brain_reach(&self, brain: &Brain, found: &mut Findings) {
        self.examine_folder(&brain.folder, Trouble::StoreUnwritable, found);
        self.examine_boot_keys(&brain.folder, found);
        self.examine_folder(&repo::folder(&brain.root), Trouble::StoreUnwritable, found);
    }

    /// Looks whether this user may list and write the folders of a store, and write its log and its locks.
    pub(super) fn examine_store_reach(&self, patient: &Patient, found: &mut Findings) {
        let paths = patient.store.paths();
        // Whether the claims, their history and their copies can be listed is known: they were read.
        for folder in [&paths.claims, &paths.history].into_iter().chain(&paths.kept) {
            self.examine_writable(folder, Trouble::StoreUnwritable, found);
        }
        self.examine_folder(&paths.locks, Trouble::StoreUnwritable, found);
        self.examine_file(&paths.acts, found);
        for lock in self.disk.list(&paths.locks).unwrap_or_default() {
            self.examine_file(&paths.locks.join(lock.name), found);
        }
    }

    /// Names a folder that this user may not write, or not list. One that is not there is in order.
    fn examine_folder(&self, path: &Path, unwritable: Trouble, found: &mut Findings) {
        let is_folder = self.disk.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
        if is_folder && self.examine_writable(path, unwritable, found) && self.disk.list(path).is_err() {
            let mode = self.permissions(path);
            let detail =
                format!("this user cannot list the folder{mode}: it is not read, and writes are refused");
            found.add(Trouble::StoreUnreadable, path, detail, format!("chmod u+rwx {}", word(path)));
        }
    }

    /// Names a folder that this user may not write; returns whether it may.
    fn examine_writable(&self, path: &Path, unwritable: Trouble, found: &mut Findings) -> bool {
        let is_writable = self.disk.facts(path).writable != Some(false);
        if !is_writable {
            let mode = self.permissions(path);
            let detail = format!("this user cannot write to the folder{mode}: writes are refused");
            found.add(unwritable, path, detail, format!("chmod u+rwx {}", word(path)));
        }
        is_writable
    }

    /// The permissions of a file or a folder, in brackets, where they are known.
    fn permissions(&self, path: &Path) -> String {
        let mode = self.disk.facts(path).mode;
        mode.map(|mode| format!(" (its permissions are {mode:o})")).unwrap_or_default()
    }

    /// Names a file that this user may not write. One that is not there is in order.
    fn examine_file(&self, path: &Path, found: &mut Findings) {
        if self.disk.facts(path).writable == Some(false) {
            let mode = self.permissions(path);
            let detail = format!("this user cannot write the file{mode}: writes are refused");
            found.add(Trouble::StoreUnwritable, path, detail, format!("chmod u+rw {}", word(path)));
        }
    }

    /// Names the boot keys in a folder if they cannot be read.
    fn examine_boot_keys(&self, folder: &Path, found: &mut Findings) {
        let path = folder.join("boot_memory_state.json");
        let why = match self.disk.read(&path, BOOT_LEN_MAX) {
            Err(error) if error.fault() == DiskFault::NotFound => return,
            Err(error) => error.fault().to_string(),
            Ok(_) => return,
        };
        let detail = format!("the boot keys cannot be read ({why})");
        found.add(Trouble::StoreUnreadable, &path, detail, format!("chmod u+rw {}", word(&path)));
    }
}
