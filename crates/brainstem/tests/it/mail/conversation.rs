//! Messages between terminals, a shell with plain commands, and an agent over MCP.

use super::{answer, run, see, shell};
use crate::program::finish;
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test] // spec: MAIL-1, MAIL-7a, MAIL-10, MAIL-14, MAIL-19, IF-22
fn two_terminals_and_a_shell_hold_a_conversation() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let sent = answer(
        &home,
        "orch",
        &cherry,
        &[
            "mail",
            "send",
            "--to",
            "w1",
            "--type",
            "question",
            "--subject",
            "Which port?",
            "--body",
            "And why?",
            "--needs-response",
        ],
    );
    assert_eq!((sent["mailbox"].as_str(), sent["rule"].as_str()), (Some("w1"), Some("future")));
    let file = sent["file"].as_str().unwrap().to_owned();
    // The one with a shell alone sees it, reads it, and answers with a file.
    assert_eq!(shell(&cherry, "ls .mail/w1/*.md"), format!(".mail/w1/{file}\n"));
    let text = shell(&cherry, &format!("cat .mail/w1/{file}"));
    assert!(
        text.starts_with("---\nfrom: orch\nto: w1\ntype: question\ntimestamp: ")
            && text.ends_with("---\n\nAnd why?\n"),
        "{text}"
    );
    shell(&cherry, &format!("mkdir -p .mail/w1/read .mail/orch && mv .mail/w1/{file} .mail/w1/read/"));
    let reply = format!(
        "---\nfrom: w1\nto: orch\ntype: response\ntimestamp: 2026-01-28T15:30:00Z\nin_reply_to: {file}\nmood: fine\n---\n\n7733.\n"
    );
    fs::write(cherry.join(".mail/orch/20260128T153000Z_w1_response.md"), &reply).unwrap();
    let listed = answer(&home, "orch", &cherry, &["mail", "list"]);
    assert_eq!(listed["messages"][0]["from"], "w1");
    assert_eq!(listed["unreadable"], json!([]));
    let read = answer(&home, "orch", &cherry, &["mail", "read", "20260128T153000Z_w1_response.md"]);
    assert_eq!(read["body"], "7733.\n");
    // What one marks read, the shell finds in read/, with every byte of it.
    answer(&home, "orch", &cherry, &["mail", "mark-read", "20260128T153000Z_w1_response.md"]);
    let kept = fs::read_to_string(cherry.join(".mail/orch/read/20260128T153000Z_w1_response.md")).unwrap();
    let stamp = kept.lines().find(|line| line.starts_with("read_at: ")).unwrap();
    assert_eq!(kept.replace(&format!("{stamp}\n"), ""), reply);
    let thread = answer(&home, "orch", &cherry, &["mail", "thread", &file]);
    assert_eq!(thread["messages"].as_array().unwrap().len(), 2);
    assert_eq!(answer(&home, "orch", &cherry, &["mail", "list", "--needs-response"])["messages"], json!([]));
    // Git sees nothing of it, and a worktree sees the same boxes.
    assert_eq!(shell(&cherry, "git status --porcelain"), "");
    shell(
        &cherry,
        "git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x && git worktree add -q ../wt",
    );
    let there = home.user_home().join("wt");
    answer(
        &home,
        "w2",
        &there,
        &["mail", "send", "--to", "orch", "--type", "status", "--subject", "from afar"],
    );
    assert!(!there.join(".mail").exists());
    assert_eq!(answer(&home, "orch", &cherry, &["mail", "list"])["messages"][0]["subject"], "from afar");
}

