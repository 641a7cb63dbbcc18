//! English stems by Porter's algorithm of 1980, so that all forms of a word match.
//!
//! Only words of ASCII letters with more than two of them are touched; names, figures and other
//! languages stay as they are.

/// Cuts a lower-case word to its stem, in place.
pub fn stem(word: &mut String) {
    if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    let mut bytes = std::mem::take(word).into_bytes();
    step_1a(&mut bytes);
    step_1b(&mut bytes);
    step_1c(&mut bytes);
    replace_first(&mut bytes, STEP_2, 0);
    replace_first(&mut bytes, STEP_3, 0);
    step_4(&mut bytes);
    step_5(&mut bytes);
    *word = String::from_utf8(bytes).expect("ASCII stays ASCII");
}

const STEP_2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
];

fn step_1a(word: &mut Vec<u8>) {
    if word.ends_with(b"sses") || word.ends_with(b"ies") {
        word.truncate(word.len() - 2);
    } else if word.ends_with(b"s") && !word.ends_with(b"ss") {
        word.pop();
    }
}

fn step_1b(word: &mut Vec<u8>) {
    if word.ends_with(b"eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            word.pop();
        }
        return;
    }
    let cut = [&b"ed"[..], b"ing"].into_iter().find(|ending| word.ends_with(ending)).map(<[u8]>::len);
    let Some(cut) = cut.filter(|cut| has_vowel(&word[..word.len() - cut])) else { return };
    word.truncate(word.len() - cut);
    if word.ends_with(b"at") || word.ends_with(b"bl") || word.ends_with(b"iz") {
        word.push(b'e');
    } else if ends_double(word) && !matches!(word.last(), Some(b'l' | b's' | b'z')) {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

fn step_1c(word: &mut [u8]) {
    let Some((last, rest)) = word.split_last_mut() else { return };
    if *last == b'y' && has_vowel(rest) {
        *last = b'i';
    }
}

/// Replaces the longest ending of a table that the word has, if what is left measures more.
fn replace_first(word: &mut Vec<u8>, table: &[(&str, &str)], measure_over: usize) {
    let found = table.iter().filter(|(ending, _)| word.ends_with(ending.as_bytes()));
    let Some((ending, with)) = found.max_by_key(|(ending, _)| ending.len()) else { return };
    let rest = word.len() - ending.len();
    if measure(&word[..rest]) > measure_over {
        word.truncate(rest);
        word.extend_from_slice(with.as_bytes());
    }
}

fn step_4(word: &mut Vec<u8>) {
    if word.ends_with(b"ion") {
        let rest = word.len() - 3;
        if measure(&word[..rest]) > 1 && matches!(word[..rest].last(), Some(b's' | b't')) {
            word.truncate(rest);
        }
        return;
    }
    let found = STEP_4.iter().filter(|ending| word.ends_with(ending.as_bytes()));
    let Some(ending) = found.max_by_key(|ending| ending.len()) else { return };
    let rest = word.len() - ending.len();
    if measure(&word[..rest]) > 1 {
        word.truncate(rest);
    }
}

fn step_5(word: &mut Vec<u8>) {
    if word.ends_with(b"e") {
        let rest = &word[..word.len() - 1];
        if measure(rest) > 1 || (measure(rest) == 1 && !ends_short(rest)) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && measure(word) > 1 {
        word.pop();
    }
}

/// A vowel; `y` is one after a consonant.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(word: &[u8]) -> bool {
    (0..word.len()).any(|at| is_vowel(word, at))
}

/// How often a consonant follows a vowel.
fn measure(word: &[u8]) -> usize {
    let mut count = 0;
    let mut after_vowel = false;
    for at in 0..word.len() {
        let vowel = is_vowel(word, at);
        count += usize::from(after_vowel && !vowel);
        after_vowel = vowel;
    }
    count
}

fn ends_double(word: &[u8]) -> bool {
    match word {
        [.., before, last] => before == last && !is_vowel(word, word.len() - 1),
        _ => false,
    }
}

/// Consonant, vowel, consonant that is not w, x or y.
fn ends_short(word: &[u8]) -> bool {
    let len = word.len();
    len >= 3
        && !is_vowel(word, len - 3)
        && is_vowel(word, len - 2)
        && !is_vowel(word, len - 1)
        && !matches!(word[len - 1], b'w' | b'x' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_word_meet() {
        // The examples of the published algorithm, step by step.
        let examples = "caresses caress ponies poni ties ti cats cat feed feed agreed agre plastered plaster \
            bled bled motoring motor sing sing conflated conflat troubled troubl sized size hopping hop \
            tanned tan falling fall hissing hiss fizzed fizz failing fail filing file happy happi sky sky \
            relational relat conditional condit rational ration valenci valenc digitizer digit \
            conformabli conform radicalli radic differentli differ vileli vile analogousli analog \
            vietnamization vietnam predication predic operator oper feudalism feudal decisiveness decis \
            hopefulness hope callousness callous formaliti formal sensitiviti sensit sensibiliti sensibl \
            triplicate triplic formative form formalize formal electriciti electr electrical electr \
            hopeful hope goodness good revival reviv allowance allow inference infer airliner airlin \
            gyroscopic gyroscop adjustable adjust defensible defens irritant irrit replacement replac \
            adjustment adjust dependent depend adoption adopt homologou homolog communism commun \
            activate activ angulariti angular homologous homolog effective effect bowdlerize bowdler \
            probate probat rate rate cease ceas controll control roll roll";
        let words: Vec<&str> = examples.split_whitespace().collect();
        for pair in words.chunks(2) {
            let mut word = pair[0].to_owned();
            stem(&mut word);
            assert_eq!(word, pair[1], "stem of {}", pair[0]);
        }
    }

    #[test]
    fn what_is_no_english_word_stays() {
        for word in ["", "a", "is", "utf8", "größe", "дома", "x86_64s"] {
            let mut stemmed = word.to_owned();
            stem(&mut stemmed);
            assert_eq!(stemmed, word);
        }
    }
}
