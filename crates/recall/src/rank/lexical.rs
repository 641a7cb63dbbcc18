//! What shares words: BM25F, one saturation over the weighted fields, word at a time.
//!
//! Documents of one group also count a part of what their neighbours say. Numbers of documents and
//! lengths are those of the scope, so that no other store's words move a rank.

use crate::document::QUANTUM;
use crate::scope::{Part, Scope};
use crate::words;

/// How fast more of the same word stops counting.
const K1: f32 = 0.8;
/// How much a long text is held against itself.
const B: f32 = 0.4;
/// What a word counts for the document one after, two after and one before the one that holds it.
const AFTER: [(i32, f32); 3] = [(1, 0.4), (2, 0.3), (-1, 0.15)];

/// One word of the question.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// How telling it is in this scope.
    pub(super) rarity: f32,
    /// Its number in each part, by the part's first document.
    terms: Vec<(u32, u32)>,
}

impl Word {
    /// Its number in a part.
    pub(super) fn term_in(&self, part: &Part<'_>) -> Option<u32> {
        self.terms.iter().find(|(first, _)| *first == part.first).map(|(_, term)| *term)
    }
}

/// What each document of a scope shares with a question.
pub(super) struct Lexical {
    pub(super) scores: Vec<f32>,
    pub(super) words: Vec<Word>,
}

impl Lexical {
    pub(super) fn score(scope: &Scope<'_>, question: &str) -> Self {
        let asked = words::question_words(question);
        let mut lexical =
            Self { scores: vec![0.0; scope.docs as usize], words: Vec::with_capacity(asked.len()) };
        let live = scope.live.max(1) as f32;
        let length_mean = (scope.weight_total as f32 * QUANTUM / live).max(QUANTUM);
        let mut spread = Spread::default();
        for word in asked {
            let terms: Vec<(&Part<'_>, u32)> =
                scope.parts.iter().filter_map(|part| Some((part, part.segment.find_term(&word)?))).collect();
            let rarity = if scope.has_groups {
                spread.gather(scope, &terms, live);
                spread.add_to(scope, length_mean, &mut lexical.scores)
            } else {
                plain(&terms, live, length_mean, &mut lexical.scores)
            };
            let terms = terms.iter().map(|(part, term)| (part.first, *term)).collect();
            lexical.words.push(Word { rarity, terms });
        }
        lexical
    }
}

fn rarity(live: f32, holders: f32) -> f32 {
    (1.0 + (live - holders + 0.5).max(0.0) / (holders + 0.5)).ln()
}

fn saturated(frequency: f32, length: f32, length_mean: f32) -> f32 {
    frequency * (1.0 + K1) / (frequency + K1 * (1.0 - B + B * length / length_mean))
}

/// Adds what one word is worth, where no document has neighbours.
fn plain(terms: &[(&Part<'_>, u32)], live: f32, length_mean: f32, scores: &mut [f32]) -> f32 {
    let held = |(part, term): &(&Part<'_>, u32)| match part.struck.count() {
        0 => part.segment.postings(*term).len(),
        _ => part.segment.postings(*term).filter(|(doc, _)| !part.struck.holds(*doc)).count(),
    };
    let holders: usize = terms.iter().map(held).sum();
    let rarity = rarity(live, holders as f32);
    for (part, term) in terms {
        let first = part.first as usize;
        let Some(scores) = scores.get_mut(first..) else { continue };
        for (doc, weight) in part.segment.postings(*term) {
            let length = f32::from(part.segment.weight(doc)) * QUANTUM;
            if let Some(score) = scores.get_mut(doc as usize) {
                *score += rarity * saturated(f32::from(weight) * QUANTUM, length, length_mean);
            }
        }
    }
    rarity
}

/// One word, spread over the neighbours of the documents that hold it.
#[derive(Default)]
struct Spread {
    frequencies: Vec<f32>,
    touched: Vec<u32>,
    rarity: f32,
}

impl Spread {
    fn gather(&mut self, scope: &Scope<'_>, terms: &[(&Part<'_>, u32)], live: f32) {
        self.frequencies.resize(scope.docs as usize, 0.0);
        self.touched.clear();
        for (part, term) in terms {
            for (own, weight) in part.segment.postings(*term) {
                if part.struck.holds(own) || own >= part.segment.len() {
                    continue;
                }
                let (doc, weight) = (part.first + own, f32::from(weight) * QUANTUM);
                self.add(doc, weight);
                if part.segment.group(own).is_some() {
                    for (offset, share) in AFTER {
                        if let Some(other) = scope.neighbour(doc, offset) {
                            self.add(other, weight * share);
                        }
                    }
                }
            }
        }
        self.rarity = rarity(live, self.touched.len() as f32);
    }

    fn add(&mut self, doc: u32, weight: f32) {
        if let Some(frequency) = self.frequencies.get_mut(doc as usize) {
            if *frequency == 0.0 {
                self.touched.push(doc);
            }
            *frequency += weight;
        }
    }

    fn add_to(&mut self, scope: &Scope<'_>, length_mean: f32, scores: &mut [f32]) -> f32 {
        for doc in &self.touched {
            let (part, own) = scope.locate(*doc);
            let length = f32::from(part.segment.weight(own)) * QUANTUM;
            let frequency = std::mem::take(&mut self.frequencies[*doc as usize]);
            scores[*doc as usize] += self.rarity * saturated(frequency, length, length_mean);
        }
        self.rarity
    }
}
