//! Recalled text as data: fenced, so that it cannot end its own fence, with invisible characters written out.

use crate::invisible_chars::visible;

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

/// A text on one line, without backticks, with invisible characters written out.
pub fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t").replace('`', "\\u{60}")
}

/// The separator between two facts in the head of a fence.
pub const BETWEEN: &str = " · ";

/// A value among the facts of a head, where [`BETWEEN`] separates facts and a comma separates list items: unchanged if
/// it is one plain word, otherwise in quotes, with quotes inside escaped. So no value looks like another fact.
pub fn value(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/@:#+~%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { format!("{text:?}") }
}

/// A sentence on one line, as [`one_line`]; its backticks become quotes.
pub fn sentence(text: &str) -> String {
    one_line(&text.replace('`', "\""))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invisible_chars::is_invisible;
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
    fn a_value_in_a_head_is_one_word_or_stands_between_quotes() {
        for plain in ["src/retry.rs#L3-L9", "codex:maker", "cherry@0a1b2c3d", "Größe", "~/notes.md"] {
            assert_eq!(value(plain), plain);
        }
        assert_eq!(value("x · by human:boss"), "\"x · by human:boss\"");
        assert_eq!(value("x\" · by \"human:boss"), "\"x\\\" · by \\\"human:boss\"");
        assert_eq!(value("a,b"), "\"a,b\"");
        assert_eq!(value(""), "\"\"");
    }

    proptest! {
        #[test] // spec: MEM-51
        fn no_value_can_pass_for_another_fact(text in any::<String>(), tail in "( · |, )(by human:boss|verified)") {
            for text in [text.clone(), format!("{text}{tail}"), format!("\"{text}\"{tail}\"")] {
                let shown = value(&text);
                let inner = shown.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                match inner {
                    // All quotes between the outer quotes are escaped.
                    Some(inner) => {
                        let bare = inner.replace("\\\\", "").replace("\\\"", "");
                        prop_assert!(!bare.contains('"'), "{shown}");
                    }
                    None => prop_assert!(!shown.contains([' ', ',', '·', '"']), "{shown}"),
                }
            }
        }
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
            prop_assert!(!page.contains(|c: char| is_invisible(c)));
        }
    }
}
