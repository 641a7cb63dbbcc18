//! Mail without files: what a mailbox may be called, how a message reads, who gets it, who holds it and
//! what belongs together.
//!
//! Where files lie and how they move is `brainstem-vault`'s; who may do what to which box is
//! `brainstem-post`'s.

pub mod limits;

pub mod name;

mod scalar;

pub mod head;
pub mod kind;
pub mod message;

pub mod draft;

pub mod file_name;
pub mod filter;
pub mod lease;
pub mod live;
pub mod resolve;
pub mod thread;

pub use draft::{Draft, DraftFault, is_word};
pub use file_name::FileName;
pub use filter::Filter;
pub use head::Head;
pub use kind::{Kind, Priority};
pub use lease::Lease;
pub use message::Message;
pub use name::MailboxName;
