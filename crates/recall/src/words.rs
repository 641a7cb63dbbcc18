//! How text is cut into the words that are matched.
//!
//! A run of letters and digits is a word; an identifier is cut at its humps and underscores and is also
//! kept whole, so that `parseURL` is found by `parse url` and by itself. Scripts without spaces are cut
//! into single signs. English words are brought to their stems.

use crate::stem::stem;

/// The longest word that is kept, in bytes; a longer one is cut there.
pub const WORD_LEN_MAX: usize = 64;

/// The most different words of a question that are searched.
pub const QUESTION_WORDS_MAX: usize = 256;

/// One word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextWord {
    /// The next word of the running text.
    Running,
    /// A whole identifier, beside its parts: it has no position of its own.
    Whole,
}

/// Calls `take` with each word of a text, lower-case and stemmed, in order.
pub fn each_word(text: &str, mut take: impl FnMut(&str, TextWord)) {
    let mut word = String::new();
    for run in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || is_mark(c))) {
        if run.bytes().all(|byte| byte == b'_') {
            continue;
        }
        let mut parts = 0;
        each_part(run, |part| {
            parts += 1;
            fold_into(&mut word, part);
            stem(&mut word);
            take(&word, TextWord::Running);
        });
        // A whole run in a script without spaces is not a name that a person would type.
        if parts > 1 && run.is_ascii() {
            fold_into(&mut word, run.trim_matches('_'));
            take(&word, TextWord::Whole);
        }
    }
}

/// The distinct words of a question, in order, without stop words unless there is nothing else.
pub fn question_words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut telling: Vec<String> = Vec::new();
    let keep = |list: &mut Vec<String>, word: &str| {
        if !list.iter().any(|known| known == word) {
            list.push(word.to_owned());
        }
    };
    each_word(text, |word, _| {
        if telling.len() < QUESTION_WORDS_MAX && !is_stop(word) {
            keep(&mut telling, word);
        } else if all.len() < QUESTION_WORDS_MAX {
            keep(&mut all, word);
        }
    });
    if telling.is_empty() { all } else { telling }
}

/// Whether a stemmed word is too common to show what a text is about.
pub fn is_stop(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Stems of words that every text has, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "ani", "ar", "as", "at", "be", "been", "but", "by", "can", "could", "d",
    "did", "do", "doe", "for", "from", "ha", "had", "have", "he", "her", "hi", "him", "how", "i", "if", "in",
    "into", "is", "it", "just", "ll", "m", "me", "my", "no", "not", "of", "on", "or", "our", "out", "re",
    "s", "she", "should", "so", "some", "t", "than", "that", "the", "thei", "their", "them", "then", "there",
    "these", "thi", "those", "to", "up", "us", "ve", "wa", "we", "were", "what", "when", "where", "which",
    "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Marks that belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' | '\u{900}'..='\u{903}'
        | '\u{93A}'..='\u{94F}' | '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}')
}

/// Signs of scripts that put no space between words.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn each_part(run: &str, mut take: impl FnMut(&str)) {
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut chars = run.char_indices().peekable();
    while let Some((at, here)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        let cut = before.is_some_and(|before| is_cut(before, here, after));
        if cut {
            emit(&run[start..at], &mut take);
            start = at;
        }
        before = Some(here);
    }
    emit(&run[start..], &mut take);
}

fn emit(part: &str, take: &mut impl FnMut(&str)) {
    let part = part.trim_matches('_');
    if !part.is_empty() {
        take(part);
    }
}

fn is_cut(before: char, here: char, after: Option<char>) -> bool {
    let hump = (before.is_lowercase() || before.is_ascii_digit()) && here.is_uppercase();
    let acronym = before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
    let sign = (is_spaceless(before) || is_spaceless(here)) && !is_mark(here);
    hump || acronym || sign || (before == '_') != (here == '_')
}

fn fold_into(word: &mut String, part: &str) {
    word.clear();
    if part.is_ascii() {
        word.push_str(&part[..part.len().min(WORD_LEN_MAX)]);
        word.make_ascii_lowercase();
        return;
    }
    for c in part.chars().flat_map(char::to_lowercase).filter(|c| !is_accent(*c)) {
        let c = plain_letter(c);
        if word.len() + c.len_utf8() > WORD_LEN_MAX {
            break;
        }
        word.push(c);
    }
}

/// Accents that people leave out in questions.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}')
}

/// The letter without the accent it is written with.
fn plain_letter(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' | 'į' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        each_word(text, |word, place| {
            out.push(if place == TextWord::Whole { format!("={word}") } else { word.to_owned() });
        });
        out
    }

    #[test]
    fn identifiers_are_cut_and_kept_whole() {
        assert_eq!(words("parseURL2_fast"), ["pars", "url2", "fast", "=parseurl2_fast"]);
        assert_eq!(words("HTTPServer"), ["http", "server", "=httpserver"]);
        assert_eq!(words("src/net/retry.rs"), ["src", "net", "retri", "rs"]);
        assert_eq!(words("__init__ _ ___"), ["init"]);
    }

    #[test]
    fn the_forms_of_a_word_and_its_accents_meet() {
        assert_eq!(words("Retries retried"), ["retri", "retri"]);
        assert_eq!(words("Café cafe\u{301}"), ["cafe", "cafe"]);
        assert_eq!(words("Größe"), ["große"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_signs() {
        assert_eq!(words("東京 tower"), ["東", "京", "tower"]);
    }

    #[test]
    fn a_question_of_stop_words_alone_still_asks() {
        assert_eq!(question_words("who are we"), ["who", "ar", "we"]);
        assert_eq!(question_words("How does the retry work, the retry?"), ["retri", "work"]);
    }

    #[test]
    fn a_question_of_a_hundred_thousand_words_is_cut() {
        let text: String = (0..100_000).map(|n| format!("w{n}z ")).collect();
        assert_eq!(question_words(&text).len(), QUESTION_WORDS_MAX);
    }

    #[test]
    fn the_stop_words_are_sorted_stems() {
        let mut sorted = STOP_WORDS.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, STOP_WORDS);
    }

    #[test]
    fn endless_words_are_cut() {
        let text = "é".repeat(100_000);
        assert!(words(&text)[0].len() <= WORD_LEN_MAX);
    }
}
