//! What the doors are served with.

use crate::idle::Settle;
use brainstem_api::Toolset;
use brainstem_memory::{Declared, Memory, RootHints};
use std::path::PathBuf;
use std::sync::Arc;

/// What the binary hands to the server: services, and what the process says about its caller.
#[derive(Clone)]
pub struct McpDoor {
    /// The services of memory.
    pub memory: Arc<Memory>,
    /// Who the process was started for; the client's name and `agent_id` are added for each call.
    pub declared: Declared,
    /// Where the process stands.
    pub roots: RootHints,
    /// This program itself, for git to call.
    pub program: Option<PathBuf>,
    /// The sets of tools to offer.
    pub toolsets: Vec<Toolset>,
    /// What settles the indexes in idle moments; without it they stay as recall left them.
    pub settle: Option<Settle>,
}
