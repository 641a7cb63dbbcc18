//! Kinds whose shape is more than a literal and runs: keys in armour, tokens with a mark in the middle.
//!
//! Each function is called where a literal of its row stands, and answers with the span of the secret.

use crate::bytes::{
    B32, B62, B62_PERCENT, B64, B64_ANY, B64_PAD, B64U, DIGIT, HEX, HEX_ANY, OPAQUE, Scan, UPPER36, distinct,
    entropy, find,
};
use crate::decode::base64;
use crate::index::Hit;
use crate::limits::{LOOK_AHEAD_MAX, LOOK_BACK_MAX};
use crate::value::{is_handwritten, is_placeholder, is_stand_in};
use std::ops::Range;

type Span = Option<Range<usize>>;

/// How much base64 makes the body of a key; the header alone is what documentation quotes.
const KEY_BODY_LEN_MIN: usize = 40;

/// `-----BEGIN … PRIVATE KEY-----` and at least the start of a body. A cut-off body counts.
pub(crate) fn pem_key(scan: &Scan<'_>, hit: Hit) -> Span {
    let begin = armour_begin(scan, hit.start)?;
    key_body(scan, hit.end).map(|end| begin..end)
}

/// The same for OpenSSH, and its body without a header.
pub(crate) fn openssh_key(scan: &Scan<'_>, hit: Hit) -> Span {
    if scan.at(hit.start) == Some(b'O') {
        return pem_key(scan, hit);
    }
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.start, B64, LOOK_AHEAD_MAX);
    (len >= 60).then_some(hit.start..hit.start + len)
}

/// Where the armour line of a key starts, if `at` stands in one.
fn armour_begin(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let from = at.saturating_sub(48);
    let head = &scan.text[from..at];
    scan.count(head.len());
    let begin = (0..head.len().saturating_sub(5)).rev().find(|at| head[*at..].starts_with(b"BEGIN "))?;
    let words = &head[begin + 6..];
    let plain = words.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ');
    let dashes = head[..begin].trim_ascii_end().ends_with(b"----");
    (plain && dashes).then_some(from + begin)
}

/// Where the base64 after an armour line ends, if there is enough of it.
fn key_body(scan: &Scan<'_>, after: usize) -> Option<usize> {
    let (mut at, mut base64_len, mut other_words) = (after, 0, 0);
    let end = (after + 1024).min(scan.text.len());
    while at < end && other_words <= 12 {
        let len = scan.run(at, B64_PAD, end - at);
        if len == 0 {
            if scan.has(at, "-----END") {
                break;
            }
            at += 1;
            continue;
        }
        // A literal `\n` between the lines leaves its letter at the head of the next run.
        let clean = !scan.at(at + len).is_some_and(|next| matches!(next, b'.' | b':' | b',' | b'\'' | b'?'));
        if len >= 20 && clean && distinct(&scan.text[at..at + len]) >= 6 {
            base64_len += len;
        } else {
            other_words += 1;
        }
        at += len;
        if base64_len >= KEY_BODY_LEN_MIN {
            return Some(at);
        }
    }
    None
}

/// `"private_key": "-----BEGIN …"`, as in the file of a service account.
pub(crate) fn service_account(scan: &Scan<'_>, hit: Hit) -> Span {
    let at = json_value(scan, hit.end - 1)?;
    let begin = find(scan.line_from(at, 16), "-----BEGIN")? + at;
    key_body(scan, begin + 10).map(|end| begin..end)
}

/// Where the text of a JSON string value starts, after the quote that ends its name.
fn json_value(scan: &Scan<'_>, mut at: usize) -> Option<usize> {
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

/// `Private-Lines: 8` and base64 below it.
pub(crate) fn putty_key(scan: &Scan<'_>, hit: Hit) -> Span {
    let count = scan.line_from(hit.end, 8);
    let number = count.trim_ascii();
    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
        return None;
    }
    key_body(scan, hit.end + count.len()).map(|end| hit.start..end)
}

