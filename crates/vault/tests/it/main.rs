//! Stores on a simulated disk, beside programs that know nothing of locks.
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

mod acts;
mod editor;
mod fuzzed;
mod letters;
mod mail;
mod mail_crash;
mod mail_links;
mod mail_names;
mod mail_unconfirmed;
mod mail_writing;
