//! The daemon's doors in this process, with short waits.

mod slow;