#[test] // spec: MAIL-1, MAIL-10, MAIL-11, MAIL-14, MAIL-19
fn a_shell_that_has_only_ls_cat_and_mv_takes_part() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let tools = home.user_home().join("three-tools");
    fs::create_dir(&tools).unwrap();
    for tool in ["ls", "cat", "mv"] {
        let found = shell(&cherry, &format!("command -v {tool}"));
        std::os::unix::fs::symlink(found.trim(), tools.join(tool)).unwrap();
    }
    let bare = |script: &str| {
        let mut command = Command::new("/bin/sh");
        let out = command
            .arg("-ec")
            .arg(script)
            .current_dir(&cherry)
            .env_clear()
            .env("PATH", &tools)
            .output()
            .unwrap();
        assert!(out.status.success(), "{script}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    // One terminal asks the shell, another asks whoever is free.
    let ask = |session: &str, words: &[&str]| answer(&home, session, &cherry, &[&["mail"], words].concat());
    ask("orch", &["send", "--to", "sh-1", "--type", "question", "--body", "Ready?", "--needs-response"]);
    for to in ["sh-1", "orch"] {
        ask("w1", &["send", "--to", to, "--type", "status", "--body", "I am."]);
    }
    ask("orch", &["send", "--to", "crew", "--type", "task", "--body", "Sweep the yard."]);
    let names: Vec<String> = bare("ls .mail/sh-1").lines().map(str::to_owned).collect();
    assert_eq!(names.len(), 4, "two messages, and where to put them: {names:?}");
    let question = names.iter().find(|name| name.ends_with("_orch_question.md")).unwrap();
    assert!(bare(&format!("cat .mail/sh-1/{question}")).ends_with("\n\nReady?\n"));
    // It answers with a file of its own, and is done with what it read.
    bare(&format!(
        "cat > .mail/orch/20260128T153000Z_sh-1_response.md <<'.'\n---\nfrom: sh-1\nto: orch\ntype: response\n\
         timestamp: 2026-01-28T15:30:00Z\nin_reply_to: {question}\n---\nReady.\n.\n\
         mv .mail/sh-1/*.md .mail/sh-1/read/"
    ));
    // The first task of the crew it takes by moving it away; nobody else gets it after that.
    let task = bare("cd .mail/crew && mv *.md read/ && ls read").trim().to_owned();
    let ran = run(&home, "w1", &cherry, &["--json", "--tag", "crew", "mail", "claim", "--box", "crew"]);
    assert_eq!(ran.code(), "mail.nothing");
    let heard = ask("orch", &["list"]);
    assert_eq!((&heard["messages"][0]["from"], &heard["unreadable"]), (&json!("sh-1"), &json!([])));
    ask("orch", &["reply", "20260128T153000Z_sh-1_response.md", "--body", "Then begin."]);
    ask("orch", &["archive", "20260128T153000Z_sh-1_response.md"]);
    assert!(bare("cat .mail/sh-1/*_response.md").contains("Then begin."));
    assert_eq!(bare("ls .mail/orch/archive"), "20260128T153000Z_sh-1_response.md\n");
    let thread = ask("w1", &["thread", question]);
    let bodies: Vec<_> = thread["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["body"].as_str().unwrap())
        .collect();
    assert_eq!(bodies.len(), 3, "{thread}");
    assert!(["Ready?\n", "Ready.\n", "Then begin.\n"].iter().all(|body| bodies.contains(body)), "{bodies:?}");
    assert_eq!(ask("sh-1", &["list", "--needs-response"])["messages"], json!([]));
    let read = answer(&home, "w1", &cherry, &["mail", "list", "--box", "crew", "--folder", "read"]);
    assert_eq!(read["messages"][0]["file"], task.as_str());
}

#[cfg(target_os = "linux")]
#[test] // spec: MAIL-9
fn a_message_that_somebody_still_writes_is_shown_as_that_and_keeps_every_byte() {
    use std::io::Write as _;
    let home = TestHome::new();
    let cherry = home.cherry();
    let file = "20261116T100002Z_ana_task.md";
    fs::create_dir_all(cherry.join(".mail/w")).unwrap();
    let mut writer = fs::File::create(cherry.join(".mail/w").join(file)).unwrap();
    let half = "---\nfrom: ana\nto: w\ntype: task\ntimestamp: 2026-11-16T10:00:02Z\n---\nDo NOT";
    writer.write_all(half.as_bytes()).unwrap();
    // A script that went on a minute ago and has not closed it.
    writer.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
    let read = answer(&home, "w", &cherry, &["mail", "read", file]);
    assert_eq!((&read["body"], &read["unfinished"]), (&json!("Do NOT"), &json!(true)));
    assert_eq!(answer(&home, "w", &cherry, &["mail", "list"])["messages"][0]["unfinished"], true);
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "w", &cherry, &["mail", "list"]);
    assert_seen!(seen);
    for words in [["mail", "mark-read", file], ["mail", "archive", file], ["mail", "claim", file]] {
        let ran = run(&home, "w", &cherry, &[&["--json"], &words[..]].concat());
        assert_eq!(ran.code(), "mail.unfinished", "{words:?}");
    }
    assert_eq!(run(&home, "w", &cherry, &["--json", "mail", "claim"]).code(), "mail.nothing");
    writer.write_all(b" delete the database.\n").unwrap();
    drop(writer);
    answer(&home, "w", &cherry, &["mail", "mark-read", file]);
    let kept = fs::read_to_string(cherry.join(".mail/w/read").join(file)).unwrap();
    assert!(kept.contains("read_at: ") && kept.ends_with("Do NOT delete the database.\n"), "{kept}");
}

#[test] // spec: MAIL-11
fn a_claim_of_a_message_without_a_subject_says_who_sent_it_and_no_more() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(&home, "orch", &cherry, &["mail", "send", "--to", "w1", "--type", "task", "--body", "go"]);
    let shown = run(&home, "w1", &cherry, &["mail", "claim"]).stdout;
    assert!(shown.lines().any(|line| line.trim() == "task from orch"), "{shown}");
}

