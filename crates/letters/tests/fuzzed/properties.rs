//! What holds for a file of letters whatever its bytes. The fuzz target uses this file too.

use brainstem_letters::Letter;
use brainstem_letters::filed_line::filed;
use brainstem_letters::limits::LINE_LEN_MAX;
use brainstem_letters::lines::{LetterLines, Tail};
use std::collections::HashSet;

/// Reads bytes as a file of letters and checks what must hold of the reading. `false`: no letter is in them.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let whole = LetterLines::read(bytes, Tail::Counts);
    let waiting = LetterLines::read(bytes, Tail::Waits);
    assert!(!waiting.waiting || !bytes.ends_with(b"\n"), "only a line without its end waits");
    assert!(waiting.waiting || waiting == whole, "nothing waits, so everything counts");
    let mut ids = HashSet::new();
    for lettered in &whole.letters {
        assert!(ids.insert(lettered.letter.of_whole_line().clone()), "each letter is there once");
        let stands = bytes.windows(lettered.line.len()).any(|part| part == lettered.line);
        assert!(stands, "a line is the file's, byte for byte");
        assert_eq!(
            Letter::parse(&lettered.line).as_ref(),
            Ok(&lettered.letter),
            "a letter follows from its line"
        );
        check_filed(&lettered.line);
    }
    let lines: Vec<&[u8]> = whole.letters.iter().map(|lettered| lettered.line.as_slice()).collect();
    let again = LetterLines::read(&lines.join(&b'\n'), Tail::Counts);
    assert!(again.unreadable.is_empty(), "what was read is read again");
    assert!(again.letters.iter().map(|one| &one.letter).eq(whole.letters.iter().map(|one| &one.letter)));
    !whole.letters.is_empty()
}

/// The line that is filed of a letter is a letter, and is filed as it is.
fn check_filed(line: &[u8]) {
    let Some(filed_line) = filed(line) else { return };
    if filed_line.len() <= LINE_LEN_MAX {
        Letter::parse(&filed_line).expect("what is filed is a letter");
        assert_eq!(filed(&filed_line), None, "{}", String::from_utf8_lossy(&filed_line));
    }
}
