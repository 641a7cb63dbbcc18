//! Why a use case of the inbox is refused.

use super::limits::{FINISH_MAX, LEASE_S_MAX, SEARCH_BYTES_MAX};
use crate::mail::MailError;
use crate::older_copy::{CheckFault, LedgerChange};
use brainstem_base::next::calls;
use brainstem_base::{Refusal, Timestamp, advice, coded_by_refusal, codes};
use brainstem_hygiene::HygieneFault;
use brainstem_inbox::connection::{ConnectionFault, ConnectionState};
use brainstem_inbox::directory::ControlReadError;
use brainstem_inbox::mirror::{FeedError, MirrorError};
use brainstem_inbox::{CatchUpError, RowId};
use brainstem_ledger::{AccountId, BackendFault, LedgerError};
use brainstem_memory::MemoryError;
use brainstem_vault::StoreError;

/// A refusal of a use case of the inbox. Nothing was sent and nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// A field that breaks a rule.
    #[error("`{field}` {why}")]
    Field {
        /// The field.
        field: &'static str,
        /// Which rule, as the end of a sentence.
        why: String,
        /// The spec id of the rule.
        rule: &'static str,
    },
    /// A field that is larger than its limit.
    #[error("`{field}` {why}")]
    TooLarge {
        /// The field.
        field: &'static str,
        /// Which limit, as the end of a sentence.
        why: String,
    },
    /// A recipient that is no agent and no person of this home.
    #[error("no agent or person here has the slug `{name}`{}", near_sentence(near))]
    UnknownRecipient {
        /// The field.
        field: &'static str,
        /// The name that was given.
        name: String,
        /// Names that it may be a slip of.
        near: Vec<String>,
    },
    /// An entity that does not exist.
    #[error("no entity has the id or the topic `{id}`")]
    UnknownEntity {
        /// What was given.
        id: String,
    },
    /// A message that does not exist.
    #[error("no message of the inbox has the id {id}")]
    NotFound {
        /// The id.
        id: RowId,
    },
    /// Digits with which no id begins.
    #[error("no message of the inbox has an id that begins with {start}")]
    NoSuchStart {
        /// The digits.
        start: String,
    },
    /// A message of another agent.
    #[error("message {id} is in the inbox of `{owner}`")]
    NotYours {
        /// The id.
        id: RowId,
        /// Its reader.
        owner: String,
    },
    /// A message that another session works on.
    #[error("session `{session}` works on message {id} until {}", until.to_rfc3339())]
    Claimed {
        /// The id.
        id: RowId,
        /// The session.
        session: String,
        /// The end of its lease.
        until: Timestamp,
    },
    /// A key that was used for another message.
    #[error("`key` was used before, for another message")]
    KeyReused,
    /// A decision that does not fit.
    #[error("account {account} {fault}")]
    Connection {
        /// The outsider.
        account: AccountId,
        /// Why.
        fault: ConnectionFault,
    },
    /// A reply to an outsider that is not connected any more.
    #[error("account {account} is {state}, and gets no reply")]
    NotConnected {
        /// The outsider.
        account: AccountId,
        /// The state of the connection with it.
        state: ConnectionState,
    },
    /// A cursor whose events are gone.
    #[error(transparent)]
    Feed(FeedError),
    /// More messages than one call finishes.
    #[error("{0} messages are named, and one call finishes at most {FINISH_MAX}")]
    TooMany(usize),
    /// The ledger is not what it was.
    #[error(transparent)]
    Changed(#[from] LedgerChange),
    /// The ledger or the mirror failed.
    #[error("{why}")]
    Unavailable {
        /// What failed and why.
        why: String,
        /// Which of the known faults it is.
        fault: BackendFault,
    },
    /// A text that carries a secret.
    #[error(transparent)]
    Hygiene(#[from] HygieneFault),
    /// The home could not be made.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A caller that may only look.
    #[error("this caller may only look")]
    OnlyLooks,
    /// A caller whose project was replaced, or cannot be looked at.
    #[error(transparent)]
    Ground(Box<MemoryError>),
    /// A session name that is not the caller's.
    #[error(transparent)]
    SessionName(Box<MailError>),
}

fn near_sentence(near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

impl InboxError {
    /// A field that breaks a rule of the inbox.
    pub(super) fn field(field: &'static str, why: impl Into<String>, rule: &'static str) -> Self {
        Self::Field { field, why: why.into(), rule }
    }

    /// Whether the disk took no file or no byte, so that a reader can go on without the mirror.
    pub(super) fn is_about_room(&self) -> bool {
        match self {
            Self::Unavailable { fault, .. } => matches!(fault, BackendFault::Full | BackendFault::ReadOnly),
            Self::Store(error) => {
                matches!(Refusal::of(error).code, codes::STORE_NO_SPACE | codes::STORE_READ_ONLY)
            }
            _ => false,
        }
    }

    /// A lease that is too short or too long.
    pub(super) fn lease() -> Self {
        Self::field("lease_s", format!("is outside 1 to {LEASE_S_MAX}"), "INB-11")
    }

    /// A search without words, or with too many.
    pub(super) fn query() -> Self {
        Self::field("query", format!("is empty or longer than {SEARCH_BYTES_MAX} bytes"), "INB-11")
    }

    fn refusal(&self) -> Refusal {
        match self {
            Self::Field { field, rule, .. } => {
                Refusal::new(codes::INPUT_BAD_VALUE, format!("give another `{field}`"))
                    .field(*field)
                    .rule(rule)
            }
            Self::TooLarge { field, .. } => {
                let fix = "put the long part into a file and name the file in the message";
                Refusal::new(codes::INPUT_TOO_LARGE, fix).field(*field).rule("INB-14")
            }
            Self::UnknownRecipient { field, .. } => {
                let fix = match *field {
                    "notify" => {
                        "name an agent or a person that has an inbox, or a role (orchestrator, engine, owner)"
                    }
                    _ => {
                        "name an agent or a person that has an inbox, a role (orchestrator, engine, owner), or ALL"
                    }
                };
                Refusal::new(codes::INBOX_UNKNOWN_RECIPIENT, fix).field(*field).rule("INB-14")
            }
            Self::UnknownEntity { id } => {
                let fix = advice![
                    "if it is a new task, make it with the note: ",
                    calls::note_on_task(calls::TEXT, id.as_str()),
                    "; else give the id or the topic of an entity that is there"
                ];
                Refusal::new(codes::INBOX_UNKNOWN_ENTITY, fix).field("entity_id").rule("INB-5a")
            }
            Self::NotFound { .. } | Self::NoSuchStart { .. } => {
                Refusal::new(codes::INBOX_NOT_FOUND, "give the id of a message that your inbox lists")
                    .field("id")
                    .rule("INB-14")
            }
            Self::NotYours { .. } => {
                Refusal::new(codes::INBOX_NOT_YOURS, "finish the messages of your own inbox")
                    .field("id")
                    .rule("INB-11")
            }
            Self::Claimed { .. } => {
                let fix = "leave it to that session, or try again when its lease is over";
                Refusal::new(codes::INBOX_CLAIMED, fix).field("id").rule("INB-11")
            }
            Self::KeyReused => {
                Refusal::new(codes::INBOX_KEY_REUSED, "give another `key`").field("key").rule("LED-4")
            }
            Self::Connection { .. } | Self::NotConnected { .. } => {
                let fix = advice!["see `", calls::inbox_requests(), "` for the outsiders that wait"];
                Refusal::new(codes::INBOX_CONNECTION_REFUSED, fix).field("account").rule("INB-6")
            }
            Self::Feed(FeedError::Expired { oldest, .. }) => {
                let fix = format!("list the inbox, then follow the feed from {oldest} on");
                Refusal::new(codes::INBOX_CURSOR_EXPIRED, fix).field("after").rule("INB-11a")
            }
            Self::Feed(FeedError::Ahead { tail, .. }) => {
                let fix = format!("list the inbox, then follow the feed from {tail} on");
                Refusal::new(codes::INBOX_CURSOR_AHEAD, fix).field("after").rule("INB-11a")
            }
            Self::Feed(FeedError::Mirror(error)) => unavailable(error.fault),
            Self::TooMany(_) => {
                Refusal::new(codes::INPUT_BAD_VALUE, format!("finish at most {FINISH_MAX} at a time"))
                    .field("id")
                    .rule("INB-14")
            }
            Self::Changed(change) => Refusal::new(codes::INBOX_LEDGER_CHANGED, change.fix()).rule("LED-4a"),
            Self::Unavailable { fault, .. } => unavailable(*fault),
            Self::Hygiene(fault) => Refusal::of(fault),
            Self::Store(error) => Refusal::of(error),
            Self::Ground(error) => Refusal::of(&**error),
            Self::SessionName(error) => Refusal::of(&**error),
            Self::OnlyLooks => {
                Refusal::new(codes::INBOX_UNAVAILABLE, "send it from the command line or over MCP")
                    .rule("INB-14")
            }
        }
    }
}

fn unavailable(fault: BackendFault) -> Refusal {
    match fault {
        BackendFault::Full => {
            Refusal::new(codes::STORE_NO_SPACE, "free some space, then try again").rule("LED-6")
        }
        BackendFault::ReadOnly => {
            Refusal::new(codes::STORE_READ_ONLY, "make the home writable, then try again").rule("LED-6")
        }
        BackendFault::Busy
        | BackendFault::Newer
        | BackendFault::Foreign
        | BackendFault::Damaged
        | BackendFault::Other => {
            let fix = "mend what the message names, or try again if another process was writing";
            Refusal::new(codes::INBOX_UNAVAILABLE, fix).rule("INB-8")
        }
    }
}

coded_by_refusal!(InboxError);

impl From<LedgerError> for InboxError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::TooLarge { .. } => {
                Self::TooLarge { field: "payload", why: format!("is too large: {error}") }
            }
            LedgerError::Backend { fault, .. } => Self::Unavailable { why: error.to_string(), fault },
            other => Self::Unavailable { why: other.to_string(), fault: BackendFault::Other },
        }
    }
}

