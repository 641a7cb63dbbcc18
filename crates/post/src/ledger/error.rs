//! Why a use case of the ledger is refused.

use crate::older_copy::{CheckFault, LedgerChange};
use brainstem_base::next::{VerbId, calls, field};
use brainstem_base::{DiskError, DiskFault, Refusal, advice, coded_by_refusal, codes};
use brainstem_hygiene::HygieneFault;
use brainstem_ledger::{BackendFault, ChainFault, LedgerError, NoteFault, ProofFault, TopicId};
use brainstem_ledger_sqlite::HeadFault;
use brainstem_vault::StoreError;
use std::path::PathBuf;

/// A refusal of a use case of the ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerUseError {
    /// A word that is no topic id.
    #[error("{given:?} is no topic id")]
    NoTopicId {
        /// What was given.
        given: String,
    },
    /// A word that is no number of a message.
    #[error("`{field}` is {given:?}, and messages are numbered 1, 2, 3 and so on")]
    NoNumber {
        /// The field.
        field: &'static str,
        /// What was given.
        given: String,
    },
    /// A word that is no cursor.
    #[error("{given:?} is neither the number of a message nor a cursor")]
    NoCursor {
        /// What was given.
        given: String,
    },
    /// A text that is no public key.
    #[error("`key` is not the public key of a ledger")]
    NoPublicKey,
    /// A field that goes with another one is missing, or two do not go together.
    #[error("{0}")]
    Together(&'static str),
    /// The topic is not the one that the caller read before.
    #[error("the topic is not what it was when you read it: {0}")]
    Changed(ChainFault),
    /// The ledger is not the one that this home has seen.
    #[error(transparent)]
    OlderCopy(LedgerChange),
    /// A redaction without consent.
    #[error("{} of topic {topic} would lose {} content for good; nothing was done", match count { 1 => format!("message {number}"), count => format!("{count} messages") }, if *count == 1 { "its" } else { "their" })]
    NotConfirmed {
        /// The topic.
        topic: TopicId,
        /// The first message.
        number: u64,
        /// How many messages.
        count: usize,
    },
    /// A redaction that was done, of which the file could not be written anew.
    #[error("the content of {} of topic {topic} is gone for good and on record, and the file of the ledger could not be written anew: unused room of it may still have the content", match count { 1 => format!("message {number}"), count => format!("{count} messages") })]
    ErasureDue {
        /// The topic.
        topic: TopicId,
        /// The first message.
        number: u64,
        /// How many messages.
        count: usize,
        /// Why the file could not be written.
        #[source]
        source: LedgerError,
    },
    /// A redaction of a record that the inbox follows from.
    #[error("message {number} of topic {topic} is a record from which the inbox follows, and stays")]
    RecordStays {
        /// The topic.
        topic: TopicId,
        /// The message.
        number: u64,
    },
    /// A file that the caller names is no head that a known key signed.
    #[error("`{}`: {fault}", path.display())]
    NoHead {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: NoteFault,
    },
    /// A receipt that proves nothing.
    #[error("`{}` proves nothing: {fault}", path.display())]
    NoProof {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: ProofFault,
    },
    /// A file that the caller names cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Unreadable {
        /// The field that names it.
        field: &'static str,
        /// The file.
        path: PathBuf,
        /// What the disk said.
        #[source]
        source: DiskError,
    },
    /// A file that is to be made exists.
    #[error("`{}` exists, and nothing is replaced", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("`{}` cannot be written", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the disk said.
        #[source]
        source: DiskError,
    },
    /// A text that carries a secret.
    #[error(transparent)]
    Hygiene(#[from] HygieneFault),
    /// The home could not be made.
    #[error(transparent)]
    Home(#[from] StoreError),
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(LedgerError),
    /// No head was signed.
    #[error(transparent)]
    Head(HeadFault),
}

impl From<LedgerError> for LedgerUseError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<CheckFault> for LedgerUseError {
    fn from(fault: CheckFault) -> Self {
        match fault {
            CheckFault::Changed(change) => Self::OlderCopy(change),
            CheckFault::Ledger(error) => Self::Ledger(error),
        }
    }
}

impl From<HeadFault> for LedgerUseError {
    fn from(fault: HeadFault) -> Self {
        match fault {
            HeadFault::Ledger(error) => Self::Ledger(error),
            other => Self::Head(other),
        }
    }
}

impl LedgerUseError {
    fn refusal(&self) -> Refusal {
        let bad = |fix: &str| Refusal::new(codes::INPUT_BAD_VALUE, fix).rule("LED-1");
        match self {
            Self::NoTopicId { .. } => {
                let fix = advice!["give an id such as 0.0.1001; `", calls::ledger_topics(), "` lists them"];
                Refusal::new(codes::INPUT_BAD_VALUE, fix).field("topic").rule("LED-1")
            }
            Self::NoNumber { field, .. } => bad("give a whole number from 1 on").field(*field),
            Self::NoCursor { .. } => {
                let fix = advice!["give a number, or the `cursor` of an answer of ", VerbId::LedgerShow];
                Refusal::new(codes::INPUT_BAD_VALUE, fix).field("after").rule("LED-4a")
            }
            Self::NoPublicKey => {
                let fix = advice!["give the `key` that ", VerbId::LedgerHead, " answers with"];
                Refusal::new(codes::INPUT_BAD_VALUE, fix).field("key").rule("LED-4b")
            }
            Self::Together(_) => bad("give one of them").rule("LED-4"),
            Self::Changed(_) => {
                let fix = advice!["see what is wrong with `", calls::ledger_verify(), "`"];
                Refusal::new(codes::LEDGER_CHANGED, fix).field("after").rule("LED-4a")
            }
            Self::OlderCopy(change) => Refusal::new(codes::LEDGER_CHANGED, change.fix()).rule("LED-4a"),
            Self::NotConfirmed { .. } => {
                let fix = advice!["add ", field("confirm").set(), " if a person wants that"];
                Refusal::new(codes::INPUT_MISSING, fix).field("confirm").rule("LED-5")
            }
            Self::ErasureDue { .. } => {
                let fix = "repeat the call, once the disk has room for the ledger a second time: it writes the file anew and changes nothing else";
                Refusal::new(codes::LEDGER_ERASURE_DUE, fix).rule("LED-5")
            }
            Self::RecordStays { .. } => {
                let fix = "name a message or a note; definitions, decisions and acknowledgements stay";
                Refusal::new(codes::INPUT_BAD_VALUE, fix).field("message").rule("LED-5")
            }
            Self::NoHead { fault: NoteFault::UnknownSigner { .. }, .. } => {
                let fix = advice!["give the public key of the ledger that signed it as `", field("key"), "`"];
                Refusal::new(codes::LEDGER_BAD_PROOF, fix).field("against").rule("LED-4b")
            }
            Self::NoHead { .. } => {
                let fix = advice!["give a file that ", VerbId::LedgerHead, " wrote, unchanged"];
                Refusal::new(codes::LEDGER_BAD_PROOF, fix).field("against").rule("LED-4b")
            }
            Self::NoProof { .. } => {
                let fix =
                    "trust the message only with a receipt that holds: ask its sender for the file again";
                Refusal::new(codes::LEDGER_BAD_PROOF, fix).field("file").rule("LED-4b")
            }
            Self::Unreadable { field, .. } => {
                Refusal::new(codes::INPUT_UNREADABLE, "name a file that you can read").field(*field)
            }
            Self::Taken { .. } => {
                Refusal::new(codes::INPUT_BAD_VALUE, "name a file that does not exist").field("out")
            }
            Self::Unwritable { source, .. } => match source.fault() {
                DiskFault::NoSpace => Refusal::new(codes::STORE_NO_SPACE, "free some space, then try again"),
                DiskFault::ReadOnly => {
                    Refusal::new(codes::STORE_READ_ONLY, "name a place that you can write").field("out")
                }
                _ => Refusal::new(codes::INPUT_BAD_VALUE, "name a file in a folder that exists").field("out"),
            },
            Self::Hygiene(fault) => Refusal::of(fault),
            Self::Home(error) => Refusal::of(error),
            Self::Ledger(error) => of_ledger(error),
            Self::Head(fault) => of_head(fault),
        }
    }
}

coded_by_refusal!(LedgerUseError);

fn of_ledger(error: &LedgerError) -> Refusal {
    let topics = || advice!["see `", calls::ledger_topics(), "` for what is there"];
    match error {
        LedgerError::NoTopic(_) => {
            Refusal::new(codes::LEDGER_NOT_FOUND, topics()).field("topic").rule("LED-1")
        }
        LedgerError::NoMessage { .. } => {
            Refusal::new(codes::LEDGER_NOT_FOUND, topics()).field("message").rule("LED-1")
        }
        LedgerError::BadReason => Refusal::new(codes::INPUT_BAD_VALUE, "give one line of at most 200 bytes")
            .field("reason")
            .rule("LED-5"),
        LedgerError::RecordStays { .. } => {
            Refusal::new(codes::INPUT_BAD_VALUE, "leave it: it says what is gone and why")
                .field("message")
                .rule("LED-5")
        }
        LedgerError::Backend { fault, .. } => of_backend(*fault),
        LedgerError::TooLarge { .. }
        | LedgerError::MemoTooLong { .. }
        | LedgerError::BadKey
        | LedgerError::KeyReused { .. }
        | LedgerError::TopicKeyReused(_)
        | LedgerError::Forbidden { .. }
        | LedgerError::RedactionRecord => {
            Refusal::new(codes::INPUT_BAD_VALUE, "send something else").rule("LED-3")
        }
    }
}

fn of_backend(fault: BackendFault) -> Refusal {
    match fault {
        BackendFault::Busy => Refusal::new(codes::LEDGER_UNAVAILABLE, "try again in a moment"),
        BackendFault::Full => Refusal::new(codes::STORE_NO_SPACE, "free some space, then try again"),
        BackendFault::ReadOnly => {
            Refusal::new(codes::STORE_READ_ONLY, "make the folder of the ledger writable, then try again")
        }
        BackendFault::Newer => Refusal::new(codes::LEDGER_NEWER, "use the newer version of this program"),
        BackendFault::Foreign => Refusal::new(
            codes::LEDGER_DAMAGED,
            "move that file away, or put the ledger of a backup in its place",
        ),
        BackendFault::Damaged => Refusal::new(
            codes::LEDGER_DAMAGED,
            "put the ledger of a backup in its place; the damaged file is left as it is",
        ),
        BackendFault::Other => Refusal::new(codes::LEDGER_UNAVAILABLE, "look at that file, then try again"),
    }
    .rule("LED-6")
}

fn of_head(fault: &HeadFault) -> Refusal {
    match fault {
        HeadFault::Ledger(error) => of_ledger(error),
        HeadFault::Contradicts(_) | HeadFault::WrongEnd(_) => {
            let fix = advice![
                "see what is missing or different with `",
                calls::ledger_verify(),
                "`; put the right ledger back, or move ledger.head away to begin anew with what is there"
            ];
            Refusal::new(codes::LEDGER_CHANGED, fix).rule("LED-4b")
        }
        HeadFault::NoKey(_) | HeadFault::KeyMissing(_) => {
            let fix = "put the key back from a backup; or move ledger.key and ledger.head away, and a new key is made";
            Refusal::new(codes::LEDGER_BAD_PROOF, fix).rule("LED-4b")
        }
        HeadFault::LastHead { .. } => {
            Refusal::new(codes::LEDGER_BAD_PROOF, "move that file away if you know why it changed")
                .rule("LED-4b")
        }
        HeadFault::File { source, .. } => match source.fault() {
            DiskFault::NoSpace => Refusal::new(codes::STORE_NO_SPACE, "free some space, then try again"),
            DiskFault::ReadOnly => {
                Refusal::new(codes::STORE_READ_ONLY, "make the folder of the ledger writable, then try again")
            }
            _ => Refusal::new(codes::LEDGER_UNAVAILABLE, "look at that file, then try again"),
        }
        .rule("LED-6"),
    }
}
