//! Answering a question over a scope: words and vectors find the candidates, and each candidate is scored by what it
//! shares with the question.

pub mod conversation;
mod lexical;
mod near;
mod semantic;
mod top;

pub use semantic::Direction;

use crate::document::ClaimForm;
use crate::scope::{FoundDocument, RecallScope};
use crate::segment::VectorKind;
use conversation::{Authors, Features, QuestionFeatures, WEIGHTS};
use lexical::{Lexical, QuestionWord};
use semantic::Semantic;
use std::collections::HashMap;

/// How many candidates words and vectors each put forward, at least.
const CANDIDATES_MIN: usize = 200;
/// The weight of vectors against words: for prose, what code adds, and for claims that were written together.
const SEMANTIC: f32 = 0.6;
const SEMANTIC_CODE: f32 = 0.2;
const SEMANTIC_GROUPED: f32 = 0.5;
/// How many of the best candidates decide whether a question is about code.
const CODE_SAMPLE: usize = 10;
/// What neighbouring words of the question add.
const NEAR: f32 = 0.1;
/// What the name of a thing adds to the few documents that hold it: as much as words and vectors together, so that a
/// question for `ERR_7741` gets it first, whatever else is similar to the rest of the question.
const NAMED: f32 = 1.0;
/// A name that more documents hold counts as an ordinary word.
const NAMED_MAX: usize = 10;
/// The same for claims of a conversation; its features add up to less.
const NAMED_SAID: f32 = 100.0;
/// The share of a question's words, by rarity, that counts in full.
const WORDS_SHARE: f32 = 0.3;
/// A cosine below this, or below this share of the best, counts only with a shared word. Unrelated texts stay below
/// 0.2.
const FAINT_BELOW: f32 = 0.2;
const FAINT_SHARE: f32 = 0.5;

/// A question.
#[derive(Clone, Copy)]
pub struct RankQuestion<'a> {
    /// Words or a sentence.
    pub text: &'a str,
    /// Turns a text into a vector; without it words alone decide.
    pub meaning: &'a dyn Fn(&str) -> Option<Direction>,
    /// What the order is decided by.
    pub by: RankBy,
    /// How many answers, at most.
    pub limit: usize,
    /// The factor for a document's own standing (its youth, its verdicts).
    pub standing: &'a dyn Fn(&StandingBasis<'_>) -> f32,
}

/// What the order of answers is decided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankBy {
    /// Words and vectors.
    #[default]
    All,
    /// Words alone.
    Words,
    /// Vectors alone.
    Meaning,
}

/// What the standing of a document is judged by.
#[derive(Clone, Copy, Debug)]
pub struct StandingBasis<'a> {
    /// Which document.
    pub found: FoundDocument<'a>,
    /// When it was born, in milliseconds; 0 if it does not say.
    pub created: i64,
}

/// The result of a ranking.
#[derive(Clone, Debug, Default)]
pub struct RankedAnswers<'a> {
    /// The answers, best first.
    pub hits: Vec<RankedHit<'a>>,
    /// How many documents of the scope are about the question, among the answers or not.
    pub about: usize,
}

/// One answer.
#[derive(Clone, Copy, Debug)]
pub struct RankedHit<'a> {
    /// Which document.
    pub found: FoundDocument<'a>,
    /// What its file held when it was indexed.
    pub form: ClaimForm,
    /// The sort key of answers.
    pub score: f32,
    /// The parts of the score.
    pub parts: ScoreBreakdown,
    /// Whether it is a weak match: it shares no word, and its vector is not close.
    pub is_faint: bool,
}

/// The parts of a score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreBreakdown {
    /// The shared words, relative to the best of this question.
    pub lexical: f32,
    /// The cosine of the two vectors.
    pub cosine: f32,
    /// The cosine, relative to the best of this question.
    pub semantic: f32,
    /// The share of the question's neighbouring words that are together.
    pub near: f32,
    /// Whether it is one of the few that hold a name the question asks for, such as `ERR_7741`: 0 or 1.
    pub named: f32,
    /// The factor of its own standing.
    pub standing: f32,
    /// The score of its conversation, if it was written together with others.
    pub conversation: Option<f32>,
}

