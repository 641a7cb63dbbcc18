//! Which agent calls, from which folder, and which brain that means.

pub mod config;
pub(crate) mod git_layout;
pub(crate) mod handshake;
pub mod identity;
pub(crate) mod location_notice;
pub(crate) mod place;
pub(crate) mod project;
pub(crate) mod quota;
pub(crate) mod roots;
pub mod route;
pub(crate) mod secrets;
pub(crate) mod settings;
