//! The live channel: for sessions that are online, and the watchdog that tells them of their mail.
//!
//! A daemon holds one [`Hub`] for its home and drives a [`Watcher`] for each mail root; how messages travel
//! to and fro is its business. What is sent to nobody who is online is sent as mail.

mod error;
mod hub;
mod limits;
mod place;
mod poll;
mod rounds;
mod send;
mod target;
mod watcher;

pub use brainstem_mail::live::{Project, SessionStatus, TargetReach};
pub use error::LiveError;
pub use hub::Hub;
pub use place::place_of;
pub use poll::{Got, PollRequest, StatusRequest, Told};
pub use rounds::{Lettered, PostNews, Rounds};
pub use send::{LiveRequest, LiveSent, MailToo, MailedCopy};
pub use target::NamedTarget;
pub use watcher::{Looked, Seen, Wake, Watcher};
