//! The score of shared words: BM25F, one saturation over the weighted fields, word at a time.
//!
//! Documents of one group also count a part of their neighbours' words. Numbers of documents and lengths are those of
//! the scope, so that other stores do not change a rank.

use crate::document::QUANTUM;
use crate::scope::{RecallScope, ScopePart};
use crate::words;

/// How fast more of the same word stops counting.
const K1: f32 = 0.8;
/// How much the length of a text counts against it.
const B: f32 = 0.4;
/// How much a word counts for the document one after, two after and one before the one that holds it. In twentieths, so
/// that a sum does not depend on the order of its parts.
const AFTER: [u32; 2] = [8, 6];
const BEFORE: u32 = 3;
const WHOLE: u32 = 20;
/// Words of a question past this many are not distinguished in a document's surroundings.
const MASK_BITS: usize = 32;
/// How many documents can be skipped in the time of one lookup among those that hold a word.
const LOOK: usize = 16;

/// One word of the question.
#[derive(Clone, Debug)]
pub(super) struct QuestionWord {
    /// The word, stemmed.
    pub(super) text: String,
    /// How rare it is in this scope, with the part that neighbours lend.
    pub(super) rarity: f32,
    /// How rare it is in this scope by itself.
    pub(super) own_rarity: f32,
    /// How many live documents hold it.
    pub(super) holders: usize,
    /// Its position in the question.
    place: usize,
    /// Its number in each part, by the part's first document.
    terms: Vec<(u32, u32)>,
}

impl QuestionWord {
    /// Its number in a part.
    pub(super) fn term_in(&self, part: &ScopePart<'_>) -> Option<u32> {
        self.terms.iter().find(|(first, _)| *first == part.first).map(|(_, term)| *term)
    }
}

/// How much each document of a scope shares with a question.
pub(super) struct Lexical {
    pub(super) scores: Vec<f32>,
    pub(super) words: Vec<QuestionWord>,
    pub(super) length_mean: f32,
    live: f32,
    /// Which words of the question a document or its neighbours hold; empty without groups.
    around: Vec<u32>,
}

