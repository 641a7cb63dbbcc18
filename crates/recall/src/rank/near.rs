//! Words of the question that are together.

use super::lexical::QuestionWord;
use crate::scope::ScopePart;

/// How many positions apart two words may be and still belong together.
const REACH: usize = 4;

/// The share of the question's neighbouring words that are together in a document, rare ones counting
/// for more: 0 to 1.
pub(super) fn share(part: &ScopePart<'_>, doc: u32, words: &[&QuestionWord]) -> f32 {
    if words.len() < 2 {
        return 0.0;
    }
    // Where each word of the question was last seen; the words of one document come in order.
    let mut last: Vec<Option<usize>> = vec![None; words.len()];
    let mut met = vec![false; words.len()];
    let terms: Vec<Option<u32>> = words.iter().map(|word| word.term_in(part)).collect();
    // Most words of a document are none of the question's: one look tells it for nearly all of them.
    let mut may_be_asked = [false; 256];
    terms.iter().flatten().for_each(|term| may_be_asked[*term as usize % 256] = true);
    for (place, term) in part.segment.words(doc).enumerate() {
        if !may_be_asked[term as usize % 256] {
            continue;
        }
        let Some(at) = terms.iter().position(|asked| *asked == Some(term)) else { continue };
        let close =
            |other: usize, last: &[Option<usize>]| last[other].is_some_and(|seen| place - seen <= REACH);
        if at > 0 && close(at - 1, &last) {
            met[at] = true;
        }
        if at + 1 < words.len() && close(at + 1, &last) {
            met[at + 1] = true;
        }
        last[at] = Some(place);
    }
    let worth = |at: usize| words[at - 1].rarity + words[at].rarity;
    let total: f32 = (1..words.len()).map(worth).sum();
    let found: f32 = (1..words.len()).filter(|at| met[*at]).map(worth).sum();
    if total > 0.0 { found / total } else { 0.0 }
}
