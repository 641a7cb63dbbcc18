//! Letters as their callers meet them, on a simulated disk.
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

mod letters;
