//! Files and commands that carry logins: netrc, pgpass, Kubernetes, registries, SQL, cookies.

use super::headers::is_login;
use super::{RawValue, Span, closing_blanks, value_at};
use crate::bytes::{B64_ANY, DIGIT, HEX_ANY, OPAQUE, TextScan, find, find_folded};
use crate::decode::base64;
use crate::harmless::{is_placeholder, is_stand_in, names_secret};
use crate::hit::LiteralHit;
use crate::shapes::base32_len;
use crate::value::{Manner, is_secret};

/// `--password …`, `curl -u user:…`, `mysql -p…`.
pub(crate) fn command(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    match scan.at(hit.start)?.to_ascii_lowercase() {
        b'-' => flag(scan, hit),
        b'c' => user_flag(scan, hit),
        _ => short_flag(scan, hit),
    }
}

fn flag(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !matches!(scan.at(hit.end), Some(b' ' | b'=')) {
        return None;
    }
    let value = value_at(scan, scan.skip_blanks(hit.end + 1))?;
    let text = value.text(scan);
    let by_hand = matches!(scan.at(hit.start + 2), Some(b'p' | b'P'));
    let manner = if by_hand { Manner::Password } else { Manner::Token };
    let elsewhere = text.starts_with(b"-") || text.starts_with(b"file:") || text.starts_with(b"env:");
    (!elsewhere && is_secret(text, value.next(scan), manner)).then_some(value.span)
}

fn user_flag(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 200);
    let (at, len) = ["-u ", "--user ", "--user=", "-u"].iter().find_map(|flag| {
        let at = find(line, flag)?;
        (at == 0 || line[at - 1] == b' ').then_some((at, flag.len()))
    })?;
    let value = value_at(scan, scan.skip_blanks(hit.end + at + len))?;
    let text = value.text(scan);
    let colon = text.iter().position(|byte| *byte == b':')?;
    let (user, password) = (&text[..colon], &text[colon + 1..]);
    let real = password.len() >= 4 && password != user && !is_placeholder(password) && !text.contains(&b'$');
    (real && !text.starts_with(b"//")).then_some(value.span.start + colon + 1..value.span.end)
}

fn short_flag(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 120);
    let at = if line.starts_with(b"-p") { 0 } else { find(line, " -p")? + 1 };
    let from = hit.end + at + 2;
    let pass_program = scan.has_folded(hit.start, "sshpass");
    let value = value_at(scan, if pass_program { scan.skip_blanks(from) } else { from })?;
    let text = value.text(scan);
    let real = text.len() >= 6 && !is_placeholder(text) && text.iter().any(|byte| !byte.is_ascii_lowercase());
    (real && !text.starts_with(b"-")).then_some(value.span)
}

/// `machine H login U password P`, on one line or several.
pub(crate) fn netrc(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let text = &scan.text[hit.end..(hit.end + 240).min(scan.text.len())];
    scan.count(text.len());
    let login = find(text, "login ")?;
    let password = login + find(&text[login..], "password ")?;
    let between =
        |part: &[u8]| part.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).count();
    if between(&text[..login]) != 1 || between(&text[login + 6..password]) != 1 {
        return None;
    }
    let value = value_at(scan, scan.skip_blanks(hit.end + password + 9))?;
    is_secret(value.text(scan), value.next(scan), Manner::Placed).then_some(value.span)
}

/// `host:5432:database:user:password`.
pub(crate) fn pgpass(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 160);
    let line = &line[..line.iter().position(|byte| matches!(byte, b' ' | b'`' | b'"')).unwrap_or(line.len())];
    let mut at = 0;
    // `host:port:*:user:password`: any database.
    let any_database = scan.has(hit.start, ":*:");
    if any_database && (scan.run_back(hit.start, DIGIT, 6) < 2 || scan.before(hit.start).is_none()) {
        return None;
    }
    let fields = if any_database { 1 } else { 2 };
    for _ in 0..fields {
        let len = line[at..].iter().position(|byte| *byte == b':')?;
        let word = &line[at..at + len];
        if word.is_empty() || !word.iter().all(|byte| OPAQUE.has(*byte) || *byte == b'*') {
            return None;
        }
        at += len + 1;
    }
    let password = &line[at..];
    (password.len() >= 4 && !is_placeholder(password) && !password.contains(&b':'))
        .then_some(hit.end + at..hit.end + line.len())
}

/// `"auth": "…"` of a Docker configuration.
pub(crate) fn docker_auth(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = scan.skip_blanks(hit.end);
    if scan.at(at) != Some(b':') {
        return None;
    }
    let value = value_at(scan, scan.skip_blanks(at + 1))?;
    is_login(value.text(scan)).then_some(value.span)
}

