//! The ledger: append-only topics whose history can be verified.
//!
//! A topic is a numbered list of messages. Each message carries a running hash over itself and the hash before it, in
//! the form that Hedera's consensus service computes, so that a reader finds an edit, a gap and a reordering. This crate
//! says what a topic, a message and a chain are, and what a backend must do ([`Ledger`]); it stores nothing, opens no
//! file and reads no clock.

pub mod limits;

pub mod base64_text;
pub mod consensus_time;
pub mod content_hash;
pub mod entity_id;
pub mod running_hash;
pub mod sequence;

pub mod message;
pub mod redaction;
pub mod redaction_record;
pub mod topic;

pub mod frame;
pub mod tree;

pub mod checkpoint;
pub mod message_proof;
pub mod note;

pub mod chain;
pub mod error;
pub mod port;
pub mod read_on;
pub mod verify;

#[cfg(feature = "testing")]
pub mod contract;
#[cfg(feature = "testing")]
pub mod in_memory;

pub use base64_text::base64_of;
pub use chain::{ChainFault, ChainFaultKind, ChainWalk};
pub use checkpoint::{Checkpoint, TopicMark};
pub use consensus_time::ConsensusTime;
pub use content_hash::ContentHash;
pub use entity_id::{AccountId, EntityIdFault, TopicId};
pub use error::{BackendFault, LedgerError};
pub use frame::Frame;
pub use message::{Append, AppendKey, Head, Receipt, TopicMessage};
pub use message_proof::{MessageProof, ProofFault, ProofSigner, ProvedMessage};
pub use note::{NoteFault, NoteKeyFault, NoteSigner, NoteVerifier, SignedNote};
pub use port::{Ledger, Page, ReadFrom};
pub use read_on::{ReadOn, ReadOnFault, read_on};
pub use redaction::Redact;
pub use redaction_record::RedactionRecord;
pub use running_hash::RunningHash;
pub use sequence::Sequence;
pub use topic::{NewTopic, SubmitPolicy, Topic};
pub use tree::TreeHash;
pub use verify::{Kept, LogFault, Verification, Verifier};
