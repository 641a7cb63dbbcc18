//! Tokens of services that are more than a literal and runs.

use super::{Span, before_mark, has_head, stands_alone};
use crate::bytes::{
    B36, B62, B62_PERCENT, B64_ANY, B64_PAD, B64U, DIGIT, HEX, HEX_ANY, OPAQUE, TextScan, UPPER36, distinct,
    entropy, find,
};
use crate::decode::base64;
use crate::harmless::{is_handwritten, is_part_of_name, is_stand_in};
use crate::hit::LiteralHit;
use crate::limits::{LOOK_AHEAD_MAX, LOOK_BACK_MAX};

/// GitHub: 36 letters and digits, or the longer form that wraps a JSON web token.
pub(crate) fn github(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let is_behind_digit = scan.before(hit.start).is_some_and(|byte| byte.is_ascii_digit());
    let starts = scan.starts_token_at(hit.start);
    if !starts && !is_behind_digit {
        return None;
    }
    let plain = scan.run(hit.end, B62, LOOK_AHEAD_MAX);
    if plain < 36 && !starts {
        return None;
    }
    if plain >= 36 {
        let body = &scan.text[hit.end..hit.end + plain];
        let is_name = is_part_of_name(scan, hit.start, body);
        return (!is_name && !is_stand_in(body)).then_some(hit.start..hit.end + plain);
    }
    let len = scan.run(hit.end, OPAQUE, 200);
    let body = &scan.text[hit.end..hit.end + len];
    let wraps = find(body, "_eyJ").is_some();
    let mixed = body.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4
        && body.iter().any(u8::is_ascii_uppercase)
        && body.iter().any(u8::is_ascii_lowercase)
        && entropy(body) >= 3.8;
    let found = len >= 36 && (wraps || mixed);
    found.then(|| hit.start..hit.end + scan.run(hit.end, OPAQUE, LOOK_AHEAD_MAX))
}

/// OpenAI: the mark in the middle with `sk-` before it, or one of the newer prefixes.
pub(crate) fn openai(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.at(hit.start) == Some(b's') {
        let len = scan.run(hit.end, B64U, 300);
        let body = &scan.text[hit.end..hit.end + len];
        let real =
            len >= 40 && !is_stand_in(body) && !is_handwritten(body) && scan.starts_token_at(hit.start);
        return real.then_some(hit.start..hit.end + len);
    }
    let back = scan.run_back(hit.start, B64U, 200);
    let from = hit.start - back;
    let start =
        (from..hit.start.saturating_sub(2)).find(|at| scan.has(*at, "sk-") && scan.starts_token_at(*at))?;
    let len = scan.run(hit.end, B64U, 200);
    (hit.start - start >= 18 && len >= 16).then_some(start..hit.end + len)
}

/// `sk-` and 32 or more letters and digits in one run.
pub(crate) fn plain_sk(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !scan.starts_token_at(hit.start) || scan.before(hit.start) == Some(b'-') {
        return None;
    }
    let len = scan.run(hit.end, B62, 129);
    let body = &scan.text[hit.end..hit.end + len];
    let mixed = body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_alphabetic)
        || len >= 40 && !is_handwritten(body);
    // The mark of another kind, which names its provider.
    let marked = find(body, "T3BlbkFJ").is_some();
    (!marked
        && (32..=128).contains(&len)
        && mixed
        && scan.at(hit.end + len) != Some(b'-')
        && !is_stand_in(body))
    .then_some(hit.start..hit.end + len)
}

/// Slack: after the prefix at least one digit or version group, then a long tail.
pub(crate) fn slack(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !scan.starts_token_at(hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B64U, 400).max(scan.run(hit.end, B62_PERCENT, 400));
    let body = &scan.text[hit.end..hit.end + len];
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    (len >= 24 && digits >= 6 && distinct(body) >= 8).then_some(hit.start..hit.end + len)
}

/// A Slack webhook, workflow or trigger: the path is the secret.
pub(crate) fn slack_webhook(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let rest = scan.line_from(hit.end, 160);
    let end = rest.iter().take_while(|byte| B64_ANY.has(**byte)).count();
    let mut groups = rest[..end].split(|byte| *byte == b'/');
    let kind = groups.next()?;
    let telling = [&b"services"[..], b"workflows", b"triggers"].contains(&kind);
    let tail = groups.clone().next_back()?;
    let fits = telling && groups.count() >= 3 && tail.len() >= 20 && !is_stand_in(tail);
    fits.then_some(hit.start..hit.end + end)
}

