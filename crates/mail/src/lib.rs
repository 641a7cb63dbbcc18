//! Mail without files: the names of mailboxes, the format of messages, which reader gets a message, which one holds it,
//! and what belongs to one conversation.
//!
//! `brainstem-vault` owns the files and how they move; `brainstem-post` decides which caller may do what to which box.

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

pub use draft::{DraftFault, MessageDraft, is_word};
pub use file_name::FileName;
pub use filter::MessageFilter;
pub use head::MessageHead;
pub use kind::{MessageKind, Priority};
pub use lease::{Lease, LeaseOwner};
pub use message::Message;
pub use name::MailboxName;
