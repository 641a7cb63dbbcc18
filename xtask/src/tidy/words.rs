//! Words that make a comment hard to read, in the crates whose comments have none of them any more.

use super::finding::Finding;
use crate::repository::File;

/// The folders whose comments are checked. A crate joins once its comments are clean.
const CLEAN: &[&str] = &["crates/memory/src/"];

/// Words that hide the actor, or say "is" in a roundabout way, each with what to write instead.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["who", "whom", "whoever", "somebody", "someone", "nobody", "anybody", "everybody"],
        "name the actor: the caller, the writer, the reader, another agent",
    ),
    (&["lies", "lie", "lay", "stands", "stand", "stood"], "write `is`, or which file or folder has it"),
    (&["told"], "say what names it: the answer, a gap, a note"),
];

/// Checks the comments that are lines of their own.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let is_checked =
        |file: &&File| file.is_rust() && CLEAN.iter().any(|folder| file.path.starts_with(folder));
    let mut findings = Vec::new();
    for file in files.iter().filter(is_checked) {
        for (number, line) in file.lines().filter(|(_, line)| line.trim_start().starts_with("//")) {
            let used = line.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
            for word in used {
                if let Some((_, fix)) = WORDS.iter().find(|(words, _)| words.contains(&word.as_str())) {
                    let place = format!("{}:{number}", file.path);
                    let what = format!("a comment uses the word `{word}`");
                    findings.push(Finding::error("words", place, what, *fix));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    #[test]
    fn words_that_hide_the_actor_are_named_in_clean_crates() {
        let text = "/// Whoever reads it.\nlet told = 1;\n    // It lies there; belies nothing.\n";
        let files = [File::sample("crates/memory/src/a.rs", text), File::sample("crates/x/src/a.rs", text)];
        assert_eq!(
            said(&check(&files)),
            [
                "crates/memory/src/a.rs:1: a comment uses the word `whoever`",
                "crates/memory/src/a.rs:3: a comment uses the word `lies`",
            ]
        );
    }
}
