//! How often each agent wrote in this minute, counted across all processes.
//!
//! The count is the size of a small file for each agent and minute, one byte a write. It is local state: nothing syncs
//! it, and losing it is harmless.

use super::Home;
use crate::durable;
use brainstem_base::{AgentId, DiskFault};
use std::path::Path;

/// The folder of the counts, below the home.
const FOLDER: &str = "local/writes";
const MINUTE_MS: i64 = 60_000;

impl Home {
    /// Counts a write. Returns how many the agent has made in this minute; `None` if the count cannot be kept.
    pub fn count_write(&self, agent: &AgentId) -> Option<u64> {
        let minute = self.clock.now().ms() / MINUTE_MS;
        let dir = self.path.join(FOLDER);
        // No agent id has a `+`, so two agents never share a file.
        let path = dir.join(format!("{}.{minute}", agent.as_str().replace(':', "+")));
        let count = match self.disk.count_up(&path) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(&*self.disk, &dir).ok()?;
                self.disk.count_up(&path).ok()?
            }
            counted => counted.ok()?,
        };
        if count == 1 {
            self.drop_old_counts(&dir, minute);
        }
        Some(count)
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
