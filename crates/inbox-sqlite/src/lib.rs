//! The mirror of the inbox as an SQLite file.
//!
//! What a message gives is decided by `brainstem_inbox`; this crate keeps the result and answers questions about it. The file
//! can be deleted at any time: the next reader fills it again from the ledger, to the same rows. Only leases are lost then.

mod read;
mod tables;
mod values;
mod write;

mod mirror;

pub use mirror::SqliteMirror;
