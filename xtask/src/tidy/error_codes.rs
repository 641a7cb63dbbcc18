//! Error pages and references name codes that are registered.

use super::finding::Finding;
use crate::repository::File;
use brainstem_base::codes;
use std::collections::BTreeSet;

const RULE: &str = "errors";
const PAGES: &str = "docs/errors/";
const FIX: &str = "use a code of crates/base/src/codes.rs, or register it there";

/// Names of files look like codes: `home.json`, `memory.md`.
const FILE_ENDINGS: &[&str] = &["json", "jsonl", "lock", "md", "py", "rs", "sqlite", "toml", "txt"];

/// Checks the pages in `docs/errors` and every code that the references name.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let names: BTreeSet<&str> = codes::ALL.iter().map(|code| code.name()).collect();
    let families: BTreeSet<&str> = names.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
    let mut findings = Vec::new();
    for file in files {
        if let Some(page) = file.path.strip_prefix(PAGES)
            && let Some(name) = page.strip_suffix(".md")
            && name != "README"
            && !names.contains(name)
        {
            let what = format!("the page is about `{name}`, which is not a registered code");
            findings.push(Finding::error(RULE, file.path.clone(), what, FIX));
        }
        if !file.path.starts_with(PAGES) && !file.path.starts_with(crate::reference::FOLDER) {
            continue;
        }
        for (number, line) in file.lines() {
            for word in quoted_words(line) {
                if looks_like_code(word, &families) && !names.contains(word) {
                    let what = format!("`{word}` is not a registered code");
                    findings.push(Finding::error(RULE, format!("{}:{number}", file.path), what, FIX));
                }
            }
        }
    }
    findings
}

/// What is between two backticks or two double quotes, without either inside.
fn quoted_words(line: &str) -> impl Iterator<Item = &str> {
    ['`', '"'].into_iter().flat_map(|quote| line.split(quote).skip(1))
}

fn looks_like_code(word: &str, families: &BTreeSet<&str>) -> bool {
    let Some((family, rest)) = word.split_once('.') else { return false };
    families.contains(family)
        && !rest.is_empty()
        && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !FILE_ENDINGS.contains(&rest)
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    fn check_file(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(said(&check(&[File::sample(path, text)])), expected);
    }

    #[test]
    fn registered_codes_pass() {
        check_file(
            "docs/errors/store.busy.md",
            "`store.busy` is not `store.no_space`; see `home.json`.",
            &[],
        );
        check_file("docs/errors/README.md", "", &[]);
    }

    #[test]
    fn a_page_about_an_unknown_code_is_named() {
        check_file(
            "docs/errors/store.tired.md",
            "",
            &["docs/errors/store.tired.md: the page is about `store.tired`, which is not a registered code"],
        );
    }

    #[test]
    fn an_unknown_code_in_a_reference_is_named() {
        check_file(
            "docs/reference/verbs.md",
            "\n{\"code\":\"claim.bad_mood\"}, `claim.not_found`\n",
            &["docs/reference/verbs.md:2: `claim.bad_mood` is not a registered code"],
        );
        check_file("docs/other.md", "`claim.bad_mood`", &[]);
    }
}
