//! What a question asks for.

use super::day::AskedDays;

/// Words that end the thing that is asked for: "which games HAS she played".
const AUXILIARIES: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "might", "should", "was", "were",
    "will", "would",
];

/// What a question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct QuestionCues {
    /// When.
    pub(crate) when: bool,
    /// How many, how long, how often.
    pub(crate) how_many: bool,
    /// For several things, which may be in different claims.
    pub(crate) several: bool,
    /// About these days.
    pub(crate) days: Option<AskedDays>,
}

impl QuestionCues {
    pub(crate) fn of(question: &str) -> Self {
        let low = question.to_lowercase();
        let has = |part: &str| low.contains(part);
        Self {
            when: low.trim_start().starts_with("when")
                || ["what year", "which year", "which month", "what date"].iter().any(|part| has(part)),
            how_many: ["how many", "how long", "how often", "how much"].iter().any(|part| has(part)),
            several: asks_for_several(&low),
            days: AskedDays::in_question(question),
        }
    }
}

fn asks_for_several(low: &str) -> bool {
    let words: Vec<&str> =
        low.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let how_many = low.contains("how many");
    if words.contains(&"both") || how_many {
        return true;
    }
    let Some(("what" | "which", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
        return false;
    };
    let is_plural = |word: &&&str| {
        word.len() >= 4
            && word.ends_with('s')
            && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending))
    };
    let asked_for = rest.iter().take(4).take_while(|word| !AUXILIARIES.contains(word));
    asked_for.clone().any(|word| is_plural(&word))
        || rest.iter().take(4).any(|word| matches!(*word, "has" | "have"))
}
