//! The use cases of what agents send: mail, the live channel, letters about confusion, the ledger, and the inbox on it.
//!
//! Every door calls these and decides nothing itself. Memory resolves the caller and its place, once for every
//! door.

pub mod letters;
mod service;

mod inbox_files;
mod older_copy;

pub mod inbox;
pub mod ledger;
pub mod live;
pub mod mail;

pub use service::Post;
