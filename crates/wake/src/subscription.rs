//! Subscriptions: which changes an agent waits for, and how one change finds them among a hundred thousand.
//!
//! A rule is tokens and, if it has one, a predicate over the changed entity. The tokens decide by hashing; entities are fetched
//! for predicates alone, and only the ones that a batch names by their id.

mod entity;
mod index;
mod origins;
mod predicate;
mod predicate_text;
mod rule;

pub use entity::{EntitySnapshot, FieldValue};
pub use index::{MatchIndex, MatchWork, TokenMatch};
pub use origins::{HomeHosts, OriginSet, WakePlace};
pub use predicate::{Comparison, Literal, Predicate};
pub use predicate_text::PredicateFault;
pub use rule::{MatchMode, RuleFault, SubscriptionRule};
