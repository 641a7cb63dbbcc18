//! A looping agent is bounded: so many writes within a minute. If the count cannot be kept, nothing is refused.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::AgentId;

impl Memory {
    /// Counts a write, or refuses it.
    pub(crate) fn check_write_quota(&self, agent: &AgentId) -> Result<(), MemoryError> {
        let counted = self.home.count_write(agent);
        let limit = u64::from(self.limits().writes_per_minute);
        match counted {
            Some(count) if count > limit => Err(MemoryError::Quota { agent: agent.to_string(), limit }),
            Some(_) | None => Ok(()),
        }
    }
}
