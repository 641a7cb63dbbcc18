//! Hooks as hosts call them: in every dialect, twice, with nonsense, over a store that hangs, and without a home.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test makes a home that is broken or hangs"
)]

use crate::hosts::Person;
use crate::program::{Ran, finish};
use crate::seen::{Seen, assert_seen};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const START: &str = "brainstem hook session-start";
const STOP: &str = "brainstem hook stop";

fn remembering() -> Person {
    let person = Person::new();
    person.ok(&["bootstrap"]);
    person.ok(&["memorize", "Retry policy", "--text", "Three times."]);
    person
}

fn start(session: &str, source: &str) -> Value {
    json!({"session_id": session, "hook_event_name": "SessionStart", "source": source})
}

/// What a hook of Claude's form adds to the context of its model.
fn context(ran: &Ran) -> String {
    let text = ran.json()["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned);
    text.unwrap_or_else(|| panic!("no context: {ran:?}"))
}

fn quiet(ran: &Ran) -> bool {
    (ran.status, ran.stdout.as_str(), ran.stderr.as_str()) == (Some(0), "", "")
}

#[test] // spec: IF-16
fn a_hook_that_two_hosts_run_speaks_once_and_each_in_its_form() {
    let person = remembering();
    let first = person.hook(START, &start("s", "startup"), &[]);
    let mut seen = Seen::of(&person.home);
    seen.add_text("Claude", &context(&first));
    assert!(quiet(&person.hook(START, &start("s", "startup"), &[])), "twice");
    assert!(quiet(&person.hook(START, &start("s", "resume"), &[])), "the host replays what was said");
    let cursor = json!({"conversation_id": "c", "generation_id": "g", "hook_event_name": "sessionStart",
        "workspace_roots": [person.home.cherry()], "cursor_version": "3.20"});
    let said = person.hook(START, &cursor, &[("CURSOR_VERSION", "3.20")]);
    seen.add_text("Cursor", said.json()["additional_context"].as_str().unwrap());
    assert_seen!(seen);
    // The same session through the file of another host.
    let again = person.hook(START, &json!({"session_id": "c"}), &[("CURSOR_VERSION", "3.20")]);
    assert_eq!((again.status, again.json()), (Some(0), json!({})));
}

#[test] // spec: IF-16
fn what_a_session_lost_is_said_again_at_once_and_once() {
    let person = remembering();
    for source in ["startup", "clear", "compact"] {
        assert!(person.hook(START, &start("s", source), &[]).stdout.contains("Three times."), "{source}");
        assert!(quiet(&person.hook(START, &start("s", source), &[])), "{source}, run by two hosts");
    }
    let prompt = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hello"});
    assert!(quiet(&person.hook("brainstem hook prompt", &prompt, &[])));
}

#[test] // spec: IF-16, MEM-14a
fn a_hook_that_does_not_exist_is_said_back_without_a_secret() {
    let person = Person::new();
    let secret = format!("ghp_{}", "k3Jd8sLq0ZpXw7Vb2NcR5tYhA9uEoGm1FiTx");
    let ran = finish(person.process("brainstem").args(["hook", &secret]), b"{}");
    assert_eq!(ran.status, Some(0));
    assert!(!ran.stderr.contains(&secret), "{ran:?}");
    let mut seen = Seen::of(&person.home);
    seen.add(&["hook", "SECRET"], &ran);
    assert_seen!(seen);
}

#[test] // spec: IF-16, MEM-15
fn where_there_is_no_brain_a_hook_says_so_in_a_whole_sentence() {
    let person = Person::new();
    let nowhere = finish(
        person.process("brainstem").args(["hook", "session-start"]).current_dir(person.home.user_home()),
        b"{}",
    );
    let brainless = finish(person.process("brainstem").args(["hook", "session-start"]), b"{}");
    let mut seen = Seen::of(&person.home);
    seen.add_text("in no project", &nowhere.stdout);
    seen.add_text("in a project without a brain", &brainless.stdout);
    assert_seen!(seen);
}

#[test] // spec: IF-16
fn the_first_prompt_makes_up_for_a_start_that_was_lost() {
    let person = remembering();
    let prompt = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hello"});
    let said = person.hook("brainstem hook prompt", &prompt, &[]);
    assert_eq!(said.json()["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    assert!(quiet(&person.hook("brainstem hook prompt", &prompt, &[])));
    assert!(quiet(&person.hook(START, &start("s", "startup"), &[])));
}

#[test] // spec: IF-15, IF-16
fn the_end_of_a_turn_reminds_once_and_never_loops() {
    let person = remembering();
    let stop =
        |active: bool| json!({"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": active});
    person.hook(START, &start("s", "startup"), &[]);
    assert!(quiet(&person.hook(STOP, &stop(false), &[])), "nothing is open");
    let packet: Value =
        serde_json::from_str(&person.ok(&["delegate", "bound the loop", "--to", "codex:maker", "--json"]))
            .unwrap();
    let id = packet["delegation_id"].as_str().unwrap();
    assert!(quiet(&person.hook(STOP, &stop(true), &[])), "a hook keeps this turn going already");
    let said = person.hook(STOP, &stop(false), &[]).json();
    assert_eq!(said["decision"], "block");
    let mut seen = Seen::of(&person.home);
    seen.add_text("the end of a turn", said["reason"].as_str().unwrap());
    seen.replace(id, "[delegation]");
    assert_seen!(seen);
    for _ in 0..2 {
        assert!(quiet(&person.hook(STOP, &stop(false), &[])), "once");
    }
    assert!(quiet(&person.hook(STOP, &json!({"session_id": "another", "hook_event_name": "Stop"}), &[])));
}

#[test] // spec: IF-16
fn nonsense_is_no_reason_to_fail_a_host() {
    let person = remembering();
    let lines: &[&[&str]] = &[
        &["hook"],
        &["hook", "session-end"],
        &["hook", "--bogus"],
        &["hook", "stop", "--x", "y"],
        &["hook", "stop", "--color", "pink"],
    ];
    for words in lines {
        let ran = person.run(words);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), ""), "{words:?}: {ran:?}");
    }
    for bytes in [&b"{"[..], b"\xff\xfe\x00", b"[]", &[b' '; 100_000]] {
        let ran = finish(person.process("brainstem").args(["hook", "session-start"]), bytes);
        assert_eq!(ran.status, Some(0));
        assert!(ran.stdout.contains("Three times."), "plain words for whoever it is: {}", ran.stdout);
    }
    // A prompt may be long.
    let long =
        json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x".repeat(3_000_000)});
    assert!(person.hook("brainstem hook prompt", &long, &[]).stdout.contains("Three times."));
}

