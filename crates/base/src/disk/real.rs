//! The disk of the machine.

/// The disk of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;
