//! The index over all active subscriptions: from the tokens of a change to the subscriptions that wait for it.
//!
//! A rule that waits for any of its tokens is listed under each of them. A rule that waits for all is listed under one, the
//! one with the shortest list, and the others are looked up in the change. Where a predicate needs a field to have one text,
//! the rule is listed under that text as well. So the work of a match grows with what is found, and not with what there is.

use super::entity::{EntitySnapshot, FieldValue};
use super::rule::{MatchMode, SubscriptionRule};
use crate::token::{Token, TokenClass};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// The place of a rule in the index.
type Slot = usize;

/// All active subscriptions, by what they wait for. `S` is what a subscription is known by.
#[derive(Clone, Debug)]
pub struct MatchIndex<S> {
    rules: Vec<Option<(S, SubscriptionRule)>>,
    free: Vec<Slot>,
    slots: HashMap<S, Slot>,
    by_token: HashMap<Token, TokenList>,
}

/// The rules that are listed under one token.
#[derive(Clone, Debug, Default)]
struct TokenList {
    /// Rules whose tokens decide.
    plain: Vec<Slot>,
    /// Rules with a predicate that may hold for any entity.
    undecided: Vec<Slot>,
    /// Rules whose predicate needs a field to have a text, by field and text. No list in it is empty.
    by_field: HashMap<String, HashMap<String, Vec<Slot>>>,
    /// How many rules are in all of these.
    len: usize,
}

/// What the tokens of a change decide, and what is left for its entities.
#[derive(Clone, Debug)]
pub struct TokenMatch<'a, S> {
    index: &'a MatchIndex<S>,
    tokens: &'a BTreeSet<Token>,
    decided: Vec<Slot>,
    fetch: Vec<&'a str>,
    work: MatchWork,
}

/// What a match cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchWork {
    /// Tokens and texts that were looked up.
    pub lookups: usize,
    /// Rules that a list named.
    pub listed: usize,
    /// Predicates that were evaluated.
    pub predicates: usize,
    /// Entities that were fetched.
    pub fetched: usize,
}

impl<S> Default for MatchIndex<S> {
    fn default() -> Self {
        Self { rules: Vec::new(), free: Vec::new(), slots: HashMap::new(), by_token: HashMap::new() }
    }
}

impl<S: Clone + Ord + Hash> MatchIndex<S> {
    /// Adds a subscription, or replaces the rule of one that is there.
    pub fn insert(&mut self, subscription: S, rule: SubscriptionRule) {
        self.remove(&subscription);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.rules.push(None);
            self.rules.len() - 1
        });
        for token in self.listing_tokens(&rule) {
            self.by_token.entry(token).or_default().add(&rule, slot);
        }
        self.slots.insert(subscription.clone(), slot);
        self.rules[slot] = Some((subscription, rule));
    }

    /// Takes a subscription out. `false` if it is not there.
    pub fn remove(&mut self, subscription: &S) -> bool {
        let Some(slot) = self.slots.remove(subscription) else { return false };
        let (_, rule) = self.rules[slot].take().expect("a slot of a subscription has its rule");
        for token in rule.selectors() {
            let Some(list) = self.by_token.get_mut(token) else { continue };
            list.remove(&rule, slot);
            if list.len == 0 {
                self.by_token.remove(token);
            }
        }
        self.free.push(slot);
        true
    }

    /// How many subscriptions there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Matches the tokens of a change. Only what [`TokenMatch::fetch`] names has to be fetched for the rest.
    pub fn match_tokens<'a>(&'a self, tokens: &'a BTreeSet<Token>) -> TokenMatch<'a, S> {
        let mut work = MatchWork::default();
        let (mut decided, mut needs_entities) = (BTreeSet::new(), false);
        for list in self.lists(tokens, &mut work) {
            work.listed += list.plain.len();
            decided.extend(list.plain.iter().filter(|slot| self.has_all(**slot, tokens)));
            needs_entities |= !list.undecided.is_empty() || !list.by_field.is_empty();
        }
        let ids = tokens.iter().filter(|token| needs_entities && token.class() == TokenClass::EntityId);
        let fetch = ids.map(Token::value).collect();
        TokenMatch { index: self, tokens, decided: decided.into_iter().collect(), fetch, work }
    }

    /// The tokens that a rule is listed under.
    fn listing_tokens(&self, rule: &SubscriptionRule) -> Vec<Token> {
        let list_len = |token: &Token| self.by_token.get(token).map_or(0, |list| list.len);
        match rule.mode() {
            MatchMode::Any => rule.selectors().iter().cloned().collect(),
            MatchMode::All => {
                // Of two short lists the one of an id: an id is in fewer changes than a subtype, and that than a kind.
                let rarest = rule
                    .selectors()
                    .iter()
                    .min_by_key(|token| (list_len(token), Reverse(token.class()), *token));
                rarest.cloned().into_iter().collect()
            }
        }
    }

    fn lists<'a>(&'a self, tokens: &BTreeSet<Token>, work: &mut MatchWork) -> Vec<&'a TokenList> {
        work.lookups += tokens.len();
        tokens.iter().filter_map(|token| self.by_token.get(token)).collect()
    }

    fn rule(&self, slot: Slot) -> &(S, SubscriptionRule) {
        self.rules[slot].as_ref().expect("a list names only rules that are there")
    }

    /// Whether a rule that waits for all of its tokens has them; one that waits for any was found by one.
    fn has_all(&self, slot: Slot, tokens: &BTreeSet<Token>) -> bool {
        let (_, rule) = self.rule(slot);
        match rule.mode() {
            MatchMode::Any => true,
            MatchMode::All => rule.selectors().is_subset(tokens),
        }
    }
}

