//! The use cases of mail: send, list, read, take, reply, mark, archive, follow a thread, search, sweep,
//! prune, and the register of sessions.

mod address;
mod chosen;
pub(crate) mod desk;
mod health;
mod limits;
mod list;
mod meant;
mod moves;
mod own_name;
mod read;
mod search;
pub(crate) mod send;
mod sessions;
mod sharing;
mod sweep;
mod take;
mod thread;

pub use limits::{LIMIT_DEFAULT, LIMIT_MAX};
pub use list::{ListRequest, Listed, Row};
pub use moves::{FinishRequest, Finished};
pub use read::{ReadRequest, Shown};
pub use search::{Hit, SearchRequest, Searched};
pub(crate) use send::kind as kind_of;
pub use send::{ReplyRequest, SendRequest, Sent};
pub use sessions::{Reach, SessionRow, Sessions};
pub use sharing::{MailReady, MailSharing};
pub use sweep::{PruneRequest, Pruned, PrunedBox, Swept, SweptBox};
pub use take::{TakeRequest, Taken};
pub use thread::{Conversation, Spoken};

pub use brainstem_vault::mail::UnreadableSession;
