//! The embedded ledger: every topic of a home in one SQLite file.
//!
//! Any number of processes append and read, and none needs to be running. Within a process the senders that wait at the
//! same time share one transaction and so one sync; between processes writers take turns. What a message
//! is, and how messages are chained, is `brainstem_ledger`'s.

pub mod limits;

mod batch;
mod paging;
mod redacted;
mod rows;
mod tables;

mod backup;
mod ledger;
mod scan;
mod signed_head;
mod tree_store;

pub use ledger::SqliteLedger;
pub use redacted::Redacted;
pub use signed_head::{HeadFault, SignedHead, open_head};
pub use tree_store::{Inclusion, TreeHead};
