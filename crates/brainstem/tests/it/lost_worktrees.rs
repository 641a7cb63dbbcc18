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
    let who = ["-c", "user.email=a@b", "-c", "user.name=a"];
    let ran = Command::new("git").args(who).args(words).current_dir(cwd).output().unwrap();
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
