//! Keys of wallets.

use super::{Span, stands_alone};
use crate::bytes::{B62, HEX_ANY, TextScan, distinct};
use crate::harmless::is_stand_in;
use crate::hit::LiteralHit;

/// A key or a recovery phrase of a wallet, right after a name for it.
pub(crate) fn wallet(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
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

/// Thirty-two or sixty-four numbers of a byte each, in brackets: the key file of a Solana wallet.
pub(crate) fn number_array(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 400);
    let open = line.iter().take(60).position(|byte| *byte == b'[')?;
    let close = line.iter().position(|byte| *byte == b']').filter(|close| *close > open)?;
    let numbers = || line[open + 1..close].split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let fits =
        numbers().all(|number| (1..=3).contains(&number.len()) && number.iter().all(u8::is_ascii_digit));
    (fits && matches!(numbers().count(), 32 | 64)).then_some(hit.end + open..hit.end + close + 1)
}

/// A wallet's key in base58: `5…`, `K…`, `L…` of 51 or 52 characters, `xprv9…`.
pub(crate) fn base58_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.start, B62, 120);
    let body = &scan.text[hit.start..hit.start + len];
    let is_base58 = !body.iter().any(|byte| matches!(byte, b'0' | b'O' | b'I' | b'l'));
    let everything = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase]
        .iter()
        .all(|kind| body.iter().any(kind));
    let fits =
        if scan.at(hit.start) == Some(b'x') { (105..=115).contains(&len) } else { matches!(len, 51 | 52) };
    (fits
        && is_base58
        && everything
        && distinct(body) >= 20
        && scan.ends_at(hit.start + len)
        && !matches!(scan.at(hit.start + len), Some(b'+' | b'/' | b'=' | b'_' | b'-')))
    .then_some(hit.start..hit.start + len)
}
