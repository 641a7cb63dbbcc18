//! The service: its parts and how it is made.

use brainstem_base::{Clock, Disk, Ids};
use brainstem_memory::Memory;
use brainstem_vault::Home;

/// The use cases of hosts. It keeps no state: every call reads the files.
#[derive(Clone)]
pub struct Connect {
    memory: Memory,
}

impl Connect {
    /// The service of a home, with the parts of its memory.
    pub fn new(memory: &Memory) -> Self {
        Self { memory: memory.clone() }
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn home(&self) -> &Home {
        self.memory.home()
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &**self.memory.disk()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &**self.memory.clock()
    }

    pub(crate) fn ids(&self) -> &dyn Ids {
        &**self.memory.ids()
    }
}
