//! `boot_memory_state.json`: the small key-values that are in every beat of a store.

use crate::durable;
use crate::{Store, StoreError};
use brainstem_base::{DiskFault, Timestamp};
use brainstem_claims::act::Act;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The largest file of key-values that is read.
const STATE_LEN_MAX: u64 = 1024 * 1024;

/// One value, with its agent and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootValue {
    /// The value.
    pub value: String,
    /// The agent that set it.
    pub source_agent: Option<String>,
    /// When, in ms.
    pub updated: Option<i64>,
    /// The agent whose import brought it here, if that is not the one that set it: no act of this home names the one that set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<String>,
}

impl BootValue {
    /// When it was set.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.updated.map(Timestamp::from_ms)
    }
}

/// The key-values of one store.
pub struct BootFile {
    store: Store,
    path: PathBuf,
}

impl BootFile {
    /// The file at `path`, guarded by a lock of the store and recorded in its log.
    pub fn new(store: Store, path: PathBuf) -> Self {
        Self { store, path }
    }

    /// Its path.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Every value, by key. A missing file has none; a damaged one is an error.
    pub fn read(&self) -> Result<BTreeMap<String, BootValue>, StoreError> {
        let bytes = match self.store.disk.read(&self.path, STATE_LEN_MAX) {
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
        act: impl FnOnce(&T) -> Act,
    ) -> Result<T, StoreError> {
        let fault = || StoreError::disk("cannot write the boot keys");
        let (disk, ids) = (&*self.store.disk, &*self.store.ids);
        let _guard = self.store.lock_boot_keys()?;
        let mut values = self.read()?;
        let before = values.clone();
        let answer = change(&mut values);
        if values == before {
            // A killed run may have changed it before the change was durable.
            let dir = self.path.parent().expect("the file lies in a folder");
            return disk.sync_dir(dir).map(|()| answer).map_err(fault());
        }
        let mut bytes = serde_json::to_vec_pretty(&values).expect("plain data");
        bytes.push(b'\n');
        let staged = durable::StagedFile::new(disk, ids, &self.path, &bytes).map_err(fault())?;
        let dir = self.path.parent().expect("the file lies in a folder");
        let mut undo = durable::Undo::of(disk, ids, &self.path, dir).map_err(fault())?;
        self.store.acts().record_for(&[act(&answer)], || {
            match staged.put_undoable(&mut undo).map_err(fault()) {
                Ok(()) => {
                    undo.confirm();
                    Ok(())
                }
                Err(error) => Err(error.after_undo(undo.take_back())),
            }
        })?;
        Ok(answer)
    }
}
