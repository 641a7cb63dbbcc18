//! Recalled text as data: fenced, so that it cannot end its own fence, with everything visible that
//! a reader would not see.

use std::fmt::Write as _;

/// The fewest backticks of a fence.
const FENCE_MIN: usize = 3;

/// A Markdown code fence around a text, with `head` on its first line.
///
/// The fence has more backticks than any run of them inside, so no line of the text closes it; the
/// head is one line without backticks, so it cannot either.
pub fn fenced(head: &str, text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text).max(FENCE_MIN - 1) + 1);
    let head = one_line(head);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{head}\n{text}{end}{fence}\n")
}

/// A text on one line, without backticks, everything unseen made visible.
pub fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t").replace('`', "\\u{60}")
}

/// A sentence on one line, as [`one_line`]; its backticks, which set off names, become quotes.
pub fn sentence(text: &str) -> String {
    one_line(&text.replace('`', "\""))
}

/// Writes what a reader does not see, or what moves the rest about, as its number.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String");
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a reader does not see a character, or it moves the rest about: control characters but for
/// line feed and tab, characters that change the direction of writing, line separators of other kinds,
/// and characters without width or ink, which can carry a hidden text. Some of these have a part in
/// writing a script or an emoji; data for a model is better off with their numbers.
pub fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        // No width, joiners, and directions of writing.
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' => true,
        // Line and paragraph separators.
        '\u{2028}' | '\u{2029}' => true,
        // Letters without ink.
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => true,
        // Marks of annotation and of music.
        '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => true,
        // Selectors of variants, and tags, which spell whole sentences unseen.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test] // spec: MEM-51
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fenced("x", "plain"), "```x\nplain\n```\n");
        assert_eq!(fenced("x", ""), "```x\n```\n");
        assert_eq!(
            fenced("a `b`\nc", "```\nrm -rf\n````"),
            "`````a \\u{60}b\\u{60}\\nc\n```\nrm -rf\n````\n`````\n"
        );
    }

    #[test] // spec: MEM-51
    fn what_is_not_seen_is_spelled_out() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}c\r\nd\te"), "a\\u{1b}[31mb\\u{202e}c\\u{d}\nd\te");
        assert_eq!(visible("\u{e0041}\u{200b}x\u{2028}"), "\\u{e0041}\\u{200b}x\\u{2028}");
        assert_eq!(visible("✔\u{fe0f} 👩\u{200d}👧"), "✔\\u{fe0f} 👩\\u{200d}👧");
        for kept in ["Größe 日本 👩 ✔ नमस्ते", "one\n\ttwo"] {
            assert_eq!(visible(kept), kept, "people write so");
        }
    }

    /// The ranges that must never reach a reader as they are.
    const UNSEEN: &[(u32, u32)] = &[
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x61c, 0x61c),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180e, 0x180e),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x2064),
        (0x2066, 0x206f),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xfff9, 0xfffb),
        (0x1d173, 0x1d17a),
        (0xe0000, 0xe007f),
        (0xe0100, 0xe01ef),
    ];

    #[test] // spec: MEM-51
    fn nothing_hides_in_a_fence() {
        for c in UNSEEN.iter().flat_map(|(first, last)| *first..=*last).filter_map(char::from_u32) {
            assert_eq!(visible(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
    }

    /// Cuts Markdown into its fenced blocks as CommonMark does; anything outside of one is an error.
    fn blocks(page: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let mut blocks = Vec::new();
        let mut open: Option<(usize, String, Vec<String>)> = None;
        for line in page.split(['\n', '\r']) {
            let bare = line.trim_start_matches(' ');
            let ticks = bare.len() - bare.trim_start_matches('`').len();
            let indent = line.len() - bare.len();
            match &mut open {
                None if line.is_empty() => {}
                None if ticks >= 3 && !bare[ticks..].contains('`') => {
                    open = Some((ticks, bare[ticks..].to_owned(), Vec::new()));
                }
                None => return Err(format!("{line:?} stands outside")),
                Some((len, head, lines)) => {
                    if indent <= 3 && ticks >= *len && bare[ticks..].trim().is_empty() {
                        blocks.push((head.clone(), lines.clone()));
                        open = None;
                    } else {
                        lines.push(line.to_owned());
                    }
                }
            }
        }
        if open.is_some() { Err("a fence is left open".into()) } else { Ok(blocks) }
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<String>(),
            "[`~]{1,9}",
            Just("\n".to_owned()),
            Just("\r".to_owned()),
            Just("\n```\n".to_owned()),
            Just("\n   ````  \n".to_owned()),
            Just("\u{202e}".to_owned()),
        ];
        proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test] // spec: MEM-51
        fn no_text_closes_its_fence_early(rows in proptest::collection::vec((text(), text()), 1..4)) {
            let page: String = rows.iter().map(|(head, text)| fenced(head, text)).collect();
            let blocks = blocks(&page);
            prop_assert!(blocks.is_ok(), "{blocks:?} in {page:?}");
            let blocks = blocks.expect("just looked");
            prop_assert_eq!(blocks.len(), rows.len());
            for ((head, lines), (given, text)) in blocks.iter().zip(&rows) {
                prop_assert_eq!(head, &one_line(given));
                let shown = visible(text);
                let expected: Vec<&str> = shown.strip_suffix('\n').unwrap_or(&shown).split('\n').collect();
                let expected = if shown.is_empty() { Vec::new() } else { expected };
                prop_assert_eq!(lines, &expected);
            }
            prop_assert!(!page.contains(|c: char| is_unseen(c)));
        }
    }
}
