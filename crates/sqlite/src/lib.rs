//! How this program opens SQLite files.
//!
//! SQLite is its own disk: it opens, writes and syncs its files itself, beside the `Disk` port, and no simulated disk
//! takes its place. What this crate adds is the part that every such file needs: the same settings for all, a schema
//! that only grows, a line in which writers of several processes wait, and one enum of what can go wrong.

pub mod error;
pub mod limits;
pub mod open;
pub mod schema;
pub mod turn;

pub use error::{SqliteError, SqliteFault};
pub use open::{Access, open, open_in_memory};
pub use schema::Schema;
pub use turn::WriteTurns;

/// The library itself, so that a store needs no version of its own.
pub use rusqlite;
