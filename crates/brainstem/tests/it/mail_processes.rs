//! Many processes at one box: all that is sent survives, and each message is taken once.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "the files are looked at from outside")]

use crate::program::finish;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

struct Office(TempDir);

impl Office {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn mail(&self) -> PathBuf {
        self.0.path().join("mail")
    }

    fn command(&self, program: &str, session: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.0.path()).env("PATH", std::env::var_os("PATH").unwrap());
        command
            .env("BRAINSTEM_MAIL_ROOT", self.mail())
            .env("BRAINSTEM_SESSION", session)
            .env("BRAINSTEM_TAGS", "worker");
        command.env("BRAINSTEM_BACKGROUND", "off").current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn ask(&self, session: &str, words: &[&str]) -> Value {
        finish(self.command(PROGRAM, session).arg("--json").args(words), b"").json()
    }

    /// Puts messages into a box, as another tool would.
    fn put(&self, mailbox: &str, count: usize) -> BTreeSet<String> {
        let dir = self.mail().join(mailbox);
        fs::create_dir_all(dir.join("read")).unwrap();
        let name = |n: usize| format!("20260128T1530{n:02}Z_orch_task.md");
        for n in 0..count {
            let text = format!(
                "---\nfrom: orch\nto: {mailbox}\ntype: task\ntimestamp: 2026-01-28T15:30:{n:02}Z\n---\n{n}\n"
            );
            fs::write(dir.join(name(n)), text).unwrap();
        }
        (0..count).map(name).collect()
    }

    /// The messages of a folder.
    fn names(&self, folder: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(self.mail().join(folder)).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".md"))
            .collect()
    }
}

