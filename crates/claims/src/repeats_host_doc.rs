//! Whether a claim repeats a host's own file of doctrine (CLAUDE.md, AGENTS.md): then a pointer to that file is enough.

use crate::Claim;
use crate::conflict::Stance;
use std::collections::BTreeSet;

/// This share of a claim's words must be in one paragraph.
const SHARE_MIN: f32 = 0.8;
/// Claims of fewer words are found in many paragraphs by chance.
const WORDS_MIN: usize = 5;

/// The line, from 1, of the paragraph that has a claim's words; a list item is a paragraph.
pub fn restated_at(claim: &Claim, document: &str) -> Option<usize> {
    let stance = Stance::of(claim);
    let words = stance.words();
    if words.len() < WORDS_MIN {
        return None;
    }
    let mut best: Option<(usize, usize)> = None;
    for (line, paragraph) in paragraphs(document) {
        let shared = words.iter().filter(|word| paragraph.contains(*word)).count();
        let is_share = shared as f32 >= words.len() as f32 * SHARE_MIN;
        if is_share && best.is_none_or(|(_, most)| shared > most) {
            best = Some((line, shared));
        }
    }
    best.map(|(line, _)| line)
}

/// The words of each paragraph, with the line it begins on.
fn paragraphs(document: &str) -> Vec<(usize, BTreeSet<String>)> {
    let mut paragraphs: Vec<(usize, BTreeSet<String>)> = Vec::new();
    let mut open = false;
    for (at, line) in document.lines().enumerate() {
        let text = line.trim();
        let is_point = text.starts_with(['-', '*', '+', '#', '|']) || starts_with_number(text);
        if text.is_empty() {
            open = false;
            continue;
        }
        if !open || is_point {
            paragraphs.push((at + 1, BTreeSet::new()));
            open = true;
        }
        let (_, words) = paragraphs.last_mut().expect("one was just begun");
        let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
        let found = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        words.extend(found.map(|word| word.to_lowercase().replace('’', "'")));
    }
    paragraphs
}

fn starts_with_number(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < text.len() && digits.starts_with(['.', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};
    use brainstem_base::Timestamp;

    const DOCUMENT: &str = "# How we work\n\n- One thing per commit,\n  in the form area and what.\n- Tests before\n  the code they test.\n\nNever push to main; open a request and wait for a review.\n";

    fn at(text: &str) -> Option<usize> {
        restated_at(&Claim::from(draft("a", text).file(&author(), Timestamp::from_ms(1), None)), DOCUMENT)
    }

    #[test] // spec: MEM-37
    fn a_paragraph_that_says_it_is_named_by_its_line() {
        assert_eq!(at("Commit one thing per commit, in the form area: what"), Some(3));
        assert_eq!(at("Open a request and wait for a review, never push to main"), Some(8));
        assert_eq!(at("Write tests before the code they test"), Some(5), "one word of its own");
    }

    #[test] // spec: MEM-37
    fn words_that_are_spread_or_few_are_no_restatement() {
        assert_eq!(at("One review per commit, before tests"), None);
        assert_eq!(at("Never push"), None);
        assert_eq!(at("The worker retries three times and gives up"), None);
        assert_eq!(at(""), None);
    }
}
