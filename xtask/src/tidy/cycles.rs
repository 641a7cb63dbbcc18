//! No cycles between the modules of a crate.
//!
//! A reader that wants to understand a module reads what it needs, and what that needs. In a cycle there is no end to
//! that, so the modules of a cycle can be read, tested and moved only together.
//!
//! The unit is the file, because a file is what a reader opens. `mod name { … }` belongs to the file it is written in.
//! A file needs another if its code leads to an item that is defined there:
//!
//! - A path is followed through re-exports to the definition. `crate::Store` needs `store.rs`; it needs neither `lib.rs`
//!   nor the module that gives the name on.
//! - `mod child;` and `pub use child::Item;` are names for others, and need nothing. If the parent's own code uses
//!   `Item` as well, the parent needs the child, and then the child may use no item that the parent defines.
//! - A method that a file calls on `self` or by `Self::` needs the file whose `impl` block has it: an `impl Store` in
//!   another file is a part of what that file is about.
//! - Code for tests counts for nothing: `#[cfg(test)]`, and files with a name that ends in `tests.rs`.
//!
//! The rule knows no types, so it does not see which block has the method of a call such as `store.look()`.

mod graph;
mod source;
mod tokens;

use super::finding::Finding;
use crate::repository::File;
use graph::Graph;
use std::collections::{BTreeMap, VecDeque};

const RULE: &str = "cycles";

/// Checks every crate for modules that need each other.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let fix = "move what both need into a module of its own, or hand the value in (CONTRIBUTING.md)";
    let mut findings = Vec::new();
    for file in files {
        let Some(folder) = file.path.strip_suffix("/lib.rs").or(file.path.strip_suffix("/main.rs")) else {
            continue;
        };
        if !folder.strip_suffix("/src").is_some_and(|name| is_crate(files, name)) {
            continue;
        }
        let graph = Graph::read(files, &file.path);
        let found = cycles(&graph).into_iter();
        findings.extend(found.map(|cycle| Finding::error(RULE, folder, describe(&graph, &cycle), fix)));
    }
    findings
}

fn is_crate(files: &[File], folder: &str) -> bool {
    let manifest = format!("{folder}/Cargo.toml");
    files.iter().any(|file| file.path == manifest)
}

/// Says how many modules need each other, and shows the shortest way round.
fn describe(graph: &Graph, cycle: &[usize]) -> String {
    let round = shortest_round(graph, cycle);
    let steps: Vec<String> = round
        .iter()
        .zip(round.iter().cycle().skip(1))
        .map(|(from, to)| {
            format!("{}:{} uses {}", graph.files[*from], graph.needs[*from][to], graph.files[*to])
        })
        .collect();
    format!("{} modules need each other: {}", cycle.len(), steps.join(", "))
}

/// The shortest way from a module of the cycle back to it.
fn shortest_round(graph: &Graph, cycle: &[usize]) -> Vec<usize> {
    let rounds = cycle.iter().filter_map(|start| {
        let mut came_from = BTreeMap::new();
        let mut queue = VecDeque::from([*start]);
        while let Some(at) = queue.pop_front() {
            for next in graph.needs[at].keys() {
                if next == start {
                    let mut round = vec![at];
                    while let Some(before) = came_from.get(round.last()?) {
                        round.push(*before);
                    }
                    round.reverse();
                    return Some(round);
                }
                if !came_from.contains_key(next) {
                    came_from.insert(*next, at);
                    queue.push_back(*next);
                }
            }
        }
        None
    });
    rounds.min_by_key(Vec::len).unwrap_or_default()
}

/// The groups of files of which each reaches every other one, without those of one file.
fn cycles(graph: &Graph) -> Vec<Vec<usize>> {
    let reached: Vec<Vec<bool>> = (0..graph.files.len()).map(|start| reach(graph, start)).collect();
    let mut groups = Vec::new();
    let mut is_placed = vec![false; graph.files.len()];
    for start in 0..graph.files.len() {
        if is_placed[start] {
            continue;
        }
        let group: Vec<usize> =
            (start..graph.files.len()).filter(|at| reached[start][*at] && reached[*at][start]).collect();
        for at in &group {
            is_placed[*at] = true;
        }
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

/// Which files can be reached from `start`, each by one step or more.
fn reach(graph: &Graph, start: usize) -> Vec<bool> {
    let mut is_reached = vec![false; graph.files.len()];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for next in graph.needs[at].keys() {
            if !std::mem::replace(&mut is_reached[*next], true) {
                open.push(*next);
            }
        }
    }
    is_reached
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    fn sample(files: &[(&str, &str)]) -> Vec<File> {
        let manifest = File::sample("crates/x/Cargo.toml", "");
        let sources = files.iter().map(|(path, text)| File::sample(&format!("crates/x/src/{path}"), text));
        std::iter::once(manifest).chain(sources).collect()
    }

    const LIB: (&str, &str) = ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;");
    const ROUND: &[(&str, &str)] = &[
        LIB,
        ("a.rs", "use crate::b::B;\npub struct A;"),
        ("b.rs", "use crate::c::C;\npub struct B;"),
        ("c.rs", "\nuse crate::{a::A, d::D};\npub struct C;"),
        ("d.rs", "pub struct D;"),
    ];

    #[test]
    fn modules_that_need_each_other_are_named() {
        assert_eq!(
            said(&check(&sample(ROUND))),
            ["crates/x/src: 3 modules need each other: a.rs:1 uses b.rs, b.rs:1 uses c.rs, c.rs:2 uses a.rs"],
        );
    }

    #[test]
    fn the_shortest_way_round_is_shown() {
        let files = [ROUND, &[("d.rs", "use crate::c::C;\npub struct D;")]].concat();
        let files: Vec<_> =
            files.iter().enumerate().filter(|(at, _)| *at != 4).map(|(_, file)| *file).collect();
        assert_eq!(
            said(&check(&sample(&files))),
            ["crates/x/src: 4 modules need each other: c.rs:2 uses d.rs, d.rs:1 uses c.rs"],
        );
    }

    #[test]
    fn modules_that_look_one_way_pass() {
        let files = sample(&[
            LIB,
            ("a.rs", "use crate::b::B;\nuse crate::c::C;"),
            ("b.rs", "use crate::c::C;\npub struct B;"),
            ("c.rs", "pub struct C;"),
        ]);
        assert_eq!(said(&check(&files)), [""; 0]);
        let no_crate: Vec<File> = sample(ROUND).split_off(1);
        assert_eq!(said(&check(&no_crate)), [""; 0]);
    }
}
