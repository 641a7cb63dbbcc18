//! The use cases of hosts, the programs that agents run in: connecting a project to them, and what their hooks need to know.
//!
//! `brainstem-hosts` knows what a host reads and how it is answered; this crate reads and writes the files.

mod limits;
mod service;

mod files;
mod hook;

pub use files::{FileFate, HostFile, HostsDone, HostsRequest};
pub use hook::RepeatRule;
pub use service::Connect;
