//! Keys of version 1, which had the origin of a unit inside its identity, so that author and receivers derived different
//! ones. They are derived to check rows of earlier programs against their evidence, and for nothing else: a key of version 1
//! is a type of its own.

use super::key::joined;
pub use super::key::{ChangeUnitKeyV1, LogicalChangeKeyV1};
use super::unit::ChangeUnit;
use std::collections::BTreeSet;

/// The canonical text, version 1: `v1|{origin}|{hostId}|{counter}|{payloadType}|{payloadId}`.
pub fn unit_text(unit: &ChangeUnit) -> String {
    let ChangeUnit { origin, host, counter, payload_type, payload_id } = unit;
    let (origin, payload_type) = (origin.as_str(), payload_type.as_str());
    format!("v1|{origin}|{host}|{counter}|{payload_type}|{}", payload_id.as_str())
}

/// The key of a unit in version 1.
pub fn unit_key(unit: &ChangeUnit) -> ChangeUnitKeyV1 {
    ChangeUnitKeyV1::of(&unit_text(unit))
}

/// The key of a change in version 1.
pub fn logical_change_key(units: &BTreeSet<ChangeUnitKeyV1>) -> LogicalChangeKeyV1 {
    LogicalChangeKeyV1::of(&joined("v1|", units))
}
