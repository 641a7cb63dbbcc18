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
mod limits;
mod notes;
mod opened;
mod read;
mod send;

pub use address::OwnInbox;
pub use agents::{AgentTopics, MadeTopics};
pub use connections::{ConnectionAnswer, OutsiderRequest};
pub use error::InboxError;
pub use finish::FinishedMessage;
pub use limits::{INBOX_LIMIT_DEFAULT, LIST_MAX as INBOX_LIMIT_MAX};
pub use notes::{NoteRequest, NotedEntity, PostedNote};
pub use opened::INBOX_FOLDER;
pub use read::{FetchRequest, InboxListing, InboxQuery, ReferenceThread};
pub use send::{InboxSend, InboxSent, MessageVisibility};

pub use brainstem_inbox::mirror::{EventPage, FeedEvent, FeedEventKind, MirrorRow, RowState, UnreadCounts};
pub use brainstem_inbox::{
    AgentDefinition, EntityNote, InboxPriority, InboxRow, MessageContent, MessageType, RefId, RefType,
    Reference, RowId,
};
