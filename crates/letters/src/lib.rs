//! Letters: reports of agents, and what became of them.
//!
//! A letter is one JSON object on one line. Everything that this crate computes follows from the lines alone: a
//! letter's id, the project it belongs to, its fate in the graph of answers, and the sum of the confirmed ones. It
//! opens no file and reads no clock.

pub mod limits;

pub mod id;
pub mod kind;
pub mod letter;
pub mod lines;

pub mod address;
pub mod filed_line;
pub mod glob;
pub mod plan;
pub mod resolved_fields;
pub mod texts;

pub mod confusion;
pub mod fate;
pub mod references;

pub mod battery;
pub mod draft;

pub use fate::{Fate, FateCounts};
pub use id::LetterId;
pub use kind::{MisdeliveryKind, TriageVerdict};
pub use letter::{Letter, LineFault};