/// A Teams webhook: the path is the secret.
pub(crate) fn teams_webhook(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let rest = scan.line_from(hit.end, 220);
    let at = find(rest, "/IncomingWebhook/")? + 17;
    let len = scan.run(hit.end + at, HEX_ANY, 33);
    let path = rest.iter().take_while(|byte| B64_ANY.has(**byte) || **byte == b'@').count();
    (len == 32 && !is_stand_in(&rest[at..at + len])).then_some(hit.start..hit.end + path)
}

/// Square: exactly sixty characters, not in the middle of base64.
pub(crate) fn square(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B64U, 66);
    ((58..=64).contains(&len) && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(hit.start..hit.end + len)
}

/// Facebook: eighty or more letters and digits, not in the middle of base64.
pub(crate) fn facebook(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B62, 600);
    let outside = !matches!(scan.at(hit.end + len), Some(b'+' | b'/' | b'='));
    (outside && (80..600).contains(&len) && entropy(&scan.text[hit.end..hit.end + len]) > 4.0)
        .then_some(hit.start..hit.end + len)
}

/// Mailchimp: 32 hexadecimal digits, `-us`, the number of a data centre.
pub(crate) fn mailchimp(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let digits = scan.run(hit.end, DIGIT, 3);
    if !(1..=2).contains(&digits)
        || !scan.ends_at(hit.end + digits)
        || scan.run_back(hit.start, HEX, 33) != 32
    {
        return None;
    }
    let start = hit.start - 32;
    (scan.starts_at(start) && !is_stand_in(&scan.text[start..hit.start])).then_some(start..hit.end + digits)
}

