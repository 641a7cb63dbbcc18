//! The use cases of the inbox, on real files: SQLite is its own disk.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "everything here is a test, SQLite needs real files, and kills need processes"
)]

mod agents;
mod apart;
mod doors;
mod finishing;
mod full_disk;
mod kills;
mod listening;
mod older_copy;
mod rebuilding;
mod records;
mod redaction;
mod refusing;
mod sending;
mod sessions;
mod sharing;
mod world;
