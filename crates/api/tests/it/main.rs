//! Verbs over a simulated disk, a clock that stands still and ids that count: answers are the same in every
//! run, so that goldens need no scrubbing.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "these are tests, and read and write their goldens"
)]

mod advised_commands;
mod budget;
mod failing_reads;
mod fuzzed;
mod packet;
mod ranges;
mod refusal_order;
mod routings;
mod spelling;
mod warnings;
mod world;
