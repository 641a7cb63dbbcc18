//! Brains whose root is gone and that hold nothing live: set aside whole, and brought back whole.

use crate::StoreError;
use crate::brain::Brain;
use crate::home::Home;
use crate::store::real_folder;
use brainstem_base::DiskFault;
use brainstem_base::disk::LockGuard;
use std::path::{Path, PathBuf};

/// How the name of a folder begins that was set aside. It stays beside the others, because a name changes
/// in one folder in one step.
pub const SWEPT: &str = ".swept-";

/// Where a folder lies that may have been set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// Among the brains.
    Here(PathBuf),
    /// Set aside.
    Aside(PathBuf),
    /// In both places: another brain has taken its name.
    Both,
    /// In neither.
    Gone,
}

impl Home {
    /// A name for the folder of a brain that is set aside, which nobody has.
    pub fn free_aside(&self, brain: &Brain) -> String {
        let dir = self.brains_dir();
        let name = |n: u32| {
            let nth = if n < 2 { String::new() } else { format!("-{n}") };
            format!("{SWEPT}{}{nth}", brain.fingerprint)
        };
        (1..).map(name).find(|name| self.disk().stat(&dir.join(name)).is_err()).expect("one of them is free")
    }

    /// Where the folder of a brain lies that was to be set aside under a name.
    pub fn whereabouts(&self, fingerprint: &str, aside: &str) -> Whereabouts {
        let here = self.brains_dir().join(fingerprint);
        let there = self.brains_dir().join(aside);
        let has = |path: &Path| self.disk().stat(path).is_ok();
        match (has(&here), has(&there)) {
            (true, true) => Whereabouts::Both,
            (true, false) => Whereabouts::Here(here),
            (false, true) => Whereabouts::Aside(there),
            (false, false) => Whereabouts::Gone,
        }
    }

    /// The brain in a folder that was set aside, as it would be read among the others.
    pub fn brain_aside(&self, folder: &Path) -> Option<Brain> {
        let record = self.record(folder).ok()?;
        let manifest = self.manifest(&folder.join(crate::brain::MANIFEST))?;
        Some(self.brain(manifest, Path::new(&record.root), folder.to_owned(), record.place()))
    }

    /// Sets the folder of a brain aside, history, acts and all. Only its place changes.
    pub fn set_aside(&self, fingerprint: &str, aside: &str) -> Result<(), StoreError> {
        let _guard = self.brains_lock()?;
        let dir = self.brains_dir();
        self.change_folder(&dir.join(fingerprint), &dir.join(aside))
    }

    /// Brings a folder back among the brains.
    pub fn bring_back(&self, fingerprint: &str, aside: &str) -> Result<(), StoreError> {
        let _guard = self.brains_lock()?;
        let dir = self.brains_dir();
        self.change_folder(&dir.join(aside), &dir.join(fingerprint))
    }

    /// Makes the names of the brains certain, those that a killed run has changed included.
    pub fn sync_brains(&self) -> Result<(), StoreError> {
        match self.disk().sync_dir(&self.brains_dir()) {
            Err(error) if error.fault() != DiskFault::NotFound => {
                Err(StoreError::disk("cannot make the brains certain")(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn brains_lock(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let lock = self.path().join("agent-memory/.locks/brains");
        self.disk().lock(&lock, crate::store::LOCK_WAIT).map_err(StoreError::disk("cannot lock the home"))
    }

    fn change_folder(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot set the brain aside");
        real_folder(&**self.disk(), from)?;
        match self.disk().stat(to) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.disk().rename(from, to).map_err(fault())?;
            }
            Err(error) => return Err(fault()(error)),
            // Moved by a run that was cut off, perhaps before its name was certain.
            Ok(_) if self.disk().stat(from).is_err() => {}
            Ok(_) => {
                let taken = brainstem_base::DiskError::new("rename", to, DiskFault::Exists);
                return Err(fault()(taken));
            }
        }
        self.disk().sync_dir(&self.brains_dir()).map_err(fault())
    }
}
