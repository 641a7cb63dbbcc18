//! References of old letters: `resolves L27+L29` means the letters on lines 27 and 29 of the file they were written
//! into. Best effort; an unclear reference is ignored.

use crate::LetterId;
use crate::kind::closes;
use crate::lines::LetterLines;
use std::collections::HashMap;

/// Words after which `L27` means a letter, in any letter; in a letter that closes others it always does.
const CUES: &[&str] = &[
    "answer",
    "answers",
    "answering",
    "close",
    "closes",
    "closed",
    "letter",
    "letters",
    "mailbox",
    "resolve",
    "resolves",
    "resolved",
    "reply",
    "re",
    "fixes",
    "fixed",
];
/// The words that join two references of one list.
const JOINTS: &[&str] = &["and", "&", "+", "plus"];

/// The letters that each letter of a file answers in prose, by the numbers of that file's lines.
pub fn in_prose(lines: &LetterLines) -> Vec<(LetterId, Vec<LetterId>)> {
    let at: HashMap<usize, &LetterId> =
        lines.letters.iter().map(|letter| (letter.number, &letter.letter.id)).collect();
    let mut found = Vec::new();
    for letter in &lines.letters {
        let closing = letter.letter.class.as_deref().is_some_and(closes);
        let texts = [&letter.letter.what, &letter.letter.expected, &letter.letter.snippet];
        let mut answers: Vec<LetterId> = texts
            .into_iter()
            .flatten()
            .flat_map(|text| numbers(text, closing))
            .filter_map(|number| at.get(&number).copied())
            .filter(|id| **id != letter.letter.id)
            .cloned()
            .collect();
        answers.sort();
        answers.dedup();
        if !answers.is_empty() {
            found.push((letter.letter.id.clone(), answers));
        }
    }
    found
}

/// The numbers of the lines that a text refers to.
fn numbers(text: &str, closing: bool) -> Vec<usize> {
    let spaced = text.replace(['+', ','], " + ");
    let mut found = Vec::new();
    // Whether a reference here belongs to a list that a cue began; whether the last word names a file, in which L27 is
    // a line.
    let (mut listed, mut after_file) = (false, false);
    for word in spaced.split_whitespace() {
        let bare = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let number = bare.strip_prefix('L').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        match number.and_then(|digits| digits.parse::<usize>().ok()) {
            Some(number) if listed || closing && !after_file => {
                found.push(number);
                listed = true;
            }
            Some(_) => {}
            None if JOINTS.contains(&word) => {}
            None => {
                listed = CUES.contains(&bare.to_ascii_lowercase().as_str());
                after_file = bare.contains('.') || bare.contains('/');
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LTR-11
    fn a_number_after_a_cue_is_a_letter_and_a_line_of_code_is_not() {
        let check =
            |text, closing, expected: &[usize]| assert_eq!(numbers(text, closing), expected, "{text}");
        check("resolves L27+L29", false, &[27, 29]);
        check("Resolves L1, L2 and L3.", false, &[1, 2, 3]);
        check("(mailbox L30)", false, &[30]);
        check("see src/main.rs L12", false, &[]);
        check("see src/main.rs L12", true, &[]);
        check("L4: mended in the router", true, &[4]);
        check("L4: mended in the router", false, &[]);
        check("the L2 cache; Level L; LX9; L99999999999999999999", true, &[2]);
    }
}
