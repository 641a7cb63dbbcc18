//! Placeholder.
/// Placeholder.
#[derive(Debug)]
pub struct SimDisk;
/// Placeholder.
#[derive(Debug)]
pub enum Fate {}