/// The armour of an OpenVPN static key and hexadecimal lines below it.
pub(crate) fn openvpn_key(scan: &Scan<'_>, hit: Hit) -> Span {
    let rest = scan.text.get(hit.end..)?;
    let rest = &rest[..rest.len().min(160)];
    scan.count(rest.len());
    let digits = rest.iter().skip(12).filter(|byte| byte.is_ascii_hexdigit()).count();
    let first = rest.iter().position(|byte| *byte == b'\n')? + 1;
    (digits >= 32 && scan.run(hit.end + first, HEX_ANY, 32) >= 16).then_some(hit.start..hit.end + rest.len())
}

/// Base64 of an armour line that says PRIVATE KEY, in any of the three phases.
pub(crate) fn wrapped_key(scan: &Scan<'_>, hit: Hit) -> Span {
    let len = scan.run(hit.start, B64_ANY, 120);
    let head = &scan.text[hit.start..hit.start + len];
    const PHASES: [&str; 3] = ["UFJJVkFURSBLRVkt", "QUklWQVRFIEtFWS0t", "FBSSVZBVEUgS0VZ"];
    (len >= 60 && PHASES.iter().any(|phase| find(head, phase).is_some()))
        .then(|| hit.start..hit.start + scan.run(hit.start, B64_ANY, LOOK_AHEAD_MAX))
}

/// `PrivateKey = ` and 32 bytes in base64.
pub(crate) fn wireguard_key(scan: &Scan<'_>, hit: Hit) -> Span {
    let mut at = scan.skip_blanks(hit.end);
    if !matches!(scan.at(at), Some(b'=' | b':')) {
        return None;
    }
    at = scan.skip_blanks(at + 1);
    at += usize::from(matches!(scan.at(at), Some(b'"' | b'\'' | b'`')));
    let len = scan.run(at, B64, 44);
    (len == 43 && scan.at(at + len) == Some(b'=') && !is_stand_in(&scan.text[at..at + len]))
        .then_some(at..at + len + 1)
}

/// The private member of a JSON web key, with `kty` near it.
pub(crate) fn jwk(scan: &Scan<'_>, hit: Hit) -> Span {
    let at = json_value(scan, hit.end - 1)?;
    let len = scan.run(at, B64U, LOOK_AHEAD_MAX);
    if len < 22 || scan.at(at + len) != Some(b'"') {
        return None;
    }
    let around = scan.around(&(at..at + len), 1500);
    let symmetric = scan.at(hit.start + 1) == Some(b'k');
    let telling = find(around, "\"kty\"").is_some() && (!symmetric || find(around, "\"oct\"").is_some());
    telling.then_some(at..at + len)
}

/// A key or a recovery phrase of a wallet, right after a name for it.
pub(crate) fn wallet(scan: &Scan<'_>, hit: Hit) -> Span {
    let mut at = hit.end;
    while matches!(scan.at(at), Some(b'"' | b'\'' | b'`' | b'*' | b' ')) && at < hit.end + 6 {
        at += 1;
    }
    if scan.has(at, "is ") {
        at += 2;
    } else if matches!(scan.at(at), Some(b'=' | b':' | b'|')) {
        at += 1;
    } else {
        return None;
    }
    while matches!(scan.at(at), Some(b'"' | b'\'' | b'`' | b'*' | b' ')) && at < hit.end + 16 {
        at += 1;
    }
    let digits = at + if scan.has(at, "0x") { 2 } else { 0 };
    if scan.run(digits, HEX_ANY, 65) == 64 && scan.ends_at(digits + 64) {
        return (!is_stand_in(&scan.text[digits..digits + 64])).then_some(at..digits + 64);
    }
    let len = scan.run(at, B62, 53);
    if matches!(len, 51 | 52) && matches!(scan.at(at), Some(b'5' | b'K' | b'L')) {
        let body = &scan.text[at..at + len];
        return (!body.iter().any(|byte| matches!(byte, b'0' | b'O' | b'I' | b'l'))).then_some(at..at + len);
    }
    let line = scan.line_from(at, 300);
    phrase_len(line).map(|len| at..at + len)
}

/// Twelve to twenty-four small words of a recovery phrase. The commonest words of English are not in any list.
fn phrase_len(line: &[u8]) -> Option<usize> {
    const NOT_LISTED: &[&[u8]] = &[
        b"the", b"and", b"for", b"are", b"with", b"from", b"not", b"was", b"has", b"its", b"but", b"does",
        b"words",
    ];
    let (mut count, mut len) = (0, 0);
    for word in line.split(|byte| *byte == b' ') {
        let letters = word.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        if !(3..=8).contains(&letters) || NOT_LISTED.contains(&&word[..letters]) {
            break;
        }
        count += 1;
        len += word.len() + 1;
        if letters != word.len() {
            break;
        }
    }
    matches!(count, 12 | 15 | 18 | 21 | 24).then(|| len - 1)
}

