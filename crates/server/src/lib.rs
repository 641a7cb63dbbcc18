//! The doors for agents: MCP over standard input and output.
//!
//! This crate translates between `rmcp` and the table of verbs in `brainstem-api`, and decides
//! nothing. rmcp appears nowhere else, because its major versions change often.
//!
//! *Invariant: standard output carries the protocol alone.*

mod calls;
mod handler;
mod idle;
pub mod limits;
mod lines;
mod patient;
mod progress;
mod resources;
pub mod stdio;
mod tools;

pub use idle::Settle;
pub use stdio::{Door, serve_stdio};
