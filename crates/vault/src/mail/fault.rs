//! Errors of mail.

use crate::StoreError;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded, DiskFault, ErrorCode, codes};
use brainstem_mail::lease::Lease;
use brainstem_mail::name::{MailboxName, NameFault};
use std::path::PathBuf;

/// Mail could not be delivered, found or moved.
#[derive(Debug, thiserror::Error)]
pub enum MailFault {
    /// A name that no box can have here.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// The box has no message of that name.
    #[error("no message {file} is in the box {mailbox}")]
    NotFound {
        /// The message.
        file: String,
        /// The box.
        mailbox: MailboxName,
    },
    /// Another reader holds it.
    #[error("{} holds {} until {}", .0.owner, .0.file, .0.until)]
    Held(Box<Lease>),
    /// The file is not a message.
    #[error("{file} cannot be read as a message: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// A program is still writing it.
    #[error("{file} is being written at this moment, and was left alone")]
    Unfinished {
        /// The message.
        file: String,
    },
    /// The sender used a key again, for another message.
    #[error("this key was used in that box for {file}, which says something else")]
    KeyReused {
        /// The message that was sent under the key.
        file: String,
    },
    /// One sender made more messages of one type within a second than there are names.
    #[error("the box {mailbox} has no name left for another message of this second")]
    Full {
        /// The box.
        mailbox: MailboxName,
    },
    /// The file that keeps a private mail root out of git cannot be used.
    #[error("the mail here is private, and `{}` is {what}: git would commit what is sent there", path.display())]
    Exposed {
        /// The `.gitignore` of the mail root.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// A rule of the repository lets git commit a private mail root, and nothing of this clone can win over it.
    #[error("the mail here is private, and a rule in `{}` lets git commit it: nothing was sent", path.display())]
    Overruled {
        /// The `.gitignore` with the rule.
        path: PathBuf,
    },
    /// The disk refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Coded for MailFault {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Name(fault) => fault.code(),
            Self::NotFound { .. } => codes::MAIL_NOT_FOUND,
            Self::Held(_) => codes::MAIL_CLAIMED,
            Self::Unreadable { .. } => codes::MAIL_UNREADABLE,
            Self::Unfinished { .. } => codes::MAIL_UNFINISHED,
            Self::KeyReused { .. } => codes::MAIL_KEY_REUSED,
            Self::Full { .. } => codes::STORE_BUSY,
            Self::Exposed { .. } | Self::Overruled { .. } => codes::STORE_PRIVATE_EXPOSED,
            Self::Store(error) => error.code(),
        }
    }

    fn fix(&self) -> Option<Advice> {
        Some(match self {
            Self::Name(fault) => return fault.fix(),
            Self::NotFound { .. } => {
                advice!["see `", calls::mail_list(), "` for the messages that are there"]
            }
            Self::Held(lease) => advice!["take another one, or wait until ", lease.until.to_string()],
            Self::Unreadable { .. } => "open the file and repair it, or move it by hand".into(),
            Self::Unfinished { .. } => "repeat in a moment, when its writer has closed the file".into(),
            Self::KeyReused { .. } => {
                "use another key for another message; the same key is for the same message, sent again".into()
            }
            Self::Full { .. } => "repeat in a second".into(),
            Self::Exposed { .. } => {
                advice!["do what ", calls::doctor(), " says of that file, then repeat"]
            }
            Self::Overruled { .. } => advice![
                calls::mail_init_private(),
                " keeps it out of git; `",
                calls::mail_init_commit(),
                "` says that git may commit it"
            ],
            Self::Store(StoreError::Disk { source, .. }) if source.fault() == DiskFault::ReadOnly => {
                // A folder that is closed is named by what should be made or looked at in it.
                let folder = source.path().parent().unwrap_or(source.path()).display();
                advice![
                    "make the folder `{folder}` and what lies in it readable and writable for this user, or name another mail root with ",
                    Advice::mail_root()
                ]
            }
            Self::Store(error) => return error.fix(),
        })
    }

    fn field(&self) -> Option<String> {
        match self {
            Self::NotFound { .. } | Self::Held(_) | Self::Unreadable { .. } | Self::Unfinished { .. } => {
                Some("file".into())
            }
            Self::KeyReused { .. } => Some("key".into()),
            Self::Name(_)
            | Self::Full { .. }
            | Self::Exposed { .. }
            | Self::Overruled { .. }
            | Self::Store(_) => None,
        }
    }

    fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::Name(fault) => return fault.rule(),
            Self::NotFound { .. } => "MAIL-10",
            Self::Held(_) => "MAIL-11",
            Self::Unreadable { .. } | Self::Unfinished { .. } => "MAIL-9",
            Self::KeyReused { .. } | Self::Full { .. } => "MAIL-7",
            Self::Exposed { .. } | Self::Overruled { .. } => "MAIL-1a",
            Self::Store(error) => return error.rule(),
        })
    }
}
