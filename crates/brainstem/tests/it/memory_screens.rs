//! What a person reads of the verbs of memory, from the first claim to the last.

use crate::program::finish;
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use std::path::Path;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

fn see(seen: &mut Seen, home: &TestHome, words: &[&str]) {
    let mut command = home.command(Path::new(PROGRAM));
    seen.add(words, &finish(command.current_dir(home.cherry()).env("USER", "ana").args(words), b""));
}

#[test] // spec: IF-5, MEM-3, MEM-12
fn a_claim_is_written_found_shown_and_changed() {
    let home = TestHome::new();
    let mut seen = Seen::of(&home);
    for words in [
        &["bootstrap"][..],
        &["memorize", "Retry policy", "--text", "Three times, then give up.", "--tag", "http"],
        &["memorize", "Retry policy", "--text", "Three times, then give up."],
        &["memorize", "Retry policy", "--text", "Four times."],
        &["memorize", "Cache", "--text", "Cleared on deploy.", "--as", "codex:maker"],
        &["list"],
        &["tags"],
        &["seek", "how often do we retry"],
        &["show", "Retry policy"],
        &["show", "Retry polic"],
        &["rename", "Cache", "Page cache"],
        &["north", "retries"],
    ] {
        if words[0] == "seek" {
            // What ranks is read first, so that the order does not depend on what ran in the background.
            see(&mut Seen::of(&home), &home, &["index"]);
        }
        see(&mut seen, &home, words);
    }
    assert_seen!(seen);
}

#[test] // spec: MEM-12, MEM-13, MEM-26, MEM-35
fn a_claim_is_judged_shared_taken_back_and_forgotten() {
    let home = TestHome::new();
    let mut seen = Seen::of(&home);
    for words in [
        &["bootstrap"][..],
        &["memorize", "Retry policy", "--text", "Three times."],
        &["memorize", "Cache", "--text", "Cleared on deploy."],
        &["learn", "Retry policy", "correct"],
        &["promote", "Retry policy", "--reason", "for every project"],
        &["promote", "Cache", "--propose", "--reason", "perhaps for all"],
        &["audit", "promotions"],
        &["verify", "Retry policy"],
        &["consolidate"],
        &["retract", "Cache", "--reason", "no cache any more"],
        &["retract", "Cache", "--reason", "twice"],
        &["forget", "Cache"],
        &["forget", "Cache", "--yes"],
        &["boot", "set", "test", "cargo test"],
        &["boot", "list"],
        &["brains"],
        &["doctor"],
    ] {
        see(&mut seen, &home, words);
    }
    assert_seen!(seen);
}
