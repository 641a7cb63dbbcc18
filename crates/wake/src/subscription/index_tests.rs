//! Tests of matching: what matches, what is fetched, and what it costs among a hundred thousand.

use super::super::predicate::Predicate;
use super::*;
use proptest::prelude::*;

fn token(text: &str) -> Token {
    crate::token::legacy::parse(text).expect(text)
}

fn tokens(texts: &[&str]) -> BTreeSet<Token> {
    texts.iter().map(|text| token(text)).collect()
}

fn rule(mode: MatchMode, selectors: &[&str], predicate: Option<&str>) -> SubscriptionRule {
    let predicate = predicate.map(|text| Predicate::parse(text).expect(text));
    SubscriptionRule::new(tokens(selectors), mode, predicate).expect("a rule")
}

fn any(selectors: &[&str]) -> SubscriptionRule {
    rule(MatchMode::Any, selectors, None)
}

fn all(selectors: &[&str]) -> SubscriptionRule {
    rule(MatchMode::All, selectors, None)
}

fn index(rules: Vec<(&'static str, SubscriptionRule)>) -> MatchIndex<&'static str> {
    let mut index = MatchIndex::default();
    for (name, rule) in rules {
        index.insert(name, rule);
    }
    index
}

/// What matches a change whose entities have these fields.
fn found(
    index: &MatchIndex<&'static str>,
    changed: &[&str],
    entity: impl Fn(&str) -> EntitySnapshot,
) -> Vec<&'static str> {
    let changed = tokens(changed);
    let matched = index.match_tokens(&changed);
    let entities: Vec<_> = matched.fetch().iter().map(|id| entity(id)).collect();
    matched.finish(&entities).0
}

fn nothing(id: &str) -> EntitySnapshot {
    panic!("{id} was fetched, and no predicate asks for it")
}

#[test] // spec: B-42, B-44, T-01, T-02, T-09
fn each_class_of_token_finds_its_subscriptions() {
    let index = index(vec![
        ("tasks", any(&["k:TASK"])),
        ("runs", any(&["sub:workoutType:running"])),
        ("swims", any(&["sub:workoutType:swimming"])),
        ("seven", any(&["id:task-7"])),
        ("either", any(&["k:RATING", "id:task-7"])),
    ]);
    let check = |changed: &[&str], expected: &[&str]| assert_eq!(found(&index, changed, nothing), expected);
    check(&["k:TASK"], &["tasks"]);
    check(&["sub:workoutType:running"], &["runs"]);
    check(&["id:task-7"], &["either", "seven"]);
    check(&["k:TASK", "id:task-7", "k:RATING"], &["either", "seven", "tasks"]);
    check(&["k:running", "id:running", "sub:other:running"], &[]);
    check(&[], &[]);
}

#[test] // spec: B-41, T-01
fn a_rule_for_all_tokens_needs_all_of_them() {
    let index = index(vec![
        ("running workouts", all(&["k:WORKOUT", "sub:workoutType:running"])),
        ("one", all(&["k:TASK"])),
    ]);
    let check = |changed: &[&str], expected: &[&str]| assert_eq!(found(&index, changed, nothing), expected);
    check(&["k:WORKOUT"], &[]);
    check(&["sub:workoutType:running"], &[]);
    check(&["k:WORKOUT", "sub:workoutType:swimming"], &[]);
    check(&["k:WORKOUT", "sub:workoutType:running", "id:w-1"], &["running workouts"]);
    check(&["k:TASK"], &["one"]);
}

#[test] // spec: B-41, E-48a
fn every_example_of_the_specification_can_be_written() {
    let index = index(vec![
        ("gym tasks", rule(MatchMode::Any, &["k:TASK"], Some("categoryId == gym"))),
        ("answers", rule(MatchMode::Any, &["k:AI_RESPONSE"], Some("linkedTo(task, x)"))),
        ("runs", all(&["k:WORKOUT", "sub:workoutType:running"])),
    ]);
    let gym = |_: &str| EntitySnapshot::default().with_text("categoryId", "gym");
    let answer = |_: &str| EntitySnapshot::default().with_link("task", "x");
    assert_eq!(found(&index, &["k:TASK", "id:t"], gym), ["gym tasks"]);
    assert_eq!(found(&index, &["k:TASK", "id:t"], answer), [] as [&str; 0]);
    assert_eq!(found(&index, &["k:AI_RESPONSE", "id:r"], answer), ["answers"]);
    assert_eq!(found(&index, &["k:AI_RESPONSE", "id:r"], gym), [] as [&str; 0]);
    assert_eq!(found(&index, &["k:WORKOUT", "sub:workoutType:running"], nothing), ["runs"]);
}

#[test] // spec: B-42, B-43
fn entities_are_fetched_for_predicates_alone_and_only_by_their_ids() {
    let index = index(vec![
        ("gym tasks", rule(MatchMode::Any, &["k:TASK"], Some("categoryId == gym"))),
        ("runs", any(&["sub:workoutType:running"])),
    ]);
    let fetch = |changed: &[&str]| {
        let changed = tokens(changed);
        let matched = index.match_tokens(&changed);
        matched.fetch().iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fetch(&["k:TASK", "sub:workoutType:running"]), [] as [&str; 0], "no ids, no fetches");
    assert_eq!(fetch(&["sub:workoutType:running", "id:w-1"]), [] as [&str; 0], "no predicate, no fetches");
    assert_eq!(fetch(&["k:TASK", "sub:a:b", "id:t-1", "id:t-2"]), ["t-1", "t-2"]);
    // A rule with a predicate does not match a change that names no entity.
    assert_eq!(found(&index, &["k:TASK"], nothing), [] as [&str; 0]);
}

#[test] // spec: B-45
fn a_subscription_that_is_replaced_or_taken_out_leaves_nothing_behind() {
    let mut index = MatchIndex::default();
    let rules = [
        any(&["k:TASK", "id:t"]),
        all(&["k:TASK", "id:t"]),
        rule(MatchMode::Any, &["k:TASK"], Some("a == b and c < 1")),
        rule(MatchMode::All, &["k:TASK", "id:t"], Some("linkedTo(a, b)")),
    ];
    for _ in 0..3 {
        for (at, rule) in rules.iter().enumerate() {
            index.insert(at, rule.clone());
            index.insert(at, rule.clone());
        }
    }
    assert_eq!((index.len(), index.rules.len()), (4, 4));
    for at in 0..4 {
        assert!(index.remove(&at) && !index.remove(&at));
    }
    assert!(index.is_empty() && index.by_token.is_empty());
}

/// A hundred thousand subscriptions of the kinds that agents have.
fn crowd() -> MatchIndex<usize> {
    let mut index = MatchIndex::default();
    for at in 0..100_000 {
        let agent = format!("id:agent-{}", at / 5);
        let rule = match at % 5 {
            0 => all(&["k:MAIL", &agent]),
            1 => all(&["k:INBOX", &agent]),
            2 => rule(
                MatchMode::Any,
                &["k:TASK"],
                Some(&format!("categoryId == c{} and priority > 1", at / 5)),
            ),
            3 => any(&[&format!("id:task-{at}"), &format!("id:task-{}", at + 1)]),
            _ => all(&["k:WORKOUT", &format!("sub:workoutType:kind-{}", at / 5)]),
        };
        index.insert(at, rule);
    }
    index
}

#[test] // spec: B-42, H-08
fn the_work_of_a_match_grows_with_what_is_found_and_not_with_what_there_is() {
    let index = crowd();
    assert_eq!(index.len(), 100_000);
    let check = |changed: &[&str], entities: &[EntitySnapshot], expected: &[usize], work: MatchWork| {
        let changed = tokens(changed);
        assert_eq!(index.match_tokens(&changed).finish(entities), (expected.to_vec(), work));
    };
    let work = |lookups, listed, predicates, fetched| MatchWork { lookups, listed, predicates, fetched };
    check(&["k:MAIL", "id:agent-777"], &[], &[3_885], work(2, 2, 0, 0));
    // One rule is listed under INBOX: it was the first, when that list was the shortest.
    check(&["k:INBOX", "id:agent-777"], &[], &[3_886], work(2, 3, 0, 0));
    check(&["id:task-503"], &[], &[503], work(1, 1, 0, 0));
    check(&["k:WORKOUT", "sub:workoutType:kind-9"], &[], &[49], work(2, 1, 0, 0));
    let gym = EntitySnapshot::default()
        .with_text("categoryId", "c500")
        .with("priority", super::super::entity::FieldValue::Number(2.0));
    check(&["k:TASK", "id:t"], &[gym], &[2_502], work(3, 1, 1, 1));
    check(&["k:RATING", "id:other"], &[], &[], work(2, 0, 0, 0));
}

proptest! {
    #[test] // spec: B-42, B-44, T-01
    fn the_index_finds_what_trying_every_rule_finds(
        rules in prop::collection::vec(any_rule(), 0..12),
        changed in prop::collection::btree_set(prop::sample::select(TOKENS.to_vec()), 0..4),
        category in "[ab]", removed in prop::collection::vec(0_usize..12, 0..4),
    ) {
        let mut index = MatchIndex::default();
        for (at, rule) in rules.iter().enumerate() {
            index.insert(at, rule.clone());
        }
        for at in &removed {
            index.remove(at);
        }
        let changed: BTreeSet<Token> = changed.iter().map(|text| token(text)).collect();
        let entity = EntitySnapshot::default().with_text("categoryId", &category);
        let matched = index.match_tokens(&changed);
        let entities: Vec<_> = matched.fetch().iter().map(|_| entity.clone()).collect();
        let has_id = changed.iter().any(|token| token.class() == TokenClass::EntityId);
        let matches = |rule: &SubscriptionRule| {
            let has_tokens = match rule.mode() {
                MatchMode::Any => !rule.selectors().is_disjoint(&changed),
                MatchMode::All => rule.selectors().is_subset(&changed),
            };
            has_tokens && rule.predicate().is_none_or(|predicate| has_id && predicate.holds(&entity))
        };
        let expected: Vec<usize> =
            (0..rules.len()).filter(|at| !removed.contains(at) && matches(&rules[*at])).collect();
        prop_assert_eq!(matched.finish(&entities).0, expected);
    }
}

const TOKENS: [&str; 5] = ["k:TASK", "k:MAIL", "sub:a:b", "id:x", "id:y"];

fn any_rule() -> impl Strategy<Value = SubscriptionRule> {
    let predicates =
        [None, Some("categoryId == a"), Some("categoryId != a"), Some("categoryId == b and x != 1")];
    let selectors = prop::collection::btree_set(prop::sample::select(TOKENS.to_vec()), 1..4);
    (selectors, prop::bool::ANY, prop::sample::select(predicates.to_vec())).prop_map(
        |(selectors, is_all, predicate)| {
            let mode = if is_all { MatchMode::All } else { MatchMode::Any };
            rule(mode, &selectors.into_iter().collect::<Vec<_>>(), predicate)
        },
    )
}
