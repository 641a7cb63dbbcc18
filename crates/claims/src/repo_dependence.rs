//! Whether a claim can be understood without its repository: which words of its prose a reader elsewhere would not
//! understand.
//!
//! Only a reader can be certain, so this reports what it finds and refuses nothing.

use crate::Claim;

/// How many of them are reported.
const REPORTED_MAX: usize = 5;

/// Things that a text mentions as if its reader were in the same place.
const POINTED_AT: &[&str] = &["repo", "repository", "project", "codebase", "checkout", "branch", "worktree"];

/// The words of a claim that depend on its repository: relative paths, and phrases such as "this repo".
pub fn repo_words(claim: &Claim) -> Vec<String> {
    let title = claim.title.as_deref().unwrap_or_default();
    let words: Vec<&str> = title.split_whitespace().chain(claim.text.split_whitespace()).map(bare).collect();
    let mut found: Vec<String> = Vec::new();
    let mut tell = |text: String| {
        if found.len() < REPORTED_MAX && !found.contains(&text) {
            found.push(text);
        }
    };
    for (at, word) in words.iter().enumerate() {
        if is_relative_path(word) {
            tell((*word).to_owned());
        }
        let next = words.get(at + 1).copied().unwrap_or_default().to_lowercase();
        let before = word.to_lowercase();
        if ["this", "our"].contains(&before.as_str()) && POINTED_AT.contains(&next.as_str()) {
            tell(format!("{before} {next}"));
        }
    }
    found
}

/// The most paths that are taken out of one text.
const PATHS_MAX: usize = 16;

/// The words of a text that may be paths of files, as evidence names them: `src/retry.rs`, `src/retry.rs#L3`;
/// `src/retry.rs:3` and `:3-9` are read as lines. The caller must check whether such a file exists.
pub fn paths(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace().map(bare) {
        let (path, lines) =
            match word.rsplit_once(':').and_then(|(path, lines)| Some((path, line_range(lines)?))) {
                Some((path, lines)) => (path, format!("#{lines}")),
                None => (word, String::new()),
            };
        let name = path.split('#').next().unwrap_or(path);
        let file = name.rsplit('/').next().unwrap_or(name);
        let has_ending =
            file.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending));
        let is_path = is_relative_path(path) || has_ending || name.starts_with('/') && name.len() > 1;
        if is_path && !path.contains("://") && !path.starts_with('~') && found.len() < PATHS_MAX {
            let path = format!("{path}{lines}");
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// `3` as `L3`, `3-9` as `L3-L9`.
fn line_range(text: &str) -> Option<String> {
    let is_number = |text: &str| (1..=7).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    match text.split_once('-') {
        Some((from, to)) if is_number(from) && is_number(to) => Some(format!("L{from}-L{to}")),
        None if is_number(text) => Some(format!("L{text}")),
        Some(_) | None => None,
    }
}

fn is_ending(ending: &str) -> bool {
    (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.contains(|c: char| c.is_ascii_alphabetic())
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(['(', '[', '{', '<', '"', '\'', '`', '“', '‘', '*']);
    word.trim_end_matches([')', ']', '}', '>', '"', '\'', '`', '”', '’', '*', ',', ';', ':', '.', '!', '?'])
}

/// `src/retry.rs`, `./x`, `../x/y`; not `/etc/hosts`, `and/or` or an address.
fn is_relative_path(word: &str) -> bool {
    if word.contains("://") || word.starts_with('/') || word.starts_with('~') || word.contains('@') {
        return false;
    }
    if word.starts_with("./") || word.starts_with("../") {
        return word.len() > 3;
    }
    let path = word.split('#').next().unwrap_or(word);
    let Some((folder, file)) = path.rsplit_once('/') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || "._-/+".contains(c);
    // The first folder of an address without a scheme is a host: `example.org/x.html`.
    let is_host =
        folder.split('/').next().is_some_and(|first| first.contains('.') && !first.starts_with('.'));
    let ending = file.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    !folder.is_empty() && !is_host && path.chars().all(is_name) && is_ending(ending)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use brainstem_base::Timestamp;

    fn found(text: &str) -> Vec<String> {
        repo_words(&Claim::from(draft("a", text).file(&author(), Timestamp::from_ms(1), None)))
    }

    #[test] // spec: MEM-34
    fn paths_and_pointing_words_are_told() {
        assert_eq!(
            found("Set it in `src/net/retry.rs#L3`, then run ./check.sh."),
            ["src/net/retry.rs#L3", "./check.sh"]
        );
        assert_eq!(found("In this repository, and in This repo."), ["this repository", "this repo"]);
        assert_eq!(found("(see ../docs/x) (see ../docs/x)"), ["../docs/x"]);
        assert_eq!(found(&"a/b.rs b/c.rs c/d.rs d/e.rs e/f.rs f/g.rs".repeat(2)).len(), 5);
    }

    #[test] // spec: MEM-41
    fn what_may_be_a_path_is_found_with_its_lines() {
        let text = "See `src/net/retry.rs:42`, (src/a.rs#L3), Cargo.toml:3-9 and /srv/x; not ~/x.rs, and/or 3.5 or https://a.org/b.html:80.";
        assert_eq!(paths(text), ["src/net/retry.rs#L42", "src/a.rs#L3", "Cargo.toml#L3-L9", "/srv/x"]);
    }

    #[test] // spec: MEM-34
    fn what_reads_anywhere_is_not() {
        for text in [
            "Clients read and/or write /etc/hosts and ~/.config/x.toml.",
            "See https://example.org/a/b.html or example.org/b.html.",
            "Use 3/4 of it, 24/7, on km/h 1/2.5 and TCP/IP.",
            "Each project has its repository; this is why.",
            "Write to ana@example.org/x.rs",
            "",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