#[test] // spec: IF-16
fn a_missing_program_is_no_more_than_a_status() {
    let person = remembering();
    let mut shell = person.process("sh");
    shell.args(["-c", START]).env("PATH", "/usr/bin:/bin");
    let ran = finish(&mut shell, b"{}");
    // 2 would be a veto; a host takes this for a hook that is not there.
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(127), ""));
}

#[test] // spec: IF-16
fn a_host_that_leaves_its_end_open_is_answered() {
    let person = remembering();
    for words in [&b""[..], start("s", "startup").to_string().as_bytes()] {
        let mut command = person.process("brainstem");
        let began = Instant::now();
        let mut child = command
            .args(["hook", "session-start"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, words).unwrap();
        let status = child.wait().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut said).unwrap();
        assert!(status.success() && said.contains("Three times."), "{said}");
        assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
        drop(stdin);
    }
}

#[test] // spec: IF-16
fn a_home_that_is_broken_or_gone_is_a_gap_with_a_name() {
    let person = remembering();
    fs::write(person.home.path().join("home.json"), "{").unwrap();
    let said = person.hook(START, &start("s", "startup"), &[]);
    assert_eq!(said.status, Some(0));
    // Nothing is marked in a home that cannot be trusted, and nothing is silent.
    assert!(!said.stdout.is_empty(), "{said:?}");
    let mut shell = person.process("sh");
    shell.args(["-c", START]).env_remove("HOME").env_remove("BRAINSTEM_HOME");
    let said = finish(&mut shell, start("t", "startup").to_string().as_bytes());
    assert_eq!(said.status, Some(0));
    let mut seen = Seen::of(&person.home);
    seen.add_text("without a home", &context(&said));
    // A file has the place of the home.
    let file = person.home.user_home().join("file");
    fs::write(&file, "x").unwrap();
    let mut shell = person.process("sh");
    shell.args(["-c", START]).env("BRAINSTEM_HOME", &file);
    let said = finish(&mut shell, start("u", "startup").to_string().as_bytes());
    assert_eq!(said.status, Some(0));
    seen.add_text("a file for a home", &context(&said));
    assert_seen!(seen);
}