/// The documents that answer a question, best first.
pub fn rank<'a>(scope: &RecallScope<'a>, question: &RankQuestion<'_>) -> RankedAnswers<'a> {
    rank_traced(scope, question, &mut |_, _| ())
}

/// The same; `trace` gets the features of each candidate that was written together with others.
pub fn rank_traced<'a>(
    scope: &RecallScope<'a>,
    question: &RankQuestion<'_>,
    trace: &mut dyn FnMut(FoundDocument<'a>, &Features),
) -> RankedAnswers<'a> {
    let ranking = Ranking::of(scope, question);
    let mut candidates = ranking.candidates(CANDIDATES_MIN.max(question.limit * 2));
    let semantic = ranking.weight_of_meaning(&candidates);
    let mut hits: Vec<(u32, RankedHit<'a>)> =
        candidates.drain(..).map(|doc| (doc, ranking.hit(doc, semantic))).collect();
    sort(&mut hits);
    if scope.has_groups && question.by == RankBy::All {
        hits.truncate(CANDIDATES_MIN.max(question.limit * 2));
        ranking.order_conversations(&mut hits, trace);
    }
    hits.truncate(question.limit);
    RankedAnswers { hits: hits.into_iter().map(|(_, hit)| hit).collect(), about: ranking.about() }
}

/// Best first; ties are broken by the key, so that the order is always the same.
fn sort(hits: &mut [(u32, RankedHit<'_>)]) {
    hits.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score).then_with(|| a.name().cmp(&b.name())));
}

impl<'a> RankedHit<'a> {
    /// A name that is unique in a scope.
    fn name(&self) -> (&'a str, u32, u8) {
        (self.found.key, self.found.store, self.form.byte())
    }
}

/// One question over one scope.
struct Ranking<'q, 's, 'a> {
    scope: &'s RecallScope<'a>,
    question: &'q RankQuestion<'q>,
    lexical: Lexical,
    lexical_best: f32,
    semantic: Option<Semantic>,
}

impl<'q, 's, 'a> Ranking<'q, 's, 'a> {
    fn of(scope: &'s RecallScope<'a>, question: &'q RankQuestion<'q>) -> Self {
        let mut lexical = Lexical::score(scope, question.text);
        // From here on only claims can share a word: unreadable files have no words.
        scope.deleted().for_each(|doc| lexical.scores[doc as usize] = 0.0);
        // One word of a long question is not a full match.
        let asked: f32 = lexical.words.iter().map(|word| word.own_rarity).sum();
        let least = (asked * WORDS_SHARE).max(f32::MIN_POSITIVE);
        let lexical_best = lexical.scores.iter().copied().fold(least, f32::max);
        // A question without a word has no meaning, whatever a model returns.
        let has_meaning = question.by != RankBy::Words && !lexical.words.is_empty();
        let direction = has_meaning.then(|| (question.meaning)(question.text)).flatten();
        let semantic = direction.map(|direction| Semantic::score(scope, direction));
        Self { scope, question, lexical, lexical_best, semantic }
    }

    /// A name that is unique in the scope.
    fn name(&self, doc: u32) -> (&'a str, u32, u8) {
        let (part, own) = self.scope.locate(doc);
        (part.segment.key(own), part.store, part.segment.form(own).byte())
    }

    fn is_ranked(&self, doc: u32) -> bool {
        let (part, own) = self.scope.locate(doc);
        !part.deleted.holds(own)
            && !matches!(part.segment.form(own), ClaimForm::Unreadable | ClaimForm::Secret)
    }

