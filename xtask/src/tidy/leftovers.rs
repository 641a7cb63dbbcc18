//! What work leaves behind: unfinished code, paths of one machine, stray and huge files.

use super::finding::Finding;
use crate::repository::{FILE_LEN_MAX, File};

const RULE: &str = "leftovers";

/// Marks of unfinished code, each with what to do about it.
const MARKS: &[(&str, &str)] = &[
    ("todo!", "write it, or return an error that says it is not there"),
    ("unimplemented!", "write it, or return an error that says it is not there"),
    ("dbg!", "remove it"),
    ("FIXME", "mend it, or say plainly in a comment what is wrong and why it stays"),
    ("XXX", "mend it, or say plainly in a comment what is wrong and why it stays"),
    ("#[ignore]", "make the test pass, or give the reason: `#[ignore = \"why\"]`"),
];

/// Folders under which each user of a machine has a folder of their own.
const USER_FOLDERS: &[&str] = &["/home/", "/Users/"];
/// Made-up people whose folders may appear in examples and tests.
const SAMPLE_USERS: &[&str] = &["ana", "ben", "user", "you"];
/// Folders that exist on one machine and nowhere else.
const MACHINE_FOLDERS: &[&str] = &["/work/", "/root/"];

/// The weights of the model are a part of the program, and their hashes are tested.
const WEIGHTS: &str = "crates/recall-model/weights/";

/// Checks every file for what should not be committed.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        findings.extend(check_name(file));
        // This rule spells out what it looks for.
        if file.path.starts_with("xtask/src/tidy/") || file.is_fixture() {
            continue;
        }
        for (number, line) in file.lines() {
            let place = || format!("{}:{number}", file.path);
            if file.is_rust() {
                for (mark, fix) in MARKS {
                    if has_word(line, mark) {
                        findings.push(Finding::error(RULE, place(), format!("`{mark}` is left"), *fix));
                    }
                }
            }
            if let Some(path) = machine_path(line) {
                let what = format!("`{path}` is a path of one machine");
                let fix =
                    "write it relative to the repository or the home, or use a made-up user such as `ana`";
                findings.push(Finding::error(RULE, place(), what, fix));
            }
        }
    }
    findings
}

/// Checks what the path alone says.
fn check_name(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found = |what: String, fix: &str| {
        findings.push(Finding::error(RULE, file.path.clone(), what, fix));
    };
    if file.path.ends_with(".snap.new") || file.path.ends_with(".pending-snap") {
        found("a snapshot waits for review".to_owned(), "run `cargo insta review`, or delete it");
    }
    let is_sample = file.is_fixture() || file.path.starts_with("docs/formats/");
    if file.path.ends_with(".light.md") && !is_sample {
        found(
            "a claim was left outside the samples".to_owned(),
            "delete it, or move it to a `fixtures` folder",
        );
    }
    if file.len > FILE_LEN_MAX && !file.path.starts_with(WEIGHTS) {
        found(format!("{} bytes are more than 1 MiB", file.len), "keep it out of git, or make it smaller");
    }
    findings
}

/// Whether `word` is a word of its own in the line: neither end goes on with a letter, digit or `_`.
fn has_word(line: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let starts = !word.starts_with(in_word) || !before.is_some_and(in_word);
        let ends = !word.ends_with(in_word) || !after.is_some_and(in_word);
        starts && ends
    })
}

/// The first absolute path in the line that belongs to one machine, up to the part that shows it.
fn machine_path(line: &str) -> Option<&str> {
    for folder in USER_FOLDERS {
        for at in absolute(line, folder) {
            let name_at = at + folder.len();
            let name_len = line[name_at..].find(|c: char| !is_name(c)).unwrap_or(line.len() - name_at);
            let name = &line[name_at..name_at + name_len];
            let goes_on = line[name_at + name_len..].starts_with('/');
            if !name.is_empty() && goes_on && !SAMPLE_USERS.contains(&name) {
                return Some(&line[at..=name_at + name_len]);
            }
        }
    }
    MACHINE_FOLDERS.iter().find_map(|folder| {
        let at = absolute(line, folder).find(|at| line[at + folder.len()..].starts_with(is_name))?;
        Some(&line[at..at + folder.len()])
    })
}

/// Where `folder` begins a path, as opposed to being a part of a longer one.
fn absolute<'a>(line: &'a str, folder: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(folder).map(|(at, _)| at).filter(|at| {
        let before = line[..*at].chars().next_back();
        !before.is_some_and(|c| is_name(c) || matches!(c, '/' | '~' | '}' | '>' | ')' | ']' | '*' | '…'))
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    fn check_file(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(said(&check(&[File::sample(path, text)])), expected);
    }

    #[test]
    fn unfinished_code_is_named() {
        check_file(
            "crates/x/src/a.rs",
            "todo!();\n// FIXME later\n#[ignore]\n#[ignore = \"needs a server\"]\nmktemp(\"XXXXXX\");\nnot_dbg!();\n",
            &[
                "crates/x/src/a.rs:1: `todo!` is left",
                "crates/x/src/a.rs:2: `FIXME` is left",
                "crates/x/src/a.rs:3: `#[ignore]` is left",
            ],
        );
        check_file("docs/a.md", "FIXME is a word here", &[]);
    }

    #[test]
    fn a_path_of_one_machine_is_named() {
        check_file(
            "docs/a.md",
            "see /home/jo/x\n(/Users/jo/y)\n`/work/z`\n",
            &[
                "docs/a.md:1: `/home/jo/` is a path of one machine",
                "docs/a.md:2: `/Users/jo/` is a path of one machine",
                "docs/a.md:3: `/work/` is a path of one machine",
            ],
        );
    }

    #[test]
    fn made_up_and_relative_paths_pass() {
        check_file(
            "crates/x/src/a.rs",
            "/home/ana/cherry, /home/, crates/work/src, /api/work/list, ~/work/x, {root}/home/jo/x, /home/<name>/",
            &[],
        );
        check_file("crates/x/tests/fixtures/a.txt", "/home/jo/x", &[]);
    }

    #[test]
    fn stray_files_are_named() {
        check_file("crates/x/a.snap.new", "", &["crates/x/a.snap.new: a snapshot waits for review"]);
        check_file("a.light.md", "", &["a.light.md: a claim was left outside the samples"]);
        check_file("tests/formats/v1/a.light.md", "", &[]);
        check_file("docs/formats/sample.light.md", "", &[]);
        let big = File { path: "a.bin".to_owned(), len: FILE_LEN_MAX + 1, text: None };
        let weights = File { path: format!("{WEIGHTS}a.bin"), ..big.clone() };
        assert_eq!(said(&check(&[big, weights])), ["a.bin: 1048577 bytes are more than 1 MiB"]);
    }
}
