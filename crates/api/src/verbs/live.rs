//! The verbs of the live channel. Only a daemon has one: without it they say so, and a message becomes mail.

mod ask;
mod poll;
mod send;
mod status;

pub use poll::{LiveMessage, LiveNews, LivePoll, LivePollAnswer, LiveWatch};
pub use send::{LiveSend, LiveSendAnswer, MailedCopy};
pub use status::{LiveStanding, LiveStatus, LiveStatusAnswer};
