//! The claim: its file grammar, its strength, its states, and the decisions taken over it.
//!
//! Everything here is a pure function of its arguments: no file is opened, no clock is read. The
//! bytes of a claim file are described in `docs/formats/claim.md`.

pub mod limits;

pub mod invisible_chars;
pub mod label;
pub mod slug;
pub mod strength;

pub mod claim;
pub mod draft;
pub mod evidence;
pub mod light;
mod lines;
pub mod range;

pub mod act;
pub mod age;
pub mod beat;
pub mod conflict;
pub mod decide;
pub mod delegation;
pub mod dropped_fields;
pub mod fence;
pub mod folds;
pub mod lifecycle;
pub mod lineage;
pub mod machine_path;
pub mod merge;
pub mod outside_paths;
pub mod promotion;
pub mod repeats_host_doc;
pub mod repo_dependence;
pub mod report;
pub mod triage;
pub mod trust;
pub mod undecided_file;
pub mod unproven_header;
pub mod worth;

pub use act::{Act, Deed};
pub use claim::Claim;
pub use draft::{Author, ClaimDraft, RecordedBy};
pub use label::Label;
pub use lifecycle::Lifecycle;
pub use light::LightFile;
pub use slug::ClaimSlug;
pub use strength::{Confidence, State, Strength};
pub use trust::{Trust, Verdict};
