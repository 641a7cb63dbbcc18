//! Which agent calls, from which folder, and which brain, project and settings that means.
//!
//! A door hands in what its call declares: [`Declared`] and [`RootHints`]. A [`CallerPlace`] keeps what the [`Router`] finds
//! out about the place, once in a call. Which mailbox names are the caller's is a rule about callers, too ([`addresses`]). The
//! services behind this one know the claims and the mail there.

pub mod limits;

pub mod addresses;
pub mod config;
pub mod git_layout;
mod held_folder;
pub mod identity;
pub mod person;
pub mod place;
pub mod place_checks;
pub mod route;
pub mod router;
pub mod session;

pub use identity::{Correspondent, Declared, IdentitySource, Principal};
pub use place::{Caller, CallerPlace};
pub use route::{Hint, NeverProjects, RootHints, Route};
pub use router::Router;
pub use session::Session;
