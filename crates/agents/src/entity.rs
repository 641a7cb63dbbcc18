//! What the records of agents have in common.

use crate::ids::HostId;
use crate::vector_clock::VectorClock;

/// Where a row was written, and after what: what decides between two devices (Z-19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteStamp {
    /// The device that wrote it.
    pub host: HostId,
    /// What that device knew, this write included.
    pub clock: VectorClock,
}

/// Which field of a record breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {why}")]
pub struct EntityFault {
    /// The field.
    pub field: &'static str,
    /// Which rule it breaks, as the end of a sentence.
    pub why: &'static str,
}

impl EntityFault {
    pub(crate) fn new(field: &'static str, why: &'static str) -> Self {
        Self { field, why }
    }
}

/// Refuses a text that is empty, longer than the limit, or more than one line.
pub(crate) fn check_line(field: &'static str, text: &str, len_max: usize) -> Result<(), EntityFault> {
    match text {
        "" => Err(EntityFault::new(field, "is empty")),
        text if text.len() > len_max => Err(EntityFault::new(field, "is too long")),
        text if text.chars().any(char::is_control) => Err(EntityFault::new(field, "has a control character")),
        _ => Ok(()),
    }
}
