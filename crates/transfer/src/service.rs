//! The service itself: what it works with.

use brainstem_base::{Clock, Disk, Ids};
use brainstem_memory::{Floor, Memory};
use brainstem_vault::{Brain, Home, Store};

/// Export, import and migration. Holds nothing of its own: every call reads the files.
#[derive(Clone)]
pub struct Transfer {
    memory: Memory,
}

impl Transfer {
    /// The transfers of a home, with the parts its memory has.
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

    pub(crate) fn floor(&self) -> Floor {
        self.memory.floor()
    }

    pub(crate) fn store_of(&self, brain: &Brain) -> Store {
        self.home().store_of(brain)
    }
}
