//! Which agent calls, from which folder, and which brain, project and settings that means.
//!
//! A door hands in what its call says of itself: [`Declared`] and [`RootHints`]. A [`CallerPlace`] keeps what the words about
//! the place lead to, found out once in a call by the [`Router`]. Which names of mailboxes are the
//! caller's is a rule about callers, too ([`addresses`]). What is remembered there, and what lies in the boxes, is for the
//! services behind this one.

pub mod limits;

pub mod addresses;
pub mod config;
pub mod git_layout;
mod held_folder;
pub mod identity;
pub mod place;
pub mod route;
pub mod router;
pub mod session;
mod standing_ground;

pub use identity::{Correspondent, Declared, Principal, Source};
pub use place::{Caller, CallerPlace};
pub use route::{Hint, NeverProjects, RootHints, Route};
pub use router::Router;
pub use session::Session;
