//! Recall: text in, ranked claims out. Pure: bytes and numbers, no files and no clock.
//!
//! [`words`] cuts text, [`document`] is what is indexed, [`segment`] lays documents out in one block of
//! bytes that can be mapped and shared, [`scope`] joins the segments that one question may see, and
//! [`rank`] answers it.

mod cues;
pub mod document;
pub mod rank;
pub mod scope;
pub mod segment;
pub mod stem;
pub mod words;
