//! The live channel without a transport: who is online, what waits for them, and when somebody is woken.
//!
//! All of it is in memory and lost on restart; what matters is mail as well.

pub mod channel;
pub mod status;
pub mod watchdog;

pub use channel::{Address, Channel, LiveMessage, Note, Polled, Presence, Project, Scope, Standing, Target};
pub use status::Status;
pub use watchdog::{Effect, Pace, Unseen, Watchdog};
