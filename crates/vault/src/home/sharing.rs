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
pub(crate) const SHARING: &str = "sharing.json";

impl Home {
    /// What is known about a brain in this folder. A store of an earlier version says it in its repository alone.
    pub(super) fn sharing(&self, folder: &Path, root: &Path, place: StorePlace) -> Sharing {
        self.read_sharing(folder, root, place).unwrap_or(Sharing::Unread)
    }

    fn read_sharing(&self, folder: &Path, root: &Path, place: StorePlace) -> Result<Sharing, StoreError> {
        let is_private = self.is_recorded_private(folder)?
            || place == StorePlace::Repo && repo::is_kept_out(&*self.disk, &repo::folder(root))?;
        Ok(if is_private { Sharing::Private } else { Sharing::Committed })
    }

    /// Refuses a write into a repository while nobody can tell whether git may have it: to guess would make a private
    /// project public, or a shared one private for everybody who pulls.
    pub fn check_sharing(&self, brain: &Brain) -> Result<(), StoreError> {
        if brain.sharing != Sharing::Unread {
            return Ok(());
        }
        self.read_sharing(&brain.folder, &brain.root, brain.place)?;
        Err(StoreError::sharing_unknown(&brain.folder.join(SHARING)))
    }

    /// Whether the repository's own file keeps its memory out of git.
    pub fn is_out_of_git(&self, root: &Path) -> bool {
        repo::is_kept_out(&*self.disk, &repo::folder(root)).unwrap_or(false)
    }

    fn is_recorded_private(&self, folder: &Path) -> Result<bool, StoreError> {
        let file = folder.join(SHARING);
        let bytes = match self.disk.read(&file, super::SMALL_FILE_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
            Err(error) => return Err(StoreError::disk("cannot read whether the memory is private")(error)),
        };
        let said = serde_json::from_slice::<Value>(&bytes).ok();
        match said.as_ref().and_then(|said| said["sharing"].as_str()) {
            Some("private") => Ok(true),
            Some("committed") => Ok(false),
            Some(_) | None => Err(StoreError::sharing_unknown(&file)),
        }
    }

    /// Whether a private brain must be put on record as such.
    pub(super) fn is_sharing_due(&self, brain: &Brain) -> Result<bool, StoreError> {
        Ok(brain.sharing == Sharing::Private && !self.is_recorded_private(&brain.folder)?)
    }

    /// Writes down whether a brain is private; what is committed needs no record.
    pub(super) fn record_sharing(&self, folder: &Path, sharing: Sharing) -> Result<(), StoreError> {
        match (sharing, self.is_recorded_private(folder)?) {
            (Sharing::Private, true) | (Sharing::Committed, false) => Ok(()),
            (Sharing::Private, false) => {
                durable::make_dirs(&*self.disk, folder)?;
                self.write_small(&folder.join(SHARING), &json!({ "sharing": "private" }))
            }
            (Sharing::Committed, true) => {
                self.write_small(&folder.join(SHARING), &json!({ "sharing": "committed" }))
            }
            (Sharing::Unread, _) => Err(StoreError::sharing_unknown(&folder.join(SHARING))),
        }
    }

    /// Makes the folder of a project's repository ready to be written into: what keeps a private one out of git comes
    /// first. Everything that makes a file there asks for it before.
    pub fn ready_repo_folder(&self, root: &Path) -> Result<(), StoreError> {
        let Some(brain) = self.brain_at(root) else { return Ok(()) };
        self.check_sharing(&brain)?;
        match brain.sharing {
            Sharing::Private => repo::keep_out_of_git(&*self.disk, &*self.ids, &repo::folder(root)),
            Sharing::Committed | Sharing::Unread => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use brainstem_base::Disk as _;
    use brainstem_base::clock::ManualClock;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use std::sync::Arc;

    #[test] // spec: MEM-2
    fn a_record_of_sharing_that_could_not_be_read_refuses_a_write_and_changes_nothing() {
        for is_damaged in [true, false] {
            let disk = Arc::new(SimDisk::new());
            let (ids, clock) = (Arc::new(CountingIds::from(1)), Arc::new(ManualClock::at(5)));
            let home = Home::new(disk.clone(), ids, clock, "/home".into());
            disk.make_dirs("/cherry");
            let agent = AgentId::parse("human:ana").expect("an id");
            let (brain, _) = home.create_brain("/cherry", "cherry", &agent).expect("a working disk");
            home.settle_in_repo(&brain, Sharing::Committed).expect("a working disk");
            let record = brain.folder.join(SHARING);
            match is_damaged {
                true => disk.write_raw(&record, b"\0\0"),
                // As good as one that cannot be opened.
                false => disk.make_dirs(&record),
            }
            let before = disk.dump();
            let brain = home.brain_at(Path::new("/cherry")).expect("it is read all the same");
            assert_eq!(brain.sharing, Sharing::Unread);
            assert!(home.remember_root(&brain).is_err());
            assert!(home.store_of(&brain).prepare().is_err());
            assert!(home.ready_repo_folder(Path::new("/cherry")).is_err());
            assert!(home.settle_in_repo(&brain, brain.sharing).is_err());
            home.notice(&brain);
            assert_eq!(disk.dump(), before);

            // What was looked at before the record could be read again is not written with either.
            match is_damaged {
                true => disk.unlink(&record).expect("it is there"),
                false => disk.remove_dir(&record).expect("it is there"),
            }
            let before = disk.dump();
            assert!(home.remember_root(&brain).is_err() && home.store_of(&brain).prepare().is_err());
            home.notice(&brain);
            assert_eq!(disk.dump(), before);
            let brain = home.brain_at(Path::new("/cherry")).expect("a brain");
            assert_eq!(brain.sharing, Sharing::Committed);
            home.remember_root(&brain).expect("a working disk");
        }
    }
}
