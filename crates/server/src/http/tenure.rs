//! The thread that checks whether this daemon is still the daemon of its home.

use crate::tenancy::Tenure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it checks.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Checks whether the daemon is still the daemon of its home, and repairs what can be repaired.
pub type Keep = Box<dyn FnMut() -> Tenure + Send>;

/// Starts the thread. A daemon that lost its home ends through `quit`.
pub(crate) fn start(mut keep: Keep, stopped: Arc<AtomicBool>, quit: CancellationToken) {
    let started = std::thread::Builder::new().name("tenure".into()).spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            match keep() {
                Tenure::Kept => {}
                Tenure::Mended(what) => tracing::warn!("{what}"),
                Tenure::Lost(why) => {
                    tracing::error!("this daemon ends: {why}");
                    quit.cancel();
                    return;
                }
            }
            std::thread::sleep(LOOK_EVERY);
        }
    });
    if let Err(error) = started {
        tracing::error!("the lock is not checked: cannot start a thread: {error}");
    }
}
