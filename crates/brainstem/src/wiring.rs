//! Puts the real parts together.

use brainstem_base::Fault;
use brainstem_memory::Memory;
use std::path::Path;
use std::sync::Arc;

/// Opens the services over a home.
pub(crate) fn memory(_home: &Path) -> Result<Arc<Memory>, Fault> {
    Ok(Arc::new(Memory))
}
