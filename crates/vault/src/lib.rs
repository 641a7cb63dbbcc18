//! Placeholder, written next.
