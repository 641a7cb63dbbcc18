//! The pass over a text.

use crate::bare_tokens;
use crate::bytes::{B64_ANY, B64U, TextScan};
use crate::conflict;
use crate::finding::{MASK, SecretFinding, SecretKind};
use crate::harmless::{is_handwritten, is_part_of_name, is_stand_in};
use crate::hit::LiteralHit;
use crate::index;
use crate::limits::{self, FINDING_COUNT_MAX};
use crate::table::{ENOUGH_LEN, MERGE, RULES, RuleCheck, TokenPart, parts};
use crate::unescape::unescape;
use crate::value::{Manner, is_secret};
use std::ops::Range;

/// The strongest finding of a text: a secret by its own shape comes before one that only its surroundings show, and an
/// earlier one before a later one.
///
/// ```
/// assert_eq!(brainstem_hygiene::inspect("task-list, risk-free, and a password nobody wrote down"), None);
/// ```
pub fn inspect(text: &str) -> Option<SecretFinding> {
    InspectPass::over(text, PassEnd::Shape).findings.into_iter().min_by_key(rank)
}

/// Every finding of a text, in order and without overlaps, at most [`FINDING_COUNT_MAX`].
pub fn inspect_all(text: &str) -> Vec<SecretFinding> {
    let mut found = InspectPass::over(text, PassEnd::End).findings;
    found.sort_by_key(rank);
    let mut kept: Vec<SecretFinding> = Vec::new();
    for finding in found {
        let apart = |other: &SecretFinding| {
            other.span.end <= finding.span.start || finding.span.end <= other.span.start
        };
        if kept.iter().all(apart) {
            kept.push(finding);
        }
    }
    kept.sort_by_key(|finding| finding.span.start);
    kept
}

/// Every kind that can be found, in the order of the table.
pub fn kinds() -> impl Iterator<Item = &'static SecretKind> {
    RULES.iter().map(|rule| &rule.kind).chain(bare_tokens::kinds()).chain([&MERGE])
}

fn rank(finding: &SecretFinding) -> (bool, usize) {
    (!finding.kind.family.is_shape(), finding.span.start)
}

/// When a pass may stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PassEnd {
    /// At the first secret by its own shape.
    Shape,
    /// At the end, or when there are too many to report.
    End,
}

struct InspectPass {
    findings: Vec<SecretFinding>,
    found_shape: bool,
    until: PassEnd,
    #[cfg(test)]
    steps: u64,
}

impl InspectPass {
    fn over(text: &str, until: PassEnd) -> Self {
        let mut pass = Self {
            findings: Vec::new(),
            found_shape: false,
            until,
            #[cfg(test)]
            steps: 0,
        };
        pass.read(text, text.as_bytes(), |span| span);
        if !pass.is_done()
            && let Some(plain) = unescape(text)
        {
            pass.read(text, &plain.text, |span| plain.origin(span));
        }
        if !pass.is_done()
            && let Some(span) = conflict::find(text.as_bytes())
        {
            pass.findings.push(SecretFinding { kind: &MERGE, span });
        }
        pass
    }

    /// Reads a form of `original`; `origin` maps a span of that form back to it.
    fn read(&mut self, original: &str, text: &[u8], origin: impl Fn(Range<usize>) -> Range<usize>) {
        let scan = TextScan::new(text);
        let mut at = 0;
        while let Some(window) = index::next_window(text, at) {
            at = window + 1;
            for hit in index::hits(text, window) {
                scan.count(1);
                if is_in_mask(text, window) {
                    continue;
                }
                let Some(span) = judge(&scan, hit) else { continue };
                let kind = &RULES[hit.rule].kind;
                if kind.family.is_shape() {
                    // A token contains no other token.
                    at = at.max(span.end);
                    self.found_shape = true;
                }
                let span = whole_characters(original, origin(span));
                let finding = SecretFinding { kind, span };
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
            }
            if self.is_done() {
                break;
            }
        }
        if !self.is_done() {
            bare_tokens::find(&scan, |kind, span| {
                let finding = SecretFinding { kind, span: whole_characters(original, origin(span)) };
                let apart = |other: &SecretFinding| {
                    other.span.end <= finding.span.start || finding.span.end <= other.span.start
                };
                if self.findings.len() < FINDING_COUNT_MAX && self.findings.iter().all(apart) {
                    self.found_shape |= kind.family.is_shape();
                    self.findings.push(finding);
                }
            });
        }
        #[cfg(test)]
        {
            self.steps += scan.steps() + text.len() as u64;
        }
    }

    fn is_done(&self) -> bool {
        self.findings.len() >= FINDING_COUNT_MAX || self.found_shape && self.until == PassEnd::Shape
    }
}

/// Whether a place is inside the mask of an earlier secret, as a word of its own: then it names no value beside it.
/// Behind a name (`app[secret]=…`) it is a key of the text's own, and the text behind it may be the rest of a secret.
fn is_in_mask(text: &[u8], at: usize) -> bool {
    let starts = at.saturating_sub(MASK.len() - 1)..=at;
    { starts }.any(|start| {
        let Some(after) = text[start..].strip_prefix(MASK.as_bytes()) else { return false };
        let is_named =
            start.checked_sub(1).is_some_and(|at| text[at].is_ascii_alphanumeric() || text[at] == b'_');
        let ends = match after {
            [] => true,
            [b',' | b':' | b';', next, ..] => next.is_ascii_whitespace(),
            [next, ..] => next.is_ascii_whitespace(),
        };
        ends && !is_named
    })
}

/// A check may stop inside a character; a span never does.
fn whole_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    start..text.floor_char_boundary(span.end).max(start)
}

fn judge(scan: &TextScan<'_>, hit: LiteralHit) -> Option<Range<usize>> {
    match RULES[hit.rule].check {
        RuleCheck::Call(check) => check(scan, hit),
        RuleCheck::Token(_) | RuleCheck::Loose(_) if !scan.starts_token_at(hit.start) => None,
        RuleCheck::Token(shape) => {
            let end = token_end(scan, hit, shape)?;
            let body = &scan.text[hit.end..end];
            (!is_part_of_name(scan, hit.start, body) && !is_stand_in(body))
                .then(|| hit.start..rest_of_token(scan, end))
        }
        RuleCheck::Loose(shape) => {
            let end = token_end(scan, hit, shape)?;
            let body = &scan.text[hit.end..end];
            let short = &body[..body.len().min(limits::VALUE_LEN_MAX)];
            let real =
                if short.len() < 16 { is_secret(short, None, Manner::Token) } else { !is_handwritten(short) };
            (real && !is_part_of_name(scan, hit.start, body) && !is_stand_in(body))
                .then(|| hit.start..rest_of_token(scan, end))
        }
    }
}

/// Where a token with these parts ends, or where enough of it was seen.
fn token_end(scan: &TextScan<'_>, hit: LiteralHit, shape: &[TokenPart]) -> Option<usize> {
    let end = parts(scan, hit.end, shape)?;
    (scan.ends_at(end) || end - hit.end >= ENOUGH_LEN).then_some(end)
}

/// Where the last character of a token is: characters joined to it are masked with it.
fn rest_of_token(scan: &TextScan<'_>, end: usize) -> usize {
    match scan.at(end) {
        Some(b'-' | b'_') => end + scan.run(end, B64U, limits::LOOK_AHEAD_MAX),
        _ if scan.ends_at(end) => end,
        _ => end + scan.run(end, B64_ANY, limits::LOOK_AHEAD_MAX),
    }
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
