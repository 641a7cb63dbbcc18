//! Addresses and connection strings that carry a password.

use super::{Span, value_at};
use crate::bytes::{BEARER, TextScan, find_folded};
use crate::harmless::{is_placeholder, is_stand_in, names_secret};
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret};
use crate::value_traits::is_word;
use std::ops::Range;

const USER_INFO_LEN_MAX: usize = 160;

/// `scheme://user:password@host`.
pub(crate) fn url(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = scan.line_from(hit.end, USER_INFO_LEN_MAX);
    let len = rest
        .iter()
        .position(|byte| {
            matches!(
                byte,
                b'/' | b' ' | b'\t' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b'\\' | b'|' | b',' | b'['
            )
        })
        .unwrap_or(rest.len());
    let sign = rest[..len].iter().rposition(|byte| *byte == b'@')?;
    let Some(colon) = rest[..sign].iter().position(|byte| *byte == b':') else {
        return token_user(scan, hit.end..hit.end + sign);
    };
    let (user, password, host) = (&rest[..colon], &rest[colon + 1..sign], &rest[sign + 1..len]);
    let span = hit.end + colon + 1..hit.end + sign;
    let host_follows =
        host.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'{'));
    // `https://TOKEN:x-oauth-basic@github.com`: the user is the secret.
    if user.len() >= 20 && is_placeholder(password) {
        return token_user(scan, hit.end..hit.end + colon);
    }
    if password.len() < 3
        || !host_follows
        || password == user
        || is_placeholder(password)
        || names_secret(password)
    {
        return None;
    }
    (!(is_local(host) && is_weak(password))).then_some(span)
}

/// `https://TOKEN@host`: a user that is a token.
fn token_user(scan: &TextScan<'_>, span: Range<usize>) -> Span {
    let user = &scan.text[span.clone()];
    // The user of a public reporting address is 32 hexadecimal digits, and meant to be published.
    let public = user.len() == 32 && user.iter().all(u8::is_ascii_hexdigit) && {
        let host = scan.line_from(span.end, 60);
        find_folded(host, "sentry").is_some()
            || find_folded(host, "ingest").is_some()
            || find_folded(host, "bugsink").is_some()
    };
    (user.len() >= 20 && !public && is_secret(user, None, Manner::Variable)).then_some(span)
}

/// `user:password@tcp(host)/database`: the address of a driver of Go.
pub(crate) fn driver(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(USER_INFO_LEN_MAX);
    let before = &scan.text[from..hit.start];
    scan.count(before.len());
    let start = before
        .iter()
        .rposition(|byte| {
            matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'\n' | b'=' | b'/' | b'(' | b'|' | b'>')
        })
        .map_or(0, |at| at + 1);
    let colon = start + before[start..].iter().position(|byte| *byte == b':')?;
    let password = &before[colon + 1..];
    (colon > start
        && password.len() >= 3
        && !is_placeholder(password)
        && !names_secret(password)
        && !is_weak(password))
    .then_some(from + colon + 1..hit.start)
}

/// `user/password@host:1521/service`: an address of Oracle.
pub(crate) fn oracle(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = scan.skip_blanks(hit.end);
    let line = scan.line_from(at, USER_INFO_LEN_MAX);
    let user = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.$#-".contains(byte)).count();
    let sign = line.iter().rposition(|byte| *byte == b'@').filter(|sign| *sign > user)?;
    if user == 0 || line[user] != b'/' {
        return None;
    }
    let password = &line[user + 1..sign];
    (password.len() >= 4
        && !password.contains(&b' ')
        && !is_placeholder(password)
        && !names_secret(password)
        && !is_weak(password))
    .then_some(at + user + 1..at + sign)
}

/// `?key=…`, `&appid=…`: a random value in the query of an address.
pub(crate) fn query(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let rest = scan.line_from(hit.end, 240);
    let len = rest.iter().take_while(|byte| BEARER.has(**byte)).count();
    let value = &rest[..len];
    // The key of a shared document is its address.
    let document = find_folded(&scan.text[hit.start.saturating_sub(60)..hit.start], "docs.google").is_some();
    scan.count(60);
    if document {
        return None;
    }
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    (len >= 20 && digits >= 2 && !is_stand_in(value) && is_secret(value, None, Manner::Variable))
        .then_some(hit.end..hit.end + len)
}

/// An address whose path is the secret: a webhook of a service.
pub(crate) fn webhook(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let rest = scan.line_from(hit.end, 240);
    let len = rest
        .iter()
        .take_while(|byte| BEARER.has(**byte) || matches!(byte, b'?' | b'&' | b':' | b'@'))
        .count();
    let path = &rest[..len];
    let random = path.split(|byte| matches!(byte, b'/' | b'?' | b'&' | b'=')).any(|part| {
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        let letters = part.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        part.len() >= 7
            && (digits >= 1 || !is_word(part))
            && letters >= 2
            && !is_placeholder(part)
            && !is_stand_in(part)
            && (part.len() < 16 || !names_secret(part))
    });
    random.then_some(hit.start..hit.end + len)
}

/// `Server=…;Password=…;`: the pairs of a database driver.
pub(crate) fn pairs(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let from = hit.start.saturating_sub(160);
    let before = &scan.text[from..hit.start];
    scan.count(before.len());
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at + 1..]);
    let value = value_at(scan, hit.end)?;
    let pair = line.contains(&b';')
        || scan.at(value.span.end) == Some(b';')
        || line.contains(&b':') && find_folded(line, "jdbc:").is_some();
    let text = value.text(scan);
    if !pair
        || text.len() < 3
        || is_placeholder(text)
        || names_secret(text)
        || scan.at(value.span.end) == Some(b'(')
    {
        return None;
    }
    let after = scan.line_from(value.span.end, 120);
    let telling = [
        "server=",
        "data source=",
        "host=",
        "uid=",
        "user id=",
        "user=",
        "username=",
        "database=",
        "jdbc:",
        "driver=",
    ]
    .iter()
    .filter(|name| find_folded(line, name).is_some() || find_folded(after, name).is_some())
    .count();
    (telling >= 1).then_some(value.span)
}

fn is_local(host: &[u8]) -> bool {
    let end = host.iter().position(|byte| matches!(byte, b':' | b'/' | b'?')).unwrap_or(host.len());
    let host = &host[..end];
    let is = |name: &str| host.eq_ignore_ascii_case(name.as_bytes());
    let ends = |tail: &str| {
        host.len() >= tail.len() && host[host.len() - tail.len()..].eq_ignore_ascii_case(tail.as_bytes())
    };
    is("localhost")
        || is("127.0.0.1")
        || is("host")
        || is("db")
        || ends(".test")
        || find_folded(host, "example").is_some()
}

/// Defaults that every tutorial uses.
fn is_weak(password: &[u8]) -> bool {
    const DEFAULTS: &[&str] = &[
        "postgres",
        "password",
        "guest",
        "root",
        "test",
        "admin",
        "mysql",
        "redis",
        "mongo",
        "rabbitmq",
        "minio",
        "minioadmin",
        "12345",
        "123456",
        "dev",
    ];
    password.len() <= 4
        || password.iter().all(u8::is_ascii_lowercase)
        || DEFAULTS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()))
}
