//! The mirror over a ledger: the same rows by every path, and questions that are answered by an index.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "SQLite needs real files, and all of this is a test"
)]

mod convergence;
mod feed;
mod hostile;
mod plans;
mod power_loss;
mod world;
