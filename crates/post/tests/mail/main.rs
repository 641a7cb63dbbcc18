//! The use cases of mail, on a simulated disk.
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

mod boxes;
mod claim_gaps;
mod committed_mail;
mod conversation;
mod cost;
mod exchanged_ignore;
mod expired;
mod floor;
mod ground;
mod live;
mod looking;
mod moved_meanwhile;
mod moved_project;
mod names;
mod never_read;
mod other_projects;
mod own_name;
mod person;
mod repository;
mod repository_paths;
mod spellings;
mod standing;
mod submodule;
mod taken_name;
mod watchdog;
mod world;
