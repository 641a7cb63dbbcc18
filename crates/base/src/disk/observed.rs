//! Placeholder.
/// Placeholder.
#[derive(Debug)]
pub struct ObservedDisk;
