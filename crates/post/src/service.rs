//! The service itself: what it works with.

use brainstem_base::{Clock, Disk, Ids};
use brainstem_memory::Memory;

/// The post. Holds nothing of its own: every call reads the files.
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

    /// The same post, which knows these tools as this system's own.
    pub fn knowing(self, tools: Vec<String>) -> Self {
        Self { tools, ..self }
    }

    /// The tools of this system, as the doors name them.
    pub(crate) fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Who calls, and from where.
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
