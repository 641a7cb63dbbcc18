//! The use cases of mail: send, list, read, take, reply, mark, archive, follow a thread, search, sweep,
//! prune, and the register of sessions.

mod address;
mod chosen;
pub(crate) mod desk;
mod error;
mod health;
mod limits;
mod list;
mod meant;
mod message_ref;
mod moves;
mod name_taken;
mod named_box;
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

pub use error::{BoxIn, MailError};
pub use limits::{LIMIT_DEFAULT, LIMIT_MAX};
pub use list::{ListRequest, Listed, Row};
pub use message_ref::MessageRef;
pub use moves::{FinishRequest, Finished};
pub use name_taken::NameTaken;
pub use named_box::{Boxes, NamedBox, Recipients};
pub use read::{ReadRequest, Shown};
pub use search::{Hit, SearchRequest, Searched};
pub use send::{ReplyRequest, SendRequest, Sent};
pub use sessions::{Reach, SessionRow, Sessions};
pub use sharing::{MailReady, MailSharing};
pub use standing::MailStanding;
pub use sweep::{PruneRequest, Pruned, PrunedBox, Swept, SweptBox};
pub use take::{TakeRequest, Taken};
pub use thread::{Conversation, Spoken};
pub use whose::OwnBoxes;

pub use words::{LeaseTime, MailWords, OlderThan, OthersBoxes, SendKey};

pub use brainstem_mail::filter::ListOrder;
pub use brainstem_mail::{MessageFilter, MessageKind, Priority};
pub use brainstem_vault::mail::{MailFolder, Pruning, UnreadableSession};
