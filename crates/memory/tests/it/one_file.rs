//! A disk on which one file fails.

use brainstem_base::disk::{DiskFault, FaultyDisk, SimDisk, verbs};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// When the file fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fails {
    /// At this touch of it.
    Once(u64),
    /// At this touch and at every later one.
    From(u64),
    /// Whenever it is written.
    Written,
}

/// A disk on which one file fails when it is read or written.
pub(crate) fn one_file(inner: &SimDisk, path: &Path, fails: Fails) -> Arc<FaultyDisk> {
    let (path, touches) = (path.to_owned(), AtomicU64::new(0));
    let touching = [verbs::READ, verbs::APPEND, verbs::CUT_BACK];
    Arc::new(FaultyDisk::new(Arc::new(inner.clone()), move |step| {
        if step.path != path || !touching.contains(&step.verb) {
            return None;
        }
        let touch = touches.fetch_add(1, Ordering::SeqCst);
        match fails {
            Fails::Once(at) => (touch == at).then_some(DiskFault::Other),
            Fails::From(at) => (touch >= at).then_some(DiskFault::Other),
            Fails::Written => (step.verb != verbs::READ).then_some(DiskFault::ReadOnly),
        }
    }))
}
