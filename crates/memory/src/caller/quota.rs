//! A looping agent is bounded: so many writes within a minute, counted across all processes.
//!
//! The count is the size of a small file for each agent and minute, one byte a write. It is local state: nothing syncs
//! it, losing it is harmless, and if it cannot be kept nothing is refused.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::{AgentId, DiskFault};
use brainstem_vault::durable;
use std::path::Path;

/// The folder of the counts, below the home.
const FOLDER: &str = "local/writes";
const MINUTE_MS: i64 = 60_000;

impl Memory {
    /// Counts a write, or refuses it.
    pub(crate) fn spend(&self, agent: &AgentId) -> Result<(), MemoryError> {
        let minute = self.clock.now().ms() / MINUTE_MS;
        let dir = self.home.path().join(FOLDER);
        // No agent id has a `+`, so two agents never share a file.
        let path = dir.join(format!("{}.{minute}", agent.as_str().replace(':', "+")));
        let counted = match self.disk.count_up(&path) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(&*self.disk, &dir).ok().and_then(|()| self.disk.count_up(&path).ok())
            }
            counted => counted.ok(),
        };
        let limit = u64::from(self.limits().writes_per_minute);
        match counted {
            Some(count) if count > limit => Err(MemoryError::Quota { agent: agent.to_string(), limit }),
            Some(1) => {
                self.drop_old_counts(&dir, minute);
                Ok(())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Once a minute for each agent: the counts of other minutes go.
    fn drop_old_counts(&self, dir: &Path, minute: i64) {
        for entry in self.disk.list(dir).unwrap_or_default() {
            let counted = entry.name.to_str().and_then(|name| name.rsplit_once('.')?.1.parse::<i64>().ok());
            if counted.is_some_and(|counted| counted != minute) {
                // A count that stays is a few bytes.
                let _ = self.disk.unlink(&dir.join(entry.name));
            }
        }
    }
}
