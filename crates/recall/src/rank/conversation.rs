//! Claims that were written together read like a conversation: the speaker, the question just before, and the rest of
//! the session count as much as the words themselves.
//!
//! Each candidate of a group gets a row of features, and their weighted sum orders the candidates of groups among
//! themselves. The weights were fitted on public conversations (docs/recall.md); claims without a group are not
//! affected.

use super::lexical::{Lexical, QuestionWord, saturated_own};
use super::near;
use super::semantic::{Direction, LOWEST, Semantic};
use crate::cues::{Day, QuestionCues};
use crate::scope::{RecallScope, ScopePart};
use crate::segment::DIMENSIONS;
use crate::words::{each_word, is_stop};
use brainstem_recall_model::{dot, signed};
use std::collections::{HashMap, HashSet};

/// The names of the features, in order.
pub const FEATURES: [&str; 26] = [
    "words",
    "own_words",
    "meaning",
    "meaning_around",
    "meaning_unnamed",
    "date",
    "speaker",
    "first_speaker",
    "covered",
    "near",
    "asks",
    "after_question",
    "after_question_meaning",
    "after_question_words",
    "opens",
    "when_opens",
    "when_time",
    "time",
    "how_many_number",
    "names",
    "telling",
    "common",
    "session",
    "several_session",
    "beside",
    "expanded",
];

/// The weight of each feature.
pub const WEIGHTS: [f32; 26] = [
    2.002, -0.371, -0.107, 0.845, 1.544, 3.184, 1.796, 1.081, 1.907, 0.745, -0.664, 0.408, 0.311, 0.790,
    0.451, 0.705, 1.946, 0.555, 1.327, 1.256, 0.959, -4.009, 2.740, -1.822, 0.381, 0.066,
];

/// One row of features.
pub type Features = [f32; FEATURES.len()];

/// Groups with fewer claims are not conversations.
pub(super) const MEMBERS_MIN: usize = 4;
/// What each claim of a session costs the later ones of the same session.
pub(super) const CROWDED: f32 = 0.05;
/// How many neighbours on each side are compared to find out how common a claim's content is in its session.
const COMMON_REACH: usize = 32;
/// How many of the closest count.
const COMMON_TOP: usize = 5;
/// How many of the best candidates lend their words, and how many words.
const LENDERS: usize = 10;
const LENT: usize = 10;
/// What a neighbour's vector adds: one and two before, one after.
const BEFORE: [f32; 2] = [0.3, 0.2];
const AFTER: f32 = 0.3;

/// The input for the features of a question.
pub(super) struct QuestionFeatures<'s, 'a> {
    pub(super) scope: &'s RecallScope<'a>,
    pub(super) question: &'s str,
    pub(super) lexical: &'s Lexical,
    pub(super) semantic: Option<&'s Semantic>,
    /// The question without the names of the speakers.
    pub(super) unnamed: Option<Direction>,
    /// The score of each document without the conversation.
    pub(super) base: &'s dyn Fn(u32) -> f32,
}

/// The authors of a scope by the words of their names.
pub(super) struct Authors {
    /// Name words of every author.
    words: HashSet<String>,
    /// The authors named in the question, by name, in the order of the question.
    pub(super) named: Vec<String>,
}

impl Authors {
    pub(super) fn of(scope: &RecallScope<'_>, question: &str) -> Self {
        let mut asked: Vec<String> = Vec::new();
        each_word(question, |word, _| asked.push(word.to_owned()));
        let mut words = HashSet::new();
        let mut named: Vec<(usize, String)> = Vec::new();
        for author in scope.speakers() {
            let mut first = None;
            each_word(author, |word, _| {
                let at = asked.iter().position(|asked| asked == word);
                first = [first, at].into_iter().flatten().min();
                words.insert(word.to_owned());
            });
            named.extend(first.map(|at| (at, author.to_owned())));
        }
        named.sort();
        Self { words, named: named.into_iter().map(|(_, author)| author).collect() }
    }

    /// The question as one would ask the speakers themselves: without their names.
    pub(super) fn unnamed(&self, question: &str) -> Option<String> {
        if self.named.is_empty() {
            return None;
        }
        let mut names: HashSet<String> = HashSet::new();
        for author in &self.named {
            names.extend(author.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase));
        }
        let words = question.split_whitespace().map(|word| {
            let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let (stem, own) = match bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")) {
                Some(stem) => (stem, "my"),
                None => (bare, "you"),
            };
            match names.contains(&stem.to_lowercase()) {
                true => format!("{own}{}", &word[bare.len()..]),
                false => word.to_owned(),
            }
        });
        Some(words.collect::<Vec<_>>().join(" "))
    }
}

