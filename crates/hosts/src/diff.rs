//! The difference of two texts, line by line, as everybody reads it.

use std::fmt::Write as _;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 2;
/// How many lines may differ before the difference is told whole: all out, all in.
const DIFFERENT_MAX: usize = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Same,
    Out,
    In,
}

/// The difference in the unified form; empty where there is none. Every line goes through `mask` first: most of
/// them hold somebody else's words.
pub fn unified(
    file: &str,
    before: Option<&str>,
    after: Option<&str>,
    mask: &dyn Fn(&str) -> String,
) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.unwrap_or_default().split_inclusive('\n').collect();
    let name = |side: &str, text: Option<&str>| {
        if text.is_some() { format!("{side}/{file}") } else { "/dev/null".to_owned() }
    };
    let mut page = format!("--- {}\n+++ {}\n", name("a", before), name("b", after));
    let ops = ops(&old, &new);
    let shown: Vec<bool> = (0..ops.len())
        .map(|n| {
            let around = n.saturating_sub(AROUND)..(n + AROUND + 1).min(ops.len());
            ops[around].iter().any(|op| *op != Op::Same)
        })
        .collect();
    let (mut at_old, mut at_new, mut n) = (0, 0, 0);
    while n < ops.len() {
        if !shown[n] {
            (at_old, at_new, n) = (at_old + 1, at_new + 1, n + 1);
            continue;
        }
        let end = (n..ops.len()).find(|n| !shown[*n]).unwrap_or(ops.len());
        let count = |side: Op| ops[n..end].iter().filter(|op| **op == Op::Same || **op == side).count();
        let (outs, ins) = (count(Op::Out), count(Op::In));
        let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
        let _ = writeln!(page, "@@ -{},{outs} +{},{ins} @@", start(at_old, outs), start(at_new, ins));
        for op in &ops[n..end] {
            let (sign, line) = match op {
                Op::Same => (' ', mask(bare(old[at_old]))),
                Op::Out => ('-', mask(bare(old[at_old]))),
                Op::In => ('+', mask(bare(new[at_new]))),
            };
            let _ = writeln!(page, "{sign}{line}");
            at_old += usize::from(*op != Op::In);
            at_new += usize::from(*op != Op::Out);
        }
        n = end;
    }
    page
}

fn bare(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

/// The shortest way from one list of lines to another (Myers), common ends first.
fn ops(old: &[&str], new: &[&str]) -> Vec<Op> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (mid_old, mid_new) = (&old[head..], &new[head..]);
    let tail = mid_old.iter().rev().zip(mid_new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (mid_old, mid_new) = (&mid_old[..mid_old.len() - tail], &mid_new[..mid_new.len() - tail]);
    let middle = shortest(mid_old, mid_new)
        .unwrap_or_else(|| [vec![Op::Out; mid_old.len()], vec![Op::In; mid_new.len()]].concat());
    [vec![Op::Same; head], middle, vec![Op::Same; tail]].concat()
}

fn shortest(old: &[&str], new: &[&str]) -> Option<Vec<Op>> {
    let max = (old.len() + new.len()).min(DIFFERENT_MAX);
    let offset = max + 1;
    let mut reach = vec![0_usize; 2 * max + 3];
    let mut trace = Vec::new();
    for d in 0..=max {
        trace.push(reach.clone());
        for k in (offset - d..=offset + d).step_by(2) {
            let down = k == offset - d || (k != offset + d && reach[k - 1] < reach[k + 1]);
            let mut x = if down { reach[k + 1] } else { reach[k - 1] + 1 };
            // Below the diagonal there is nothing to compare with.
            let Some(mut y) = (x + offset).checked_sub(k) else { continue };
            while x < old.len() && y < new.len() && old[x] == new[y] {
                (x, y) = (x + 1, y + 1);
            }
            reach[k] = x;
            if x >= old.len() && y >= new.len() {
                return Some(walk_back(&trace, offset, old.len(), new.len()));
            }
        }
    }
    None
}

fn walk_back(trace: &[Vec<usize>], offset: usize, mut x: usize, mut y: usize) -> Vec<Op> {
    let mut ops = Vec::new();
    for (d, reach) in trace.iter().enumerate().rev() {
        let k = x + offset - y;
        let down = k == offset - d || (k != offset + d && reach[k - 1] < reach[k + 1]);
        let from = if down { k + 1 } else { k - 1 };
        let (from_x, from_y) = if d == 0 { (0, 0) } else { (reach[from], reach[from] + offset - from) };
        while x > from_x
            && y > from_y
            && !(d > 0 && x == from_x + usize::from(!down) && y == from_y + usize::from(down))
        {
            ops.push(Op::Same);
            (x, y) = (x - 1, y - 1);
        }
        if d > 0 {
            ops.push(if down { Op::In } else { Op::Out });
            (x, y) = (from_x, from_y);
        }
    }
    ops.reverse();
    ops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: Option<&str>, after: Option<&str>) -> String {
        unified("f", before, after, &str::to_owned)
    }

    #[test] // spec: IF-15
    fn a_difference_reads_as_usual() {
        assert_eq!(diff(Some("a\n"), Some("a\n")), "");
        assert_eq!(diff(None, Some("a\nb\n")), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(diff(Some("a\n"), None), "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
        assert_eq!(
            diff(Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), Some("1\nx\n2\n3\n4\n5\n6\n7\n8\ny\n9\n")),
            "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n 1\n+x\n 2\n 3\n@@ -7,3 +8,4 @@\n 7\n 8\n+y\n 9\n"
        );
        assert_eq!(diff(Some("a"), Some("b")), "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n");
    }

    #[test] // spec: IF-15
    fn both_sides_can_be_read_back_from_every_difference() {
        // All texts of up to five lines out of two letters, against each other.
        let texts: Vec<Vec<&str>> = (0..=5_u32)
            .flat_map(|len| {
                (0..2_u32.pow(len))
                    .map(move |n| (0..len).map(|at| if n >> at & 1 == 1 { "a\n" } else { "b\n" }).collect())
            })
            .collect();
        for old in &texts {
            for new in &texts {
                let ops = ops(old, new);
                let (mut at_old, mut at_new) = (0, 0);
                for op in ops {
                    if op == Op::Same {
                        assert_eq!(old[at_old], new[at_new]);
                    }
                    at_old += usize::from(op != Op::In);
                    at_new += usize::from(op != Op::Out);
                }
                assert_eq!((at_old, at_new), (old.len(), new.len()), "{old:?} {new:?}");
            }
        }
    }
}
