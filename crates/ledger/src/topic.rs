//! A topic: its id, what its memo says, and which accounts may append.

use crate::consensus_time::ConsensusTime;
use crate::entity_id::{AccountId, TopicId};
use crate::error::LedgerError;
use crate::limits::MEMO_BYTES_MAX;

/// Which accounts may append to a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitPolicy {
    /// Every account.
    Everyone,
    /// One account.
    Only(AccountId),
}

impl SubmitPolicy {
    /// Whether the account may append.
    pub fn allows(self, account: AccountId) -> bool {
        match self {
            Self::Everyone => true,
            Self::Only(owner) => owner == account,
        }
    }
}

/// A topic as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its id.
    pub id: TopicId,
    /// What it is for, in the form that its users agreed on.
    pub memo: String,
    /// Which accounts may append.
    pub policy: SubmitPolicy,
    /// When it was made.
    pub created: ConsensusTime,
}

/// A topic to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTopic {
    /// What it is for.
    pub memo: String,
    /// Which accounts may append.
    pub policy: SubmitPolicy,
    /// The caller's own name of the topic: making it again returns the topic that is there.
    pub key: String,
}

impl NewTopic {
    /// Refuses a memo that Hedera would refuse.
    pub fn check(&self) -> Result<(), LedgerError> {
        match self.memo.len() <= MEMO_BYTES_MAX {
            true => Ok(()),
            false => Err(LedgerError::MemoTooLong { len: self.memo.len(), len_max: MEMO_BYTES_MAX }),
        }
    }
}
