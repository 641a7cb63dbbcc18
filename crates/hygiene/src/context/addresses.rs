//! Addresses and connection strings that carry a password.

use super::{Span, value_at};
use crate::bytes::{Scan, find_folded};
use crate::index::Hit;
use crate::value::{is_placeholder, names_secret};

const USER_INFO_LEN_MAX: usize = 160;

/// `scheme://user:password@host`.
pub(crate) fn url(scan: &Scan<'_>, hit: Hit) -> Span {
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
    let colon = rest[..sign].iter().position(|byte| *byte == b':')?;
    let (user, password, host) = (&rest[..colon], &rest[colon + 1..sign], &rest[sign + 1..len]);
    let span = hit.end + colon + 1..hit.end + sign;
    let host_follows =
        host.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'{'));
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

/// `Server=…;Password=…;`: the pairs of a database driver.
pub(crate) fn pairs(scan: &Scan<'_>, hit: Hit) -> Span {
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
    password.len() <= 4 || DEFAULTS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()))
}
