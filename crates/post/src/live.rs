//! The live channel for sessions that are online, and the watchdog that notifies them of their mail.
//!
//! A daemon holds one [`Hub`] for its home and drives a [`Watcher`] for each mail root; it carries the messages
//! itself. If no session that a message is for is online, the message becomes mail.

mod error;
mod hub;
mod inbox_notice;
mod limits;
mod poll;
mod project;
mod rounds;
mod send;
mod target;
mod watcher;

pub use brainstem_mail::live::{Project, SessionStatus, TargetReach};
pub use error::LiveError;
pub use hub::Hub;
pub use poll::{AnnouncedStatus, PollAnswer, PollRequest, StatusRequest};
pub use project::project_of_root;
pub use rounds::{LetterEvent, PostNews, Rounds};
pub use send::{LiveDelivery, LiveMailCopy, LiveRequest, MailCopyRule};
pub use target::NamedTarget;
pub use watcher::{MailChanges, MessageEvent, Wake, Watcher};
