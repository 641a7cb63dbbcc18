//! The doors of the daemon: MCP over streamable HTTP, REST, events and a page, on one address.
//!
//! Every request passes the same guard first, and then goes to one door. The doors translate between HTTP and
//! the table of verbs, and decide nothing.
//!
//! *Invariant: the daemon's own folder and its user's name never count as a caller's.* *Invariant: each caller
//! costs a bounded amount of memory, threads and time.*

mod answer;
pub(crate) mod body;
mod events;
mod guard;
pub mod knock;
pub mod link;
mod listen;
pub mod log;
mod look_signal;
pub(crate) mod mcp;
pub(crate) mod mcp_request;
pub(crate) mod meters;
mod page;
mod posted;
mod refused;
mod rest;
mod ring;
mod router;
mod serve;
pub(crate) mod sessions;
mod shared;
mod sheet;
pub mod spans;
mod stall;
mod tenure;
pub(crate) mod text;
mod visitors;
mod watching;

pub use serve::{HttpDoor, serve_http};
pub use tenure::Keep;
