//! Mail as files: one folder for each box below a mail root, and the folder is the state.
//!
//! A message arrives and moves by a rename that never replaces, so a shell's `ls`, `cat` and `mv` work here too. No
//! lock is taken, except by a send that carries a key.

mod astray;
mod broadcasts_seen;
mod committed;
mod count;
mod deliver;
mod fault;
mod folder;
mod ignored;
mod kept_out;
mod links;
mod listing;
mod mailbox;
mod moves;
mod names;
mod note_tracked;
mod open_box;
mod reader_marks;
mod readers;
mod root;
mod sessions;
mod sweep;
mod take;
mod tracked;
mod tracked_notes;
mod tracking;
mod unread_view;
mod write_progress;

pub use astray::AstrayFolder;
pub use count::{MessageCount, UnreadCount};
pub use deliver::Delivered;
pub use fault::MailFault;
pub use folder::MailFolder;
pub use ignored::IgnoringRule;
pub(crate) use ignored::rule_leaving_out;
pub use kept_out::KeptOut;
pub use links::{LinkedFolder, Links};
pub use listing::{ListedMessage, Listing, MessageLocation, UnreadableMessage};
pub use mailbox::Mailbox;
pub use moves::MoveOutcome;
pub use readers::{ReadersOfName, SessionsCounted};
pub use root::{GitRule, IgnoreRule, MailRoot};
pub(crate) use sessions::is_session_record;
pub use sessions::{
    NotTouched, SESSION_LIVE_MS, SessionRecord, SessionRecords, UnreadableSession, folder_stamp,
    folder_stamp_of, roots_on_record, sessions_of, unreadable_sessions,
};
pub use sweep::{BoxSweep, PrunedMessages, Pruning};
pub use take::{GivenBack, TakenMessage};
pub use tracked::TrackedMessages;
pub use unread_view::{UnreadChanges, UnreadView};
pub use write_progress::Writing;
