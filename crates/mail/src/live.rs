//! The live channel without a transport: which sessions are online, what waits for them, and when they are woken.
//!
//! All of it is in memory and lost on restart; everything important is also mail.

pub mod channel;
pub mod status;
pub mod watchdog;

pub use channel::{
    Address, ChannelState, LiveMessage, LiveNote, LiveTarget, Polled, Presence, Project, SessionView,
    TargetReach,
};
pub use status::SessionStatus;
pub use watchdog::{OpenMessage, Pace, Watchdog, WatchdogEffect};
