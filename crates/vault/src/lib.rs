//! Claims, their history and the acts upon them, as files on a [`Disk`](brainstem_base::Disk).
//!
//! This crate knows names, locks and the order of writes; what a write means is decided by
//! `brainstem-claims`, under the lock.

pub mod acts;
pub mod battery_worlds;
pub mod boot;
pub mod brain;
pub mod brain_name;
mod bring_back;
pub mod came_back;
pub mod carried_files;
pub mod census;
pub mod checkup;
mod copies_along;
pub mod daemon_files;
pub mod durable;
pub mod error;
pub mod forget;
pub mod forget_in_clones;
pub mod git;
mod git_index;
mod git_rules;
mod half_merged;
pub mod half_merged_file;
mod header_source;
pub mod history;
pub mod home;
pub mod kept_copies;
mod layout;
pub mod left_behind;
pub mod letters;
pub mod mail;
pub mod memory_ignored;
mod mentions;
pub mod missing_from_checkout;
pub mod not_checked_out;
pub mod one_claim;
mod past_versions;
mod piecewise;
pub mod project_marks;
mod real_folder;
mod record_in_one_step;
pub mod relocate;
pub mod rename;
pub mod repo;
pub mod scan;
pub mod set_aside_brains;
mod sharing;
pub mod store;
pub mod store_paths;
pub mod store_transfer;
pub mod tombstones;
pub mod traces;
pub mod tracked_memory;
pub mod undecided;
pub mod version_owner;
mod versions_under_home;
pub mod written_here;

pub use acts::ActsLog;
pub use brain::{Brain, BrainManifest, RootRecord};
pub use error::StoreError;
pub use header_source::{HeaderSource, Wording};
pub use home::Home;
pub use store::{LiveFile, Store};
pub use store_paths::{StorePaths, StorePlace};
pub use written_here::WrittenHere;
