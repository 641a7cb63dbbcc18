//! Words that make a comment hard to read.

use super::finding::Finding;
use crate::repository::File;

/// Words that hide the actor, or say "is" in a roundabout way, each with what to write instead.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["who", "whom", "whoever", "somebody", "someone", "nobody", "anybody", "everybody"],
        "name the actor: the caller, the writer, the reader, another agent",
    ),
    (&["lies", "lie", "lay", "stands", "stand", "stood"], "write `is`, or which file or folder has it"),
    (&["told"], "say what names it: the answer, a gap, a note"),
];

/// Checks the comments that are lines of their own, without the code in them.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_checked(file)) {
        let mut is_code = false;
        for (number, line) in file.lines().filter(|(_, line)| line.trim_start().starts_with("//")) {
            if line.trim_start_matches(['/', '!', ' ']).starts_with("```") {
                is_code = !is_code;
            } else if !is_code {
                let place = format!("{}:{number}", file.path);
                findings.extend(hard_words(line).map(|(word, fix)| {
                    Finding::error("words", place.clone(), format!("a comment uses the word `{word}`"), fix)
                }));
            }
        }
    }
    findings
}

/// Whether it is a file of Rust of the product or of its tasks; tests have folders of their own.
fn is_checked(file: &File) -> bool {
    let is_source = file.path.starts_with("xtask/src/")
        || file.path.starts_with("crates/") && file.path.contains("/src/");
    file.is_rust() && is_source
}

/// The words of a line that are hard to read, each with what to write instead. What is in backticks is code.
fn hard_words(line: &str) -> impl Iterator<Item = (String, &'static str)> {
    let prose = line.split('`').step_by(2);
    let used = prose.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    used.map(str::to_lowercase).filter_map(|word| {
        let (_, fix) = WORDS.iter().find(|(words, _)| words.contains(&word.as_str()))?;
        Some((word, *fix))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    #[test]
    fn words_that_hide_the_actor_are_named_in_comments_and_not_in_code() {
        let text = "/// Whoever reads it.\nlet told = 1;\n    // It lies there; belies nothing. `who`\n\
                    /// ```\n/// let who = 1;\n/// ```\n// Nobody.\n";
        let files = [File::sample("crates/x/src/a.rs", text), File::sample("crates/x/tests/a.rs", text)];
        assert_eq!(
            said(&check(&files)),
            [
                "crates/x/src/a.rs:1: a comment uses the word `whoever`",
                "crates/x/src/a.rs:3: a comment uses the word `lies`",
                "crates/x/src/a.rs:7: a comment uses the word `nobody`",
            ]
        );
    }
}
