//! Letters as somebody types them who is new here: slips, words of people, and other ways to ask.

#![allow(
    clippy::disallowed_methods,
    reason = "a test makes repositories and looks at the files behind the answers"
)]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

use crate::letters::{PROGRAM, ask, run, spool};
use crate::program::finish;
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use serde_json::json;
use std::fs;
use std::path::Path;

#[test] // spec: LTR-2, LTR-10
fn what_is_probably_a_slip_is_written_and_told() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let write = |class: &str, more: &[&str]| {
        let words = [&["letter", "write", "--class", class, "--what", "x"], more].concat();
        ask(&home, &cherry, &words)
    };
    let mut seen = Seen::of(&home);
    seen.add_text("a slip", &write("fricton", &[])["notes"].to_string());
    assert!(write("friction", &[]).get("notes").is_none());
    seen.add_text("a new class", &write("weather", &[])["notes"].to_string());
    let first = write("bug", &[]);
    let known = write("receipt", &["--answers", first["id"].as_str().unwrap()]);
    assert!(known.get("notes").is_none(), "{known}");
    let lost = write("receipt", &["--answers", "00000000abcd"]);
    seen.add_text("an answer to no letter", &lost["notes"].to_string());
    assert_seen!(seen);
    assert_eq!(fs::read_to_string(spool(&home)).unwrap().lines().count(), 6, "each is written");
    // A receipt for nothing would stand open in every beat.
    for class in ["receipt", "triage"] {
        let words = ["--json", "letter", "write", "--class", class, "--what", "x"];
        let refused = finish(home.command(Path::new(PROGRAM)).current_dir(&cherry).args(words), b"").json();
        assert_eq!(refused["error"]["code"], "input.missing", "{refused}");
        assert_eq!(refused["error"]["field"], "answers", "{refused}");
    }
    assert_eq!(fs::read_to_string(spool(&home)).unwrap().lines().count(), 6, "neither is written");
}

#[test] // spec: LTR-12, LTR-13
fn a_sweep_says_which_project_and_takes_the_words_of_people() {
    let home = TestHome::new();
    let (cherry, plum) = (home.cherry(), home.plum());
    let told = |cwd: &Path, words: &[&str]| {
        finish(home.command(Path::new(PROGRAM)).current_dir(cwd).args(words), b"")
    };
    let first = ask(&home, &cherry, &["letter", "write", "--class", "bug", "--what", "one"]);
    ask(&home, &plum, &["letter", "write", "--class", "win", "--what", "two"]);
    ask(&home, &plum, &["letter", "write", "--class", "win", "--repo", "all", "--what", "three"]);
    let swept = told(&cherry, &["sweep"]).stdout;
    for about in [", about cherry", ", about plum", ", about all"] {
        assert!(swept.contains(about), "{about}: {swept}");
    }
    assert_eq!(ask(&home, &cherry, &["sweep", "--state", "closed"])["letters"], json!([]));
    let id = first["id"].as_str().unwrap();
    ask(&home, &cherry, &["letter", "write", "--class", "receipt", "--answers", id, "--what", "done"]);
    let closed = ask(&home, &cherry, &["sweep", "--state", "closed"]);
    assert_eq!(closed, ask(&home, &cherry, &["sweep", "--state", "fired_clay"]));
    assert!(closed.to_string().contains(id), "{closed}");
    let mut lines = fs::read_to_string(spool(&home)).unwrap();
    lines.push_str("no letter\n");
    fs::write(spool(&home), &lines).unwrap();
    assert!(told(&cherry, &["sweep"]).stdout.contains("1 line in the spool or a box is no letter:"));
    fs::write(spool(&home), lines + "nor this\n").unwrap();
    assert!(told(&cherry, &["sweep"]).stdout.contains("2 lines in the spool or a box are no letters:"));
}

#[test] // spec: IF-4, LTR-13
fn who_asks_for_the_medullas_box_in_another_way_is_told_how() {
    let home = TestHome::new();
    let mut seen = Seen::of(&home);
    for words in [&["mailbox", "medulla"][..], &["mailbox", "--medulla"], &["up", "--port", "8000"]] {
        seen.add(words, &run(&home, &home.cherry(), words));
    }
    assert_seen!(seen);
}

#[test] // spec: LTR-1, MEM-13
fn a_letter_of_which_the_disk_took_a_part_is_said_to_have_left_that_part() {
    let home = TestHome::new();
    let cherry = home.cherry();
    ask(&home, &cherry, &["letter", "write", "--class", "bug", "--what", &"y".repeat(600)]);
    // No file may grow beyond 1000 bytes, and the process lives on when one would.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let mut command = home.command(Path::new("bash"));
    command.current_dir(&cherry).args(["-c", script, "bash", PROGRAM, "--json", "letter", "write"]);
    let ran = finish(command.args(["--class", "bug", "--what", &"z".repeat(600)]), b"");
    assert_eq!(ran.json()["error"]["code"], "store.unconfirmed", "{ran:?}");
    let told = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(told.contains("took a part of the line"), "{told}");
    assert!(!fs::read_to_string(spool(&home)).unwrap().ends_with('\n'), "a part of it is there");
    // The next letter is one of its own.
    ask(&home, &cherry, &["letter", "write", "--class", "bug", "--what", "after"]);
    let listed = ask(&home, &cherry, &["letter", "list"]);
    assert!(listed.to_string().contains("after"), "{listed}");
}
