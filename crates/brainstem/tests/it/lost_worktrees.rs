//! A worktree whose repository was moved, where the repository has no brain: what each door advises there.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test moves a repository away and looks at the files behind the answers"
)]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

fn git(cwd: &Path, words: &[&str]) {
    let signed = ["-c", "user.email=a@b", "-c", "user.name=a"];
    let ran = Command::new("git").args(signed).args(words).current_dir(cwd).output().unwrap();
    assert!(ran.status.success(), "{words:?}: {ran:?}");
}

/// Returns a worktree whose repository was moved, and where the repository is now.
fn lost_worktree(home: &TestHome) -> (PathBuf, PathBuf) {
    let cherry = home.cherry();
    git(&cherry, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let tree = cherry.with_file_name("tree");
    git(&cherry, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    let moved = cherry.with_file_name("moved");
    fs::rename(&cherry, &moved).unwrap();
    (tree, moved)
}

fn run(home: &TestHome, cwd: &Path, words: &[&str], stdin: &[u8]) -> Ran {
    finish(home.command(Path::new(PROGRAM)).current_dir(cwd).args(words), stdin)
}

#[test] // spec: MAIL-1, MEM-15, IF-4, IF-16
fn every_door_advises_what_joins_a_worktree_with_its_repository() {
    let home = TestHome::new();
    let (tree, moved) = lost_worktree(&home);
    let repair = format!("git worktree repair {}", tree.display());
    let plain = format!("bootstrap {}", tree.display());
    let payload = br#"{"session_id":"s1","hook_event_name":"SessionStart"}"#;
    let hook = run(&home, &tree, &["hook", "session-start"], payload);
    let words = hook.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(words.contains(&format!("`{repair}` would change that")), "{words}");
    assert!(words.contains("run in the repository"), "{words}");
    assert!(!words.contains("bootstrap"), "{words}");

    let calls: [&[&str]; 6] = [
        &["memorize", "a", "--text", "b"],
        &["boot", "set", "a", "b"],
        &["delegate", "x"],
        &["handshake", "--expect-root", "."],
        &["seek", "x"],
        &["set-aside", "."],
    ];
    for call in calls {
        let ran = run(&home, &tree, &[call, &["--json", "--as", "codex:maker"]].concat(), b"");
        let said = ran.json().to_string();
        assert!(said.contains(&repair), "{call:?}: {said}");
        let plain_calls = said.matches(&plain).count();
        assert_eq!(plain_calls, said.matches(&format!("{plain} --anew")).count(), "{call:?}: {said}");
    }

    git(&moved, &["worktree", "repair", tree.to_str().unwrap()]);
    let after =
        run(&home, &tree, &["memorize", "a", "--text", "b", "--json", "--as", "codex:maker"], b"").json();
    let fix = after["error"]["fix"].as_str().unwrap();
    assert!(fix.contains(&format!("bootstrap {}", moved.display())) && !fix.contains("repair"), "{after}");
}

#[test] // spec: LTR-2, LTR-5
fn a_letter_that_names_a_worktree_without_its_repository_is_refused() {
    let home = TestHome::new();
    let (tree, moved) = lost_worktree(&home);
    let box_of = |root: &Path| root.join(".brainstem/inbox.jsonl");
    let write = |words: &[&str]| {
        let all = [&["letter", "write", "--class", "friction", "--what", "x", "--json"], words].concat();
        run(&home, &tree, &all, b"").json()
    };
    let path = tree.to_str().unwrap();
    let cases: [&[&str]; 5] =
        [&[], &["--repo", "."], &["--brain", "."], &["--repo", path], &["--brain", path]];
    for words in cases {
        let refused = write(words);
        assert_eq!(refused["error"]["code"], "memory.root_gone", "{words:?}: {refused}");
        assert!(refused["error"]["fix"].as_str().unwrap().contains("git worktree repair"), "{refused}");
    }
    // A line that a script wrote waits until the two find each other, and is filed once.
    let line = format!("{{\"class\":\"bug\",\"what\":\"by hand\",\"repo\":\"{path}\"}}\n");
    fs::create_dir_all(home.path()).unwrap();
    fs::write(home.path().join("field-reports.jsonl"), line).unwrap();
    run(&home, &tree, &["letter", "distribute"], b"");
    assert!(!box_of(&tree).exists(), "nothing is filed in the worktree");
    git(&moved, &["worktree", "repair", path]);
    for _ in 0..2 {
        run(&home, &tree, &["letter", "distribute"], b"");
    }
    assert_eq!(fs::read_to_string(box_of(&moved)).unwrap().lines().count(), 1);
    assert!(!box_of(&tree).exists());
}
