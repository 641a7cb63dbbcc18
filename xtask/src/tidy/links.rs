//! Links between Markdown files lead to files and headings that exist.

use super::finding::Finding;
use crate::repository::File;
use std::collections::{BTreeMap, BTreeSet};

const RULE: &str = "links";

/// Checks every link of every Markdown file that is not a fixture.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let paths: BTreeMap<&str, &File> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let folders: BTreeSet<&str> =
        files.iter().flat_map(|file| file.path.match_indices('/').map(|(at, _)| &file.path[..at])).collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md") && !file.is_fixture()) {
        for (number, target) in links(file.text()) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let leads_to = if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) };
            let page = leads_to.as_deref().and_then(|path| paths.get(path));
            let is_folder = leads_to.as_deref().is_some_and(|path| path.is_empty() || folders.contains(path));
            let what = match page {
                None if is_folder => continue,
                None => format!("the link `{target}` leads nowhere"),
                Some(page) if !heading.is_empty() && page.path.ends_with(".md") => {
                    if headings(page.text()).contains(heading) {
                        continue;
                    }
                    format!("the link `{target}` names a heading that is not there")
                }
                Some(_) => continue,
            };
            let fix = "mend the link; it is read relative to the folder of its file";
            findings.push(Finding::error(RULE, format!("{}:{number}", file.path), what, fix));
        }
    }
    findings
}

/// The targets of links inside the repository, each with its line.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let outside_code = line.split('`').step_by(2);
        for piece in outside_code {
            let inline = piece.match_indices("](").filter_map(|(at, mark)| {
                let rest = &piece[at + mark.len()..];
                Some(&rest[..rest.find([')', ' '])?])
            });
            found.extend(inline.map(|target| (number, target)));
        }
        // A link whose text is code, [`x`](y), is cut in two above.
        let after_code = line.match_indices("`](").filter_map(|(at, mark)| {
            let rest = &line[at + mark.len()..];
            Some(&rest[..rest.find([')', ' '])?])
        });
        found.extend(after_code.map(|target| (number, target)));
        if let Some((_, target)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            found.push((number, target.split_whitespace().next().unwrap_or("")));
        }
    }
    for (_, target) in &mut found {
        *target = target.trim_start_matches('<').trim_end_matches('>');
    }
    found.retain(|(_, target)| !target.is_empty() && !target.contains(':'));
    found.sort_unstable();
    found.dedup();
    found
}

/// The lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_fence = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_fence ^= is_fence;
        (!in_fence && !is_fence).then_some((index + 1, line))
    })
}

/// The path from the root that a link means, if it stays inside.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = if link.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/").replace("%20", " "))
}

/// The names by which a page's headings can be linked to, as code hosts make them.
fn headings(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let Some(title) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) else { continue };
        let slug: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let mut name = slug.clone();
        for count in 1.. {
            if found.insert(name) {
                break;
            }
            name = format!("{slug}-{count}");
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    fn check_page(text: &str, expected: &[&str]) {
        let files = [
            File::sample("LICENSE", ""),
            File::sample("docs/a.md", text),
            File::sample("docs/spec/memory.md", "# Memory: claims, and more\n## Twice\n## Twice\n"),
        ];
        assert_eq!(said(&check(&files)), expected);
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        check_page(
            "# Here\n[a](spec/memory.md) [b](spec/memory.md#memory-claims-and-more) [c](../LICENSE) [d](/LICENSE)\n\
             [e](#here) [f](spec/) [`g`](spec/memory.md#twice-1) [h](https://example.org/x) <x@example.org>\n\
             [i]: spec/memory.md\n",
            &[],
        );
    }

    #[test]
    fn links_that_lead_nowhere_are_named() {
        check_page(
            "[a](gone.md)\n[b](../../outside.md)\n[`c`](spec/memory.md#thrice)\n[d]: gone/\n",
            &[
                "docs/a.md:1: the link `gone.md` leads nowhere",
                "docs/a.md:2: the link `../../outside.md` leads nowhere",
                "docs/a.md:3: the link `spec/memory.md#thrice` names a heading that is not there",
                "docs/a.md:4: the link `gone/` leads nowhere",
            ],
        );
    }

    #[test]
    fn code_holds_no_links() {
        check_page("`[a](gone.md)`\n```text\n[b](gone.md)\n```\n", &[]);
    }
}
