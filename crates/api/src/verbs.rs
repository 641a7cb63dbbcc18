//! The one list of all verbs. Each lives in a file of its own.

mod status;
mod whoami;

use crate::{Entry, entry};
use std::sync::LazyLock;

pub use status::Status;
pub use whoami::Whoami;

/// Every verb, in the order of help and reference.
pub fn table() -> &'static [Entry] {
    static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| vec![entry::<Status>(), entry::<Whoami>()]);
    &TABLE
}

/// Finds a verb by its name over MCP.
pub fn find(id: &str) -> Option<&'static Entry> {
    table().iter().find(|entry| entry.spec().id == id)
}

#[cfg(test)]
#[path = "verbs_tests.rs"]
mod tests;
