//! How many beats were served, per brain and ISO week.
//!
//! The count is the size of a small file, one byte a beat. It is local state: nothing syncs it, losing
//! it is harmless, and where it cannot be kept the beat is served all the same.

use crate::service::Memory;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_vault::{Brain, durable};
use std::path::{Path, PathBuf};

/// Where the counts lie, below the home.
const FOLDER: &str = "local/beats";
/// What stands for callers without a brain; `+` stands in no fingerprint.
const WITHOUT_A_BRAIN: &str = "+medulla";
/// How many weeks of a brain are kept.
const WEEKS_MAX: usize = 13;

impl Memory {
    /// Counts a beat for a brain, or for those that have none.
    pub(crate) fn count_beat(&self, brain: Option<&Brain>, now: Timestamp) {
        // A beat makes no home.
        if self.disk.stat(self.home.path()).is_err() {
            return;
        }
        let path = self.beats_file(brain, now);
        let Some(dir) = path.parent() else { return };
        let counted = match self.disk.count_up(&path) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(&*self.disk, dir).ok().and_then(|()| self.disk.count_up(&path).ok())
            }
            counted => counted.ok(),
        };
        if counted == Some(1) {
            self.drop_old_weeks(dir, brain);
        }
    }

    /// The beats that were served this week.
    pub(crate) fn beats_this_week(&self, brain: Option<&Brain>) -> u64 {
        let path = self.beats_file(brain, self.clock.now());
        self.disk.stat(&path).map_or(0, |stat| stat.len)
    }

    fn beats_file(&self, brain: Option<&Brain>, now: Timestamp) -> PathBuf {
        self.home.path().join(FOLDER).join(format!("{}.{}", whose(brain), now.iso_week()))
    }

    /// Once a week for each brain: its oldest weeks go.
    fn drop_old_weeks(&self, dir: &Path, brain: Option<&Brain>) {
        let entries = self.disk.list(dir).unwrap_or_default().into_iter();
        let names = entries.filter_map(|entry| entry.name.into_string().ok());
        let is_its = |name: &String| name.rsplit_once('.').is_some_and(|(of, _)| of == whose(brain));
        let mut weeks: Vec<String> = names.filter(is_its).collect();
        weeks.sort();
        let surplus = weeks.len().saturating_sub(WEEKS_MAX);
        for name in weeks.into_iter().take(surplus) {
            // A count that stays is a few bytes.
            let _ = self.disk.unlink(&dir.join(name));
        }
    }
}

fn whose(brain: Option<&Brain>) -> &str {
    brain.map_or(WITHOUT_A_BRAIN, |brain| brain.fingerprint.as_str())
}
