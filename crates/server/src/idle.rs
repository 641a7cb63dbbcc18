//! What a server does when nobody asks: the indexes that recall left unsettled are settled by a helper
//! process, and taken over when it is done. A question never waits for any of it.

use brainstem_memory::Memory;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// How long nobody must have asked.
const QUIET: Duration = Duration::from_millis(300);

/// Settles the indexes of the caller's stores, in a process of its own, and returns when it is done.
pub type Settle = Arc<dyn Fn() + Send + Sync>;

/// Tells the idle thread that a call was answered.
#[derive(Clone)]
pub(crate) struct Busy(SyncSender<()>);

impl Busy {
    /// A call was answered.
    pub(crate) fn answered(&self) {
        // Full means that it knows already, closed that it has ended.
        let _ = self.0.try_send(());
    }
}

/// Starts the idle thread; it ends when the last [`Busy`] is gone.
pub(crate) fn start(memory: Arc<Memory>, settle: Settle) -> Busy {
    let (sender, receiver) = sync_channel(1);
    // Without a thread to spare, recall stays as it is.
    let _ = std::thread::Builder::new().name("idle".into()).spawn(move || {
        while wait_for_quiet(&receiver) {
            if memory.is_index_unsettled() {
                settle();
                memory.adopt_indexes();
            }
        }
    });
    Busy(sender)
}

/// Waits for a call, and then until none came for a while; `false` when the server ends.
fn wait_for_quiet(receiver: &Receiver<()>) -> bool {
    if receiver.recv().is_err() {
        return false;
    }
    loop {
        match receiver.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