/// `kind: Secret` with values below `data:` or `stringData:`, from the first to the last.
pub(crate) fn kubernetes(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !matches!(scan.at(hit.end), None | Some(b'\n' | b'\r' | b' ')) {
        return None;
    }
    let text = &scan.text[hit.end..(hit.end + 1000).min(scan.text.len())];
    scan.count(text.len());
    let (mut plain, mut data) = (false, false);
    let mut found: Span = None;
    let mut at = 0;
    for line in text.split(|byte| *byte == b'\n') {
        let start = at;
        at += line.len() + 1;
        let content = line.trim_ascii();
        if content.starts_with(b"---") {
            break;
        }
        if matches!(content, b"data:" | b"stringData:") {
            (data, plain) = (true, content[0] == b's');
            continue;
        }
        if !data || !line.starts_with(b" ") {
            data &= line.starts_with(b" ") || content.is_empty();
            continue;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let value = line[colon + 1..].trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        let secret = if plain {
            value.len() >= 6 && !is_placeholder(value)
        } else {
            value.len() >= 8
                && value.iter().all(|byte| B64_ANY.has(*byte))
                && !is_placeholder(value)
                && !is_template(&base64(value, 64))
        };
        if secret {
            let start = hit.end + start + colon + 1;
            let end = start + line.len() - colon - 1;
            found = Some(found.map_or(start, |first| first.start)..end);
        }
    }
    found
}

/// Whether decoded text says "put yours here". False for bytes that are not text.
fn is_template(decoded: &[u8]) -> bool {
    decoded.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') && is_placeholder(decoded)
}

/// `INSERT INTO users (name, password) VALUES ('bob', '…')`.
pub(crate) fn insert(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let text = &scan.text[hit.end..(hit.end + 400).min(scan.text.len())];
    scan.count(text.len());
    let open = text.iter().position(|byte| *byte == b'(')?;
    let close = open + text[open..].iter().position(|byte| *byte == b')')?;
    let place = text[open + 1..close].split(|byte| *byte == b',').position(|column| {
        let column = column.trim_ascii();
        ["password", "passwd", "pwd", "pass", "secret", "token", "api_key"]
            .iter()
            .any(|word| find_folded(column, word).is_some_and(|at| at + word.len() >= column.len() - 1))
    })?;
    let values = close + find_folded(&text[close..], "values")? + 6;
    let mut at = hit.end + values;
    for number in 0..=place {
        at += scan
            .line_from(at, 24)
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'(' | b',' | b'\n'))
            .count();
        if number == place {
            break;
        }
        let rest = scan.line_from(at, 200);
        at += match rest.first()? {
            b'\'' => 2 + rest[1..].iter().position(|byte| *byte == b'\'')?,
            _ => rest.iter().position(|byte| *byte == b',')?,
        };
    }
    let value = value_at(scan, at)?;
    (value.quoted && is_secret(value.text(scan), None, Manner::Password)).then_some(value.span)
}

/// `AUTH …`, as a line of its own: how a client of Redis logs in.
pub(crate) fn auth_line(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let starts = matches!(scan.before(hit.start), None | Some(b'\n' | b'>' | b' '));
    let line = scan.line_from(hit.end, 80).trim_ascii();
    let last = line.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    let words = line.split(|byte| *byte == b' ').count();
    let value = value_at(scan, hit.end + last)?;
    (starts && words <= 2 && is_secret(value.text(scan), None, Manner::Apposed)).then_some(value.span)
}

/// `_authToken=…`, `_auth=…`, `_password=…` of a package registry.
pub(crate) fn npmrc(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    // Only after `//host/:` or at the start of a word: `my_password=` is a name like any other.
    if !matches!(scan.before(hit.start), None | Some(b':' | b'\n' | b' ' | b'"' | b'`')) {
        return None;
    }
    let mut at = closing_blanks(scan, hit.end);
    at = scan.skip_blanks(at + usize::from(matches!(scan.at(at), Some(b'=' | b':'))));
    let value = value_at(scan, at)?;
    accepted(scan, value, 8)
}

