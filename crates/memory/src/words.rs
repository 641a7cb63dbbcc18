//! Words: how text is cut for matching, and what a match is worth.
//!
//! This is the plain scan that stands in until the index ranks: honest, and linear in the store.

use std::collections::HashMap;

/// Words too common to say what a question is about.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "how", "i", "in", "is",
    "it", "of", "on", "or", "our", "should", "that", "the", "this", "to", "was", "we", "what", "when",
    "where", "which", "who", "why", "with", "you",
];

/// What one field of a claim weighs.
pub(crate) const LABEL: f64 = 3.0;
pub(crate) const TITLE: f64 = 2.0;
pub(crate) const TAGS: f64 = 2.0;
pub(crate) const TEXT: f64 = 1.0;
pub(crate) const EVIDENCE: f64 = 1.0;

/// The weighted words of one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document(HashMap<String, f64>);

impl Document {
    /// Adds a field.
    pub(crate) fn add(&mut self, weight: f64, text: &str) {
        for word in words(text) {
            *self.0.entry(word).or_default() += weight;
        }
    }
}

/// Scores each document against a question: the rarer the shared words in these documents, and the
/// heavier the fields they stand in, the more. Zero means that no word is shared.
pub(crate) fn score(question: &str, documents: &[Document]) -> Vec<f64> {
    let mut asked = words(question);
    asked.sort();
    asked.dedup();
    let telling: Vec<String> =
        asked.iter().filter(|word| !STOP_WORDS.contains(&word.as_str())).cloned().collect();
    let asked = if telling.is_empty() { asked } else { telling };
    let total = documents.len() as f64;
    let rarity: Vec<f64> = asked
        .iter()
        .map(|word| {
            let holders = documents.iter().filter(|document| document.0.contains_key(word)).count() as f64;
            (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln()
        })
        .collect();
    let worth = |document: &Document| {
        let each = asked.iter().zip(&rarity);
        each.filter_map(|(word, rarity)| document.0.get(word).map(|weight| rarity * weight / (weight + 1.2)))
            .sum()
    };
    documents.iter().map(worth).collect()
}

/// Cuts text into lower-case words; `parseURL2_fast` gives itself and its parts.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for run in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty()) {
        let parts = parts(run);
        if parts.len() > 1 {
            out.push(folded(run));
        }
        out.extend(parts.iter().map(|part| folded(part)));
    }
    out
}

fn parts(run: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let chars: Vec<(usize, char)> = run.char_indices().collect();
    for pair in 1..chars.len() {
        let (before, (at, here)) = (chars[pair - 1].1, chars[pair]);
        let after = chars.get(pair + 1).map(|(_, c)| *c);
        let camel = before.is_lowercase() && here.is_uppercase();
        let acronym = before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
        if camel || acronym || here == '_' || before == '_' {
            cuts.push(at);
        }
    }
    cuts.push(run.len());
    cuts.windows(2).map(|cut| run[cut[0]..cut[1]].trim_matches('_')).filter(|part| !part.is_empty()).collect()
}

/// Lower case, and a plural for its singular where that is plain.
fn folded(word: &str) -> String {
    let mut word = word.to_lowercase();
    if word.len() > 3 && word.is_ascii() && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found_whole_and_in_parts() {
        assert_eq!(words("parseHTTPHeader"), ["parsehttpheader", "parse", "http", "header"]);
        assert_eq!(words("retry_count, Größe 日本"), ["retry_count", "retry", "count", "größe", "日本"]);
        assert_eq!(words("timeouts"), words("timeout"));
    }

    #[test]
    fn a_sentence_finds_the_document_that_shares_its_rare_words() {
        let mut documents = vec![Document::default(), Document::default(), Document::default()];
        documents[0].add(TEXT, "the cache is cleared after a deploy");
        documents[1].add(TEXT, "the retry policy is three times");
        documents[2].add(TEXT, "the colour is blue");
        let scores = score("what is our retry policy after a failure?", &documents);
        assert!(scores[1] > scores[0] && scores[0] > 0.0 && scores[2] == 0.0, "{scores:?}");
    }
}
