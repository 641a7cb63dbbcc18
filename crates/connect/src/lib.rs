//! The use cases of hosts, the programs that agents run in: connecting a project to them, and what their hooks have to know.
//!
//! What a host reads and how it is answered is for `brainstem-hosts`; this crate reads and writes the files.

mod limits;
mod service;

mod files;
mod hook;

pub use files::{FileFate, HostFile, HostsDone, HostsRequest};
pub use hook::Again;
pub use service::Connect;
