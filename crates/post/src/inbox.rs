//! The use cases of the inbox: send, note, fetch, claim, finish, search, count, follow the feed, and decide about outsiders.
//!
//! The ledger is the record and is appended to first; the mirror follows from it and is brought up to it by every read.

mod address;
mod agents;
mod connections;
mod entities;
mod error;
mod finish;
mod gone;
mod health;
mod ledger_stamp;
mod limits;
mod listener;
mod notes;
mod opened;
mod read;
mod rebuild;
mod reply;
mod role_health;
mod send;

pub use address::OwnInbox;
pub use agents::{AgentTopics, MadeTopics};
pub use connections::{ConnectionAnswer, OutsiderRequest};
pub use entities::ReferenceNames;
pub use error::InboxError;
pub use finish::FinishedMessage;
pub use limits::{FINISH_MAX, INBOX_LIMIT_DEFAULT, LIST_MAX as INBOX_LIMIT_MAX, SEARCH_BYTES_MAX};
pub use listener::InboxListener;
pub use notes::{NoteRequest, NotedEntity, PostedNote};
pub use read::{FetchRequest, InboxListing, InboxQuery, ReferenceThread};
pub use rebuild::{ChangedLedger, RebuiltInbox};
pub use send::{InboxSend, InboxSent, MessageVisibility};

pub use crate::inbox_files::INBOX_FOLDER;
pub use brainstem_inbox::connection::{ConnectionState, ConnectionStep};
pub use brainstem_inbox::mirror::{EventPage, FeedEvent, FeedEventKind, MirrorRow, RowState, UnreadCounts};
pub use brainstem_inbox::{
    AgentDefinition, EntityNote, InboxPriority, InboxRow, MessageContent, MessageType, RefId, RefType,
    Reference, RowId,
};