fn started(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What every process printed, once all have ended.
fn printed(children: Vec<Child>) -> Vec<String> {
    let ended = children.into_iter().map(|child| child.wait_with_output().unwrap());
    ended
        .map(|out| {
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8(out.stdout).unwrap()
        })
        .collect()
}

#[test] // spec: MAIL-7, MAIL-8
fn eight_processes_that_send_as_one_session_lose_nothing() {
    let office = Office::new();
    let script = format!(
        "for n in 1 2 3 4 5 6; do '{PROGRAM}' mail send --to orch --type status --body \"$0 $n\" || exit 1; done"
    );
    let senders = (0..8).map(|n| {
        let mut command = office.command("sh", "w1");
        command.args(["-c", &script, &n.to_string()]);
        started(command)
    });
    printed(senders.collect());
    let listed = office.ask("orch", &["mail", "list", "--limit", "1000"]);
    let bodies: BTreeSet<String> = office
        .names("orch")
        .iter()
        .map(|name| fs::read_to_string(office.mail().join("orch").join(name)).unwrap())
        .map(|text| text.lines().last().unwrap().to_owned())
        .collect();
    let expected: BTreeSet<String> = (0..8).flat_map(|s| (1..7).map(move |n| format!("{s} {n}"))).collect();
    assert_eq!(bodies, expected);
    assert_eq!(listed["messages"].as_array().map(Vec::len), Some(48), "{listed}");
    let left = fs::read_dir(office.mail().join("orch")).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count();
    assert_eq!(left, 0, "nothing temporary is left");
}

#[test] // spec: MAIL-7, MAIL-14
fn processes_that_send_to_many_boxes_at_once_give_each_message_a_name_of_its_own() {
    let office = Office::new();
    let script = format!(
        "for to in a b c d e f; do '{PROGRAM}' mail send --to $to --type question --body x --needs-response || exit 1; done"
    );
    let senders = (0..8).map(|n| {
        let mut command = office.command("sh", "orch");
        command.args(["-c", &script, &n.to_string()]);
        started(command)
    });
    printed(senders.collect());
    // Some are killed in the middle of it: what they reserved is lost to nobody.
    for ms in [1, 3, 5, 8, 12, 20] {
        let mut command = office.command(PROGRAM, "orch");
        command.args(["mail", "send", "--to", "a", "--type", "question", "--body", "x"]);
        let mut child = started(command);
        // The instant of the kill is what is varied here, so this waits for no condition.
        std::thread::sleep(Duration::from_millis(ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let names: Vec<String> = ["a", "b", "c", "d", "e", "f"].iter().flat_map(|to| office.names(to)).collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert!(names.len() >= 48, "{names:?}");
    assert_eq!(distinct.len(), names.len(), "{names:?}");
    // An answer closes its own question alone.
    let questions = |who: &str| {
        let listed = office.ask(who, &["mail", "list", "--box", who, "--needs-response", "--limit", "1000"]);
        listed["messages"].as_array().unwrap().len()
    };
    let (first, before) = (office.names("b").pop_first().unwrap(), questions("c"));
    office.ask("b", &["mail", "reply", &first, "--body", "mine"]);
    assert_eq!((questions("b"), questions("c")), (7, before));
}

#[test] // spec: MAIL-11
fn sixteen_readers_take_each_message_once() {
    let office = Office::new();
    let all = office.put("worker", 48);
    let ours = format!(
        "while file=$('{PROGRAM}' --json mail claim --box worker | sed -n 's/.*\"file\":\"\\([^\"]*\\)\".*/\\1/p'); [ -n \"$file\" ]; do \
         '{PROGRAM}' mail mark-read \"$file\" --box worker > /dev/null || exit 1; echo \"$file\"; done"
    );
    let theirs = "cd \"$BRAINSTEM_MAIL_ROOT/worker\"; while :; do found=; for f in *.md; do \
                  [ -e \"$f\" ] || continue; found=1; mv \"$f\" read/ 2> /dev/null && echo \"$f\"; sleep 0.05; done; \
                  [ -n \"$found\" ] || exit 0; done";
    let readers = (0..16).map(|n| {
        let mut command = office.command("sh", &format!("w{n}"));
        command.args(["-c", if n % 2 == 0 { &ours } else { theirs }]);
        started(command)
    });
    let told = printed(readers.collect());
    let (by_us, by_them): (Vec<_>, Vec<_>) = told.iter().enumerate().partition(|(n, _)| n % 2 == 0);
    let taken = |told: Vec<(usize, &String)>| -> Vec<String> {
        told.iter().flat_map(|(_, text)| text.lines().map(str::to_owned)).collect()
    };
    let (by_us, by_them) = (taken(by_us), taken(by_them));
    let mut each: Vec<String> = by_us.iter().chain(&by_them).cloned().collect();
    each.sort();
    assert_eq!(each, all.iter().cloned().collect::<Vec<_>>(), "each once, none twice");
    assert!(
        !by_us.is_empty() && !by_them.is_empty(),
        "both took some: {} and {}",
        by_us.len(),
        by_them.len()
    );
    assert_eq!(office.names("worker/read"), all);
    assert_eq!(office.names("worker"), BTreeSet::new());
}

#[test] // spec: MAIL-11
fn processes_that_work_under_one_name_take_each_message_once() {
    let office = Office::new();
    let all = office.put("worker", 60);
    let claim = format!(
        "while file=$('{PROGRAM}' --json mail claim --box worker | sed -n 's/.*\"file\":\"\\([^\"]*\\)\".*/\\1/p'); \
         [ -n \"$file\" ]; do echo \"$file\"; done"
    );
    let twins = (0..6).map(|_| {
        let mut command = office.command("sh", "twin");
        command.args(["-c", &claim]);
        started(command)
    });
    let mut each: Vec<String> =
        printed(twins.collect()).iter().flat_map(|text| text.lines().map(str::to_owned)).collect();
    each.sort();
    assert_eq!(each, all.into_iter().collect::<Vec<_>>(), "each once, none twice");
}

#[test] // spec: MAIL-11
fn what_a_killed_taker_held_comes_back() {
    let office = Office::new();
    let all = office.put("worker", 6);
    for ms in [0, 2, 4, 6, 8, 10, 12, 15, 20, 30, 60, 200] {
        let mut command = office.command(PROGRAM, "w1");
        command.args(["mail", "claim", "--box", "worker", "--lease-s", "1"]);
        let mut child = started(command);
        // The instant of the kill is what is varied here, so this waits for no condition.
        std::thread::sleep(Duration::from_millis(ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let held = || {
        fs::read_dir(office.mail().join("worker/.claimed")).map_or(0, |entries| {
            entries
                .flatten()
                .filter(|entry| !entry.file_name().to_string_lossy().ends_with("~returned"))
                .count()
        })
    };
    assert!(held() > 0, "somebody took one before it was killed");
    let since = Instant::now();
    loop {
        let listed = office.ask("w2", &["mail", "list", "--box", "worker"]);
        let files: BTreeSet<String> = listed["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["file"].as_str().unwrap().to_owned())
            .collect();
        if files == all {
            let returned =
                listed["messages"].as_array().unwrap().iter().any(|row| row["returned"].as_u64() > Some(0));
            assert!(returned, "a message says that it came back");
            break;
        }
        assert!(since.elapsed() < Duration::from_secs(30), "{listed}");
    }
    assert_eq!(held(), 0);
    assert_eq!(office.names("worker"), all);
}

#[test] // spec: MAIL-7
fn processes_that_repeat_a_send_with_one_key_send_once() {
    let office = Office::new();
    let senders = (0..6).map(|_| {
        let mut command = office.command(PROGRAM, "w1");
        command.args([
            "--json", "mail", "send", "--to", "orch", "--type", "status", "--body", "x", "--key", "build-77",
        ]);
        started(command)
    });
    let files: BTreeSet<String> = printed(senders.collect())
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).unwrap()["file"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!((files.len(), office.names("orch")), (1, files));
    assert!(Path::new(&office.mail()).join(".gitignore").is_file());
}
