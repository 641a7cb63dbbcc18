//! Kinds whose shape is more than a literal and runs: keys in armour, tokens with a mark in the middle.
//!
//! Each function is called at a literal of its row, and returns the span of the secret.

pub(crate) mod clouds;
pub(crate) mod keys;
pub(crate) mod services;
pub(crate) mod wallets;

use crate::bytes::{B32, B62, Set, TextScan};
use crate::harmless::is_stand_in;
use crate::hit::{LiteralHit, Span};

/// Where the text of a JSON string value starts, after the quote that ends its name.
fn json_value(scan: &TextScan<'_>, mut at: usize) -> Option<usize> {
    if scan.at(at) == Some(b'\\') {
        at += 1;
    }
    if scan.at(at) != Some(b'"') {
        return None;
    }
    at = scan.skip_blanks(at + 1);
    if scan.at(at) != Some(b':') {
        return None;
    }
    at = scan.skip_blanks(at + 1);
    if scan.at(at) == Some(b'\\') {
        at += 1;
    }
    (scan.at(at) == Some(b'"')).then_some(at + 1)
}

/// Whether exactly so many characters are before `at`. The letter of an escape does not count.
fn has_head(scan: &TextScan<'_>, at: usize, set: Set, len: usize) -> bool {
    let found = scan.run_back(at, set, len + 1);
    found == len
        || found > len && scan.starts_at(at - len) && scan.before(at - len).is_some_and(|byte| B62.has(byte))
}

/// Whether a token starts here and no base64 runs into it.
fn stands_alone(scan: &TextScan<'_>, at: usize) -> bool {
    scan.starts_at(at) && !matches!(scan.before(at), Some(b'+' | b'/' | b'-'))
}

/// Base32 with the length of a seed, for one-time passwords.
pub(crate) fn base32_len(scan: &TextScan<'_>, at: usize) -> usize {
    scan.run(at, B32, 129)
}

/// A mark at the end of a token: so many characters of an alphabet are before it.
fn before_mark(scan: &TextScan<'_>, hit: LiteralHit, set: Set, len: usize) -> Span {
    if !has_head(scan, hit.start, set, len) || !scan.ends_at(hit.end) {
        return None;
    }
    let start = hit.start - len;
    (!is_stand_in(&scan.text[start..hit.start])).then_some(start..hit.end)
}