/// Telegram: a number, a colon, 35 characters that start with `AA`.
pub(crate) fn telegram(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let digits = scan.run_back(hit.start, DIGIT, 11);
    if !(8..=10).contains(&digits) {
        return None;
    }
    let start = hit.start - digits;
    let free = scan.starts_at(start) || start >= 3 && scan.has(start - 3, "bot");
    let len = scan.run(hit.end, B64U, 40);
    (free && (32..=34).contains(&len) && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(start..hit.end + len)
}

/// Discord: the bot's number in base64, a stamp, a signature.
pub(crate) fn discord(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !matches!(scan.at(hit.start + 3), Some(b'w'..=b'z' | b'0'..=b'5')) || !scan.starts_at(hit.start) {
        return None;
    }
    let number = scan.run(hit.start, B64U, 33);
    if !(22..=32).contains(&number) || scan.at(hit.start + number) != Some(b'.') {
        return None;
    }
    let stamp_at = hit.start + number + 1;
    let stamp = scan.run(stamp_at, B64U, 9);
    if !(5..=8).contains(&stamp) || scan.at(stamp_at + stamp) != Some(b'.') {
        return None;
    }
    let signature = scan.run(stamp_at + stamp + 1, B64U, 80);
    let decimal = base64(&scan.text[hit.start..hit.start + number], 24).iter().all(u8::is_ascii_digit);
    (decimal && signature >= 25).then_some(hit.start..stamp_at + stamp + 1 + signature)
}

/// Three parts of base64 whose first is a JSON header with an algorithm. Without a signature it proves nothing.
pub(crate) fn jwt(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !scan.starts_token_at(hit.start) {
        return None;
    }
    // After a hyphen or a `_` the same run would be walked again from every such place, so the reach is short there.
    let reach =
        if matches!(scan.before(hit.start), Some(b'-' | b'_')) { LOOK_BACK_MAX } else { LOOK_AHEAD_MAX };
    let header = scan.run(hit.start, B64U, reach);
    let payload_at = hit.start + header + 1;
    if header < 10 || scan.at(payload_at - 1) != Some(b'.') || !scan.has(payload_at, "eyJ") {
        return None;
    }
    let payload = scan.run(payload_at, B64U, 2 * LOOK_AHEAD_MAX);
    let signature_at = payload_at + payload + 1;
    if scan.at(signature_at - 1) != Some(b'.') {
        return None;
    }
    let signature = scan.run(signature_at, B64U, LOOK_AHEAD_MAX);
    let header = base64(&scan.text[hit.start..payload_at], 1024);
    let unsigned = find(&header, "\"none\"").is_some();
    if signature < 20 || unsigned || find(&header, "\"alg\"").is_none() {
        return None;
    }
    // The anonymous key of a hosted database is made to be published.
    let payload = base64(&scan.text[payload_at..signature_at], 2048);
    let public = find(&payload, "\"role\":\"anon\"").is_some();
    (!public).then_some(hit.start..signature_at + signature)
}

/// Terraform Cloud: fourteen characters, the mark, sixty or more.
pub(crate) fn terraform(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let head = scan.run_back(hit.start, B62, 15);
    let len = scan.run(hit.end, B64U, 80);
    ((13..=15).contains(&head) && len >= 50 && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(hit.start - head..hit.end + len)
}

/// New Relic: 36 characters that end in the mark.
pub(crate) fn new_relic_license(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !has_head(scan, hit.start, B62, 36) {
        return None;
    }
    let start = hit.start - 36;
    (scan.ends_at(hit.end) && !is_stand_in(&scan.text[start..hit.start])).then_some(start..hit.end)
}

/// 1Password: groups of capitals and digits of known lengths.
pub(crate) fn onepassword(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !scan.starts_at(hit.start) {
        return None;
    }
    let mut at = hit.end;
    let mut lens = [0; 7];
    for len in &mut lens {
        *len = scan.run(at, UPPER36, 12);
        at += *len;
        if scan.at(at) != Some(b'-') {
            break;
        }
        at += 1;
    }
    let fits = matches!(lens, [6, 11, 5, 5, 5, 0, 0] | [6, 6, 5, 5, 5, 5, 0]);
    (fits && !is_stand_in(&scan.text[hit.end..at])).then_some(hit.start..at)
}

/// Twitter: the long row of A, then letters, digits and percent escapes.
pub(crate) fn twitter(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B62_PERCENT, 160);
    let body = &scan.text[hit.end..hit.end + len];
    ((60..160).contains(&len) && find(body, "%").is_some() && distinct(body) >= 20)
        .then_some(hit.start..hit.end + len)
}

/// Convex: a deployment, a bar, base64.
pub(crate) fn convex(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let name = scan.run(hit.end, B64U, 60);
    let bar = hit.end + name;
    let len = if scan.at(bar) == Some(b'|') { scan.run(bar + 1, B64_ANY, 300) } else { 0 };
    (name >= 5 && len >= 40 && !is_stand_in(&scan.text[bar + 1..bar + 1 + len]))
        .then_some(hit.start..bar + 1 + len)
}

/// MaxMind: six characters, 29 characters, and the mark at the end.
pub(crate) fn maxmind(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let body = before_mark(scan, hit, B62, 29)?;
    let head = body.start.checked_sub(7)?;
    (scan.at(body.start - 1) == Some(b'_') && has_head(scan, body.start - 1, B62, 6)).then_some(head..hit.end)
}

/// RapidAPI: a mark in the middle and another near the end.
pub(crate) fn rapidapi(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let tail = scan.run(hit.end, HEX, 13);
    let head = scan.run_back(hit.start, B36, 40);
    let body = &scan.text[hit.start - head..hit.start];
    (tail == 12 && (30..=40).contains(&head) && find(body, "msh").is_some())
        .then_some(hit.start - head..hit.end + tail)
}

/// Intercom: base64 of `tok:` and a number in groups.
pub(crate) fn intercom(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let len = scan.run(hit.start, B64_PAD, 100);
    let plain = base64(&scan.text[hit.start..hit.start + len], 100);
    (len >= 50
        && plain.starts_with(b"tok:")
        && plain.iter().all(u8::is_ascii_graphic)
        && scan.starts_at(hit.start))
    .then_some(hit.start..hit.start + len)
}

/// Mollie, Lob, GoCardless and others: `live_` and thirty or more characters.
pub(crate) fn live_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    // `sk_live_…` and `pk_live_…` are kinds of their own.
    if scan.before(hit.start) == Some(b'_') || !scan.starts_at(hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B64U, 60);
    let body = &scan.text[hit.end..hit.end + len];
    let digit = body.iter().any(u8::is_ascii_digit);
    ((30..=50).contains(&len) && digit && !is_stand_in(body) && !is_handwritten(body))
        .then_some(hit.start..hit.end + len)
}

/// Mapbox: claims in base64 and a signature. The same with `pk.` is made to be published.
pub(crate) fn mapbox(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let claims = scan.run(hit.end, B64U, 200);
    let at = hit.end + claims;
    let signature = if scan.at(at) == Some(b'.') { scan.run(at + 1, B64U, 40) } else { 0 };
    (claims >= 30 && signature >= 20 && scan.starts_at(hit.start)).then_some(hit.start..at + 1 + signature)
}

/// PagerDuty: `u+` and eighteen characters, not in the middle of base64.
pub(crate) fn pagerduty(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = hit.start + 2;
    let len = scan.run(at, B64U, 19);
    let body = &scan.text[at..at + len];
    let ends = !matches!(scan.at(at + len), Some(b'+' | b'/' | b'='));
    (len == 18 && ends && stands_alone(scan, hit.start) && !is_handwritten(body))
        .then_some(hit.start..at + len)
}
