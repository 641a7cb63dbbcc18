//! The doors for agents: MCP over standard input and output, and the daemon with MCP over HTTP, REST, events
//! and a page.
//!
//! This crate translates between `rmcp` and the table of verbs in `brainstem-api`, and decides
//! nothing. rmcp appears nowhere else, because its major versions change often.
//!
//! *Invariant: standard output carries the protocol alone.*

mod budget;
mod caller_key;
mod calls;
pub mod client;
mod door;
mod draining;
#[cfg(feature = "testing")]
pub mod fixture;
mod handler;
pub mod http;
mod idle;
pub mod limits;
mod lines;
mod offer;
mod place;
mod places;
pub mod poke;
mod progress;
mod reply;
mod resources;
mod run;
mod shares;
pub mod stdio;
pub mod tenancy;
mod tools;
mod turn;
mod unknown;
mod waiting;

pub use client::{DaemonClient, token_of};
pub use door::McpDoor;
pub use http::{HttpDoor, serve_http};
pub use idle::Settle;
pub use stdio::serve_stdio;
