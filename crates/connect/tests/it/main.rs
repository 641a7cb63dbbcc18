//! Hosts as callers meet them: several layers at once, on a disk that loses power, fills up or is real.
#![allow(
    clippy::disallowed_methods,
    reason = "these tests look at real files and run git, beside the ports of the program"
)]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

#[allow(dead_code, reason = "the worlds of memory's own tests, of which these need a part")]
#[path = "../../../memory/tests/it/place.rs"]
mod place;
#[allow(dead_code, reason = "the worlds of memory's own tests, of which these need a part")]
#[path = "../../../memory/tests/it/world.rs"]
mod world;

mod eject_one_after_the_other;
mod files;
mod hook;
mod moved;
mod where_files_lie;
