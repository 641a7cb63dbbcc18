//! What can be seen of the home's daemon from outside its process.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::service::Memory;
use brainstem_vault::StoreError;
use brainstem_vault::daemon_files::{DaemonRecord, DaemonSeen};

impl Memory {
    /// The daemon that serves this home now.
    pub fn daemon(&self) -> Option<DaemonRecord> {
        match self.see_daemon() {
            DaemonSeen::Serving(record) => Some(record),
            DaemonSeen::Absent | DaemonSeen::Unfound | DaemonSeen::Unknown(_) => None,
        }
    }

    /// What can be seen of this home's daemon. The lock decides: a daemon may run even if it cannot be found.
    pub fn see_daemon(&self) -> DaemonSeen {
        self.daemon_files().see(&*self.disk)
    }

    /// What an answer says that has no daemon to name, if one may be running.
    pub fn daemon_gap(&self) -> Option<Gap> {
        let detail = match self.see_daemon() {
            DaemonSeen::Absent | DaemonSeen::Serving(_) => return None,
            DaemonSeen::Unfound => "a daemon runs, and what it wrote down about itself is gone".to_owned(),
            DaemonSeen::Unknown(why) => format!("whether a daemon runs cannot be seen: {why}"),
        };
        Some(Gap::new("daemon_unknown", detail))
    }

    /// What the last daemon wrote down, running or not.
    pub fn daemon_record(&self) -> Option<DaemonRecord> {
        self.daemon_files().read_record(&*self.disk)
    }

    /// Whether some process holds the lock of the daemon. Fails if the lock cannot be looked at, in place of answering no.
    pub fn look_for_daemon(&self) -> Result<bool, MemoryError> {
        self.daemon_files()
            .is_held(&*self.disk)
            .map_err(|error| StoreError::disk("cannot look whether a daemon runs")(error).into())
    }

    /// The token of this home; `None` before the first daemon made one.
    pub fn daemon_token(&self) -> Option<String> {
        self.daemon_files().read_token(&*self.disk)
    }
}
