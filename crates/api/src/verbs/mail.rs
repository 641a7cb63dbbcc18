//! The verbs of mail.

mod archive;
mod claim;
mod finish;
mod init;
mod list;
mod mark_read;
mod message;
mod prune;
mod read;
mod reply;
mod search;
mod send;
mod sessions;
mod sweep;
mod thread;

pub use archive::MailArchive;
pub use claim::{MailClaim, MailClaimAnswer};
pub use finish::MailMovedAnswer;
pub use init::{MailInit, MailInitAnswer};
pub use list::{MailList, MailListAnswer, UnreadableFile};
pub use mark_read::MailMarkRead;
pub use message::MailMessage;
pub use prune::{MailPrune, MailPruneAnswer, PrunedBox};
pub use read::{MailRead, MailReadAnswer};
pub use reply::MailReply;
pub use search::{MailHit, MailSearch, MailSearchAnswer};
pub use send::{MailCopy, MailSend, MailSendAnswer};
pub use sessions::{SessionList, SessionListAnswer, SessionRegister, SessionRegisterAnswer, SessionRow};
pub use sweep::{MailSweep, MailSweepAnswer, SweptBox};
pub use thread::{MailThread, MailThreadAnswer};
