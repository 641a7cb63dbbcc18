//! Mail as files: one folder for each box below a mail root, and the folder is the state.
//!
//! A message arrives and moves by a rename that never replaces, so that a
//! shell's `ls`, `cat` and `mv` are equals here. No lock is taken, except by a send that carries a key.

mod again;
mod astray;
mod committed;
mod count;
mod deliver;
mod fault;
mod folder;
mod links;
mod load;
mod mailbox;
mod moves;
mod names;
mod noting;
mod open;
mod reader_marks;
mod readers;
mod root;
mod seen;
mod sessions;
mod sweep;
mod take;
mod tracked;
mod tracked_notes;
mod tracking;
mod writing;

pub use again::{Changed, Waiting};
pub use astray::Astray;
pub use count::Unread;
pub use deliver::Delivered;
pub use fault::MailFault;
pub use folder::Folder;
pub use links::{Links, Looked};
pub use load::{Found, Listing, Place, Unreadable};
pub use mailbox::Mailbox;
pub use moves::Moved;
pub use readers::{Counts, Standing};
pub use root::{GitRule, Ignore, MailRoot};
pub(crate) use sessions::is_session_record;
pub use sessions::{
    SESSION_LIVE_MS, SessionRecord, Sessions, UnreadableSession, folder_stamp, folder_stamp_of,
    roots_on_record, sessions_of, unreadable_sessions,
};
pub use sweep::{Pruned, Swept};
pub use take::{GivenBack, Taken};
pub use tracked::Tracked;
pub use writing::Writing;
