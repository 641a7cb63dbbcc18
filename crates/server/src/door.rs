//! The parts that the doors are served with.

use crate::idle::Settle;
use brainstem_api::Toolset;
use brainstem_base::next::TypedOption;
use brainstem_memory::{Declared, Memory, RootHints};
use std::path::PathBuf;
use std::sync::Arc;

/// What the binary hands to the server: the services, and what the process declares about its caller.
#[derive(Clone)]
pub struct McpDoor {
    /// The services of memory.
    pub memory: Arc<Memory>,
    /// The caller that the process was started for; the client's name and `agent_id` are added for each call.
    pub declared: Declared,
    /// The places of the process.
    pub roots: RootHints,
    /// This program itself, for git to call.
    pub program: Option<PathBuf>,
    /// The options that the process was started with and that every command for a shell repeats.
    pub repeated: &'static [TypedOption],
    /// The tool sets to offer.
    pub toolsets: Vec<Toolset>,
    /// Settles the indexes in idle moments. Without it they stay as recall left them.
    pub settle: Option<Settle>,
}
