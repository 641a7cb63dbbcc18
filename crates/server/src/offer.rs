//! What one connection is offered: the tool sets that its door began with, and those that it switched on.

use crate::tools;
use brainstem_api::{Entry, Offered, ToolSwitch, Toolset};
use rmcp::model::Tool;
use std::sync::{PoisonError, RwLock};

/// The tools of one connection.
pub(crate) struct Offer {
    table: &'static [Entry],
    now: RwLock<Now>,
}

struct Now {
    offered: Offered,
    tools: Vec<Tool>,
}

impl Offer {
    pub(crate) fn new(table: &'static [Entry], sets: &[Toolset]) -> Self {
        let offered = Offered::of(sets);
        Self { table, now: RwLock::new(Now { offered, tools: tools::list(table, offered) }) }
    }

    /// The offer of a new connection at the same door.
    pub(crate) fn anew(&self, sets: &[Toolset]) -> Self {
        Self::new(self.table, sets)
    }

    /// The sets.
    pub(crate) fn offered(&self) -> Offered {
        self.now.read().unwrap_or_else(PoisonError::into_inner).offered
    }

    /// The list.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).tools.clone()
    }
}

impl ToolSwitch for Offer {
    fn switch_on(&self, sets: &[Toolset]) {
        // Under one lock: of two calls at once, each adds its sets.
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        now.offered = now.offered.and(sets);
        now.tools = tools::list(self.table, now.offered);
    }
}
