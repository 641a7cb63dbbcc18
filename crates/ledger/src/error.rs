//! Why a ledger refuses.

use crate::entity_id::{AccountId, TopicId};
use crate::sequence::Sequence;

/// What a ledger could not do. It can be cloned: callers that shared one transaction share its failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// No topic has this id.
    #[error("no topic has the id {0}")]
    NoTopic(TopicId),
    /// The message is larger than the limit.
    #[error("the message has {len} bytes; {len_max} are allowed")]
    TooLarge {
        /// Its size.
        len: usize,
        /// The limit.
        len_max: usize,
    },
    /// The memo is longer than the limit.
    #[error("the memo has {len} bytes; {len_max} are allowed")]
    MemoTooLong {
        /// Its length.
        len: usize,
        /// The limit.
        len_max: usize,
    },
    /// The key has no character, too many, or a control character.
    #[error("a key has 1 to 200 bytes, no control characters, and does not begin with `ledger:`")]
    BadKey,
    /// Another message was appended with this key.
    #[error(
        "topic {topic} has message {sequence} with this key already, and that message says something else"
    )]
    KeyReused {
        /// The topic.
        topic: TopicId,
        /// The message that has the key.
        sequence: Sequence,
    },
    /// Another topic was made with this key.
    #[error("topic {0} was made with this key already, with another memo or another policy")]
    TopicKeyReused(TopicId),
    /// The topic takes messages of another account alone.
    #[error("account {account} may not append to topic {topic}")]
    Forbidden {
        /// The topic.
        topic: TopicId,
        /// The account that tried.
        account: AccountId,
    },
    /// The topic has no message of this number.
    #[error("topic {topic} has no message {sequence}")]
    NoMessage {
        /// The topic.
        topic: TopicId,
        /// The number.
        sequence: Sequence,
    },
    /// The reason of a redaction is too long or has a control character.
    #[error("the reason of a redaction is one line of at most 200 bytes")]
    BadReason,
    /// The message has the form of a redaction record, and only a redaction writes one.
    #[error("the message has the form of a redaction record, which only a redaction may write")]
    RedactionRecord,
    /// A redaction record cannot be redacted: the message that it is about would be gone without a trace.
    #[error("message {sequence} of topic {topic} is the record of a redaction, and stays")]
    RecordStays {
        /// The topic.
        topic: TopicId,
        /// The number of the record.
        sequence: Sequence,
    },
    /// The backend failed, or its files did.
    #[error("the ledger cannot be {what}: {why}")]
    Backend {
        /// What was tried: `read` or `written`.
        what: &'static str,
        /// What the backend said.
        why: String,
        /// Whether the same call may succeed later.
        is_passing: bool,
        /// Which kind of failure it is.
        fault: BackendFault,
    },
}

/// How a backend failed, as a caller would treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendFault {
    /// Others were at work for too long; the same call may succeed later.
    Busy,
    /// No room is left where the ledger is kept.
    Full,
    /// The ledger may not be written.
    ReadOnly,
    /// A newer version of this program wrote it.
    Newer,
    /// What is there is not a ledger of this program.
    Foreign,
    /// It is damaged.
    Damaged,
    /// Anything else.
    Other,
}
