//! The programs that agents run in: connecting them, and answering their hooks.

pub(crate) mod connect;
pub(crate) mod hook;