#[test] // spec: MAIL-16, MAIL-4, IF-7
fn an_agent_over_mcp_takes_its_name_and_its_mail() {
    let home = TestHome::new();
    let cherry = home.cherry();
    answer(
        &home,
        "orch",
        &cherry,
        &["mail", "send", "--to", "worker", "--type", "task", "--subject", "do it"],
    );
    let call = |id: u32, name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}).to_string()
    };
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "Claude Code", "version": "1"}}})
        .to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        call(1, "mail_list", json!({})),
        call(2, "session_register", json!({"name": "w1", "tag": ["worker"]})),
        call(3, "mail_claim", json!({})),
        call(
            4,
            "mail_send",
            json!({"to": "orch", "type": "status", "body": "at it", "agent_id": "codex:maker"}),
        ),
        call(5, "mail_claim", json!({"box": "orch"})),
        json!({"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": {"uri": "brainstem://mail/orch"}})
            .to_string(),
    ];
    let mut server = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    let ran = finish(server.current_dir(&cherry).arg("mcp"), (lines.join("\n") + "\n").as_bytes());
    let mut answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    let content = |n: usize| &answers[n]["result"]["structuredContent"];
    assert_eq!((content(1)["me"].as_str(), &content(1)["messages"]), (Some("claude.maker"), &json!([])));
    assert_eq!(content(3)["owner"], "w1", "{}", content(3));
    assert_eq!(content(3)["body"], "");
    assert_eq!(content(4)["from"], "w1");
    assert_eq!(content(5)["error"]["code"], "mail.not_yours");
    let page = answers[6]["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(page.contains("1 unread") && page.contains("status · from w1 · normal"), "{page}");
    assert!(page.contains("This box is not yours: you are w1."), "{page}");
    let told = answer(&home, "orch", &cherry, &["mail", "list"]);
    assert_eq!(
        (told["messages"][0]["from"].as_str(), told["messages"][0]["type"].as_str()),
        (Some("w1"), Some("status"))
    );
    let text =
        fs::read_to_string(cherry.join(".mail/orch").join(told["messages"][0]["file"].as_str().unwrap()))
            .unwrap();
    assert!(text.contains("from_agent: \"codex:maker\""), "{text}");
}

#[test] // spec: MAIL-12, IF-4
fn a_broadcast_is_seen_once_it_was_printed() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let send = ["mail", "send", "--to", "all", "--type", "status", "--subject", "ALLHANDS", "--body", "red"];
    answer(&home, "orch", &cherry, &send);
    let unread = || answer(&home, "w7", &cherry, &["mail", "list"])["messages"].as_array().unwrap().len();
    // Nothing of it reaches the reader: a full disk, and a reader that is gone.
    for json in [&["--json"][..], &[]] {
        let program = env!("CARGO_BIN_EXE_brainstem");
        let mut command = home.command(Path::new(program));
        command.current_dir(&cherry).env("BRAINSTEM_SESSION", "w7").args(json).args(["mail", "read"]);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let out = command.stdout(full).output().unwrap();
        assert_eq!(out.status.code(), Some(1));
        assert_eq!(unread(), 1);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert!(command.stdout(writer).output().unwrap().status.success());
        assert_eq!(unread(), 1);
    }
    let shown = answer(&home, "w7", &cherry, &["mail", "read"]);
    assert_eq!((&shown["subject"], &shown["seen"]), (&json!("ALLHANDS"), &Value::Null));
    assert_eq!(unread(), 0);
    // The fix of an empty box leads to it.
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, "w7", &cherry, &["mail", "read"]);
    assert_seen!(seen);
    let read = answer(&home, "w7", &cherry, &["mail", "list", "--folder", "read"]);
    assert_eq!(read["messages"][0]["subject"], "ALLHANDS");
    assert_eq!(read["messages"][0]["seen"], true);
}
