//! Files as hosts write them, with our part put in and taken out; payloads as hosts send them.

#![allow(clippy::unwrap_used, reason = "a test")]

mod any_file;
mod files;
mod hooks;
