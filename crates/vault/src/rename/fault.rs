//! Why a claim keeps its label.

use crate::StoreError;
use crate::scan::UnreadableClaim;

/// Why a claim keeps its label.
#[derive(Debug)]
pub enum RenameFault {
    /// There is no such claim.
    Absent,
    /// Something else has the new name.
    Taken {
        /// Its label.
        holder: String,
    },
    /// A file is no readable claim.
    Unreadable(UnreadableClaim),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for RenameFault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
