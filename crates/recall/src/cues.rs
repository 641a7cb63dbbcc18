//! What a text or a question gives away at a glance: whether it asks, what it asks for, which day it
//! speaks of, and whether it is code.

mod day;
mod question;
mod traits;

pub(crate) use day::Day;
pub(crate) use question::QuestionCues;
pub(crate) use traits::TextTraits;

#[cfg(test)]
mod tests;
