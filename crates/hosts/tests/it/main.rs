//! Files as hosts write them, with our part put in and taken out; payloads as hosts send them.

mod any_file;
mod files;
mod hooks;
