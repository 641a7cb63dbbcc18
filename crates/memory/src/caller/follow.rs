//! A write that follows its store: `init`, `eject` and `set-aside` can move a store while a call waits for its lock.

use crate::error::MemoryError;
use brainstem_base::{Coded as _, codes};
use brainstem_caller::Caller;
use brainstem_vault::StoreError;

/// How often an attempt is made before the call gives up.
const ATTEMPTS_MAX: u32 = 5;

/// Makes the attempt again as long as it finds that its store moved, or that what it decided on has changed. Before each
/// new attempt the caller's place is looked up on the disk. Returns what the first other attempt returns.
pub(crate) fn follow_store<T>(
    caller: &Caller,
    mut attempt: impl FnMut() -> Result<T, MemoryError>,
) -> Result<T, MemoryError> {
    for _ in 0..ATTEMPTS_MAX {
        match attempt() {
            Err(error) if error.code() == codes::STORE_MOVED => caller.look_again(),
            done => return done,
        }
    }
    Err(StoreError::Moved.into())
}
