//! Names and files that are made to break a reader.

use super::{answer, files_below, run, shell};
use brainstem_testkit::TestHome;
use std::fs;
use std::path::PathBuf;

#[test] // spec: MAIL-2
fn hostile_names_leave_the_mail_root_alone_in_every_parameter() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "o", &cherry, &["mail", "send", "--to", "w1", "--type", "task", "--subject", "x"]);
    let before = files_below(home.user_home());
    let long = "x".repeat(300);
    let names = [
        "../w1", "..", ".", "/etc", "a/b", "a\\b", "~", "read", "archive", "nul", ".tmp", "w1~x", "W1", "é",
        "a\nb", "", &long,
    ];
    for name in names {
        let message = format!("{name}/20260128T153000Z_a_task.md");
        let lines: Vec<Vec<&str>> = vec![
            vec!["mail", "send", "--to", name, "--type", "task", "--subject", "x"],
            vec!["mail", "send", "--to", "w1", "--type", "task", "--subject", "x", "--reply-to", &message],
            vec!["mail", "list", "--box", name],
            vec!["mail", "read", &message],
            vec!["mail", "read", "20260128T153000Z_a_task.md", "--box", name],
            vec!["mail", "claim", "--box", name],
            vec!["mail", "claim", &message],
            vec!["mail", "reply", &message, "--body", "x"],
            vec!["mail", "mark-read", &message],
            vec!["mail", "archive", &message, "--box", name],
            vec!["mail", "search", "x", "--box", name],
            vec!["mail", "prune", "--older-than", "1d", "--box", name],
            vec!["session", "register", name],
            vec!["session", "register", "w9", "--tag", name],
        ];
        for words in lines {
            // A tag that is empty is no tag, and a name that is left out is one's own.
            if name.is_empty() && words.contains(&"session") {
                continue;
            }
            let ran = run(&home, "w1", &cherry, &[&["--json"], words.as_slice()].concat());
            assert_eq!(ran.status, Some(1), "{words:?}: {ran:?}");
            let code = ran.code();
            assert!(
                ["mail.bad_name", "mail.other_spelling", "mail.not_found", "mail.not_yours"]
                    .contains(&code.as_str()),
                "{words:?}: {code}"
            );
        }
        if !name.is_empty() {
            let ran = run(&home, name, &cherry, &["--json", "mail", "list"]);
            assert_eq!(ran.status, Some(1), "--session {name:?}: {ran:?}");
        }
    }
    let after: Vec<PathBuf> =
        files_below(home.user_home()).into_iter().filter(|path| !path.starts_with(home.path())).collect();
    let before: Vec<PathBuf> = before.into_iter().filter(|path| !path.starts_with(home.path())).collect();
    assert_eq!(after, before, "no file came or went");
}

#[test] // spec: MAIL-9, LTR-1, LTR-12
fn what_would_hang_a_reader_is_named_and_hangs_nobody() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "w1", &cherry, &["mail", "send", "--to", "w1", "--type", "task", "--subject", "x"]);
    shell(
        &cherry,
        "cd .mail/w1 && mkfifo 20260101T000000Z_a_task.md && mkdir 20260101T000001Z_a_task.md && \
         ln -s /dev/zero 20260101T000002Z_a_task.md && ln -s /etc/passwd archive/20260101T000003Z_a_task.md && \
         mkfifo read/20260101T000004Z_a_task.md",
    );
    let listed = answer(&home, "w1", &cherry, &["mail", "list"]);
    assert_eq!(
        (listed["messages"].as_array().unwrap().len(), listed["unreadable"].as_array().unwrap().len()),
        (1, 3)
    );
    let file = listed["messages"][0]["file"].as_str().unwrap();
    let thread = answer(&home, "w1", &cherry, &["mail", "thread", file]);
    assert_eq!(
        (thread["messages"].as_array().unwrap().len(), thread["unreadable"].as_array().unwrap().len()),
        (1, 5)
    );
    assert!(!thread.to_string().contains("root:"), "{thread}");
    assert_eq!(run(&home, "w1", &cherry, &["mail", "read", "20260101T000000Z_a_task.md"]).status, Some(1));
    assert_eq!(answer(&home, "w1", &cherry, &["mail", "claim"])["file"], file);
    // A spool that is a pipe: written to by nobody, read by nobody, and told.
    fs::create_dir_all(home.path()).unwrap();
    shell(home.user_home(), "mkfifo brainstem-home/field-reports.jsonl");
    for words in [&["letter", "write", "--class", "bug", "--what", "x"][..], &["distribute"]] {
        assert_eq!(run(&home, "w1", &cherry, words).status, Some(1), "{words:?}");
    }
    assert_eq!(answer(&home, "w1", &cherry, &["sweep"])["unreachable"].as_array().unwrap().len(), 1);
    let north = answer(&home, "w1", &cherry, &["north", "x"]);
    assert!(north.to_string().contains("field-reports.jsonl` cannot be read"), "{north}");
    assert!(!north.to_string().contains("letters_open\":0"), "{north}");
}
