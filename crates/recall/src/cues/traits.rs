//! Traits of a text, small enough to be kept with every document.

/// Words for a time.
const TIME_WORDS: &[&str] = &[
    "ago",
    "april",
    "august",
    "day",
    "days",
    "december",
    "evening",
    "fall",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "last",
    "march",
    "monday",
    "month",
    "months",
    "morning",
    "next",
    "november",
    "october",
    "recently",
    "saturday",
    "september",
    "since",
    "spring",
    "summer",
    "sunday",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
    "week",
    "weekend",
    "weeks",
    "winter",
    "year",
    "years",
    "yesterday",
];

/// Words for a number.
const NUMBER_WORDS: &[&str] = &[
    "couple", "eight", "eleven", "five", "four", "hundred", "nine", "once", "one", "seven", "several", "six",
    "ten", "thirty", "three", "twelve", "twenty", "twice", "two",
];

/// How far time words and names are counted.
const COUNT_MAX: u8 = 3;

/// Traits of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextTraits {
    /// It ends with a question mark.
    pub(crate) asks: bool,
    /// It holds a number.
    pub(crate) counts: bool,
    /// How many different time words it has, up to three.
    pub(crate) times: u8,
    /// How many words are written as names within a sentence, up to three.
    pub(crate) names: u8,
    /// How much it looks like code: 0 to 255.
    pub(crate) code: u8,
}

impl TextTraits {
    pub(crate) fn of(text: &str) -> Self {
        let mut times: Vec<String> = Vec::new();
        let mut counts = false;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            counts |= word.bytes().all(|byte| byte.is_ascii_digit());
            if word.len() > 9 {
                continue;
            }
            let word = word.to_lowercase();
            let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
            let is_year = is_year && word.bytes().all(|byte| byte.is_ascii_digit());
            counts |= NUMBER_WORDS.binary_search(&word.as_str()).is_ok();
            if (is_year || TIME_WORDS.binary_search(&word.as_str()).is_ok()) && !times.contains(&word) {
                times.push(word);
            }
        }
        Self {
            asks: said(text).ends_with('?'),
            counts,
            times: times.len().min(usize::from(COUNT_MAX)) as u8,
            names: names_within(text),
            code: code_likeness(text),
        }
    }

    pub(crate) fn bytes(self) -> [u8; 2] {
        let flags = u8::from(self.asks) | u8::from(self.counts) << 1;
        [flags | (self.times & 3) << 2 | (self.names & 3) << 4, self.code]
    }

    pub(crate) fn of_bytes([flags, code]: [u8; 2]) -> Self {
        Self {
            asks: flags & 1 != 0,
            counts: flags & 2 != 0,
            times: flags >> 2 & 3,
            names: flags >> 4 & 3,
            code,
        }
    }
}

/// The text without a remark in brackets at its end, such as the description of a picture.
fn said(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix(']').and_then(|rest| rest.rfind('[')) {
        Some(at) => text[..at].trim_end(),
        None => text,
    }
}

/// Words with a capital and small letters after it that do not begin a sentence.
fn names_within(text: &str) -> u8 {
    let mut count = 0;
    let mut begins = true;
    for word in text.split_whitespace() {
        let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut chars = bare.chars();
        let capital = chars.next().is_some_and(char::is_uppercase);
        if capital && !begins && chars.by_ref().take(2).filter(|c| c.is_lowercase()).count() == 2 {
            count += 1;
        }
        begins = word.ends_with(['.', '!', '?', ']']);
    }
    count.min(COUNT_MAX)
}

/// The share of signs that are common in code and rare in prose, from 3 % (0) to 7 % (255).
fn code_likeness(text: &str) -> u8 {
    let mut signs = 0_u32;
    let mut all = 0_u32;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        signs += u32::from(matches!(c, '(' | ')' | '{' | '}' | '=' | ';' | '_'));
    }
    if all == 0 {
        return 0;
    }
    let share = signs as f32 / all as f32;
    (((share - 0.03) / 0.04).clamp(0.0, 1.0) * 255.0) as u8
}
