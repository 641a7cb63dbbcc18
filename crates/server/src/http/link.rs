//! One-time links, which let a person's browser in without the token.
//!
//! A program that can read the token makes a link without asking the daemon. The link carries a random word,
//! the time it ends, and a digest of both with the token and with the random word that this daemon drew when it
//! started. The daemon accepts each word once.

use brainstem_base::{Timestamp, hash};

/// How long a link is good, in ms.
pub const LINK_MS: i64 = 10 * 60 * 1000;

/// Makes the code of a link.
pub fn code(token: &str, instance: &str, word: &str, now: Timestamp) -> String {
    let until = now.ms() + LINK_MS;
    format!("{word}.{until}.{}", digest(token, instance, word, until))
}

/// The word of a code that belongs to this daemon and has not expired.
pub(crate) fn word<'a>(token: &str, instance: &str, code: &'a str, now: Timestamp) -> Option<&'a str> {
    let mut parts = code.split('.');
    let (word, until, given) = (parts.next()?, parts.next()?.parse::<i64>().ok()?, parts.next()?);
    let is_whole = parts.next().is_none() && !word.is_empty();
    let is_in_time = (now.ms()..=now.ms() + LINK_MS).contains(&until);
    let expected = digest(token, instance, word, until);
    let is_ours = hash::sha256(given.as_bytes()) == hash::sha256(expected.as_bytes());
    (is_whole && is_in_time && is_ours).then_some(word)
}

fn digest(token: &str, instance: &str, word: &str, until: i64) -> String {
    let inner = hash::sha256_hex(format!("{token}\n{instance}\n{word}\n{until}").as_bytes(), 64);
    hash::sha256_hex(format!("{token}\n{inner}").as_bytes(), 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-11
    fn a_link_is_good_for_one_daemon_and_a_while() {
        let now = Timestamp::from_ms(1_000_000);
        let made = code("token", "instance", "word", now);
        let at = |ms: i64| word("token", "instance", &made, Timestamp::from_ms(ms));
        assert_eq!(at(1_000_000), Some("word"));
        assert_eq!(at(1_000_000 + LINK_MS), Some("word"));
        assert_eq!(at(1_000_001 + LINK_MS), None);
        assert_eq!(at(0), None, "a clock that went back does not lengthen it");
        assert_eq!(word("other", "instance", &made, now), None);
        assert_eq!(word("token", "another", &made, now), None);
        for broken in [
            "",
            "word",
            "word.9",
            &made[..made.len() - 1],
            &format!("{made}.x"),
            &made.replace("word", "sword"),
        ] {
            assert_eq!(word("token", "instance", broken, now), None, "{broken}");
        }
    }
}
