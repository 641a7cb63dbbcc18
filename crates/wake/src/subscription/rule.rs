//! The rule of a subscription, as the index takes it.

use super::predicate::Predicate;
use crate::limits::SELECTORS_MAX;
use crate::token::Token;
use std::collections::BTreeSet;

/// How many of a rule's tokens a change must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMode {
    /// One of them.
    Any,
    /// All of them.
    All,
}

impl MatchMode {
    /// The word of rows and of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::All => "all",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Any, Self::All].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// Which changes a subscription waits for.
///
/// Invariant: it has 1 to [`SELECTORS_MAX`] tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscriptionRule {
    selectors: BTreeSet<Token>,
    mode: MatchMode,
    predicate: Option<Predicate>,
}

/// A rule without tokens would match everything or nothing; one with too many is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a subscription waits for 1 to {SELECTORS_MAX} tokens, and this one has {count}")]
pub struct RuleFault {
    /// How many it has.
    pub count: usize,
}

impl SubscriptionRule {
    /// Makes a rule.
    pub fn new(
        selectors: impl IntoIterator<Item = Token>,
        mode: MatchMode,
        predicate: Option<Predicate>,
    ) -> Result<Self, RuleFault> {
        let selectors: BTreeSet<Token> = selectors.into_iter().collect();
        let count = selectors.len();
        if !(1..=SELECTORS_MAX).contains(&count) {
            return Err(RuleFault { count });
        }
        Ok(Self { selectors, mode, predicate })
    }

    /// Its tokens.
    pub fn selectors(&self) -> &BTreeSet<Token> {
        &self.selectors
    }

    /// How many of them a change must have.
    pub fn mode(&self) -> MatchMode {
        self.mode
    }

    /// What must hold for the changed entity.
    pub fn predicate(&self) -> Option<&Predicate> {
        self.predicate.as_ref()
    }
}
