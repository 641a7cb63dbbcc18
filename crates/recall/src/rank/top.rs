//! The best of many scores.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// The documents with the highest scores among those that are wanted, in no particular order.
pub(super) fn top(scores: &[f32], count: usize, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut best: BinaryHeap<Reverse<Scored>> = BinaryHeap::with_capacity(count + 1);
    let mut bar = f32::NEG_INFINITY;
    for (doc, score) in scores.iter().enumerate() {
        if *score <= bar || !wanted(doc as u32) {
            continue;
        }
        best.push(Reverse(Scored(*score, Reverse(doc as u32))));
        if best.len() > count {
            best.pop();
            bar = best.peek().map_or(bar, |Reverse(Scored(lowest, _))| *lowest);
        }
    }
    best.into_iter().map(|Reverse(Scored(_, Reverse(doc)))| doc).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_are_kept_and_the_earlier_of_equals() {
        let mut best = top(&[0.5, 2.0, 0.5, 3.0, 0.5], 3, |doc| doc != 3);
        best.sort_unstable();
        assert_eq!(best, [0, 1, 2]);
        assert!(top(&[], 3, |_| true).is_empty());
        assert!(top(&[1.0], 0, |_| true).is_empty());
    }
}
