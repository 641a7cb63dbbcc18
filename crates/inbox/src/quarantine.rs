//! What cannot become a row, and why.

use brainstem_ledger::{ConsensusTime, Sequence, TopicId};

/// A message that was set aside. The cursor moves on behind it, and nothing is lost: the topic still has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The topic.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
    /// When it was appended.
    pub at: ConsensusTime,
    /// Why it was set aside.
    pub reason: QuarantineReason,
    /// What is wrong with it, for people.
    pub detail: String,
}

/// Why a message was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuarantineReason {
    /// Its bytes do not have the form that its topic asks for.
    Malformed,
    /// It is larger than a message may be.
    TooLarge,
    /// It names another sender than the account that submitted it.
    SenderMismatch,
    /// Its operation has no place on its topic.
    Misplaced,
    /// It names a reader that the home did not have when it was appended.
    UnknownRecipient,
    /// Its account was blocked.
    Blocked,
    /// It defines what was defined otherwise before.
    Conflict,
}

impl QuarantineReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::Malformed,
        Self::TooLarge,
        Self::SenderMismatch,
        Self::Misplaced,
        Self::UnknownRecipient,
        Self::Blocked,
        Self::Conflict,
    ];

    /// The word in tables and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::SenderMismatch => "sender_mismatch",
            Self::Misplaced => "misplaced",
            Self::UnknownRecipient => "unknown_recipient",
            Self::Blocked => "blocked",
            Self::Conflict => "conflict",
        }
    }
}
