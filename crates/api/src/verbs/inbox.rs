//! The verbs of the inbox.

mod agents;
mod decide;
mod done;
mod events;
mod fetch;
mod list;
mod message;
mod note;
mod read;
mod rebuild;
mod reply;
mod requests;
mod search;
mod send;
mod watch;

pub use agents::{AgentTopicRow, AgentTopics, AgentTopicsAnswer};
pub use decide::{InboxDecide, InboxDecideAnswer};
pub use done::{DoneMessage, InboxDone, InboxDoneAnswer};
pub use events::{InboxEvent, InboxEvents, InboxEventsAnswer};
pub use fetch::InboxFetch;
pub use list::{InboxList, InboxListAnswer};
pub use message::{InboxCount, InboxMessage};
pub use note::{Note, NoteAnswer};
pub use read::{InboxRead, InboxReadAnswer, InboxThreadNote};
pub use rebuild::{InboxRebuild, InboxRebuildAnswer};
pub use reply::InboxReply;
pub use requests::{HeldWord, InboxRequests, InboxRequestsAnswer, OutsiderRow};
pub use search::InboxSearch;
pub use send::{InboxSend, InboxSendAnswer};
pub use watch::{InboxNews, InboxWatch};
