//! What a quick look at a text or a question shows: whether it asks, what it asks for, which day it is about, and
//! whether it is code.

mod day;
mod question;
mod traits;

pub(crate) use day::Day;
pub(crate) use question::QuestionCues;
pub(crate) use traits::TextTraits;

#[cfg(test)]
mod tests;
