//! The ids of the specification: defined once in `docs/spec`, named by tests in `spec:` comments.

use super::finding::Finding;
use crate::repository::File;
use std::collections::BTreeMap;

const RULE: &str = "spec";
const FOLDER: &str = "docs/spec/";

/// A demand of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The id, such as `MEM-3a`.
    pub(crate) id: String,
    /// The file name of its document.
    pub(crate) document: String,
    /// The line it starts on.
    pub(crate) line: usize,
    /// The first line of its text.
    pub(crate) text: String,
}

/// A `spec:` comment in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The ids it names, or what is there instead of one.
    pub(crate) ids: Result<Vec<String>, String>,
    /// Where it is, as `path:line`.
    pub(crate) place: String,
    /// The function that follows.
    pub(crate) test: Option<String>,
}

/// Every demand, in the order of the documents.
pub(crate) fn definitions(files: &[File]) -> Vec<Definition> {
    let mut found = Vec::new();
    for file in files {
        let Some(document) = file.path.strip_prefix(FOLDER) else { continue };
        if !document.ends_with(".md") || document == "README.md" {
            continue;
        }
        for (line, text) in file.lines() {
            let Some((id, text)) = text.strip_prefix("- ").and_then(|item| item.split_once(' ')) else {
                continue;
            };
            if is_id(id) {
                let (id, text) = (id.to_owned(), text.to_owned());
                found.push(Definition { id, document: document.to_owned(), line, text });
            }
        }
    }
    found
}

/// Every `spec:` comment of the Rust and Python files.
pub(crate) fn mentions(files: &[File]) -> Vec<Mention> {
    let mut found = Vec::new();
    for file in files {
        // This crate's own tests quote such comments without proving anything.
        let marker = match file.path.rsplit_once('.') {
            Some((_, "rs")) if !file.path.starts_with("xtask/") => "//",
            Some((_, "py")) => "#",
            _ => continue,
        };
        let lines: Vec<&str> = file.text().lines().collect();
        for (index, line) in lines.iter().enumerate() {
            if let Some(list) = comment_after(line, marker) {
                let test = lines[index..].iter().take(LINES_TO_FUNCTION).find_map(|line| function_name(line));
                let place = format!("{}:{}", file.path, index + 1);
                found.push(Mention { ids: parse_list(list), place, test });
            }
        }
    }
    found
}

/// How far below its comment a test may start: a few attributes fit between.
const LINES_TO_FUNCTION: usize = 12;

/// Checks that ids are unique and that comments name ids that exist.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for definition in definitions(files) {
        let place = format!("{FOLDER}{}:{}", definition.document, definition.line);
        if let Some(first) = known.get(&definition.id) {
            let what = format!("`{}` is defined a second time; first at {first}", definition.id);
            findings.push(Finding::error(RULE, place, what, "give the newer line the next free number"));
        } else {
            known.insert(definition.id, place);
        }
    }
    for mention in mentions(files) {
        let fix = "name ids of docs/spec, separated by commas: `// spec: MEM-11, MEM-13`";
        match mention.ids {
            Err(text) => {
                let what = format!("a spec comment names `{text}`, which is not an id");
                findings.push(Finding::error(RULE, mention.place, what, fix));
            }
            Ok(ids) => findings.extend(ids.into_iter().filter(|id| !known.contains_key(id)).map(|id| {
                let what = format!("a spec comment names `{id}`, which docs/spec does not define");
                Finding::error(RULE, mention.place.clone(), what, fix)
            })),
        }
    }
    findings
}

/// Letters, a dash, digits, and perhaps one small letter.
fn is_id(text: &str) -> bool {
    let Some((letters, rest)) = text.split_once('-') else { return false };
    let digits = rest.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(rest);
    !letters.is_empty()
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What follows `spec:` where that is the first word of a comment.
fn comment_after<'a>(line: &'a str, marker: &str) -> Option<&'a str> {
    line.match_indices(marker).find_map(|(at, _)| {
        let comment = line[at..].trim_start_matches(['/', '#', '!']).trim_start();
        Some(comment.strip_prefix("spec:")?.trim())
    })
}

/// Ids separated by commas; after the last one a remark may follow.
fn parse_list(list: &str) -> Result<Vec<String>, String> {
    let mut ids = Vec::new();
    for item in list.split(',') {
        let words: Vec<&str> = item.split_whitespace().collect();
        let word = words.first().copied().unwrap_or("");
        if !is_id(word) {
            return Err(item.trim().to_owned());
        }
        ids.push(word.to_owned());
        if words.len() > 1 {
            break;
        }
    }
    Ok(ids)
}

fn function_name(line: &str) -> Option<String> {
    let line = line.trim_start();
    let after = ["fn ", "pub fn ", "async fn ", "pub(crate) fn ", "def ", "async def "]
        .iter()
        .find_map(|start| line.strip_prefix(start))?;
    Some(after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    const SPEC: &str = "# Memory\n- MEM-3 One.\n- MEM-3a Two,\n  and more.\n- not an id\n- Z-1 Three.\n";

    fn check_rust(text: &str, expected: &[&str]) {
        let files = [File::sample("docs/spec/memory.md", SPEC), File::sample("crates/x/src/a.rs", text)];
        assert_eq!(said(&check(&files)), expected);
    }

    #[test]
    fn known_ids_pass_with_remarks_and_several_at_once() {
        check_rust(
            "#[test] // spec: MEM-3, MEM-3a\nfn a() {}\n// spec: Z-1 (the second half)\nfn b() {}\n",
            &[],
        );
        check_rust("let specification = \"no spec: here\"; // the spec: is elsewhere\n", &[]);
    }

    #[test]
    fn an_unknown_id_is_named() {
        check_rust(
            "\n#[test] // spec: MEM-3, MEM-99\nfn a() {}\n",
            &["crates/x/src/a.rs:2: a spec comment names `MEM-99`, which docs/spec does not define"],
        );
    }

    #[test]
    fn a_comment_without_an_id_is_named() {
        check_rust(
            "// spec: MEM3\n",
            &["crates/x/src/a.rs:1: a spec comment names `MEM3`, which is not an id"],
        );
    }

    #[test]
    fn an_id_is_defined_once_over_all_documents() {
        let files =
            [File::sample("docs/spec/mail.md", "- MEM-3 Mail.\n"), File::sample("docs/spec/memory.md", SPEC)];
        let expected =
            ["docs/spec/memory.md:2: `MEM-3` is defined a second time; first at docs/spec/mail.md:1"];
        assert_eq!(said(&check(&files)), expected);
    }

    #[test]
    fn a_mention_knows_the_test_that_follows() {
        let text = "#[test] // spec: MEM-3\n#[cfg(unix)]\nfn it_holds() {}\n";
        let python = "# spec: Z-1\nasync def lists_tools():\n";
        let files = [File::sample("crates/x/src/a.rs", text), File::sample("tests/clients/a.py", python)];
        let found: Vec<_> = mentions(&files).into_iter().map(|mention| mention.test.unwrap()).collect();
        assert_eq!(found, ["it_holds", "lists_tools"]);
    }

    #[test]
    fn ids_have_one_form() {
        for good in ["MEM-1", "MEM-34a", "Z-12", "P-01"] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["MEM", "MEM-", "mem-1", "MEM-1ab", "MEM-a", "-1", "L1GHT-1", "MEM-1."] {
            assert!(!is_id(bad), "{bad}");
        }
    }
}
