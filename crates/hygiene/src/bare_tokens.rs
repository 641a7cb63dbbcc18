//! Tokens without a literal to search for: the run of characters itself shows them.
//!
//! One pass over the text cuts it into runs of the characters that tokens are made of. Each run is looked at once.

use crate::bytes::{B32, B36, B62, B64_PAD, B64U, DIGIT, HEX, Set, TextScan, distinct, entropy};
use crate::finding::{Family, SecretKind};
use crate::harmless::{is_placeholder, is_sequence, is_stand_in, is_uuid, names_secret};
use crate::hit::Span;
use crate::limits::VALUE_LEN_MAX;
use crate::table::ADVICE;
use crate::value_traits::{ValueTraits, is_camel, is_word, is_wordy, pieces};
use std::ops::Range;

/// All known tokens have at least this length.
const LEN_MIN: usize = 20;
/// How much of the part behind a prefix must be random. Ids of services are shorter.
const BODY_LEN_MIN: usize = 28;
/// The same if the prefix says that it is a key.
const BODY_LEN_TELLING_MIN: usize = 22;

/// A run of characters that may be a token.
struct TokenRun<'s, 'a> {
    scan: &'s TextScan<'a>,
    start: usize,
    end: usize,
}

impl<'a> TokenRun<'_, 'a> {
    fn text(&self) -> &'a [u8] {
        &self.scan.text[self.start..self.end]
    }

    fn before(&self) -> Option<u8> {
        self.scan.before(self.start)
    }

    fn after(&self) -> Option<u8> {
        self.scan.at(self.end)
    }

    fn whole(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A kind, and the check that returns its span.
struct Shape {
    kind: SecretKind,
    check: fn(&TokenRun<'_, '_>) -> Span,
}

const fn shape(
    family: Family,
    id: &'static str,
    name: &'static str,
    check: fn(&TokenRun<'_, '_>) -> Span,
) -> Shape {
    Shape { kind: SecretKind { id, name, family, advice: ADVICE }, check }
}

/// The kinds that are found here; the first that fits is taken.
static SHAPES: &[Shape] = &[
    shape(Family::Service, "mailgun_private_key", "Mailgun private key", mailgun),
    shape(Family::Service, "asana_token", "Asana token", asana),
    shape(Family::PrivateKey, "wallet_import_key", "wallet key", wallet),
    shape(Family::PrivateKey, "stellar_seed", "wallet seed", stellar),
    shape(Family::Service, "sanity_token", "Sanity token", sanity),
    shape(Family::Service, "facebook_app_token", "Facebook app token", facebook_app),
    shape(Family::Service, "ghost_key", "Ghost key", ghost),
    shape(Family::Operations, "bitwarden_token", "Bitwarden token", bitwarden),
    shape(Family::Model, "zhipu_key", "Zhipu key", zhipu),
    shape(Family::Operations, "ngrok_token", "ngrok token", ngrok),
    shape(Family::Service, "prefixed_token", "token with a prefix", prefixed),
];

/// The kinds that are found here.
pub(crate) fn kinds() -> impl Iterator<Item = &'static SecretKind> {
    SHAPES.iter().map(|shape| &shape.kind)
}

/// The next run from `at` on that is long enough to be a token.
fn next_run(text: &[u8], mut at: usize) -> Option<Range<usize>> {
    while at < text.len() {
        let len = text[at..].iter().take_while(|byte| B64U.has(**byte)).count();
        if len >= LEN_MIN {
            return Some(at..at + len);
        }
        at += len + 1;
    }
    None
}

/// Calls `found` for every token of the text.
pub(crate) fn find(scan: &TextScan<'_>, mut found: impl FnMut(&'static SecretKind, Range<usize>)) {
    let mut at = 0;
    while let Some(run) = next_run(scan.text, at) {
        at = run.end + 1;
        scan.count(run.len());
        if run.len() > 2 * VALUE_LEN_MAX {
            continue;
        }
        let Some(run) = token_of(scan, run) else { continue };
        if let Some((kind, span)) = SHAPES.iter().find_map(|shape| Some((&shape.kind, (shape.check)(&run)?)))
        {
            found(kind, span);
        }
    }
}

