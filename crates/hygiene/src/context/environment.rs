//! `PGPASSWORD=falcon psql`: a password of letters alone, in a variable of the environment whose name says what it holds.
//!
//! Everywhere else such a value is a word. Here the notation (no blank beside the sign, capitals) says that a shell, a
//! Dockerfile or a compose file reads it, so that only placeholders and the defaults of local services are left.

use super::line_end::ends_line;
use super::names::Name;
use super::{NAME_JOINERS, RawValue};
use crate::bytes::TextScan;
use crate::harmless::{SECRET_WORDS, is_placeholder, is_sample};
use crate::hit::LiteralHit;

/// The lengths between which a row of letters counts as a password.
const LEN_MIN: usize = 6;
const LEN_MAX: usize = 32;

/// Parts of a name that make its value the text of a message, the label of a field, or the name of a stored secret.
const HEADS_OF_TEXTS: &[&str] = &[
    "ask",
    "bad",
    "change",
    "confirm",
    "empty",
    "enter",
    "err",
    "error",
    "field",
    "forgot",
    "hint",
    "image",
    "incorrect",
    "input",
    "invalid",
    "k8s",
    "kube",
    "kubernetes",
    "label",
    "lost",
    "missing",
    "mode",
    "msg",
    "no",
    "prompt",
    "pull",
    "reset",
    "store",
    "text",
    "tls",
    "type",
    "use",
    "weak",
    "with",
    "without",
    "wrong",
];
/// Values that describe a password, and the passwords that images and tutorials have by default.
const KNOWN_VALUES: &[&str] = &[
    "adminadmin",
    "blank",
    "cassandra",
    "changeit",
    "changethis",
    "clickhouse",
    "correct",
    "couchbase",
    "couchdb",
    "debian",
    "developer",
    "development",
    "disabled",
    "docker",
    "elastic",
    "elasticsearch",
    "encrypted",
    "enabled",
    "falsch",
    "foobarbaz",
    "geheim",
    "gitlab",
    "grafana",
    "hashed",
    "ignored",
    "incorrect",
    "influxdb",
    "insecure",
    "integration",
    "interactive",
    "invalid",
    "jenkins",
    "keycloak",
    "keyring",
    "localhost",
    "manual",
    "mariadb",
    "minioadmin",
    "missing",
    "mongodb",
    "neo4j",
    "nextcloud",
    "nothing",
    "oracle",
    "plaintext",
    "postgres",
    "postgresql",
    "production",
    "prompt",
    "provided",
    "rabbitmq",
    "random",
    "redmine",
    "rootroot",
    "rstudio",
    "secure",
    "sonarqube",
    "staging",
    "stored",
    "tester",
    "ubuntu",
    "unknown",
    "unsafe",
    "unused",
    "vagrant",
    "variable",
    "varies",
    "whatever",
    "wordpress",
    "yourpw",
    "yourpwd",
];
/// Beginnings of values that are made up for a text.
const MADE_UP: &[&str] =
    &["any", "change", "demo", "dont", "fake", "from", "mock", "note", "some", "temp", "test", "your"];

/// Whether `NAME=value`, or `NAME: value` on a line of its own, gives a variable a password of letters.
pub(super) fn is_word_of_variable(
    scan: &TextScan<'_>,
    hit: LiteralHit,
    name: &Name,
    separated: usize,
    value: &RawValue,
) -> bool {
    let start = value.span.start - usize::from(value.quoted);
    let next = scan.at(value.end_of_quotes());
    let ends =
        matches!(next, None | Some(b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'"' | b'\'' | b'`' | b'\\'));
    let assigned = scan.at(name.end) == Some(b'=') && separated == name.end + 1 && start == separated && ends;
    // `$env:PGPASSWORD = "…"` of PowerShell.
    let in_powershell = value.quoted
        && scan.before(separated) == Some(b'=')
        && name.start >= 5
        && scan.has_folded(name.start - 5, "$env:");
    let is_lower = value.text(scan).iter().all(u8::is_ascii_lowercase);
    let in_yaml = scan.at(name.end) == Some(b':')
        && name.by_hand
        && scan.at(separated) == Some(b' ')
        && scan.text[name.start..name.end].contains(&b'_')
        && is_lower
        && indent_before(scan, name.start)
        && ends_line(scan, value.end_of_quotes());
    let free =
        matches!(scan.before(name.start), None | Some(b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'`' | b'('));
    (assigned && free || in_powershell || in_yaml)
        && is_password_of_letters(scan, hit, name, value.text(scan))
}

/// Whether `ENV NAME value` of a Dockerfile, or `setenv NAME value`, is a line that gives a variable such a password.
pub(super) fn is_word_of_directive(
    scan: &TextScan<'_>,
    hit: LiteralHit,
    name: &Name,
    value: &RawValue,
) -> bool {
    const HEADS: &[&[u8]] =
        &[b"ENV", b"ARG", b"setenv", b"setx", b"set -x", b"set -gx", b"set -xg", b"set -ux", b"set -lx"];
    let from = name.start.saturating_sub(24);
    let before = &scan.text[from..name.start];
    scan.count(before.len());
    let head = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(before, |line| &before[line + 1..])
        .trim_ascii();
    HEADS.contains(&head)
        && ends_line(scan, value.end_of_quotes())
        && is_password_of_letters(scan, hit, name, value.text(scan))
}

/// Whether only blanks are before `at` on its line.
fn indent_before(scan: &TextScan<'_>, at: usize) -> bool {
    let from = at.saturating_sub(32);
    let before = &scan.text[from..at];
    scan.count(before.len());
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    blanks == before.len() && from == 0 || before.get(before.len().wrapping_sub(blanks + 1)) == Some(&b'\n')
}

fn is_password_of_letters(scan: &TextScan<'_>, hit: LiteralHit, name: &Name, value: &[u8]) -> bool {
    let by_hand = name.by_hand || scan.has_folded(hit.start, "secret") && hit.end == name.end;
    if !name.shouted || !by_hand || !(LEN_MIN..=LEN_MAX).contains(&value.len()) {
        return false;
    }
    scan.count(value.len());
    let plain = value.iter().all(u8::is_ascii_alphabetic) && value[1..].iter().all(u8::is_ascii_lowercase);
    let head =
        |word: &&str| value.len() > word.len() && value[..word.len()].eq_ignore_ascii_case(word.as_bytes());
    plain
        && !is_placeholder(value)
        && !is_sample(value)
        && !SECRET_WORDS.any_in(value)
        && !KNOWN_VALUES.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        && !MADE_UP.iter().any(head)
        && !scan.text[name.start..name.end].split(|byte| NAME_JOINERS.contains(byte)).any(|part| {
            HEADS_OF_TEXTS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes()))
                // `MYAPP_PASSWORD=myapp`: the default of a local service.
                || value.eq_ignore_ascii_case(part)
                || part.len() >= 5 && value.len() > part.len() && value[..part.len()].eq_ignore_ascii_case(part)
        })
}
