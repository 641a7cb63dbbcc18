//! `boot_memory_state.json`: the small key-values that are in every beat of a store.

use crate::StoreError;
use crate::acts::ActsLog;
use crate::durable;
use brainstem_base::{Disk, DiskFault, Ids, Timestamp};
use brainstem_claims::act::Act;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The largest file of key-values that is read.
const STATE_LEN_MAX: u64 = 1024 * 1024;
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// One value, with its agent and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootValue {
    /// The value.
    pub value: String,
    /// The agent that set it.
    pub source_agent: Option<String>,
    /// When, in ms.
    pub updated: Option<i64>,
}

impl BootValue {
    /// When it was set.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.updated.map(Timestamp::from_ms)
    }
}

/// The key-values of one store.
pub struct BootFile {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn Ids>,
    path: PathBuf,
    lock: PathBuf,
}

impl BootFile {
    /// The file at `path`, guarded by the lock file `lock`.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, path: PathBuf, lock: PathBuf) -> Self {
        Self { disk, ids, path, lock }
    }

    /// Its path.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Every value, by key. A missing file has none; a damaged one is an error.
    pub fn read(&self) -> Result<BTreeMap<String, BootValue>, StoreError> {
        let bytes = match self.disk.read(&self.path, STATE_LEN_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(StoreError::disk("cannot read the boot keys")(error)),
        };
        serde_json::from_slice(&bytes).map_err(|error| StoreError::Damaged {
            file: self.path.display().to_string(),
            why: error.to_string(),
        })
    }

    /// Changes the values with the lock held, durably: the old file or the new one, whole. `act` makes an act from the
    /// returned value. It is recorded after everything that needs space and before the file changes; if the change
    /// fails, it is taken back.
    pub fn change<T>(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, BootValue>) -> T,
        log: &ActsLog,
        act: impl FnOnce(&T) -> Act,
    ) -> Result<T, StoreError> {
        let fault = || StoreError::disk("cannot write the boot keys");
        if let Some(dir) = self.lock.parent() {
            durable::make_dirs(&*self.disk, dir)?;
        }
        let _guard = durable::lock(&*self.disk, &self.lock, LOCK_WAIT)
            .map_err(StoreError::disk("cannot lock the boot keys"))?;
        let mut values = self.read()?;
        let before = values.clone();
        let answer = change(&mut values);
        if values == before {
            // A killed run may have changed it before the change was durable.
            let dir = self.path.parent().expect("the file lies in a folder");
            return self.disk.sync_dir(dir).map(|()| answer).map_err(fault());
        }
        let mut bytes = serde_json::to_vec_pretty(&values).expect("plain data");
        bytes.push(b'\n');
        let staged = durable::StagedFile::new(&*self.disk, &*self.ids, &self.path, &bytes).map_err(fault())?;
        let dir = self.path.parent().expect("the file lies in a folder");
        let mut undo = durable::Undo::of(&*self.disk, &*self.ids, &self.path, dir).map_err(fault())?;
        log.record_for(&[act(&answer)], || match staged.put_undoable(&mut undo).map_err(fault()) {
            Ok(()) => {
                undo.confirm();
                Ok(())
            }
            Err(error) => Err(error.after_undo(undo.take_back())),
        })?;
        Ok(answer)
    }
}
