//! The use cases of what agents send: mail, and letters about confusion.
//!
//! Every door calls these and decides nothing itself. Who calls and where that is, memory resolves, once
//! for every door.

pub mod letters;
mod service;

pub mod live;
pub mod mail;

pub use service::Post;
