//! What the acts on record say when they are read together. Each fold depends on the acts alone, in whatever order a
//! merge of two logs left them. One that tells several kinds of deeds apart matches every deed: a new kind does not
//! compile until the fold has decided about it.

pub mod crossings;
pub mod delegations;
pub mod migrations;
pub mod names;
pub mod promotions;
pub mod proposals;
pub mod provenance;
pub mod sharing;
pub mod timeline;
pub mod tombstones;
pub mod verdicts;
pub mod versions;
