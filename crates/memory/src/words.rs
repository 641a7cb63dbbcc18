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

/// Lower case, and for words of plain English letters the stem that their forms share.
///
/// Endings are taken off only where a stem of some length with a vowel is left: `retries` and
/// `retried` meet `retry`, `caching` meets `cache`, `deployment` meets `deploy`. It need not be a
/// word, and a few strangers meet; that costs rank, where a form that does not meet costs the answer.
fn folded(word: &str) -> String {
    let mut word = word.to_lowercase();
    let may_bend = matches!(word.as_bytes().last(), Some(b's' | b'd' | b'g' | b't' | b'e'));
    if word.len() <= STEM_LEN_MIN || !may_bend || !word.is_ascii() || STOP_WORDS.contains(&word.as_str()) {
        return word;
    }
    // Of names with figures and such, a plain plural alone.
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        if word.ends_with('s') {
            word.pop();
        }
        return word;
    }
    let word = singular(&word);
    let stem = match word.strip_suffix("ment").filter(|stem| is_stem(stem, MENT_LEN_MIN)) {
        Some(stem) => stem.to_owned(),
        None => unbent(word),
    };
    // What differs between a word and its forms in the last letter: cache and caching, retry and retries.
    match stem.strip_suffix('e').filter(|rest| is_stem(rest, STEM_LEN_MIN)) {
        Some(rest) => rest.to_owned(),
        None => stem,
    }
}

/// The fewest letters of a stem, and of one before `ment`: `comment` and `element` stay.
const STEM_LEN_MIN: usize = 3;
const MENT_LEN_MIN: usize = 5;

fn is_stem(stem: &str, len_min: usize) -> bool {
    stem.len() >= len_min && stem.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// Without the `s` of a plural or of a verb; `ies` becomes `y`.
fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| is_stem(stem, STEM_LEN_MIN)) {
        return format!("{stem}y");
    }
    // boxes, flushes, matches, classes.
    let hissing = ["xes", "shes", "ches", "sses", "zzes"].iter().any(|end| word.ends_with(end));
    if hissing {
        return word[..word.len() - 2].to_owned();
    }
    let plain = word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if plain { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// Without `ing` or `ed`, and without the letter that was doubled before it; `ied` becomes `y`.
fn unbent(word: String) -> String {
    if let Some(stem) = word.strip_suffix("ied").filter(|stem| is_stem(stem, STEM_LEN_MIN)) {
        return format!("{stem}y");
    }
    let stem = ["ing", "ed"].iter().find_map(|end| word.strip_suffix(end));
    let Some(stem) = stem.filter(|stem| is_stem(stem, STEM_LEN_MIN) && !stem.ends_with('e')) else {
        return word;
    };
    let bytes = stem.as_bytes();
    let [.., before, last] = bytes else { return stem.to_owned() };
    // stopped, but not missed, called, or buzzed.
    let doubled = before == last && !b"aeioulsz".contains(last);
    if doubled && is_stem(&stem[..stem.len() - 1], STEM_LEN_MIN) {
        stem[..stem.len() - 1].to_owned()
    } else {
        stem.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found_whole_and_in_parts() {
        assert_eq!(words("parseHTTPHeader"), ["parsehttpheader", "pars", "http", "header"]);
        assert_eq!(words("retry_count, Größe 日本"), ["retry_count", "retry", "count", "größe", "日本"]);
        assert_eq!(words("timeouts"), words("timeout"));
    }

    #[test] // spec: MEM-20
    fn the_forms_of_a_word_meet() {
        let same: &[&[&str]] = &[
            &["retry", "retries", "retried", "retrying"],
            &["deploy", "deploys", "deployed", "deploying", "deployment", "deployments"],
            &["cache", "caches", "cached", "caching"],
            &["stop", "stops", "stopped", "stopping"],
            &["box", "boxes"],
            &["match", "matches", "matched", "matching"],
            &["class", "classes"],
            &["timeout", "timeouts"],
            &["query", "queries", "queried"],
            &["use", "uses"],
            &["configure", "configured", "configuring"],
            &["call", "calls", "called", "calling"],
        ];
        for forms in same {
            let folds: Vec<String> = forms.iter().map(|form| folded(form)).collect();
            assert!(folds.iter().all(|fold| *fold == folds[0]), "{forms:?} become {folds:?}");
        }
        let apart = [
            ("string", "str"),
            ("status", "statu"),
            ("bus", "bu"),
            ("need", "ne"),
            ("bed", "b"),
            ("comment", "com"),
            ("element", "ele"),
            ("ring", "r"),
            ("speed", "spe"),
            ("redis", "redi"),
            ("port", "sport"),
            ("thing", "th"),
            ("moment", "mo"),
        ];
        for (one, other) in apart {
            assert_ne!(folded(one), folded(other), "{one} and {other}");
        }
        assert_eq!(folded("retry_counts"), "retry_count");
        for kept in ["größes", "its", "日本", "does", "where", "this"] {
            assert_eq!(folded(kept), kept);
        }
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