impl<'a, S: Clone + Ord + Hash> TokenMatch<'a, S> {
    /// The ids of the entities whose fields predicates look at: those that the change names by their id, and none if no
    /// candidate has a predicate.
    pub fn fetch(&self) -> &[&'a str] {
        &self.fetch
    }

    /// The subscriptions that match, in their order, with what it cost. `entities` are those of [`TokenMatch::fetch`] that
    /// there are; a rule with a predicate matches if it holds for one of them.
    pub fn finish(self, entities: &[EntitySnapshot]) -> (Vec<S>, MatchWork) {
        let Self { index, tokens, decided, fetch: _, mut work } = self;
        work.fetched = entities.len();
        let mut matched: BTreeSet<Slot> = decided.into_iter().collect();
        if !entities.is_empty() {
            for list in index.lists(tokens, &mut MatchWork::default()) {
                for entity in entities {
                    let named = list.by_field.iter().filter_map(|(field, by_text)| {
                        work.lookups += 1;
                        match entity.fields.get(field)? {
                            FieldValue::Text(text) => by_text.get(text),
                            FieldValue::Number(_) | FieldValue::Flag(_) | FieldValue::Texts(_) => None,
                        }
                    });
                    let candidates: Vec<Slot> = named.chain([&list.undecided]).flatten().copied().collect();
                    work.listed += candidates.len();
                    for slot in candidates {
                        if matched.contains(&slot) || !index.has_all(slot, tokens) {
                            continue;
                        }
                        let predicate = index.rule(slot).1.predicate().expect("these lists have predicates");
                        work.predicates += 1;
                        if predicate.holds(entity) {
                            matched.insert(slot);
                        }
                    }
                }
            }
        }
        let mut found: Vec<S> = matched.into_iter().map(|slot| index.rule(slot).0.clone()).collect();
        found.sort();
        (found, work)
    }
}

impl TokenList {
    fn add(&mut self, rule: &SubscriptionRule, slot: Slot) {
        match rule.predicate().map(|predicate| predicate.required_text()) {
            None => self.plain.push(slot),
            Some(None) => self.undecided.push(slot),
            Some(Some((field, text))) => {
                let by_text = self.by_field.entry(field.to_owned()).or_default();
                by_text.entry(text.to_owned()).or_default().push(slot);
            }
        }
        self.len += 1;
    }

    /// Takes a rule out, if it is here: a rule that waits for all of its tokens is listed under one of them.
    fn remove(&mut self, rule: &SubscriptionRule, slot: Slot) {
        let was_in = |list: &mut Vec<Slot>| {
            let place = list.iter().position(|listed| *listed == slot);
            place.map(|place| list.swap_remove(place)).is_some()
        };
        let is_removed = match rule.predicate().map(|predicate| predicate.required_text()) {
            None => was_in(&mut self.plain),
            Some(None) => was_in(&mut self.undecided),
            Some(Some((field, text))) => {
                let Some(by_text) = self.by_field.get_mut(field) else { return };
                let Some(list) = by_text.get_mut(text) else { return };
                let is_removed = was_in(list);
                if list.is_empty() {
                    by_text.remove(text);
                }
                if by_text.is_empty() {
                    self.by_field.remove(field);
                }
                is_removed
            }
        };
        self.len -= usize::from(is_removed);
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