/// `IDENTIFIED BY '…'` and `PASSWORD '…'`.
pub(crate) fn sql(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let quote = |byte: Option<u8>| matches!(byte, Some(b'\'' | b'"'));
    // `PASSWORD('…')` is a function of SQL, `Password('…')` one of anything.
    let word = &scan.text[hit.start..hit.end];
    if word.contains(&b'(') && word.iter().any(u8::is_ascii_lowercase) {
        return None;
    }
    let at = if quote(scan.before(hit.end)) { hit.end - 1 } else { scan.skip_blanks(hit.end) };
    // Oracle takes a password without quotes.
    if !quote(scan.at(at)) {
        let value = value_at(scan, at)?;
        let ends = matches!(scan.at(value.span.end), None | Some(b';' | b'\n' | b'\r'));
        let by = scan.has_folded(hit.start, "identified by");
        return (by && ends && is_secret(value.text(scan), None, Manner::Placed)).then_some(value.span);
    }
    let value = value_at(scan, at)?;
    let text = value.text(scan);
    let worded = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
    if worded || text.contains(&b' ') {
        return None;
    }
    accepted(scan, value, 6)
}

/// `send "…\r"` behind `expect "password:"`: a script that logs in.
pub(crate) fn expect(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(60);
    let before = &scan.text[from..hit.start];
    scan.count(before.len());
    let asked = find_folded(before, "assword").or_else(|| find_folded(before, "assphrase")).is_some();
    let rest = scan.line_from(hit.end, 100);
    let len = rest.iter().position(|byte| matches!(byte, b'\\' | b'"')).unwrap_or(0);
    (asked && is_secret(&rest[..len], None, Manner::Placed)).then_some(hit.end..hit.end + len)
}

/// The file in which Subversion keeps a login: `password`, its length, its value, each on a line.
pub(crate) fn svn(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = hit.end + scan.line_from(hit.end, 8).len() + 1;
    let value = value_at(scan, at)?;
    accepted(scan, value, 6)
}

/// Cookies that are a login.
pub(crate) fn cookie(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = scan.line_from(hit.end, 200);
    let len = rest.iter().take_while(|byte| OPAQUE.has(**byte) || matches!(byte, b'%' | b'+' | b'/')).count();
    let value = &rest[..len];
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let random = scan.run(hit.end, HEX_ANY, 33) == 32 || is_secret(value, None, Manner::Token);
    (len >= 20 && digits >= 2 && random && !is_stand_in(value)).then_some(hit.end..hit.end + len)
}

/// `otpauth://totp/…?secret=…`.
pub(crate) fn totp(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 240);
    let at = hit.end + find_folded(line, "secret=")? + 7;
    let len = base32_len(scan, at);
    (len >= 16 && !is_stand_in(&scan.text[at..at + len])).then_some(at..at + len)
}

/// A value in a place where only a secret can be: everything but a placeholder is one.
fn accepted(scan: &TextScan<'_>, value: RawValue, len_min: usize) -> Span {
    let text = value.text(scan);
    (text.len() >= len_min && !is_placeholder(text) && !names_secret(text) && value.next(scan) != Some(b'('))
        .then_some(value.span)
}

/// `psk="…"`, `Unseal Key 1: …`, the cookie of a cluster: keys under names of their own.
pub(crate) fn shared_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let quoted = scan.before(hit.end) == Some(b'"');
    let mut at = if quoted { hit.end - 1 } else { hit.end };
    let number =
        scan.line_from(at, 4).iter().take_while(|byte| byte.is_ascii_digit() || **byte == b' ').count();
    at += number;
    if !quoted && !matches!(scan.before(at), Some(b'=' | b':')) {
        at = closing_blanks(scan, at);
        if !matches!(scan.at(at), Some(b'=' | b':')) {
            return None;
        }
        at += 1;
    }
    let value = value_at(scan, scan.skip_blanks(at))?;
    let text = value.text(scan);
    let cookie = scan.has_folded(hit.start, "erlang")
        && text.len() >= 16
        && text.iter().all(u8::is_ascii_uppercase)
        && !is_stand_in(text);
    (cookie || is_secret(text, value.next(scan), Manner::Placed)).then_some(value.span)
}

/// A line of `chap-secrets` or of a mail relay's `sasl_passwd`.
pub(crate) fn secrets_file(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.has(hit.start, "client") {
        let at = hit.end + scan.line_from(hit.end, 80).len() + 1;
        let line = scan.line_from(at, 160);
        let quote = line.iter().position(|byte| *byte == b'"')?;
        let value = value_at(scan, at + quote)?;
        return accepted(scan, value, 6);
    }
    // `[smtp.host]:587 user@host:password`.
    let line = scan.line_from(hit.end, 160);
    let sign = line.iter().position(|byte| *byte == b'@')?;
    let colon = sign + line[sign..].iter().position(|byte| *byte == b':')?;
    let port = line[..sign].windows(2).any(|pair| pair == b"]:") || line[..sign].contains(&b':');
    let value = value_at(scan, hit.end + colon + 1)?;
    (port && is_secret(value.text(scan), value.next(scan), Manner::Password)).then_some(value.span)
}
