//! What a caller of each door reads about boxes, recipients and what to do next.

use super::{answer, run, see, tools};
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use serde_json::json;

#[test] // spec: MAIL-15, IF-1
fn where_am_i_counts_what_waits_in_ones_own_boxes() {
    let home = TestHome::new();
    let cherry = home.cherry();
    assert!(answer(&home, "w1", &cherry, &[]).get("mail").is_none(), "a project without mail");
    for (to, priority) in [("w1", "urgent"), ("w2", "urgent"), ("worker", "low")] {
        answer(
            &home,
            "o",
            &cherry,
            &["mail", "send", "--to", to, "--type", "task", "--subject", "x", "--priority", priority],
        );
    }
    assert_eq!(answer(&home, "w1", &cherry, &["--tag", "worker"])["mail"], json!({"unread": 2, "urgent": 1}));
    let north = answer(&home, "w1", &cherry, &["--tag", "worker", "north", "what now"]);
    assert_eq!(north["mail"], json!({"unread": 2, "urgent": 1}));
    let mut seen = Seen::of(&home);
    seen.add_text("the next moves of the beat", &format!("{:#}", north["next_moves"]));
    see(&mut seen, &home, "w1", &cherry, &["--tag", "worker"]);
    assert_seen!(seen);
}

#[test] // spec: MAIL-6, IF-4
fn a_send_without_a_type_is_told_the_types() {
    let home = TestHome::new();
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "o", &home.cherry(), &["mail", "send", "--to", "w1", "--body", "x"]);
    assert_seen!(seen);
}

#[test] // spec: MAIL-15
fn a_box_that_nobody_has_is_no_empty_one() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "o", &cherry, &["mail", "send", "--to", "builder", "--type", "task", "--subject", "x"]);
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "o", &cherry, &["mail", "list", "--box", "bilder"]);
    // Somebody's, and empty; and one's own before the first message.
    answer(&home, "quiet", &cherry, &["mail", "list"]);
    see(&mut seen, &home, "o", &cherry, &["mail", "list", "--box", "quiet"]);
    see(&mut seen, &home, "o", &cherry, &["mail", "list", "--box", "o"]);
    assert_seen!(seen);
}

#[test] // spec: IF-4, MAIL-15
fn what_to_do_next_is_told_in_options_of_the_command_line() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "o", &cherry, &["mail", "send", "--to", "w1", "--type", "task"]);
    let sent =
        answer(&home, "o", &cherry, &["mail", "send", "--to", "w1", "--type", "task", "--subject", "x"]);
    let file = sent["file"].as_str().unwrap();
    see(&mut seen, &home, "o", &cherry, &["mail", "mark-read", file, "--box", "w1"]);
    see(&mut seen, &home, "o", &cherry, &["mail", "read", "20260128T153000Z_a_task.md"]);
    assert_seen!(seen);
}

#[test] // spec: MEM-14, MAIL-1a
fn a_secret_in_a_message_is_told_by_its_place_in_the_field() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "o", &cherry, &["mail", "init", "--commit-mail"]);
    let secret = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    let mut seen = Seen::of(&home);
    for field in ["--body", "--subject"] {
        let text = format!("use {secret}");
        let ran = run(&home, "o", &cherry, &["mail", "send", "--to", "w1", "--type", "task", field, &text]);
        seen.add(&["mail", "send", "--to", "w1", "--type", "task", field, "use SECRET"], &ran);
    }
    assert!(!seen.to_string().contains(&secret), "{seen}");
    assert_seen!(seen);
}

#[test] // spec: MAIL-15
fn a_search_where_no_box_is_says_so() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "o", &cherry, &["mail", "search", "deadline", "--all"]);
    assert_seen!(seen);
}

