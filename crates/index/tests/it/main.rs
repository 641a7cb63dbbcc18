//! The index over files that others write, on a disk that is real, simulated, blind or full.
#![allow(clippy::disallowed_methods, reason = "these tests write files behind the back of the program")]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

mod world;

mod equal;
mod fresh;
mod shared_file;
mod speeds;