#[test] // spec: IF-16
fn a_place_without_a_brain_hears_so_as_a_fact() {
    let person = Person::new();
    // The default home: one that a variable names and that does not exist is a gap.
    let said = person.hook(START, &start("s", "startup"), &[("BRAINSTEM_HOME", "")]);
    let mut seen = Seen::of(&person.home);
    seen.add_text("no brain", &context(&said));
    assert_seen!(seen);
    assert!(!person.home.user_home().join(".brainstem").exists(), "a hook makes no home");
}

#[test] // spec: IF-16, MEM-28
fn no_beat_is_longer_than_hosts_take() {
    let person = remembering();
    for n in 0..40 {
        let text = format!("`````` {n} {}", "a long text with <b>marks</b>. ".repeat(30));
        person.ok(&["memorize", &format!("Finding {n}"), "--text", &text]);
        person.ok(&["boot", "set", &format!("key{n}"), &"v".repeat(900)]);
    }
    let said = person.hook(START, &start("s", "startup"), &[]).json();
    let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.len() <= 4_800 && text.contains("Left out here: "), "the budget of a beat: {}", text.len());
    // Every fence that was opened is closed.
    let mut open: Option<String> = None;
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        open = match open {
            None if ticks.len() >= 3 => Some(ticks),
            Some(fence) if line == fence => None,
            other => other,
        };
    }
    assert_eq!(open, None);
}

#[test] // spec: IF-16, MAIL-15
fn a_start_tells_of_mail_and_letters_as_north_does() {
    let person = remembering();
    let me = [("BRAINSTEM_AGENT", "claude:maker")];
    let before = person.hook(START, &start("a", "startup"), &me).stdout;
    assert!(!before.contains("Mail:") && !before.contains("Letters:"), "{before}");
    let send = |to: &str, priority: &str| {
        let words = ["mail", "send", "--to", to, "--type", "task", "--subject", "x", "--priority", priority];
        person.ok(&[&words[..], &["--as", "codex:maker"]].concat());
    };
    send("claude:maker", "urgent");
    send("__broadcast", "normal");
    send("somebody", "urgent");
    let what = "The index is rebuilt twice.";
    person.ok(&["letter", "write", "--class", "friction", "--what", what, "--as", "codex:maker"]);
    let said = context(&person.hook(START, &start("b", "startup"), &me));
    assert!(said.contains(what), "{said}");
    let mut seen = Seen::of(&person.home);
    seen.add_text("two messages and a letter", &said);
    let id = said.split("```letter ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    seen.replace(id, "[letter]");
    assert_seen!(seen);
    // Many long letters leave it within its limit, and whole.
    for n in 0..12 {
        let what = format!("{n} {}", "long ".repeat(600));
        person.ok(&["letter", "write", "--class", "friction", "--what", &what, "--as", "codex:maker"]);
    }
    let said = person.hook(START, &start("c", "startup"), &me);
    let said = said.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(said.chars().count() <= 10_000 && said.contains("13 open letters"), "{said}");
    assert!(said.contains("Three times."), "{said}");
}
