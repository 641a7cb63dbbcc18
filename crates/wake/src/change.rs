//! What changed: units with their provenance, the key that every device derives for the same change, and the batch that
//! carries both to the subscriptions.

mod batch;
mod causation;
mod commit_group;
mod key;
mod provenance;
mod unit;
pub mod v1;

pub use batch::{CommittedChange, LocalBatchId, MissingChangeProvenance, NotificationBatch, coalesce};
pub use causation::{Causation, ChangeOrigin};
pub use commit_group::{CommitAssembler, CommitGroup, CommitGroupFault};
pub use key::{ChangeKeyFault, ChangeUnitKey, LogicalChangeKey, logical_change_key};
pub use provenance::{FileProvenance, FileSighting, ProvenanceBook};
pub use unit::{ChangeUnit, PayloadId, PayloadType, UnitFault, UnitOrigin, payload_type};
