//! The service: its parts and how it is made.

use brainstem_base::{Clock, Disk, Ids};
use brainstem_memory::Memory;

/// The use cases of mail and letters. It keeps no state: every call reads the files.
#[derive(Clone)]
pub struct Post {
    memory: Memory,
    tools: Vec<String>,
}

impl Post {
    /// The post of a home, with the parts its memory has.
    pub fn new(memory: &Memory) -> Self {
        Self { memory: memory.clone(), tools: Vec::new() }
    }

    /// The same service, with a list of this system's own tools.
    pub fn knowing(self, tools: Vec<String>) -> Self {
        Self { tools, ..self }
    }

    /// The tools of this system, as the doors name them.
    pub(crate) fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Memory, which resolves the caller and its place.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The disk.
    pub fn disk(&self) -> &dyn Disk {
        &**self.memory.disk()
    }

    /// The clock.
    pub fn clock(&self) -> &dyn Clock {
        &**self.memory.clock()
    }

    /// The source of ids.
    pub fn ids(&self) -> &dyn Ids {
        &**self.memory.ids()
    }
}
