//! What the acts on record say when they are read together. Each fold depends on the acts alone, in whatever order a
//! merge of two logs left them. A fold that handles several kinds of deeds matches every deed, so a new kind does not
//! compile until each fold handles it.

pub mod crossings;
pub mod delegations;
pub mod migrations;
pub mod names;
pub mod promotions;
pub mod proposals;
pub mod provenance;
mod renamings;
pub mod sharing;
pub mod timeline;
pub mod tombstones;
pub mod verdicts;
pub mod versions;
mod work;

#[cfg(test)]
mod hostile_tests;
