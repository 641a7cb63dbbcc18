//! What a server does while it is idle: it closes the files of the inbox, a helper process settles the indexes that recall left
//! unsettled, and the server takes them over. No call waits for any of it.

use brainstem_memory::Memory;
use brainstem_post::Post;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// How long no call must have come.
const QUIET: Duration = Duration::from_millis(300);

/// Settles the indexes of the caller's stores, in a process of its own, and returns when it is done.
pub type Settle = Arc<dyn Fn() + Send + Sync>;

/// Reports answered calls to the idle thread.
#[derive(Clone)]
pub(crate) struct IdleSignal(SyncSender<()>);

impl IdleSignal {
    /// Reports an answered call.
    pub(crate) fn answered(&self) {
        // A full channel means that the thread knows already, a closed one that it has ended.
        let _ = self.0.try_send(());
    }
}

/// Starts the idle thread, which ends when the last sender is dropped.
pub(crate) fn start(memory: Arc<Memory>, settle: Settle) -> IdleSignal {
    let (sender, receiver) = sync_channel(1);
    // If no thread can be started, the indexes stay as they are.
    let _ = std::thread::Builder::new().name("idle".into()).spawn(move || {
        let post = Post::new(&memory);
        while wait_for_quiet(&receiver) {
            post.close_idle_files(QUIET);
            if memory.is_index_unsettled() {
                settle();
                memory.adopt_indexes();
            }
        }
    });
    IdleSignal(sender)
}

/// Waits for a call, and then until none came for a while; `false` if the server ends.
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
