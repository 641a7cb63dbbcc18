//! Invisible characters, and characters that move the text around them: the table, and how they are written out.

use std::fmt::Write as _;

/// Code points that are written out as their number, as ranges in order.
///
/// Made of the Unicode property `Default_Ignorable_Code_Point` (unassigned ones included, because a later version of
/// Unicode gives them no ink either), the line and paragraph separators, the marks of interlinear annotation, the
/// controls of hieroglyphs, and two blank symbols. Control characters are not in the table: [`is_invisible`] checks them.
const UNSEEN: &[(u32, u32)] = &[
    (0xAD, 0xAD),       // soft hyphen
    (0x34F, 0x34F),     // combining grapheme joiner
    (0x61C, 0x61C),     // Arabic letter mark
    (0x115F, 0x1160),   // Hangul fillers
    (0x17B4, 0x17B5),   // Khmer vowels without ink
    (0x180B, 0x180F),   // Mongolian selectors and separator
    (0x200B, 0x200F),   // spaces and joiners without width, marks of direction
    (0x2028, 0x202E),   // separators of lines and paragraphs, directions of writing
    (0x2060, 0x206F),   // joiners, invisible operators, isolates
    (0x2800, 0x2800),   // blank Braille pattern
    (0x3164, 0x3164),   // Hangul filler
    (0xFE00, 0xFE0F),   // variation selectors
    (0xFEFF, 0xFEFF),   // byte order mark
    (0xFFA0, 0xFFA0),   // half-width Hangul filler
    (0xFFF0, 0xFFFB),   // unassigned specials, marks of annotation
    (0x13430, 0x1343F), // controls of Egyptian hieroglyphs
    (0x1BCA0, 0x1BCA3), // controls of shorthand
    (0x1D159, 0x1D159), // musical note without a head
    (0x1D173, 0x1D17A), // controls of musical notation
    (0xE0000, 0xE0FFF), // tags, which spell whole sentences, and variation selectors
];

/// Whether a character is invisible, or moves the text around it.
///
/// Line feed and tab count as visible. Some of the others belong to the writing of a script or an emoji; data for a
/// model is better off with their numbers.
pub fn is_invisible(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        c => {
            let code = u32::from(c);
            let at = UNSEEN.partition_point(|(_, last)| *last < code);
            UNSEEN.get(at).is_some_and(|(first, _)| *first <= code)
        }
    }
}

/// A text with every invisible character written as its number: `\u{202e}`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String");
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Default_Ignorable_Code_Point` as `DerivedCoreProperties.txt` of Unicode 16 has it. The property is
    /// stable: a code point that has it keeps it.
    const DEFAULT_IGNORABLE: &[(u32, u32)] = &[
        (0x00AD, 0x00AD),
        (0x034F, 0x034F),
        (0x061C, 0x061C),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180D),
        (0x180E, 0x180E),
        (0x180F, 0x180F),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x2064),
        (0x2065, 0x2065),
        (0x2066, 0x206F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0000, 0xE0000),
        (0xE0001, 0xE0001),
        (0xE0002, 0xE001F),
        (0xE0020, 0xE007F),
        (0xE0080, 0xE00FF),
        (0xE0100, 0xE01EF),
        (0xE01F0, 0xE0FFF),
    ];

    #[test] // spec: MEM-51
    fn every_character_that_unicode_lets_a_reader_ignore_is_written_out() {
        let others =
            [0x2028, 0x2029, 0x2800, 0xFFF9, 0xFFFA, 0xFFFB, 0x13430, 0x1343F, 0x1D159, 0x7F, 0x85, 0x9F];
        let ignorable = DEFAULT_IGNORABLE.iter().flat_map(|(first, last)| *first..=*last);
        for c in ignorable.chain(others).filter_map(char::from_u32) {
            assert_eq!(visible(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
    }

    #[test] // spec: MEM-51
    fn the_table_is_in_order_and_takes_nothing_that_is_seen() {
        assert!(UNSEEN.iter().all(|(first, last)| first <= last));
        assert!(UNSEEN.windows(2).all(|pair| pair[0].1 < pair[1].0));
        let listed: u32 = UNSEEN.iter().map(|(first, last)| last - first + 1).sum();
        let controls = 65;
        let found = (0..=0x10FFFF).filter_map(char::from_u32).filter(|c| is_invisible(*c)).count();
        assert_eq!(found, listed as usize + controls - 2, "line feed and tab are seen");
        for kept in ["Größe 日本 👩 ✔ नमस्ते", "one\n\ttwo", "\u{A0}\u{3000}\u{2009}"] {
            assert_eq!(visible(kept), kept, "people write so");
        }
    }
}