    fn candidates(&self, count: usize) -> Vec<u32> {
        let scores = &self.lexical.scores;
        let order = |a: u32, b: u32| self.name(a).cmp(&self.name(b));
        let shares_words = |doc: u32| scores[doc as usize] > 0.0 && self.is_ranked(doc);
        let mut candidates = top::top(scores, count, shares_words, order);
        if let Some(semantic) = &self.semantic {
            candidates.extend(top::top(&semantic.cosines, count, |doc| self.is_ranked(doc), order));
            candidates.sort_unstable();
            candidates.dedup();
        }
        candidates
    }

    /// How many documents are about the question. Unreadable files have no words and no vector.
    fn about(&self) -> usize {
        let faint_below = self.faint_below();
        let scores = self.lexical.scores.iter();
        match &self.semantic {
            None => scores.filter(|score| **score > 0.0).count(),
            Some(semantic) => {
                let both = scores.zip(&semantic.cosines);
                let about = both.filter(|(score, cosine)| **score > 0.0 || **cosine >= faint_below).count();
                about - self.scope.deleted().filter(|doc| self.cosine(*doc) >= faint_below).count()
            }
        }
    }

    fn is_faint(&self, doc: u32) -> bool {
        let (part, own) = self.scope.locate(doc);
        // The table's vectors are further from questions than the encoder's.
        let share = if part.segment.vector_kind(own) == VectorKind::Encoded { 1.0 } else { 0.5 };
        self.lexical.scores[doc as usize] <= 0.0 && self.cosine(doc) < share * self.faint_below()
    }

    /// A cosine below this does not count if no word is shared.
    fn faint_below(&self) -> f32 {
        let best = self.semantic.as_ref().map_or(0.0, |semantic| semantic.best);
        FAINT_BELOW.max(FAINT_SHARE * best)
    }

    fn cosine(&self, doc: u32) -> f32 {
        self.semantic.as_ref().map_or(0.0, |semantic| semantic.cosines[doc as usize])
    }

    /// The score of words and vectors together.
    fn base(&self, doc: u32, weight: f32) -> f32 {
        let lexical = self.lexical.scores[doc as usize] / self.lexical_best;
        match &self.semantic {
            Some(semantic) => (1.0 - weight) * lexical + weight * self.meant(semantic, doc, lexical),
            None => lexical,
        }
    }

    /// How close a document's vector is. If the encoder has not read it yet, but has read others, its words decide: the
    /// table's vectors are further from every question.
    fn meant(&self, semantic: &Semantic, doc: u32, lexical: f32) -> f32 {
        let standing = semantic.standing(self.cosine(doc));
        let (part, own) = self.scope.locate(doc);
        let is_unread = || part.segment.vector_kind(own) == VectorKind::Static;
        if semantic.is_best_encoded && lexical > standing && is_unread() { lexical } else { standing }
    }

