//! Calls that take a login: `auth=("bob", "…")`, `SetBasicAuth(user, "…")`, `ConvertTo-SecureString "…"`.

use super::{Span, value_at};
use crate::bytes::TextScan;
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret};

/// How many arguments are looked at.
const ARGUMENT_COUNT_MAX: usize = 5;

/// The last quoted argument of a call that takes a user and a password, or a password alone.
pub(crate) fn login_call(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let alone = matches!(
        scan.text[hit.start..hit.end].to_ascii_lowercase().as_slice(),
        b"convertto-securestring" | b"setpassword" | b".password(" | b".pass("
    );
    let mut at = first_argument(scan, hit);
    let mut found = None;
    let mut quoted = 0;
    for _ in 0..ARGUMENT_COUNT_MAX {
        at = opening_end(scan, at);
        let Some(value) = value_at(scan, at).filter(|value| value.quoted) else {
            // An argument without quotes: a variable. The next one may have them.
            let len = scan
                .line_from(at, 60)
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.$-:".contains(byte))
                .count();
            if len == 0 || !matches!(scan.at(at + len), Some(b',')) {
                break;
            }
            at += len;
            continue;
        };
        quoted += 1;
        at = value.end_of_quotes();
        found = Some((quoted, value));
        if alone {
            break;
        }
    }
    let (place, value) = found?;
    let text = value.text(scan);
    let database = scan.has_folded(hit.start, "mysqli")
        || scan.has_folded(hit.start, "new mysqli")
        || scan.has_folded(hit.start, "pymysql");
    // The last of four arguments is the database: the one before it is the password.
    if database && place >= 4 {
        return third_argument(scan, hit);
    }
    ((alone || place >= 2 || at_user(scan, hit)) && is_secret(text, None, Manner::Placed))
        .then_some(value.span)
}

/// Whether the call names a variable before the quoted argument: `getConnection(url, user, "…")`.
fn at_user(scan: &TextScan<'_>, hit: LiteralHit) -> bool {
    scan.line_from(hit.end, 60).contains(&b',')
}

/// Where the arguments start: behind the literal, or at the quote that ends it.
fn first_argument(scan: &TextScan<'_>, hit: LiteralHit) -> usize {
    hit.end - usize::from(scan.before(hit.end) == Some(b'"'))
}

fn third_argument(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let mut at = first_argument(scan, hit);
    let mut value = None;
    for _ in 0..3 {
        at = opening_end(scan, at);
        let next = value_at(scan, at).filter(|value| value.quoted)?;
        at = next.end_of_quotes();
        value = Some(next);
    }
    let value = value?;
    is_secret(value.text(scan), None, Manner::Placed).then_some(value.span)
}

/// Skips what is between two arguments: brackets, commas, blanks, `Some(`, `-String`.
fn opening_end(scan: &TextScan<'_>, mut at: usize) -> usize {
    let max = at + 24;
    while at < max {
        match scan.at(at) {
            Some(b'(' | b',' | b' ' | b'\t' | b'\n' | b'\r' | b'=' | b'[' | b'@') => at += 1,
            Some(b'S') if scan.has(at, "Some(") => at += 5,
            Some(b'-') if scan.has_folded(at, "-string ") => at += 8,
            _ => break,
        }
    }
    scan.count(1);
    at
}