/// The features of one candidate, before it is compared with the others.
struct CandidateFeatures<'a> {
    doc: u32,
    part: ScopePart<'a>,
    own: u32,
    group: u32,
    previous: Option<u32>,
    next: Option<u32>,
}

impl<'a> QuestionFeatures<'_, 'a> {
    /// The features of candidates, which all have a group.
    pub(super) fn features(&self, authors: &Authors, candidates: &[u32]) -> Vec<Features> {
        let scope = self.scope;
        let said: Vec<CandidateFeatures<'a>> = candidates
            .iter()
            .map(|doc| {
                let (part, own) = scope.locate(*doc);
                CandidateFeatures {
                    doc: *doc,
                    part: *part,
                    own,
                    group: scope.group(*doc).unwrap_or(u32::MAX),
                    previous: scope.beside(*doc).and_then(|beside| beside.before().next()),
                    next: scope.beside(*doc).and_then(|beside| beside.after().next()),
                }
            })
            .collect();
        let asks = QuestionCues::of(self.question);
        let content: Vec<&QuestionWord> =
            self.lexical.words.iter().filter(|word| !authors.words.contains(&word.text)).collect();
        let all: Vec<&QuestionWord> = self.lexical.words.iter().collect();
        let own_words = self.own_scores(&said, &all);
        let own_content: HashMap<u32, f32> = self.content_of_previous(&said, &content);
        let own_best = own_words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let content_best = own_content.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        let lexical_best = best(said.iter().map(|said| self.lexical.scores[said.doc as usize]));
        let cosine = |doc: u32| self.semantic.map_or(0.0, |semantic| semantic.cosines[doc as usize]);
        let meaning = RelativeValue::of(said.iter().map(|said| cosine(said.doc)));
        let around: Vec<f32> = said.iter().map(|said| self.around(said.doc)).collect();
        let around_standing = RelativeValue::of(around.iter().copied());
        let unnamed: Vec<f32> = match (&self.unnamed, self.semantic) {
            (Some(direction), Some(_)) => said.iter().map(|said| cosine_of(said, direction)).collect(),
            _ => said.iter().map(|said| cosine(said.doc)).collect(),
        };
        let unnamed_standing = RelativeValue::of(unnamed.iter().copied());
        let sessions = self.sessions(&said);
        let lent = self.lent(&said, authors);
        let lent_best = best(lent.iter().copied());
        let rarity_total: f32 = content.iter().map(|word| word.rarity).sum();
        let mut rarities = HashMap::new();
        let previous_asks = |said: &CandidateFeatures<'_>| {
            said.previous.is_some_and(|previous| {
                let (part, own) = scope.locate(previous);
                part.segment.traits(own).asks
            })
        };
        let mut rows = Vec::with_capacity(said.len());
        for (at, one) in said.iter().enumerate() {
            let traits = one.part.segment.traits(one.own);
            let opens = one.previous.is_none();
            let after_question = previous_asks(one);
            let author = one.part.segment.author_name(one.part.segment.author(one.own));
            let is_author = |name: &String| name == author;
            let session = sessions.get(&one.group).copied().unwrap_or(0.0);
            let covered: f32 = content
                .iter()
                .filter(|word| self.lexical.is_around(one.doc, word))
                .map(|word| word.rarity)
                .sum();
            let base = |doc: Option<u32>| doc.map_or(0.0, self.base);
            let flag = |is: bool| f32::from(u8::from(is));
            let third = |count: u8| f32::from(count) / 3.0;
            let if_asked = |is: bool, value: f32| if is { value } else { 0.0 };
            let previous = one.previous;
            rows.push([
                self.lexical.scores[one.doc as usize] / lexical_best,
                own_words[at] / own_best,
                meaning.place(cosine(one.doc)),
                around_standing.place(around[at]),
                unnamed_standing.place(unnamed[at]),
                asks.days.map_or(0.0, |days| days.fit(Day::of_ms(one.part.segment.created(one.own)))),
                flag(authors.named.len() == 1 && authors.named.iter().any(is_author)),
                flag(authors.named.len() == 2 && authors.named.first().is_some_and(is_author)),
                if rarity_total > 0.0 { covered / rarity_total } else { 0.0 },
                near::share(&one.part, one.own, &content),
                flag(traits.asks),
                flag(after_question),
                if_asked(after_question, previous.map_or(0.0, |doc| meaning.place(cosine(doc)))),
                if_asked(
                    after_question,
                    previous.and_then(|doc| own_content.get(&doc)).map_or(0.0, |score| score / content_best),
                ),
                flag(opens),
                if_asked(asks.when, flag(opens)),
                if_asked(asks.when, third(traits.times)),
                third(traits.times),
                if_asked(asks.how_many, flag(traits.counts)),
                third(traits.names),
                self.telling(one, &mut rarities),
                self.common(one),
                session,
                if_asked(asks.several, session),
                base(previous).max(base(one.next)),
                lent[at] / lent_best,
            ]);
        }
        rows
    }

    /// How much a claim's own words share with the question.
    fn own_scores(&self, said: &[CandidateFeatures<'_>], words: &[&QuestionWord]) -> Vec<f32> {
        said.iter().map(|said| self.own_score(&said.part, said.own, words)).collect()
    }

    fn own_score(&self, part: &ScopePart<'_>, own: u32, words: &[&QuestionWord]) -> f32 {
        let length = part.segment.words(own).len() as f32;
        let asked: Vec<(&QuestionWord, u32)> =
            words.iter().filter_map(|word| Some((*word, word.term_in(part)?))).collect();
        let mut counts = vec![0.0_f32; asked.len()];
        for known in part.segment.words(own) {
            for (count, (_, term)) in counts.iter_mut().zip(&asked) {
                *count += f32::from(u8::from(*term == known));
            }
        }
        let worth = |(word, count): (&QuestionWord, f32)| {
            word.own_rarity * saturated_own(count, length, self.lexical.length_mean)
        };
        asked.iter().map(|(word, _)| *word).zip(counts).map(worth).sum()
    }

    fn content_of_previous(
        &self,
        said: &[CandidateFeatures<'_>],
        content: &[&QuestionWord],
    ) -> HashMap<u32, f32> {
        let previous = said.iter().filter_map(|said| said.previous);
        let score = |doc: u32| {
            let (part, own) = self.scope.locate(doc);
            (doc, self.own_score(part, own, content))
        };
        previous.map(score).collect()
    }

    /// The cosine of the question with the vectors of a claim and its neighbours together.
    fn around(&self, doc: u32) -> f32 {
        let Some(semantic) = self.semantic else { return 0.0 };
        let mut sum = [0.0_f32; DIMENSIONS];
        let mut add = |doc: u32, share: f32| {
            let (part, own) = self.scope.locate(doc);
            let scale = part.segment.scale(own) * share;
            let bytes = signed(part.segment.vector_bytes(own));
            sum.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum += f32::from(*byte) * scale);
        };
        add(doc, 1.0);
        if let Some(beside) = self.scope.beside(doc) {
            beside.before().zip(BEFORE).for_each(|(doc, share)| add(doc, share));
            beside.after().take(1).for_each(|doc| add(doc, AFTER));
        }
        let norm = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        let along: f32 = sum.iter().zip(&semantic.direction.values).map(|(a, b)| a * f32::from(*b)).sum();
        if norm > 0.0 { along * semantic.direction.scale / norm } else { 0.0 }
    }

    /// How much information a claim has: the rarity of its different words.
    fn telling(&self, said: &CandidateFeatures<'_>, rarities: &mut HashMap<(u32, u32), f32>) -> f32 {
        let mut terms: Vec<u32> = said.part.segment.words(said.own).collect();
        terms.sort_unstable();
        terms.dedup();
        let mut rarity = |term: u32| {
            let known = rarities.entry((said.part.first, term));
            *known.or_insert_with(|| {
                let word = said.part.segment.term(term);
                if is_stop(word) { 0.0 } else { self.lexical.own_rarity(self.scope, &said.part, term) }
            })
        };
        let total: f32 = terms.into_iter().map(&mut rarity).sum();
        (1.0 + total).ln() / 4.0
    }

    /// How close a claim's vector is to the rest of its session: common content is worth little.
    fn common(&self, said: &CandidateFeatures<'_>) -> f32 {
        let Some(mine) = row_of(said.part.segment.vector_bytes(said.own)) else { return 0.0 };
        let Some(beside) = said.part.beside(said.own) else { return 0.0 };
        let mut closest = [0.0_f32; COMMON_TOP];
        for other in beside.before().take(COMMON_REACH).chain(beside.after().take(COMMON_REACH)) {
            let (part, own) = self.scope.locate(other);
            let Some(theirs) = row_of(part.segment.vector_bytes(own)) else { continue };
            let cosine =
                dot(mine, theirs) as f32 * said.part.segment.scale(said.own) * part.segment.scale(own);
            let lowest = closest.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("there are some");
            *lowest = lowest.max(cosine);
        }
        closest.sort_by(f32::total_cmp);
        closest.iter().sum::<f32>() / COMMON_TOP as f32
    }

    /// The worth of the best three claims of each session, from the worst session (0) to the best (1).
    fn sessions(&self, said: &[CandidateFeatures<'_>]) -> HashMap<u32, f32> {
        let mut scores: HashMap<u32, Vec<f32>> = HashMap::new();
        for said in said {
            scores.entry(said.group).or_default().push((self.base)(said.doc));
        }
        let mean = |scores: &mut Vec<f32>| {
            scores.sort_by(|a, b| b.total_cmp(a));
            scores.truncate(3);
            scores.iter().sum::<f32>() / scores.len() as f32
        };
        let means: HashMap<u32, f32> =
            scores.iter_mut().map(|(group, scores)| (*group, mean(scores))).collect();
        let low = means.values().copied().fold(f32::INFINITY, f32::min);
        let high = means.values().copied().fold(f32::NEG_INFINITY, f32::max);
        let span = (high - low).max(1e-6);
        means.into_iter().map(|(group, mean)| (group, (mean - low) / span)).collect()
    }

    /// How much a claim shares with the words that the best candidates have and the question lacks.
    fn lent(&self, said: &[CandidateFeatures<'_>], authors: &Authors) -> Vec<f32> {
        let mut order: Vec<usize> = (0..said.len()).collect();
        order.sort_by(|a, b| (self.base)(said[*b].doc).total_cmp(&(self.base)(said[*a].doc)).then(a.cmp(b)));
        order.truncate(LENDERS);
        let total: f32 = order.iter().map(|at| (self.base)(said[*at].doc).max(0.0)).sum();
        let mut worth: HashMap<&str, (f32, f32)> = HashMap::new();
        for at in order {
            let one = &said[at];
            let share = (self.base)(one.doc).max(0.0) / total.max(f32::MIN_POSITIVE);
            let length = one.part.segment.words(one.own).len().max(1) as f32;
            for term in one.part.segment.words(one.own) {
                let word = one.part.segment.term(term);
                let is_asked = self.lexical.words.iter().any(|asked| asked.text == word);
                if is_asked || is_stop(word) || authors.words.contains(word) {
                    continue;
                }
                let entry = worth
                    .entry(word)
                    .or_insert_with(|| (0.0, self.lexical.own_rarity(self.scope, &one.part, term)));
                entry.0 += share * entry.1 / length;
            }
        }
        let mut best: Vec<(&str, f32)> = worth.into_iter().map(|(word, (worth, _))| (word, worth)).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        best.truncate(LENT);
        let sum: f32 = best.iter().map(|(_, worth)| worth).sum();
        let mut scores = vec![0.0; said.len()];
        if sum <= 0.0 {
            // Nothing is near the question, so there are no words to lend.
            return scores;
        }
        for (word, worth) in best {
            let terms: Vec<(u32, u32)> = self
                .scope
                .parts
                .iter()
                .filter_map(|part| Some((part.first, part.segment.find_term(word)?)))
                .collect();
            for (score, one) in scores.iter_mut().zip(said) {
                let Some((_, term)) = terms.iter().find(|(first, _)| *first == one.part.first) else {
                    continue;
                };
                let words = one.part.segment.words(one.own);
                let length = words.len() as f32;
                let count = words.filter(|known| known == term).count() as f32;
                *score += worth / sum * saturated_own(count, length, self.lexical.length_mean);
            }
        }
        scores
    }
}

fn best(scores: impl Iterator<Item = f32>) -> f32 {
    scores.fold(f32::MIN_POSITIVE, f32::max)
}

fn row_of(bytes: &[u8]) -> Option<&[i8; DIMENSIONS]> {
    signed(bytes).first_chunk()
}

fn cosine_of(said: &CandidateFeatures<'_>, direction: &Direction) -> f32 {
    let Some(mine) = row_of(said.part.segment.vector_bytes(said.own)) else { return 0.0 };
    dot(mine, &direction.values) as f32 * direction.scale * said.part.segment.scale(said.own)
}

/// The position of a value between the middle of all candidates (0) and the best (1).
struct RelativeValue {
    middle: f32,
    best: f32,
}

impl RelativeValue {
    fn of(values: impl Iterator<Item = f32>) -> Self {
        let mut values: Vec<f32> = values.collect();
        if values.is_empty() {
            return Self { middle: 0.0, best: 1.0 };
        }
        let middle = (values.len() - 1) / 2;
        let middle = *values.select_nth_unstable_by(middle, f32::total_cmp).1;
        Self { middle, best: values.into_iter().fold(f32::NEG_INFINITY, f32::max) }
    }

    fn place(&self, value: f32) -> f32 {
        ((value - self.middle) / (self.best - self.middle).max(1e-6)).max(LOWEST)
    }
}