    /// The weight of vectors: more if the best candidates are code, whose words are names.
    fn weight_of_meaning(&self, candidates: &[u32]) -> f32 {
        let mut scored: Vec<(f32, u32)> =
            candidates.iter().map(|doc| (self.base(*doc, SEMANTIC), *doc)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| self.name(a.1).cmp(&self.name(b.1))));
        scored.truncate(CODE_SAMPLE);
        let code = |doc: u32| {
            let (part, own) = self.scope.locate(doc);
            u32::from(part.segment.traits(own).code)
        };
        let total = scored.iter().map(|(_, doc)| code(*doc)).sum::<u32>() as f32 / 255.0;
        SEMANTIC + SEMANTIC_CODE * total / scored.len().max(1) as f32
    }

    fn hit(&self, doc: u32, weight: f32) -> RankedHit<'a> {
        let (part, own) = self.scope.locate(doc);
        let (weight, near) = match self.question.by {
            RankBy::Meaning => (1.0, 0.0),
            RankBy::Words => (0.0, 0.0),
            RankBy::All if part.segment.group(own).is_some() => (SEMANTIC_GROUPED, NEAR),
            RankBy::All => (weight, NEAR),
        };
        let words: Vec<&QuestionWord> = self.lexical.words.iter().collect();
        let named = if self.question.by == RankBy::All { self.named(doc) } else { 0.0 };
        let found = FoundDocument { store: part.store, key: part.segment.key(own) };
        let parts = ScoreBreakdown {
            lexical: self.lexical.scores[doc as usize] / self.lexical_best,
            cosine: self.cosine(doc),
            semantic: self.semantic.as_ref().map_or(0.0, |semantic| semantic.standing(self.cosine(doc))),
            near: near::share(part, own, &words),
            named,
            standing: (self.question.standing)(&StandingBasis { found, created: part.segment.created(own) }),
            conversation: None,
        };
        let score = (self.base(doc, weight) + near * parts.near + NAMED * named) * parts.standing;
        RankedHit { found, form: part.segment.form(own), score, parts, is_faint: self.is_faint(doc) }
    }

    /// Whether a document is one of the few that hold a name of the question.
    fn named(&self, doc: u32) -> f32 {
        let (part, own) = self.scope.locate(doc);
        let names = self.lexical.words.iter().filter(|word| word.holders <= NAMED_MAX && is_name(&word.text));
        let mut terms = names.filter_map(|word| word.term_in(part));
        f32::from(u8::from(terms.any(|term| part.segment.holds(term, own))))
    }

    /// Orders claims that were written together by the features of their conversations. Together they keep their
    /// positions among all others: only the order among them changes.
    fn order_conversations(
        &self,
        hits: &mut [(u32, RankedHit<'a>)],
        trace: &mut dyn FnMut(FoundDocument<'a>, &Features),
    ) {
        let mut sizes: HashMap<u32, bool> = HashMap::new();
        let mut is_conversation = |doc: u32| {
            let Some(group) = self.scope.group(doc) else { return false };
            *sizes.entry(group).or_insert_with(|| self.scope.group_len(doc) >= conversation::MEMBERS_MIN)
        };
        let slots: Vec<usize> = (0..hits.len()).filter(|at| is_conversation(hits[*at].0)).collect();
        if slots.is_empty() {
            return;
        }
        let candidates: Vec<u32> = slots.iter().map(|at| hits[*at].0).collect();
        let authors = Authors::of(self.scope, self.question.text);
        let unnamed = authors.unnamed(self.question.text).and_then(|text| (self.question.meaning)(&text));
        let base = |doc: u32| self.base(doc, SEMANTIC_GROUPED);
        let conversation = QuestionFeatures {
            scope: self.scope,
            question: self.question.text,
            lexical: &self.lexical,
            semantic: self.semantic.as_ref(),
            unnamed,
            base: &base,
        };
        let mut rows: Vec<(f32, u32, RankedHit<'a>)> = Vec::with_capacity(slots.len());
        for ((slot, doc), features) in
            slots.iter().zip(&candidates).zip(conversation.features(&authors, &candidates))
        {
            let mut hit = hits[*slot].1;
            trace(hit.found, &features);
            let said: f32 = features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum();
            hit.parts.conversation = Some(said);
            rows.push((said + hit.parts.standing.ln() + NAMED_SAID * hit.parts.named, *doc, hit));
        }
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.name().cmp(&b.2.name())));
        // One session must not fill the whole answer.
        let mut seen: HashMap<u32, f32> = HashMap::new();
        for (score, doc, _) in &mut rows {
            let before = seen.entry(self.scope.group(*doc).unwrap_or(u32::MAX)).or_default();
            *score -= conversation::CROWDED * *before;
            *before += 1.0;
        }
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.name().cmp(&b.2.name())));
        let scores: Vec<f32> = slots.iter().map(|at| hits[*at].1.score).collect();
        for ((slot, score), (_, doc, hit)) in slots.into_iter().zip(scores).zip(rows) {
            hits[slot] = (doc, RankedHit { score, ..hit });
        }
    }
}

/// Whether a word is the name of one thing, such as `qx7741`: letters and digits together.
fn is_name(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    word.len() >= 4 && has(char::is_alphabetic) && has(|c| c.is_ascii_digit())
}

#[cfg(test)]
#[path = "rank/name_tests.rs"]
mod name_tests;
