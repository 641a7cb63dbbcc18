//! The difference of two texts, line by line, in the unified form.

use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 2;
/// How long the shortest difference is searched; after that a longer one is shown.
const SEARCH_MAX: Duration = Duration::from_secs(1);

/// The difference in the unified form; empty if there is none. Every line goes through `mask` first: most of them are a
/// person's words.
pub fn unified(
    file: &str,
    before: Option<&str>,
    after: Option<&str>,
    mask: &dyn Fn(&str) -> String,
) -> String {
    if before == after {
        return String::new();
    }
    let name = |side: &str, text: Option<&str>| {
        if text.is_some() { format!("{side}/{file}") } else { "/dev/null".to_owned() }
    };
    let mut page = format!("--- {}\n+++ {}\n", name("a", before), name("b", after));
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.unwrap_or_default().split_inclusive('\n').collect();
    let diff = TextDiff::configure().timeout(SEARCH_MAX).diff_slices(&old, &new);
    for group in diff.grouped_ops(AROUND) {
        let [Some(first), Some(last)] = [group.first(), group.last()] else { continue };
        let outs = first.old_range().start..last.old_range().end;
        let ins = first.new_range().start..last.new_range().end;
        let _ = writeln!(page, "@@ -{} +{} @@", lines(&outs), lines(&ins));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let _ = writeln!(page, "{sign}{}", mask(change.value().trim_end_matches(['\n', '\r'])));
        }
    }
    page
}

/// Lines as a hunk names them: the first, counted from one, and how many; for none, the line before them.
fn lines(range: &Range<usize>) -> String {
    format!("{},{}", range.start + usize::from(!range.is_empty()), range.len())
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
        // All texts of up to five lines out of two letters, against each other: with so few lines every one of them
        // is shown.
        let texts: Vec<String> = (0..=5_u32)
            .flat_map(|len| {
                (0..2_u32.pow(len))
                    .map(move |n| (0..len).map(|at| if n >> at & 1 == 1 { "a\n" } else { "b\n" }).collect())
            })
            .collect();
        for old in &texts {
            for new in texts.iter().filter(|new| *new != old) {
                let page = diff(Some(old), Some(new));
                assert_eq!(applied(old, &page), *new, "{old:?}\n{page}");
            }
        }
    }

    /// The text after applying a difference.
    fn applied(old: &str, page: &str) -> String {
        let old: Vec<&str> = old.lines().collect();
        let (mut at, mut new) = (0, Vec::new());
        for line in page.lines().skip(2) {
            if let Some(hunk) = line.strip_prefix("@@ -") {
                let (start, count) = hunk.split_once(' ').unwrap().0.split_once(',').unwrap();
                let start = start.parse::<usize>().unwrap() - usize::from(count != "0");
                new.extend_from_slice(&old[at..start]);
                at = start;
                continue;
            }
            let (sign, text) = line.split_at(1);
            if sign != "+" {
                assert_eq!(old[at], text);
                at += 1;
            }
            if sign != "-" {
                new.push(text);
            }
        }
        new.extend_from_slice(&old[at..]);
        new.iter().map(|line| format!("{line}\n")).collect()
    }
}
