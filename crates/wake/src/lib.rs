//! Wakes without I/O.

pub mod limits;

pub mod token;

pub mod timer;