/// Forty characters of base64 after the name of an AWS secret.
pub(crate) fn aws_secret(scan: &Scan<'_>, hit: Hit) -> Span {
    let mut at = hit.end;
    while at < hit.end + 12
        && matches!(
            scan.at(at),
            Some(b'"' | b'\'' | b'`' | b'*' | b' ' | b'\t' | b'=' | b':' | b'|' | b'>' | b'\\')
        )
    {
        at += 1;
    }
    if scan.has(at, "is ") {
        at += 3;
    }
    at += usize::from(matches!(scan.at(at), Some(b'"' | b'\'' | b'`')));
    let len = scan.run(at, B64, 41);
    let body = &scan.text[at..at + len];
    (len == 40 && distinct(body) >= 10 && !is_placeholder_key(body)).then_some(at..at + len)
}

/// A documented sample is refused like a real one; a row of x or a name is not.
fn is_placeholder_key(body: &[u8]) -> bool {
    is_stand_in(body) || body.iter().all(|byte| byte.is_ascii_uppercase())
}

/// `"type": "authorized_user"` with a refresh token beside it.
pub(crate) fn google_user(scan: &Scan<'_>, hit: Hit) -> Span {
    let around = scan.around(&(hit.start..hit.end), 600);
    let at = find(around, "\"refresh_token\"")?;
    let value = &around[at + 15..];
    let open = value.iter().take(8).position(|byte| *byte == b'"')? + 1;
    let len = value[open..].iter().take(200).take_while(|byte| **byte != b'"').count();
    (len >= 20 && !is_placeholder(&value[open..open + len])).then_some(hit.start..hit.end)
}

/// 64 bytes in base64 after `AccountKey=`.
pub(crate) fn azure_account(scan: &Scan<'_>, hit: Hit) -> Span {
    let mut at = hit.end;
    while at < hit.end + 6 && matches!(scan.at(at), Some(b'"' | b'\'' | b' ' | b':')) {
        at += 1;
    }
    let len = scan.run(at, B64, 90);
    (len >= 80 && !is_stand_in(&scan.text[at..at + len])).then_some(at..at + len)
}

/// 32 bytes in base64 after `SharedAccessKey=`.
pub(crate) fn azure_shared(scan: &Scan<'_>, hit: Hit) -> Span {
    let len = scan.run(hit.end, B64, 90);
    (len >= 40 && !is_stand_in(&scan.text[hit.end..hit.end + len])).then_some(hit.end..hit.end + len)
}

/// 64-byte keys: a mark after 76 characters, two padding signs at the end.
pub(crate) fn azure_64(scan: &Scan<'_>, hit: Hit) -> Span {
    let (back, ahead) = around_mark(scan, hit, B64, 76, 6)?;
    (ahead >= 5 && scan.has(hit.end + ahead, "==")).then_some(back..hit.end + ahead + 2)
}

/// 32-byte keys: a mark after 33 characters, one padding sign at the end.
pub(crate) fn azure_32(scan: &Scan<'_>, hit: Hit) -> Span {
    let (back, ahead) = around_mark(scan, hit, B64, 33, 6)?;
    let version = scan.at(hit.end).is_some_and(|byte| (b'A'..=b'P').contains(&byte));
    (ahead == 6 && version && scan.at(hit.end + ahead) == Some(b'=')).then_some(back..hit.end + ahead + 1)
}

/// Registry, search and functions keys: a mark after 42 or 44 characters.
pub(crate) fn azure_other(scan: &Scan<'_>, hit: Hit) -> Span {
    let head = if scan.has(hit.start, "AzFu") { 44 } else { 42 };
    let set = if scan.at(hit.start) == Some(b'+') { B64 } else { B64U };
    let (back, ahead) = around_mark(scan, hit, set, head, 12)?;
    (5..=12).contains(&ahead).then_some(back..hit.end + ahead)
}

