//! Whether a project's memory stays out of git. The home says it (`sharing.json`), where no git command reaches: the
//! file in the repository that keeps the memory out may be cleaned away with it.

use super::Home;
use crate::brain::{Brain, StorePlace};
use crate::repo::{self, Sharing};
use crate::{StoreError, durable};
use brainstem_base::DiskFault;
use serde_json::{Value, json};
use std::path::Path;

/// The name of the file, in the folder of the brain.
const SHARING: &str = "sharing.json";

impl Home {
    /// What is known about a brain in this folder. A store of an earlier version says it in its repository alone.
    pub(super) fn sharing(&self, folder: &Path, root: &Path, place: StorePlace) -> Sharing {
        let is_private =
            self.is_recorded_private(folder) || place == StorePlace::Repo && self.is_kept_out(root);
        if is_private { Sharing::Private } else { Sharing::Committed }
    }

    /// Whether the repository's own file keeps its memory out of git.
    pub fn is_out_of_git(&self, root: &Path) -> bool {
        self.is_kept_out(root)
    }

    fn is_kept_out(&self, root: &Path) -> bool {
        repo::is_kept_out(&*self.disk, &repo::folder(root))
    }

    fn is_recorded_private(&self, folder: &Path) -> bool {
        let bytes = self.disk.read(&folder.join(SHARING), super::SMALL_FILE_MAX);
        match bytes {
            Ok(bytes) => {
                // A record that is damaged keeps the memory where it is.
                let said = serde_json::from_slice::<Value>(&bytes).ok();
                said.is_none_or(|said| said["sharing"] != "committed")
            }
            Err(error) => error.fault() != DiskFault::NotFound,
        }
    }

    /// Whether a private brain is on record as such.
    pub(super) fn is_sharing_due(&self, brain: &Brain) -> bool {
        brain.sharing == Sharing::Private && !self.is_recorded_private(&brain.folder)
    }

    /// Writes down whether a brain is private; what is committed needs no record.
    pub(super) fn record_sharing(&self, folder: &Path, sharing: Sharing) -> Result<(), StoreError> {
        match sharing {
            Sharing::Private if self.is_recorded_private(folder) => Ok(()),
            Sharing::Private => {
                durable::make_dirs(&*self.disk, folder)?;
                self.write_small(&folder.join(SHARING), &json!({ "sharing": "private" }))
            }
            Sharing::Committed if !self.is_recorded_private(folder) => Ok(()),
            Sharing::Committed => self.write_small(&folder.join(SHARING), &json!({ "sharing": "committed" })),
        }
    }

    /// Makes the folder of a project's repository ready to be written into: what keeps a private one out of git comes
    /// first. Everything that makes a file there asks for it before.
    pub fn ready_repo_folder(&self, root: &Path) -> Result<(), StoreError> {
        match self.brain_at(root).map(|brain| brain.sharing) {
            Some(Sharing::Private) => repo::keep_out_of_git(&*self.disk, &*self.ids, &repo::folder(root)),
            Some(Sharing::Committed) | None => Ok(()),
        }
    }
}
