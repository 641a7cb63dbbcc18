//! The best of many scores.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// How many scores are looked at together: nearly all of them are below the bar, and one look at many is quick.
const STRIDE: usize = 64;

#[derive(PartialEq)]
struct Scored(f32, Reverse<u32>);

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then_with(|| self.1.cmp(&other.1))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The documents with the highest scores among those that are wanted, in no particular order. Ties at the cut are
/// broken by `order`, so that the result does not depend on the numbers of documents.
pub(super) fn top(
    scores: &[f32],
    count: usize,
    wanted: impl Fn(u32) -> bool,
    order: impl Fn(u32, u32) -> Ordering,
) -> Vec<u32> {
    let mut best: BinaryHeap<Reverse<Scored>> = BinaryHeap::with_capacity(count + 1);
    let mut bar = f32::NEG_INFINITY;
    for (scores, first) in scores.chunks(STRIDE).zip((0_u32..).step_by(STRIDE)) {
        if scores.iter().copied().fold(f32::NEG_INFINITY, f32::max) <= bar {
            continue;
        }
        for (score, doc) in scores.iter().zip(first..) {
            if *score <= bar || !wanted(doc) {
                continue;
            }
            best.push(Reverse(Scored(*score, Reverse(doc))));
            if best.len() > count {
                best.pop();
                bar = best.peek().map_or(bar, |Reverse(Scored(lowest, _))| *lowest);
            }
        }
    }
    let all = |best: BinaryHeap<Reverse<Scored>>| best.into_iter().map(|Reverse(scored)| scored);
    if best.len() < count || count == 0 {
        return all(best).map(|Scored(_, Reverse(doc))| doc).collect();
    }
    let bar = best.peek().map_or(bar, |Reverse(Scored(lowest, _))| *lowest);
    let above = all(best).filter(|Scored(score, _)| *score > bar);
    let mut docs: Vec<u32> = above.map(|Scored(_, Reverse(doc))| doc).collect();
    let room = count - docs.len();
    let mut equals: Vec<u32> = Vec::new();
    for (scores, first) in scores.chunks(STRIDE).zip((0_u32..).step_by(STRIDE)) {
        if scores.iter().fold(false, |any, score| any | (*score == bar)) {
            let here = scores.iter().zip(first..).filter(|(score, doc)| **score == bar && wanted(*doc));
            equals.extend(here.map(|(_, doc)| doc));
        }
    }
    if equals.len() > room {
        equals.select_nth_unstable_by(room, |a, b| order(*a, *b));
        equals.truncate(room);
    }
    docs.extend(equals);
    docs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_are_kept_and_the_first_of_equals() {
        let sorted = |mut best: Vec<u32>| {
            best.sort_unstable();
            best
        };
        let scores = [0.5, 2.0, 0.5, 3.0, 0.5];
        assert_eq!(sorted(top(&scores, 3, |doc| doc != 3, |a, b| a.cmp(&b))), [0, 1, 2]);
        assert_eq!(sorted(top(&scores, 3, |doc| doc != 3, |a, b| b.cmp(&a))), [1, 2, 4]);
        assert_eq!(sorted(top(&scores, 9, |_| true, |a, b| b.cmp(&a))), [0, 1, 2, 3, 4]);
        assert!(top(&[], 3, |_| true, |a, b| a.cmp(&b)).is_empty());
        assert!(top(&[1.0], 0, |_| true, |a, b| a.cmp(&b)).is_empty());
    }

    #[test]
    fn scores_that_are_looked_at_together_give_what_each_alone_gives() {
        let scores: Vec<f32> = (0..1_000_u32).map(|doc| ((doc * 7_919) % 97) as f32).collect();
        let mut expected: Vec<u32> = (0..1_000).filter(|doc| doc % 3 != 0).collect();
        let score = |doc: u32| scores[doc as usize];
        expected.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(b.cmp(a)));
        expected.truncate(70);
        expected.sort_unstable();
        let mut found = top(&scores, 70, |doc| doc % 3 != 0, |a, b| b.cmp(&a));
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}