/// The common annotated form: a mark after 52 characters, 84 in all.
pub(crate) fn azure_annotated(scan: &Scan<'_>, hit: Hit) -> Span {
    let (back, ahead) = around_mark(scan, hit, B62, 52, 40)?;
    (24..=34).contains(&ahead).then_some(back..hit.end + ahead)
}

/// Where a token with its mark at a fixed place starts, and how many characters follow the mark.
fn around_mark(
    scan: &Scan<'_>,
    hit: Hit,
    set: crate::bytes::Set,
    head: usize,
    tail_max: usize,
) -> Option<(usize, usize)> {
    if !has_head(scan, hit.start, set, head) || distinct(&scan.text[hit.start - head..hit.start]) < 6 {
        return None;
    }
    let tail = scan.run(hit.end, set, tail_max + 1);
    (tail <= tail_max).then_some((hit.start - head, tail))
}

/// Whether so many characters stand before `at`, and not one more. The letter of an escape is none.
fn has_head(scan: &Scan<'_>, at: usize, set: crate::bytes::Set, len: usize) -> bool {
    let found = scan.run_back(at, set, len + 1);
    found == len
        || found > len && scan.starts_at(at - len) && scan.before(at - len).is_some_and(|byte| B62.has(byte))
}

/// An Azure client secret: three characters, `7Q~` or `8Q~`, thirty-odd more.
pub(crate) fn azure_client(scan: &Scan<'_>, hit: Hit) -> Span {
    let start = hit.start.checked_sub(3)?;
    if !scan.starts_at(start) || !scan.text[start..hit.start].iter().all(|byte| OPAQUE.has(*byte)) {
        return None;
    }
    let mut len = scan.run(hit.end, OPAQUE, 40);
    while len > 31 && matches!(scan.at(hit.end + len - 1), Some(b'.' | b'-')) {
        len -= 1;
    }
    ((31..=36).contains(&len) && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(start..hit.end + len)
}

/// `sig=` with 32 bytes in base64, beside two other parameters of a shared access signature.
pub(crate) fn azure_sas(scan: &Scan<'_>, hit: Hit) -> Span {
    if !matches!(scan.before(hit.start), None | Some(b'?' | b'&' | b';' | b' ' | b'"' | b'\'')) {
        return None;
    }
    let rest = scan.line_from(hit.end, 90);
    let len = rest.iter().take_while(|byte| B64_PAD.has(**byte) || **byte == b'%').count();
    if len < 43 {
        return None;
    }
    let around = scan.around(&(hit.start..hit.end + len), 300);
    let telling =
        ["se=", "sv=", "sp=", "sr=", "st="].iter().filter(|name| find(around, name).is_some()).count();
    (telling >= 2 && !is_stand_in(&rest[..len])).then_some(hit.end..hit.end + len)
}

/// GitHub: 36 letters and digits, or the longer form that wraps a JSON web token.
pub(crate) fn github(scan: &Scan<'_>, hit: Hit) -> Span {
    if !scan.starts_at(hit.start) {
        return None;
    }
    let plain = scan.run(hit.end, B62, LOOK_AHEAD_MAX);
    if plain >= 36 {
        return (!is_stand_in(&scan.text[hit.end..hit.end + plain])).then_some(hit.start..hit.end + plain);
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
pub(crate) fn openai(scan: &Scan<'_>, hit: Hit) -> Span {
    if scan.at(hit.start) == Some(b's') {
        let len = scan.run(hit.end, B64U, 300);
        let body = &scan.text[hit.end..hit.end + len];
        let real = len >= 40 && !is_stand_in(body) && !is_handwritten(body) && scan.starts_at(hit.start);
        return real.then_some(hit.start..hit.end + len);
    }
    let back = scan.run_back(hit.start, B64U, 200);
    let from = hit.start - back;
    let start = (from..hit.start.saturating_sub(2)).find(|at| scan.has(*at, "sk-") && scan.starts_at(*at))?;
    let len = scan.run(hit.end, B64U, 200);
    (hit.start - start >= 18 && len >= 16).then_some(start..hit.end + len)
}

/// `sk-` and 32 or more letters and digits in one run.
pub(crate) fn plain_sk(scan: &Scan<'_>, hit: Hit) -> Span {
    if !scan.starts_at(hit.start) || scan.before(hit.start) == Some(b'-') {
        return None;
    }
    let len = scan.run(hit.end, B62, 129);
    let body = &scan.text[hit.end..hit.end + len];
    let mixed = body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_alphabetic);
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
pub(crate) fn slack(scan: &Scan<'_>, hit: Hit) -> Span {
    if !scan.starts_at(hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B64U, 400).max(scan.run(hit.end, B62_PERCENT, 400));
    let body = &scan.text[hit.end..hit.end + len];
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    (len >= 24 && digits >= 6 && distinct(body) >= 8).then_some(hit.start..hit.end + len)
}

/// A Slack webhook, workflow or trigger: the path is the secret.
pub(crate) fn slack_webhook(scan: &Scan<'_>, hit: Hit) -> Span {
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
pub(crate) fn teams_webhook(scan: &Scan<'_>, hit: Hit) -> Span {
    let rest = scan.line_from(hit.end, 220);
    let at = find(rest, "/IncomingWebhook/")? + 17;
    let len = scan.run(hit.end + at, HEX_ANY, 33);
    (len == 32 && !is_stand_in(&rest[at..at + len])).then_some(hit.start..hit.end + at + len)
}

/// Square: exactly sixty characters, not in the middle of base64.
pub(crate) fn square(scan: &Scan<'_>, hit: Hit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B64U, 66);
    ((58..=64).contains(&len) && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(hit.start..hit.end + len)
}

/// Facebook: eighty or more letters and digits, not in the middle of base64.
pub(crate) fn facebook(scan: &Scan<'_>, hit: Hit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B62, 600);
    let outside = !matches!(scan.at(hit.end + len), Some(b'+' | b'/' | b'='));
    (outside && (80..600).contains(&len) && entropy(&scan.text[hit.end..hit.end + len]) > 4.0)
        .then_some(hit.start..hit.end + len)
}

/// Whether a token starts here and no base64 runs into it.
fn stands_alone(scan: &Scan<'_>, at: usize) -> bool {
    scan.starts_at(at) && !matches!(scan.before(at), Some(b'+' | b'/' | b'-'))
}

/// Mailchimp: 32 hexadecimal digits, `-us`, the number of a data centre.
pub(crate) fn mailchimp(scan: &Scan<'_>, hit: Hit) -> Span {
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
pub(crate) fn telegram(scan: &Scan<'_>, hit: Hit) -> Span {
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
pub(crate) fn discord(scan: &Scan<'_>, hit: Hit) -> Span {
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
pub(crate) fn jwt(scan: &Scan<'_>, hit: Hit) -> Span {
    if !scan.starts_at(hit.start) {
        return None;
    }
    // After a hyphen the same run would be walked again from every such place, so the reach is short there.
    let reach = if scan.before(hit.start) == Some(b'-') { LOOK_BACK_MAX } else { LOOK_AHEAD_MAX };
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
pub(crate) fn terraform(scan: &Scan<'_>, hit: Hit) -> Span {
    let head = scan.run_back(hit.start, B62, 15);
    let len = scan.run(hit.end, B64U, 80);
    ((13..=15).contains(&head) && len >= 50 && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(hit.start - head..hit.end + len)
}

/// New Relic: 36 characters that end in the mark.
pub(crate) fn new_relic_license(scan: &Scan<'_>, hit: Hit) -> Span {
    if !has_head(scan, hit.start, B62, 36) {
        return None;
    }
    let start = hit.start - 36;
    (scan.ends_at(hit.end) && !is_stand_in(&scan.text[start..hit.start])).then_some(start..hit.end)
}

/// 1Password: groups of capitals and digits of known lengths.
pub(crate) fn onepassword(scan: &Scan<'_>, hit: Hit) -> Span {
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
pub(crate) fn twitter(scan: &Scan<'_>, hit: Hit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.end, B62_PERCENT, 160);
    let body = &scan.text[hit.end..hit.end + len];
    ((60..160).contains(&len) && find(body, "%").is_some() && distinct(body) >= 20)
        .then_some(hit.start..hit.end + len)
}

/// Base32 with the length of a seed, for one-time passwords.
pub(crate) fn base32_len(scan: &Scan<'_>, at: usize) -> usize {
    scan.run(at, B32, 129)
}
