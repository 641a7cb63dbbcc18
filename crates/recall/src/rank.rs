//! Answering a question over a scope: words and meaning find the candidates, and each candidate is
//! weighed by what it shares with the question.

mod lexical;
mod near;
mod semantic;
mod top;

pub use semantic::Direction;

use crate::document::Form;
use crate::scope::{Found, Scope};
use lexical::Lexical;
use semantic::Semantic;

/// How many candidates words and meaning each put forward, at least.
const CANDIDATES_MIN: usize = 200;
/// What meaning weighs against words.
const SEMANTIC: f32 = 0.5;
/// What words of the question that stand close together add.
const NEAR: f32 = 0.2;

/// What is asked.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Words or a sentence.
    pub text: &'a str,
    /// What it means; without it words alone decide.
    pub direction: Option<&'a Direction>,
    /// How many answers, at most.
    pub limit: usize,
    /// What a document's own standing (its youth, what was said of it) makes of its score: a factor.
    pub standing: &'a dyn Fn(&Standing<'_>) -> f32,
}

/// What the standing of a document is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// Which document.
    pub found: Found<'a>,
    /// When it was born, in milliseconds; 0 where it does not say.
    pub created: i64,
}

/// A cosine below this, without a shared word, says nothing.
const FAINT_BELOW: f32 = 0.3;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Ranked<'a> {
    /// The answers, best first.
    pub hits: Vec<Hit<'a>>,
    /// How many documents of the scope are about the question, among the answers or not.
    pub about: usize,
}

/// One answer.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    /// Which document.
    pub found: Found<'a>,
    /// What its file held when it was indexed.
    pub form: Form,
    /// What answers are sorted by.
    pub score: f32,
    /// What the score is made of.
    pub parts: Parts,
}

impl Hit<'_> {
    /// Whether it is only faintly about the question: it shares no word, and not much of its meaning.
    pub fn is_faint(&self) -> bool {
        is_faint(self.parts.lexical, self.parts.cosine)
    }
}

fn is_faint(lexical: f32, cosine: f32) -> bool {
    lexical <= 0.0 && cosine < FAINT_BELOW
}

/// What a score is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// The shared words, against the best of this question.
    pub lexical: f32,
    /// The cosine of the two meanings.
    pub cosine: f32,
    /// The meaning, against the best of this question.
    pub semantic: f32,
    /// How much of the question stands close together.
    pub near: f32,
    /// What its own standing made of it, as a factor.
    pub standing: f32,
}

/// The documents that answer a question, best first.
pub fn rank<'a>(scope: &Scope<'a>, question: &Question<'_>) -> Ranked<'a> {
    let candidates_max = CANDIDATES_MIN.max(question.limit * 2);
    let lexical = Lexical::score(scope, question.text);
    let semantic = question.direction.map(|direction| Semantic::score(scope, direction));
    let ranked = |doc: u32| {
        let (part, own) = scope.locate(doc);
        !part.struck.holds(own) && part.segment.form(own) != Form::Unreadable
    };
    let mut candidates =
        top::top(&lexical.scores, candidates_max, |doc| lexical.scores[doc as usize] > 0.0 && ranked(doc));
    if let Some(semantic) = &semantic {
        candidates.extend(top::top(&semantic.cosines, candidates_max, ranked));
        candidates.sort_unstable();
        candidates.dedup();
    }
    let lexical_best =
        candidates.iter().map(|doc| lexical.scores[*doc as usize]).fold(f32::MIN_POSITIVE, f32::max);
    let mut hits: Vec<Hit<'a>> = candidates
        .into_iter()
        .map(|doc| {
            let (part, own) = scope.locate(doc);
            let mut parts =
                Parts { lexical: lexical.scores[doc as usize] / lexical_best, ..Parts::default() };
            let mut score = parts.lexical;
            if let Some(semantic) = &semantic {
                parts.cosine = semantic.cosines[doc as usize];
                parts.semantic = semantic.standing(parts.cosine);
                score = (1.0 - SEMANTIC) * score + SEMANTIC * parts.semantic;
            }
            parts.near = near::share(part, own, &lexical.words);
            score += NEAR * parts.near;
            let found = Found { store: part.store, key: part.segment.key(own) };
            parts.standing = (question.standing)(&Standing { found, created: part.segment.created(own) });
            score *= parts.standing;
            Hit { found, form: part.segment.form(own), score, parts }
        })
        .collect();
    // Between equals the key decides, so that an order is the same twice.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.found.key.cmp(b.found.key)));
    hits.truncate(question.limit);
    let cosine = |doc: u32| semantic.as_ref().map_or(0.0, |semantic| semantic.cosines[doc as usize]);
    let is_about = |doc: &u32| !is_faint(lexical.scores[*doc as usize], cosine(*doc)) && ranked(*doc);
    Ranked { hits, about: (0..scope.docs).filter(is_about).count() }
}
