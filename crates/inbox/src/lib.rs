//! The inbox: every agent and every person has an address on the ledger.
//!
//! A message is appended to a topic first, and the topic is the record. What the readers see is a mirror: rows that follow
//! from the topics by one pure function, [`fold::fold`]. A row depends on its message and on the records of the control
//! topics with a smaller consensus time ([`directory::InboxDirectory`]), so every order of reading gives the same rows, and the
//! mirror can be deleted at any time.
//!
//! This crate knows the forms (HCS-10 envelopes, HCS-11 profiles, notes, acknowledgements), the rules (which senders may speak, where
//! an event goes) and the ports. It opens no file and reads no clock.

pub mod limits;

mod fields;

pub mod kind;
pub mod operator;
pub mod priority;
pub mod reference;
pub mod slug;

pub mod memo;
pub mod profile;

pub mod acknowledgement;
pub mod control;
pub mod envelope;
pub mod note;

pub mod connection;
pub mod routing;

pub mod cursor;
pub mod quarantine;
pub mod row;

pub mod directory;

pub mod fold;
pub mod founding;

pub mod mirror;

pub mod catch_up;

pub use acknowledgement::Acknowledgement;
pub use catch_up::{CatchUpError, CaughtUp, catch_up, catch_up_while, fault_at_cursor};
pub use control::{AgentDefinition, ConnectionDecision, ControlRecord, DefinitionKind, EntityDefinition};
pub use cursor::MirrorCursor;
pub use directory::InboxDirectory;
pub use envelope::{Envelope, MessageContent};
pub use fold::{Folded, fold};
pub use kind::MessageType;
pub use mirror::{Mirror, MirrorError};
pub use note::EntityNote;
pub use operator::OperatorId;
pub use priority::InboxPriority;
pub use profile::{Capability, Hcs11Profile};
pub use quarantine::{QuarantineReason, Quarantined};
pub use reference::{ProjectMark, RefId, RefType, Reference};
pub use row::{InboxRow, RowId};
pub use slug::AgentSlug;
