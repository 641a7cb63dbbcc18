//! The daemon's doors in this process, with short waits, and its files in the home.
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

#[allow(dead_code, reason = "the worlds of memory's own tests, of which these need a part")]
#[path = "../../../memory/tests/it/world.rs"]
mod world;

mod daemon;
mod slow;
