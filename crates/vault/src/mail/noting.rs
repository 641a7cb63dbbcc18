//! Noting which messages git tracks, before they are moved on.

use super::root::MailRoot;
use super::tracked_notes::{Noted, line};
use crate::durable;
use crate::error::StoreError;
use brainstem_base::hash;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder of the notes, below the home.
const NOTES: &str = "mail-tracked";

impl MailRoot {
    /// This mail root, with the home below which it is noted which messages git tracked when they were moved on.
    #[must_use]
    pub fn noting_below(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    /// The files of the notes: by the path of the mail root, and by the folder that is there now, as far as the file
    /// system tells folders apart. None where there is no home.
    pub(super) fn notes(&self) -> Vec<PathBuf> {
        let Some(home) = &self.home else { return Vec::new() };
        let identity = self.disk.stat(self.path()).ok().and_then(|stat| stat.identity);
        let of_folder =
            identity.map(|identity| format!("{}-{}", identity.inode, identity.born_ns).into_bytes());
        let of_path = self.path().as_os_str().as_encoded_bytes().to_vec();
        let keys = [Some(of_path), of_folder].into_iter().flatten();
        keys.map(|key| home.join(NOTES).join(hash::sha256_hex(&key, 16))).collect()
    }

    /// Notes of a message that is about to be moved on from a path, perhaps under another name, that git tracks it. A
    /// commit that lets go of it takes away only the file that git knows: the moved one keeps its mark.
    pub(super) fn note_tracked(
        &self,
        mailbox: &MailboxName,
        file: &FileName,
        from: &Path,
        name: &FileName,
    ) -> Result<(), StoreError> {
        let tracked = self.tracked();
        let noted = &tracked.noted;
        if !noted.has(mailbox, file) && !tracked.is_known_at(mailbox, file, from) {
            return Ok(());
        }
        self.add_notes(noted, BTreeSet::from([line(mailbox, name)]))
    }

    /// Notes of every message that git tracks now that it does, so that each keeps its mark when git lets go of it.
    pub fn note_every_tracked(&self) -> Result<(), StoreError> {
        let tracked = self.tracked();
        self.add_notes(&tracked.noted, tracked.spelled().collect())
    }

    /// Adds these lines to both files.
    fn add_notes(&self, noted: &Noted, lines: BTreeSet<String>) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot note that git tracks the message");
        for path in self.notes() {
            let there = Noted::read(&*self.disk, std::slice::from_ref(&path)).map_err(fault())?;
            // What the other file has already is noted here too, so that it goes along when the project is moved.
            let wanted: BTreeSet<String> = noted.0.union(&lines).cloned().collect();
            let missing: Vec<&String> = wanted.difference(&there.0).collect();
            if missing.is_empty() {
                continue;
            }
            let dir = path.parent().expect("a note lies in a folder");
            durable::make_dirs(&*self.disk, dir)?;
            // A line that a crash tore stays a line of its own.
            let text: String = missing.into_iter().map(|line| format!("\n{line}\n")).collect();
            self.disk.append(&path, text.as_bytes()).map_err(fault())?;
            self.disk.sync_dir(dir).map_err(fault())?;
        }
        Ok(())
    }
}