impl Lexical {
    pub(super) fn score(scope: &RecallScope<'_>, question: &str) -> Self {
        let asked = words::question_words(question);
        let live = scope.live.max(1) as f32;
        let length_mean = (scope.weight_total as f32 * QUANTUM / live).max(QUANTUM);
        let docs = scope.docs as usize;
        let mut lexical = Self {
            scores: vec![0.0; docs],
            words: Vec::with_capacity(asked.len()),
            length_mean,
            live,
            around: vec![0; if scope.has_groups { docs } else { 0 }],
        };
        let mut spread = Spread::default();
        for (place, text) in asked.into_iter().enumerate() {
            let terms: Vec<(&ScopePart<'_>, u32)> =
                scope.parts.iter().filter_map(|part| Some((part, part.segment.find_term(&text)?))).collect();
            let holders = holders(&terms);
            let own_rarity = rarity(live, holders as f32);
            let mut word = QuestionWord {
                text,
                rarity: own_rarity,
                own_rarity,
                holders,
                place,
                terms: terms.iter().map(|(part, term)| (part.first, *term)).collect(),
            };
            if scope.has_groups {
                spread.gather(scope, &terms);
                word.rarity = rarity(live, (spread.alone + spread.touched.len()) as f32);
                if place < MASK_BITS {
                    spread.touched.iter().for_each(|doc| lexical.around[*doc as usize] |= 1 << place);
                }
                spread.add_to(scope, word.rarity, length_mean, &mut lexical.scores);
            }
            plain(&terms, word.rarity, length_mean, &mut lexical.scores);
            lexical.words.push(word);
        }
        lexical
    }

    /// Whether a document or one of its neighbours holds a word of the question.
    pub(super) fn is_around(&self, doc: u32, word: &QuestionWord) -> bool {
        word.place < MASK_BITS
            && self.around.get(doc as usize).is_some_and(|around| around & (1 << word.place) != 0)
    }

    /// How rare any word of the scope is by itself.
    pub(super) fn own_rarity(&self, scope: &RecallScope<'_>, part: &ScopePart<'_>, term: u32) -> f32 {
        let word = part.segment.term(term);
        let terms: Vec<(&ScopePart<'_>, u32)> = scope
            .parts
            .iter()
            .filter_map(|other| {
                let term = if other.first == part.first { Some(term) } else { other.segment.find_term(word) };
                Some((other, term?))
            })
            .collect();
        rarity(self.live, holders(&terms) as f32)
    }
}

/// How many live documents hold a word.
fn holders(terms: &[(&ScopePart<'_>, u32)]) -> usize {
    terms.iter().map(|(part, term)| live_holders(part, *term, part.segment.len())).sum()
}

/// How many live documents before one hold a word.
fn live_holders(part: &ScopePart<'_>, term: u32, before: u32) -> usize {
    let count = part.segment.holders_before(term, before);
    match part.deleted.count() as usize {
        0 => count,
        // A lookup for each of the few deleted documents costs less than a look at each that holds the word.
        few if few * LOOK < count => {
            let deleted = part.deleted.docs().filter(|doc| *doc < before);
            count - deleted.filter(|doc| part.segment.holds(term, *doc)).count()
        }
        _ => part.segment.postings(term).take(count).filter(|(doc, _)| !part.deleted.holds(*doc)).count(),
    }
}

fn rarity(live: f32, holders: f32) -> f32 {
    (1.0 + (live - holders + 0.5).max(0.0) / (holders + 0.5)).ln()
}

fn saturated(frequency: f32, length: f32, length_mean: f32) -> f32 {
    frequency * (1.0 + K1) / (frequency + K1 * (1.0 - B + B * length / length_mean))
}

/// The worth of a count of one word in a running text, without its rarity.
pub(super) fn saturated_own(count: f32, length: f32, length_mean: f32) -> f32 {
    if count > 0.0 { saturated(count, length, length_mean) } else { 0.0 }
}

/// Adds the score of one word to the documents without neighbours.
fn plain(terms: &[(&ScopePart<'_>, u32)], rarity: f32, length_mean: f32, scores: &mut [f32]) {
    for (part, term) in terms {
        let Some(scores) = scores.get_mut(part.first as usize..) else { continue };
        let alone = part.segment.holders_before(*term, part.segment.alone());
        for (doc, weight) in part.segment.postings(*term).take(alone) {
            let length = f32::from(part.segment.weight(doc)) * QUANTUM;
            if let Some(score) = scores.get_mut(doc as usize) {
                // The same arithmetic as for a spread word, to the last bit: the order of documents makes no
                // difference.
                let frequency = spread_out(u32::from(weight) * WHOLE);
                *score += rarity * saturated(frequency, length, length_mean);
            }
        }
    }
}

/// A frequency that was counted in quarters of twentieths.
fn spread_out(frequency: u32) -> f32 {
    frequency as f32 * (QUANTUM / WHOLE as f32)
}

/// One word, spread over the neighbours of the documents that hold it.
#[derive(Default)]
struct Spread {
    /// In quarters of twentieths, of the documents that may have neighbours.
    frequencies: Vec<u32>,
    touched: Vec<u32>,
    /// How many documents without neighbours hold the word.
    alone: usize,
}

impl Spread {
    fn gather(&mut self, scope: &RecallScope<'_>, terms: &[(&ScopePart<'_>, u32)]) {
        self.frequencies.resize(scope.docs as usize, 0);
        self.touched.clear();
        self.alone = 0;
        for (part, term) in terms {
            self.alone += live_holders(part, *term, part.segment.alone());
            let alone = part.segment.holders_before(*term, part.segment.alone());
            for (own, weight) in part.segment.postings(*term).skip(alone) {
                if part.deleted.holds(own) || own >= part.segment.len() {
                    continue;
                }
                let weight = u32::from(weight);
                self.add(part.first + own, weight * WHOLE);
                if let Some(beside) = part.beside(own) {
                    beside.after().zip(AFTER).for_each(|(doc, share)| self.add(doc, weight * share));
                    beside.before().take(1).for_each(|doc| self.add(doc, weight * BEFORE));
                }
            }
        }
    }

    fn add(&mut self, doc: u32, weight: u32) {
        if let Some(frequency) = self.frequencies.get_mut(doc as usize) {
            if *frequency == 0 {
                self.touched.push(doc);
            }
            *frequency += weight;
        }
    }

    fn add_to(&mut self, scope: &RecallScope<'_>, rarity: f32, length_mean: f32, scores: &mut [f32]) {
        for doc in &self.touched {
            let (part, own) = scope.locate(*doc);
            let length = f32::from(part.segment.weight(own)) * QUANTUM;
            let frequency = std::mem::take(&mut self.frequencies[*doc as usize]);
            scores[*doc as usize] += rarity * saturated(spread_out(frequency), length, length_mean);
        }
    }
}
