//! Lines of an unfinished merge: git in all its styles, Mercurial, Jujutsu.
//!
//! Only lines that start with the marker count, so an indented or quoted example passes. A row of equal
//! signs alone never counts: it underlines headings.

use crate::limits::MARKER_LEN_MAX;
use std::ops::Range;

const LEN_MIN: usize = 7;

/// A line that starts with a row of one of the marker signs.
struct MarkerLine<'a> {
    sign: u8,
    len: usize,
    /// What follows the row, with its blank.
    rest: &'a [u8],
}

/// Finds the first conflict, whole or half resolved.
pub(crate) fn find(text: &[u8]) -> Option<Range<usize>> {
    let mut open: Option<(usize, usize)> = None;
    let mut separated = false;
    let mut rule: Option<(usize, usize)> = None;
    let mut at = 0;
    while at < text.len() {
        let here = &text[at..];
        let Some(marker) = marker(here) else {
            at = next_line(text, at);
            continue;
        };
        let labelled = marker.rest.first() == Some(&b' ') && !marker.rest.trim_ascii().is_empty();
        match marker.sign {
            b'<' if labelled => {
                if is_known_side(marker.rest.trim_ascii()) {
                    return Some(at..at + marker.len);
                }
                open = Some((at, marker.len));
                separated = false;
            }
            b'=' if marker.rest.trim_ascii().is_empty() => {
                rule = Some((at, marker.len));
                separated |= open.is_some_and(|(_, len)| len == marker.len);
            }
            b'%' | b'+' | b'-' | b'|' => {
                separated |= labelled && open.is_some_and(|(_, len)| len == marker.len)
            }
            b'>' if labelled => {
                let whole = open.filter(|(_, len)| separated && *len == marker.len);
                let half = rule.filter(|(_, len)| *len == marker.len && is_commit(marker.rest.trim_ascii()));
                if let Some((start, _)) = whole.or(half) {
                    return Some(start..at + marker.len);
                }
            }
            _ => {}
        }
        at = next_line(text, at);
    }
    None
}

fn next_line(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |len| at + len + 1)
}

fn marker(here: &[u8]) -> Option<MarkerLine<'_>> {
    let sign = here[0];
    if !matches!(sign, b'<' | b'=' | b'>' | b'|' | b'%' | b'+' | b'-') {
        return None;
    }
    let len = here.iter().take(MARKER_LEN_MAX + 1).take_while(|byte| **byte == sign).count();
    if !(LEN_MIN..=MARKER_LEN_MAX).contains(&len) {
        return None;
    }
    let rest = &here[len..];
    let rest = &rest[..rest.len().min(200)];
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    Some(MarkerLine { sign, len, rest: &rest[..end] })
}

/// Labels that only a merge writes beside its first side: alone, they show a half-resolved conflict.
fn is_known_side(label: &[u8]) -> bool {
    const WHOLE: [&[u8]; 4] = [b"HEAD", b"ours", b"Updated upstream", b"Stashed changes"];
    const HEADS: [&[u8]; 4] = [b"conflict ", b"working copy:", b"local:", b"HEAD:"];
    WHOLE.contains(&label) || HEADS.iter().any(|head| label.starts_with(head)) || is_commit(label)
}

/// A commit's hash, alone or before its subject.
fn is_commit(label: &[u8]) -> bool {
    let len = label.iter().take_while(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(*byte)).count();
    (7..=64).contains(&len)
        && label[..len].iter().any(u8::is_ascii_digit)
        && matches!(label.get(len), None | Some(b' ' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, refused: bool) {
        assert_eq!(find(text.as_bytes()).is_some(), refused, "{text}");
        assert_eq!(find(text.replace('\n', "\r\n").as_bytes()).is_some(), refused, "with CRLF: {text}");
    }

    #[test] // spec: MEM-14, LTR-8
    fn conflicts_of_every_style_are_found() {
        check("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n", true);
        check("x\n<<<<<<< mine\na\n||||||| base\nc\n=======\nb\n>>>>>>> theirs", true);
        check("<<<<<<<<<<< one\na\n===========\nb\n>>>>>>>>>>> two\n", true);
        check(
            "<<<<<<< conflict 1 of 1\n%%%%%%% diff from: a\n+++++++ b\n>>>>>>> conflict 1 of 1 ends\n",
            true,
        );
        check(
            "<<<<<<< working copy: 0a1b2c3d4e5f - me: text\na\n=======\nb\n>>>>>>> merge rev: 5f4e3d2c\n",
            true,
        );
        check("half resolved\n<<<<<<< HEAD\nkept\n", true);
        check("kept\n=======\nother\n>>>>>>> 0a1b2c3 (a subject)\n", true);
    }

    #[test] // spec: MEM-14, LTR-8
    fn headings_quotes_and_indented_examples_pass() {
        check("Title\n=======\n\ntext\n", false);
        check(">>>>>>> a deep quote of a mail\n>>>>>>> another\n", false);
        check(" <<<<<<< HEAD\n a\n =======\n b\n >>>>>>> topic\n", false);
        check("> <<<<<<< HEAD\n> =======\n> >>>>>>> topic\n", false);
        check("-------\n+++++++\n|||||||\n%%%%%%%\n", false);
        check("<<<<<<<<<<\nan arrow without a label\n", false);
        check("Title\n=======\n\n>>>>>>> quoted under a heading\n", false);
        check("the marker `<<<<<<< HEAD` opens a conflict", false);
    }
}
