//! Of which characters a value is made, and whether it reads like words or like a name in code.

/// The counts of a value's characters.
pub(crate) struct ValueTraits {
    pub(crate) digits: usize,
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    /// Signs that names and words never carry.
    pub(crate) strong: usize,
    /// Signs that join words: `-`, `_`, `.`, `/`, `:`.
    pub(crate) weak: usize,
    /// Changes between digit and letter.
    pub(crate) turns: usize,
    /// Changes of case between two letters.
    pub(crate) flips: usize,
    /// Single digits between two letters, as in `thund3r`.
    pub(crate) inner: usize,
}

impl ValueTraits {
    pub(crate) fn of(value: &[u8]) -> Self {
        let mut looks =
            Self { digits: 0, lower: 0, upper: 0, strong: 0, weak: 0, turns: 0, flips: 0, inner: 0 };
        let mut before = b' ';
        for &byte in value {
            match byte {
                b'0'..=b'9' => looks.digits += 1,
                // Letters with accents are letters.
                b'a'..=b'z' | 0x80.. => looks.lower += 1,
                b'A'..=b'Z' => looks.upper += 1,
                b'-' | b'_' | b'.' | b'/' | b':' => looks.weak += 1,
                _ => looks.strong += 1,
            }
            if byte.is_ascii_digit() && before.is_ascii_alphabetic()
                || byte.is_ascii_alphabetic() && before.is_ascii_digit()
            {
                looks.turns += 1;
            }
            if byte.is_ascii_alphabetic()
                && before.is_ascii_alphabetic()
                && byte.is_ascii_lowercase() != before.is_ascii_lowercase()
            {
                looks.flips += 1;
            }
            before = byte;
        }
        looks.inner = value
            .windows(3)
            .filter(|three| {
                three[0].is_ascii_alphabetic() && three[1].is_ascii_digit() && three[2].is_ascii_alphabetic()
            })
            .count();
        looks
    }

    pub(crate) fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Text helpers on byte slices.
pub(crate) trait TrimBytes {
    fn trim_ascii_end_digits(&self) -> &[u8];
}

impl TrimBytes for [u8] {
    fn trim_ascii_end_digits(&self) -> &[u8] {
        let end = self.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
        &self[..end]
    }
}

/// Words in a row, as in `my-app-prod-2` or `RetryPolicyV3`: nearly all letters are in pronounceable parts.
pub(crate) fn is_wordy(value: &[u8], looks: &ValueTraits) -> bool {
    if looks.digits > 5 || looks.strong > 0 || looks.turns > 4 || looks.inner > 1 {
        return false;
    }
    let in_words: usize =
        pieces(value).filter(|piece| piece.len() >= 3 && is_word(piece)).map(<[u8]>::len).sum();
    in_words * 4 >= looks.letters() * 3 && looks.letters() * 2 > value.len()
}

/// A name in code: words joined by underscores or humps, with at most a number at the end.
pub(crate) fn is_name_of_code(value: &[u8], looks: &ValueTraits) -> bool {
    let snake = value.contains(&b'_') && !value.contains(&b'-') && !value.ends_with(b"_");
    (snake || is_camel(value.trim_ascii_end_digits()) && looks.digits <= 1) && is_wordy(value, looks)
}

/// Letters in humps, as in `SslOpenKeyFn`: a capital and small letters, or a short acronym, mostly words.
pub(crate) fn is_camel(value: &[u8]) -> bool {
    if !value.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (mut in_words, mut letters, mut humps) = (0, 0, 0);
    for hump in pieces(value) {
        let acronym = hump.len() <= 5 && hump.iter().all(u8::is_ascii_uppercase);
        if !acronym && (hump.len() < 2 || !hump[1..].iter().all(u8::is_ascii_lowercase)) {
            return false;
        }
        letters += hump.len();
        humps += 1;
        in_words += if hump.len() >= 3 && is_word(hump) { hump.len() } else { 0 };
    }
    in_words * 10 >= letters * 6 && letters >= humps * 3
}

/// Splits at signs, at digits, and where a capital starts a hump. An acronym keeps its letters together.
pub(crate) fn pieces(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let start = rest.iter().position(u8::is_ascii_alphabetic)?;
        rest = &rest[start..];
        let mut len = 1;
        while len < rest.len() && rest[len].is_ascii_alphabetic() {
            let (before, here) = (rest[len - 1], rest[len]);
            let hump = before.is_ascii_lowercase() && here.is_ascii_uppercase();
            let after_acronym = len >= 2
                && here.is_ascii_lowercase()
                && before.is_ascii_uppercase()
                && rest[len - 2].is_ascii_uppercase();
            if hump {
                break;
            }
            if after_acronym {
                len -= 1;
                break;
            }
            len += 1;
        }
        let (piece, after) = rest.split_at(len);
        rest = after;
        Some(piece)
    })
}

/// How often a letter follows another in words of documents and names in code, two bits for each: 0 hardly
/// ever, 3 often. A row is the first letter, the lowest bits are for `a` behind it.
#[rustfmt::skip]
const LETTER_PAIRS: [u64; 26] = [
    0x65AFDDFE269FE, 0x1026865C61766, 0x106E875B2D767, 0x116686583179B, 0x6EAFEAFD66AFB, 0x1026865831A56,
    0x0026869829352, 0x1019825420343, 0x889F8BFD57BFB, 0x0011010010201, 0x0016424420342, 0x206A4B5D31797,
    0x10264E653035B, 0x50AF479A37BF7, 0x16BBCEFE669BA, 0x102ACB5929757, 0x0020000000000, 0x61AF8BAA367A7,
    0x617F5A5A39766, 0x656BCB593DB67, 0x040FC9E922AAA, 0x0001421020302, 0x0001424424212, 0x0009080010211,
    0x0006495410111, 0x0010010010201,
];

/// A piece that can be pronounced: a vowel, never more than four consonants in a row, and pairs of letters that words
/// have.
pub(crate) fn is_word(piece: &[u8]) -> bool {
    const WORTH: [i32; 4] = [-6, -2, 0, 2];
    let (mut consonants, mut vowels, mut worth) = (0, 0, 0);
    let mut before = None;
    for byte in piece {
        let letter = byte.to_ascii_lowercase();
        match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' | b'y' => {
                vowels += 1;
                consonants = 0;
            }
            b'a'..=b'z' => {
                consonants += 1;
                if consonants > 4 {
                    return false;
                }
            }
            _ => return false,
        }
        let number = usize::from(letter - b'a');
        if let Some(row) = before.replace(number) {
            worth += WORTH[(LETTER_PAIRS[row] >> (2 * number) & 3) as usize];
        }
    }
    let worth_min = if piece.len() < 6 { -4 } else { -2 };
    vowels * 5 >= piece.len() && worth >= worth_min
}
