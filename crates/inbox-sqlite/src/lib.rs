//! The mirror of the inbox as an SQLite file.
//!
//! What a message gives is decided by `brainstem_inbox`; this crate keeps the result and answers questions about it. The file
//! can be deleted at any time: the next reader fills it again from the ledger, to the same rows. Only leases are lost then.

mod read;
mod tables;
mod values;
mod write;

mod look;
mod mirror;

pub use look::{LookDepth, MirrorLook, look_at_mirror};
pub use mirror::SqliteMirror;

pub use brainstem_sqlite::{SqliteError, SqliteFault};