impl From<MemoryError> for InboxError {
    fn from(error: MemoryError) -> Self {
        Self::Ground(Box::new(error))
    }
}

impl From<MirrorError> for InboxError {
    fn from(error: MirrorError) -> Self {
        Self::Unavailable { why: error.to_string(), fault: error.fault }
    }
}

impl From<FeedError> for InboxError {
    fn from(error: FeedError) -> Self {
        Self::Feed(error)
    }
}

impl From<CheckFault> for InboxError {
    fn from(fault: CheckFault) -> Self {
        match fault {
            CheckFault::Changed(change) => Self::Changed(change),
            CheckFault::Ledger(error) => error.into(),
        }
    }
}

impl From<ControlReadError> for InboxError {
    fn from(error: ControlReadError) -> Self {
        match error {
            ControlReadError::Ledger(error) => error.into(),
            ControlReadError::Changed(fault) => Self::Changed(LedgerChange::SinceSeen(fault)),
        }
    }
}

impl From<CatchUpError> for InboxError {
    fn from(error: CatchUpError) -> Self {
        match error {
            CatchUpError::Ledger(error) => error.into(),
            CatchUpError::Mirror(error) => error.into(),
            CatchUpError::Changed(fault) => Self::Changed(LedgerChange::SinceSeen(fault)),
        }
    }
}
