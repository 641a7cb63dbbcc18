//! What to do next, as values: a verb with its arguments, and the sentence around it.
//!
//! A refusal's fix, a gap, a note or a finding of doctor is an [`Advice`]: text with calls in it. A call is a
//! [`NextCall`], made by a constructor of [`calls`], the one table of them. Each door renders the same advice in its own
//! way: the command line as a command, MCP as a tool with its arguments, REST as a method and a path. This module
//! renders the command line, which every advice's `Display` gives; `brainstem-api` renders the others.
//!
//! *Invariant: no code reads an advice's text to learn what it says. A call is found among its parts.*

mod advice;
mod call;
pub mod calls;
mod verb;

pub use advice::{Advice, AdvicePart, Field, Shell, field};
pub use call::{CallValue, NextCall, Placeholder, TypedOption, shell_word};
pub use verb::{OP, ToolName, VerbId};

#[cfg(test)]
mod tests;
