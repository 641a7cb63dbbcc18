//! Connects the real parts.

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_memory::{BundledEmbedder, Memory, Parts};
use std::path::PathBuf;
use std::sync::Arc;

/// The services over a home, on this machine's disk and clock.
pub(crate) fn memory(home: PathBuf, user_home: Option<PathBuf>) -> Arc<Memory> {
    Arc::new(Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home,
        user_home,
        meanings: Arc::new(BundledEmbedder::new()),
    }))
}