/// The part of a run that may be a token: without the end of an escape, and not in the middle of base64.
fn token_of<'s, 'a>(scan: &'s TextScan<'a>, run: Range<usize>) -> Option<TokenRun<'s, 'a>> {
    // A letter that ends an escape belongs to the escape: `\nabc…`.
    let escaped = scan.before(run.start) == Some(b'\\') && matches!(scan.text[run.start], b'n' | b'r' | b't');
    let mut start = run.start + usize::from(escaped || !scan.starts_at(run.start));
    // So do the number and the letter of a colour: `[32mabc…`.
    if scan.before(start) == Some(b'[') {
        let digits = scan.text[start..run.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        start += if digits > 0 && scan.at(start + digits) == Some(b'm') { digits + 1 } else { 0 };
    }
    if !scan.starts_at(start) || start + LEN_MIN > run.end {
        return None;
    }
    let (before, after) = (scan.before(start), scan.at(run.end));
    let in_base64 =
        matches!(before, Some(b'+' | b'/')) && matches!(after, Some(b'/' | b'=')) || after == Some(b'+');
    const DIGESTS: &[&str] =
        &["sha256=", "sha512=", "sha384=", "sha256:", "sha512:", "sha256-", "sha512-", "h1:"];
    let digest = DIGESTS.iter().any(|head| scan.text[..start].ends_with(head.as_bytes()));
    (!in_base64 && !digest).then_some(TokenRun { scan, start, end: run.end })
}

fn is_all(text: &[u8], set: Set) -> bool {
    text.iter().all(|byte| set.has(*byte))
}

/// 32, 8 and 8 hexadecimal digits: no hash and no UUID has these lengths.
fn mailgun(run: &TokenRun<'_, '_>) -> Span {
    let mut parts = run.text().split(|byte| *byte == b'-');
    let fits = [32, 8, 8]
        .into_iter()
        .all(|len| parts.next().is_some_and(|part| part.len() == len && is_all(part, HEX)));
    (fits && parts.next().is_none() && !is_stand_in(run.text())).then(|| run.whole())
}

/// `1/number:32 digits` and `2/number/number:32 digits`.
fn asana(run: &TokenRun<'_, '_>) -> Span {
    let (scan, start) = (run.scan, run.start);
    if run.text().len() != 32 || !is_all(run.text(), HEX) || run.before() != Some(b':') {
        return None;
    }
    let before = scan.text[start.saturating_sub(40)..start - 1].iter().rev();
    let back = before.take_while(|byte| byte.is_ascii_digit() || **byte == b'/').count();
    scan.count(back);
    let from = start - 1 - back;
    let head = &scan.text[from..start - 1];
    let numbers = head.split(|byte| *byte == b'/').skip(1).filter(|number| number.len() >= 10).count();
    (matches!(head.first(), Some(b'1' | b'2')) && head.get(1) == Some(&b'/') && numbers >= 1)
        .then_some(from..run.end)
}

/// `sk` and a hundred and fifty letters and digits.
fn sanity(run: &TokenRun<'_, '_>) -> Span {
    let text = run.text();
    let fits = text.starts_with(b"sk") && text.len() >= 150 && is_all(text, B62) && entropy(text) > 4.5;
    fits.then(|| run.whole())
}

/// The number of an app, a bar, 27 characters or a few more.
fn facebook_app(run: &TokenRun<'_, '_>) -> Span {
    let body = run.text();
    if run.before() != Some(b'|') || !(27..=40).contains(&body.len()) || is_stand_in(body) {
        return None;
    }
    let digits = run.scan.run_back(run.start - 1, DIGIT, 18);
    ((15..=17).contains(&digits) && body.iter().any(u8::is_ascii_digit))
        .then(|| run.start - 1 - digits..run.end)
}

/// 24 hexadecimal digits, a colon, 64 more.
fn ghost(run: &TokenRun<'_, '_>) -> Span {
    if run.text().len() != 64
        || run.before() != Some(b':')
        || !is_all(run.text(), HEX)
        || is_stand_in(run.text())
    {
        return None;
    }
    let id = run.scan.run_back(run.start - 1, HEX, 25);
    (id == 24 && run.scan.starts_at(run.start - 25)).then(|| run.start - 25..run.end)
}

/// `0.` a UUID, thirty characters, a colon and sixteen bytes.
fn bitwarden(run: &TokenRun<'_, '_>) -> Span {
    let scan = run.scan;
    if run.text().len() != 30
        || !is_all(run.text(), B62)
        || run.before() != Some(b'.')
        || run.after() != Some(b':')
    {
        return None;
    }
    let from = run.start.checked_sub(39)?;
    let id = &scan.text[from + 2..run.start - 1];
    let tail = scan.run(run.end + 1, B64_PAD, 30);
    (scan.has(from, "0.") && is_uuid(id) && tail >= 22).then_some(from..run.end + 1 + tail)
}

/// 32 hexadecimal digits, a full stop, sixteen characters of both cases.
fn zhipu(run: &TokenRun<'_, '_>) -> Span {
    let (scan, end) = (run.scan, run.end);
    let id = run.text().len() == 32 && is_all(run.text(), HEX);
    if !id || run.after() != Some(b'.') || scan.run(end + 1, B64U, 17) != 16 {
        return None;
    }
    let looks = ValueTraits::of(&scan.text[end + 1..end + 17]);
    (looks.upper >= 2 && looks.lower >= 2 && looks.digits >= 1).then_some(run.start..end + 17)
}

/// 27 characters from a digit on, an underscore, 21 more.
fn ngrok(run: &TokenRun<'_, '_>) -> Span {
    let text = run.text();
    let fits = text.len() == 49 && text[27] == b'_' && matches!(text[0], b'1'..=b'3');
    (fits && is_all(&text[..27], B62) && is_all(&text[28..], B62) && ValueTraits::of(text).flips >= 8)
        .then(|| run.whole())
}

/// `S` and 55 characters of base32: a secret seed of Stellar.
fn stellar(run: &TokenRun<'_, '_>) -> Span {
    let text = run.text();
    let fits = text.len() == 56 && text[0] == b'S' && is_all(text, B32) && distinct(text) >= 12;
    (fits && text.iter().any(u8::is_ascii_digit)).then(|| run.whole())
}

/// A private key of a wallet in base58, 51 characters from `5` or 52 from `K` or `L`.
fn wallet(run: &TokenRun<'_, '_>) -> Span {
    let text = run.text();
    let fits = matches!((text[0], text.len()), (b'5', 51) | (b'K' | b'L', 52))
        && is_all(text, B62)
        && !text.iter().any(|byte| matches!(byte, b'0' | b'O' | b'I' | b'l'))
        && !matches!(run.before(), Some(b'/' | b'+' | b'-' | b'.'))
        && !matches!(run.after(), Some(b'/' | b'+' | b'=' | b'.'))
        && [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase]
            .iter()
            .all(|kind| text.iter().any(kind))
        && distinct(text) >= 20;
    fits.then(|| run.whole())
}

/// `abc_…`, `abc-live-…`: one to three short words and a long random tail.
fn prefixed(run: &TokenRun<'_, '_>) -> Span {
    let text = run.text();
    let sentence_ends = run.scan.at(run.end + 1).is_none_or(|byte| byte.is_ascii_whitespace());
    if matches!(run.after(), Some(b'(' | b':' | b'@')) || run.after() == Some(b'.') && !sentence_ends {
        return None;
    }
    let (prefix_len, telling) = prefix_len(text)?;
    let (prefix, body) = (&text[..prefix_len - 1], &text[prefix_len..]);
    let looks = ValueTraits::of(body);
    if !(2..=24).contains(&prefix.len()) || is_public(prefix) || looks.weak > 0 && !telling {
        return None;
    }
    let len_min = if telling { BODY_LEN_TELLING_MIN } else { BODY_LEN_MIN } + 2 * looks.weak;
    let changes = looks.flips + looks.turns;
    let cased = body.len() >= len_min
        && looks.digits >= 2
        && looks.lower >= 3
        && looks.upper >= 3
        && changes >= body.len() / 5;
    // Of one case it must be longer, and more than hexadecimal: that is how hashes are written.
    let hex = body.iter().all(u8::is_ascii_hexdigit);
    let plain =
        body.len() >= 40 && looks.weak == 0 && looks.digits >= 5 && looks.turns >= 8 && (telling || !hex);
    let in_words: usize =
        pieces(body).filter(|piece| piece.len() >= 5 && is_word(piece)).map(<[u8]>::len).sum();
    let random = (cased || plain)
        && entropy(body) >= 3.4
        && in_words * 2 < body.len()
        && looks.weak * 8 <= body.len()
        && !is_camel(body)
        && !is_wordy(body, &looks)
        && !is_placeholder(body)
        && !names_secret(body)
        && !is_sequence(body);
    random.then(|| run.whole())
}

/// How long the words before the tail are, their last sign included, and whether one of them says "key".
fn prefix_len(text: &[u8]) -> Option<(usize, bool)> {
    let (mut len, mut telling) = (0, false);
    for count in 0..3 {
        let word = text[len..].iter().position(|byte| matches!(byte, b'_' | b'-'))?;
        let name = &text[len..len + word];
        // The first is letters alone: base64 may start with anything.
        let plain = (1..=10).contains(&word)
            && is_all(name, B36)
            && name[0].is_ascii_lowercase()
            && (count > 0 || word >= 2 && name.iter().all(u8::is_ascii_lowercase));
        let known = TELLING.iter().any(|known| name == known.as_bytes());
        // A later part must be a known word or short: it may be the tail already.
        if !plain || count > 0 && !known && word > 4 {
            return (count > 0).then_some((len, telling));
        }
        telling |= known;
        len += word + 1;
        if !text[len..].iter().any(|byte| matches!(byte, b'_' | b'-')) {
            break;
        }
    }
    Some((len, telling))
}

/// Words of a prefix that say what it is.
const TELLING: &[&str] = &[
    "sk", "key", "token", "secret", "pat", "api", "live", "prod", "auth", "apikey", "signkey", "svc", "test",
    "access", "oauth", "oat", "dev", "ak", "v0", "v1", "v2",
];

/// Prefixes of what is made to be published, and of ids.
fn is_public(prefix: &[u8]) -> bool {
    const PUBLIC: &[&str] = &[
        "pk", "pub", "public", "phc", "id", "sha256", "sha512", "sha384", "sha1", "nonce", "cs", "cs_test",
        "cs_live", "chunk", "hash",
    ];
    PUBLIC.iter().any(|word| {
        prefix == word.as_bytes()
            || prefix.starts_with(word.as_bytes()) && matches!(prefix.get(word.len()), Some(b'_' | b'-'))
    })
}