#[test] // spec: MAIL-3
fn a_slip_in_a_recipient_is_told_on_every_door() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "w1", &cherry, &["--as", "codex:maker", "--tag", "worker", "mail", "list"]);
    let send = ["mail", "send", "--to", "wrker,codx", "--type", "task", "--subject", "x"];
    let sent = answer(&home, "o", &cherry, &send);
    assert_eq!(
        (&sent["near"], &sent["copies"][0]["near"]),
        (&json!(["worker"]), &json!(["codex"])),
        "{sent}"
    );
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "o", &cherry, &send);
    let over = tools(
        &home,
        &cherry,
        &[
            ("mail_send", json!({"to": "wrker", "type": "task", "body": "x"})),
            ("mail_send", json!({"to": "tester", "type": "task", "body": "x"})),
            ("mail_send", json!({"to": "all", "type": "task", "body": "x"})),
        ],
    );
    seen.add_text("a slip, over MCP", over[0]["note"].as_str().unwrap());
    seen.add_text("a name that no session has, over MCP", over[1]["note"].as_str().unwrap());
    assert_eq!((&over[2]["mailbox"], over[2].get("note")), (&json!("__broadcast"), None), "{over:?}");
    see(&mut seen, &home, "o", &cherry, &["live", "send", "--target", "wrker", "--body", "x"]);
    assert_seen!(seen);
}

#[test] // spec: MAIL-15, IF-4
fn a_reader_hears_how_many_wait_and_how_to_be_done_with_one_on_every_door() {
    let home = TestHome::new();
    let cherry = home.cherry();
    for subject in ["one", "two"] {
        let send = ["mail", "send", "--to", "claude", "--type", "task", "--subject", subject];
        answer(&home, "o", &cherry, &send);
    }
    // Two messages of one second have names that are quoted otherwise, so that no snapshot holds both.
    let read = || run(&home, "", &cherry, &["--as", "claude", "mail", "read"]).stdout;
    let told = read();
    assert!(
        told.contains("1 more is unread; done with it: brainstem --as claude mail mark-read claude.maker/"),
        "{told}"
    );
    let over = tools(&home, &cherry, &[("mail_read", json!({}))]).remove(0);
    assert_eq!(over["waiting"], 1, "{over}");
    let next = over["next"][0].as_str().unwrap();
    assert!(next.starts_with("mail with op: mark_read, file: ") && next.contains("claude.maker/"), "{next}");
    let file = format!("claude.maker/{}", over["file"].as_str().unwrap());
    answer(&home, "", &cherry, &["--as", "claude", "mail", "mark-read", &file]);
    let told = read();
    assert!(told.contains("two") && !told.contains("more") && told.contains("done with it:"), "{told}");
}

#[test] // spec: MAIL-15, IF-4
fn a_search_that_finds_nothing_says_on_every_door_how_to_search_every_box() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "o", &cherry, &["mail", "send", "--to", "w1", "--type", "task", "--subject", "deadline"]);
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "w2", &cherry, &["mail", "search", "deadline"]);
    let query = |all: bool| json!({"query": if all { "nothing" } else { "deadline" }, "all": all});
    let over = tools(&home, &cherry, &[("mail_search", query(false)), ("mail_search", query(true))]);
    seen.add_text("over MCP", over[0]["note"].as_str().unwrap());
    assert_eq!(over[1].get("note"), None, "{over:?}");
    assert_seen!(seen);
}

#[test] // spec: IF-3, IF-4
fn a_command_that_is_advised_repeats_the_options_that_say_who_calls_and_where() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let root = cherry.to_str().unwrap();
    run(&home, "orch", &cherry, &["mail", "send", "--to", "w1", "--type", "task", "--body", "b"]);
    // From elsewhere, as a session that no variable names.
    let elsewhere = cherry.parent().unwrap();
    let read = run(&home, "", elsewhere, &["--root", root, "--session", "w1", "mail", "read"]);
    let line = read.stdout.split("done with it: ").nth(1).unwrap_or_else(|| panic!("{read:?}"));
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.starts_with(&format!("brainstem --root {root} --session w1 mail mark-read ")), "{line}");
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let marked = run(&home, "", elsewhere, &words);
    assert_eq!(marked.status, Some(0), "{line}: {marked:?}");
    // A refusal does the same, and a command that is not about mail has no session.
    let refused = run(&home, "", elsewhere, &["--root", root, "--session", "w1", "show", "nothing"]);
    assert!(refused.stderr.contains(&format!("brainstem --root {root} list")), "{refused:?}");
    assert!(!refused.stderr.contains("--session"), "{refused:?}");
}
