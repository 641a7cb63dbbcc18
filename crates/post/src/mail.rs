//! The use cases of mail: send, list, read, take, reply, mark, archive, follow a thread, search, sweep,
//! prune, and the register of sessions.

mod address;
pub(crate) mod caller_mail;
mod chosen;
mod error;
mod health;
mod limits;
mod list;
mod message_lookup;
mod message_ref;
mod moves;
mod name_taken;
mod named_box;
mod never_read;
mod own_name;
mod read;
mod search;
mod send;
mod sessions;
mod sharing;
mod standing;
mod sweep;
mod take;
mod thread;
mod whose;
pub mod words;

pub use error::{BoxNaming, MailError};
pub use limits::{LIMIT_DEFAULT, LIMIT_MAX};
pub use list::{MailListRequest, MailListing, MessageRow};
pub use message_ref::MessageRef;
pub use moves::{FinishRequest, MovedMessage};
pub use name_taken::NameTaken;
pub use named_box::{Boxes, NamedBox, Recipients};
pub use never_read::UnreadBox;
pub use read::{ReadMessage, ReadRequest};
pub use search::{SearchHit, SearchRequest, SearchResult};
pub use send::{ReplyRequest, SendRequest, SentMessage};
pub use sessions::{RegisteredSession, SessionReach, SessionsAtRoot};
pub use sharing::{MailReady, MailSharing};
pub use standing::MailStanding;
pub use sweep::{MailSweepReport, PruneRequest, Pruned, PrunedMailbox, SweptMailbox};
pub use take::{TakeRequest, TakenMail};
pub use thread::{Conversation, ConversationMessage};
pub use whose::OwnBoxes;

pub use words::{LeaseTime, MailWords, OlderThan, OthersBoxes, SendKey};

pub use brainstem_mail::filter::ListOrder;
pub use brainstem_mail::{MessageFilter, MessageKind, Priority};
pub use brainstem_vault::mail::{MailFolder, MessageCount, Pruning, UnreadableSession};
