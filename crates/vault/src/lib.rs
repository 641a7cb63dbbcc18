//! Claims, their history and the acts upon them, as files on a [`Disk`](brainstem_base::Disk).
//!
//! This crate knows names, locks and the order of writes; what a write means is decided by
//! `brainstem-claims`, under the lock.

pub mod acts;
pub mod aside;
pub mod boot;
pub mod brain;
pub mod brain_name;
mod bring_back;
pub mod came_back;
pub mod carried;
pub mod census;
pub mod checkup;
mod copies_along;
pub mod durable;
mod elsewhere;
pub mod error;
pub mod forget;
pub mod forget_in_clones;
pub mod git;
mod git_index;
pub mod history;
pub mod home;
pub mod kept;
mod layout;
pub mod left_behind;
pub mod letters;
pub mod mail;
pub mod marks;
mod mentions;
pub mod missing;
pub mod moving;
mod noted;
pub mod one_claim;
mod past_versions;
mod pieces;
mod real_folder;
pub mod relocate;
pub mod rename;
pub mod repo;
pub mod scan;
mod sharing;
mod source;
pub mod store;
pub mod store_paths;
pub mod tombstones;
pub mod undecided;
pub mod whose;
pub mod worlds;
pub mod written_here;

pub use acts::ActsLog;
pub use brain::{Brain, BrainManifest, RootRecord};
pub use error::StoreError;
pub use home::Home;
pub use source::{HeaderSource, Wording};
pub use store::{LiveFile, Store};
pub use store_paths::{StorePaths, StorePlace};
pub use written_here::WrittenHere;
