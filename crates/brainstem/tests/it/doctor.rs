//! `doctor` as a process: its words, its document and its exit status.

#![allow(clippy::disallowed_methods, reason = "a test breaks the files behind the answers")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn run(home: &TestHome, words: &[&str]) -> Ran {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    finish(command.current_dir(home.cherry()).env("USER", "ana").args(words), b"")
}

fn with_a_claim() -> (TestHome, PathBuf) {
    let home = TestHome::new();
    run(&home, &["bootstrap"]);
    let answer = run(&home, &["memorize", "Retry policy", "--text", "three", "--json"]).json();
    let file = PathBuf::from(answer["path"].as_str().expect("a path"));
    (home, file)
}

#[test] // spec: MEM-43, IF-4
fn the_exit_status_tells_of_problems_alone() {
    let (home, file) = with_a_claim();
    let sound = run(&home, &["doctor"]);
    assert_eq!((sound.status, sound.stderr.as_str()), (Some(0), ""));
    assert!(sound.stdout.starts_with("nothing is wrong\n"), "{sound:?}");

    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("our own folder");
    let warned = run(&home, &["doctor", "--json"]);
    assert_eq!(warned.status, Some(0));
    let finding = warned.json()["findings"][0].clone();
    assert_eq!(
        (finding["name"].as_str(), finding["severity"].as_str()),
        (Some("home_open"), Some("warning"))
    );
    assert!(finding["fix"].as_str().is_some_and(|fix| fix.starts_with("chmod 700 ")), "{finding}");

    fs::write(file.with_file_name("notes.light.md"), "no claim").expect("our own folder");
    let broken = run(&home, &["doctor", "--json"]);
    assert_eq!((broken.status, broken.stderr.as_str()), (Some(1), ""));
    assert_eq!(
        (&broken.json()["healthy"], &broken.json()["findings"][0]["name"]),
        (&false.into(), &"claim_unreadable".into())
    );
    let told = run(&home, &["doctor"]);
    assert_eq!((told.status, told.stderr.as_str()), (Some(1), ""));
    assert!(told.stdout.contains("1 problem, 1 warning"), "{told:?}");
}

#[test] // spec: MEM-43
fn it_works_where_everything_else_is_refused() {
    let (home, _) = with_a_claim();
    fs::write(home.path().join("config.toml"), "][").expect("our own folder");
    let told = run(&home, &["doctor", "--json"]);
    assert_eq!((told.status, told.json()["findings"][0]["name"].as_str()), (Some(1), Some("config_broken")));
}

#[test] // spec: MEM-43, IF-3
fn a_home_that_is_not_there_yet_is_told_and_one_that_was_named_is_refused() {
    let home = TestHome::new();
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    let command = command.current_dir(home.cherry()).env_remove("BRAINSTEM_HOME").env("HOME", home.path());
    let first = finish(command.args(["doctor", "--json"]), b"");
    assert_eq!((first.status, first.json()["findings"][0]["name"].as_str()), (Some(0), Some("home_missing")));
    let named = run(&home, &["doctor", "--json", "--home", "/nonexistent/home"]);
    assert_eq!((named.status, named.json()["error"]["code"].as_str()), (Some(1), Some("home.unusable")));
}

/// A write that another process holds up forever is found, with the process.
#[test] // spec: MEM-43
#[cfg(target_os = "linux")]
fn a_lock_of_a_stopped_process_is_named() {
    let (home, file) = with_a_claim();
    let lock = file.with_file_name(".locks").join("07");
    let holder =
        Command::new("flock").arg("-F").arg(&lock).args(["sleep", "60"]).stdout(Stdio::null()).spawn();
    // Not every system has the program.
    let Ok(mut holder) = holder else { return };
    let pid = holder.id().to_string();
    let since = Instant::now();
    let held = || fs::read_to_string("/proc/locks").unwrap_or_default().contains(&format!(" {pid} "));
    while !held() && since.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let signal = |name: &str| drop(Command::new("kill").args([name, &pid]).status());
    signal("-STOP");
    let is_stopped = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default().contains(") T ");
    while !is_stopped() && since.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let is_told = held();
    let told = run(&home, &["doctor", "--json"]).json();
    signal("-KILL");
    let _ = holder.wait();
    // Some containers do not show their locks.
    if is_told {
        let finding = &told["findings"][0];
        assert_eq!(finding["name"], "lock_stopped", "{told}");
        assert_eq!(finding["fix"], format!("kill -CONT {pid}"));
    }
}
