//! The note that a person let git commit the messages of a mail root: `mail init --commit-mail` on this machine.
//!
//! It is below `local/` of the home, which no repository reaches. Without it a mail root is private, whatever happens
//! to its `.gitignore`, which this program writes.

use super::fault::MailFault;
use super::root::{GitRule, IgnoreRule, MailRoot};
use super::sessions::folder_stamp;
use crate::durable;
use crate::error::StoreError;
use brainstem_base::{DiskFault, hash};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The folder of the notes, below the home.
const FOLDER: &str = "local/mail-committed";
/// The longest note that is read.
const NOTE_LEN_MAX: u64 = 8 * 1024;

impl MailRoot {
    /// Makes it, and its `.gitignore` where it has none or one without a rule: everything stays out of git, unless it
    /// is noted that git may commit the messages here. A `.gitignore` with rules stays as it is. Without such a note this
    /// clone excludes the whole folder too: a pull, a checkout or a stash may exchange the `.gitignore`. Returns whether
    /// that is new and the `.gitignore` lets messages be committed. Refuses if a link or a folder has the name of the
    /// `.gitignore`, or if a rule of the repository takes a folder in again whose `.gitignore` lets messages be committed:
    /// git would commit private messages.
    pub fn ensure(&self) -> Result<bool, MailFault> {
        self.exists()?;
        let rule = self.git_rule();
        if self.is_noted_committed() {
            if rule == GitRule::Nothing {
                self.set_ignore(IgnoreRule::Scaffold)?;
            }
            return Ok(false);
        }
        match rule {
            GitRule::Private => {}
            GitRule::Committable => return self.keep_out(),
            GitRule::Unusable { path, what } => return Err(MailFault::Exposed { path, what }),
            GitRule::Nothing => self.set_ignore(IgnoreRule::Everything)?,
        }
        self.keep_out_as_well();
        Ok(false)
    }

    /// Makes it private: its `.gitignore` names everything, and this clone excludes the folder.
    pub fn make_private(&self) -> Result<(), StoreError> {
        // The note is removed first: if the call is cut off after that, a missing `.gitignore` means private.
        self.forget_committed()?;
        self.set_ignore(IgnoreRule::Everything)?;
        self.keep_out_as_well();
        Ok(())
    }

    /// Lets git commit the messages here, and notes it first. Where a step fails, what was there before is there again.
    pub fn make_committed(&self) -> Result<(), StoreError> {
        let (was_noted, was_private) = (self.is_noted_committed(), self.is_private());
        self.note_committed()?;
        let opened = self.set_ignore(IgnoreRule::Scaffold).and_then(|()| self.let_in());
        if opened.is_err() && !was_noted {
            // Best effort: where the disk fails here too, the excluding line still keeps the mail out of git.
            if was_private {
                let _ = self.set_ignore(IgnoreRule::Everything);
            }
            let _ = self.forget_committed();
        }
        opened
    }

    /// Whether git may commit the messages: a person said so here, and the `.gitignore` lets it.
    pub fn is_shared(&self) -> bool {
        !self.is_private() && self.is_noted_committed()
    }

    /// Notes that git may commit the messages here. Does nothing without a home.
    pub fn note_committed(&self) -> Result<(), StoreError> {
        let Some(path) = self.committed_path() else { return Ok(()) };
        durable::make_dirs(&*self.disk, path.parent().expect("a note lies in a folder"))?;
        let mut bytes = self.path().as_os_str().as_encoded_bytes().to_vec();
        if let Some(stamp) = folder_stamp(&*self.disk, self.path()) {
            bytes.extend(format!("\n{stamp}").as_bytes());
        }
        durable::replace(&*self.disk, &*self.ids, &path, &bytes)
            .map_err(StoreError::disk("cannot note that the mail may be committed"))
    }

    /// Whether it is noted that git may commit the messages here. A note about another folder that was at this path
    /// before does not count; one about this folder does, wherever it was.
    pub fn is_noted_committed(&self) -> bool {
        let noted = self.committed_path().and_then(|path| self.disk.read(&path, NOTE_LEN_MAX).ok());
        if let Some(bytes) = noted {
            let noted = bytes.strip_prefix(self.path().as_os_str().as_encoded_bytes()).unwrap_or_default();
            let noted = noted.strip_prefix(b"\n").unwrap_or_default();
            let here = folder_stamp(&*self.disk, self.path());
            if noted.is_empty() || here.is_none_or(|here| here.as_bytes() == noted) {
                return true;
            }
        }
        !self.notes_of_this_folder().is_empty()
    }

    /// Removes that note, and those from the paths where the folder was before.
    pub fn forget_committed(&self) -> Result<(), StoreError> {
        let Some(path) = self.committed_path() else { return Ok(()) };
        let fault = || StoreError::disk("cannot note that the mail is private");
        for path in self.notes_of_this_folder().into_iter().chain([path]) {
            match self.disk.unlink(&path) {
                Ok(()) => {
                    self.disk.sync_dir(path.parent().expect("a note lies in a folder")).map_err(fault())?;
                }
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(error) => return Err(fault()(error)),
            }
        }
        Ok(())
    }

    /// The notes about a mail root of this name in this very folder, at whatever path it was then.
    fn notes_of_this_folder(&self) -> Vec<PathBuf> {
        let (Some(home), Some(here)) = (&self.home, folder_stamp(&*self.disk, self.path())) else {
            return Vec::new();
        };
        let dir = home.join(FOLDER);
        let is_of_here = |path: &PathBuf| {
            let Ok(bytes) = self.disk.read(path, NOTE_LEN_MAX) else { return false };
            let Some(noted) = bytes.strip_suffix(format!("\n{here}").as_bytes()) else { return false };
            let name = noted.rsplit(|byte| *byte == b'/').next();
            name == self.path().file_name().map(OsStr::as_encoded_bytes)
        };
        let notes = self.disk.list(&dir).unwrap_or_default().into_iter().map(|entry| dir.join(entry.name));
        notes.filter(is_of_here).collect()
    }

    fn committed_path(&self) -> Option<PathBuf> {
        let name = hash::sha256_hex(self.path().as_os_str().as_encoded_bytes(), 16);
        Some(self.home.as_ref()?.join(FOLDER).join(name))
    }
}
