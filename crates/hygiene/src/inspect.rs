//! The pass over a text.

use crate::bytes::Scan;
use crate::conflict;
use crate::finding::{Finding, Kind};
use crate::index::{self, Hit};
use crate::limits::FINDING_COUNT_MAX;
use crate::table::{Check, MERGE, RULES, parts};
use crate::unescape::{Unescaped, unescape};
use crate::value::{Manner, is_placeholder, is_secret, is_stand_in};
use std::ops::Range;

/// The strongest finding of a text: one that is a secret by its own shape comes before one that its
/// surroundings give away, and an earlier one before a later one.
///
/// ```
/// assert_eq!(brainstem_hygiene::inspect("task-list, risk-free, and a password nobody wrote down"), None);
/// ```
pub fn inspect(text: &str) -> Option<Finding> {
    Pass::over(text, Until::Shape).findings.into_iter().min_by_key(rank)
}

/// Every finding of a text, in order and without overlaps, at most [`FINDING_COUNT_MAX`].
pub fn inspect_all(text: &str) -> Vec<Finding> {
    let mut found = Pass::over(text, Until::End).findings;
    found.sort_by_key(rank);
    let mut kept: Vec<Finding> = Vec::new();
    for finding in found {
        let apart =
            |other: &Finding| other.span.end <= finding.span.start || finding.span.end <= other.span.start;
        if kept.iter().all(apart) {
            kept.push(finding);
        }
    }
    kept.sort_by_key(|finding| finding.span.start);
    kept
}

/// Every kind that can be found, in the order of the table.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    RULES.iter().map(|rule| &rule.kind).chain([&MERGE])
}

fn rank(finding: &Finding) -> (bool, usize) {
    (!finding.kind.family.is_shape(), finding.span.start)
}

/// When a pass may stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the first secret that is one by its own shape.
    Shape,
    /// At the end, or when there are too many to report.
    End,
}

struct Pass {
    findings: Vec<Finding>,
    found_shape: bool,
    until: Until,
    #[cfg(test)]
    steps: u64,
}

impl Pass {
    fn over(text: &str, until: Until) -> Self {
        let mut pass = Self {
            findings: Vec::new(),
            found_shape: false,
            until,
            #[cfg(test)]
            steps: 0,
        };
        pass.read(text.as_bytes(), None);
        if !pass.is_done()
            && let Some(plain) = unescape(text)
        {
            pass.read(&plain.text, Some(&plain));
        }
        if !pass.is_done()
            && let Some(span) = conflict::find(text.as_bytes())
        {
            pass.findings.push(Finding { kind: &MERGE, span });
        }
        pass
    }

    fn read(&mut self, text: &[u8], origin: Option<&Unescaped>) {
        let scan = Scan::new(text);
        let mut at = 0;
        while let Some(window) = index::next_window(text, at) {
            at = window + 1;
            for hit in index::hits(text, window) {
                scan.count(1);
                let Some(span) = judge(&scan, hit) else { continue };
                let kind = &RULES[hit.rule].kind;
                if kind.family.is_shape() {
                    // Nothing inside a token is another one.
                    at = at.max(span.end);
                    self.found_shape = true;
                }
                let span =
                    origin.map_or(span.clone(), |plain| plain.origin(span.start)..plain.origin(span.end));
                let finding = Finding { kind, span };
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
            }
            if self.is_done() {
                break;
            }
        }
        #[cfg(test)]
        {
            self.steps += scan.steps() + text.len() as u64;
        }
    }

    fn is_done(&self) -> bool {
        self.findings.len() >= FINDING_COUNT_MAX || self.found_shape && self.until == Until::Shape
    }
}

fn judge(scan: &Scan<'_>, hit: Hit) -> Option<Range<usize>> {
    match RULES[hit.rule].check {
        Check::Call(check) => check(scan, hit),
        Check::Token(_) | Check::Loose(_) if !scan.starts_at(hit.start) => None,
        Check::Token(shape) => {
            let end = parts(scan, hit.end, shape)?;
            let body = &scan.text[hit.end..end];
            (scan.ends_at(end) && !is_stand_in(body)).then_some(hit.start..end)
        }
        Check::Loose(shape) => {
            let end = parts(scan, hit.end, shape)?;
            let body = &scan.text[hit.end..end];
            let short = &body[..body.len().min(crate::limits::VALUE_LEN_MAX)];
            let fits = scan.ends_at(end) && !is_stand_in(body) && !is_placeholder(short);
            (fits && (body.len() >= 60 || is_secret(short, None, Manner::Token))).then_some(hit.start..end)
        }
    }
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
