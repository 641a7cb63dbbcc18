//! The tour: every step ends as it says, and nothing is left behind.

#![allow(clippy::disallowed_methods, reason = "a test looks at what the tour leaves behind")]

use crate::program::{Ran, finish};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A person with some files, an empty folder for temporary ones, and no git.
fn person() -> TempDir {
    let top = tempfile::tempdir().expect("a temporary folder");
    for dir in ["ana/.brainstem/agent-memory", "ana/work/.git", "tmp"] {
        fs::create_dir_all(top.path().join(dir)).expect("our own folder");
    }
    fs::write(top.path().join("ana/work/.git/HEAD"), "ref: refs/heads/main\n").expect("our own folder");
    fs::write(top.path().join("ana/.brainstem/config.toml"), "agent = \"human:eve\"\n")
        .expect("our own folder");
    top
}

fn tour(top: &Path, words: &[&str], change: impl Fn(&mut Command)) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brainstem"));
    command.env_clear().env("TMPDIR", top.join("tmp")).env("HOME", top.join("ana"));
    command.env("PATH", "/nonexistent").current_dir(top.join("ana/work")).arg("tour").args(words);
    change(&mut command);
    finish(&mut command, b"")
}

/// Every file and folder below a folder, with the content of the files.
fn everything(top: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("our own folder") {
            let path = entry.expect("our own folder").path();
            if path.is_dir() {
                all.insert(path.clone(), None);
                open.push(path);
            } else {
                all.insert(path.clone(), Some(fs::read(&path).expect("our own file")));
            }
        }
    }
    all
}

#[test] // spec: IF-2
fn every_step_ends_as_the_tour_says_and_nothing_is_left() {
    let top = person();
    let before = everything(top.path());
    let ran = tour(top.path(), &["--json"], |_| ());
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let document = ran.json();
    assert_eq!(document["as_said"], true);
    let steps = document["steps"].as_array().expect("steps");
    assert!(steps.len() >= 14 && steps.iter().all(|step| step["as_said"] == true), "{document}");
    let refused: Vec<_> = steps.iter().filter(|step| step["exit"] != 0).collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
    let typed: Vec<&str> = steps.iter().filter_map(|step| step["command"].as_str()).collect();
    for verb in
        ["bootstrap", "memorize", "seek", "retract", "show", "all-brains", "medulla", "north", "doctor"]
    {
        assert!(typed.iter().any(|line| line.contains(verb)), "no {verb} in {typed:?}");
    }
    assert!(!ran.stdout.contains("human:eve"), "the person's own settings have no say");
    assert_eq!(everything(top.path()), before);
}

#[test] // spec: IF-2
fn it_needs_no_home_and_no_environment() {
    let top = person();
    let before = everything(top.path());
    let without = tour(top.path(), &["--fast"], |command| {
        command.env_remove("HOME");
    });
    let empty = tour(top.path(), &[], |command| {
        command.env("HOME", "").env("BRAINSTEM_WORKSPACE_ROOT", "/nowhere").env("BRAINSTEM_AGENT", "a b");
    });
    for ran in [without, empty] {
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout.contains("cherry$ brainstem bootstrap\n"), "{ran:?}");
        assert!(!ran.stdout.contains("Enter"), "nobody waits in a pipe");
    }
    assert_eq!(everything(top.path()), before);
}

#[test]
fn without_a_folder_for_temporary_files_it_says_what_to_do() {
    let top = person();
    let ran = tour(top.path(), &["--json"], |command| {
        command.env("TMPDIR", "/nonexistent/tmp");
    });
    assert_eq!((ran.status, ran.code().as_str()), (Some(1), "home.unusable"));
    assert!(ran.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("TMPDIR")), "{ran:?}");
}

#[test] // spec: IF-2
fn a_tour_that_is_interrupted_removes_its_folder_too() {
    use rustix::process::{Pid, Signal, kill_process};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let top = person();
    let before = everything(top.path());
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("a terminal");
    let name = ptsname(&screen, Vec::new()).expect("its name").into_string().expect("text");
    let end = || {
        let opened = fs::File::options().read(true).write(true).open(&name);
        Stdio::from(opened.expect("the other end"))
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_brainstem"));
    command.env_clear().env("TMPDIR", top.path().join("tmp")).env("HOME", top.path().join("ana")).arg("tour");
    let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("the program starts");
    let mut screen = fs::File::from(screen);
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains("Enter goes on") {
        let read = screen.read(&mut part).expect("it draws");
        seen.extend_from_slice(&part[..read]);
    }
    let shown = String::from_utf8_lossy(&seen).into_owned();
    assert!(shown.contains("Step 1 of "), "{shown}");
    assert_ne!(everything(top.path()), before, "it has a folder");
    kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(everything(top.path()), before);
}

#[test] // spec: IF-2
fn a_tour_removes_what_a_killed_one_left_and_nothing_of_one_that_runs() {
    let top = person();
    let tmp = top.path().join("tmp");
    for folder in ["brainstem-tour-killed/cherry", "brainstem-tour-running/cherry", "brainstem-tour-of-mine"]
    {
        fs::create_dir_all(tmp.join(folder)).expect("our own folder");
    }
    let lock = fs::File::create(tmp.join("brainstem-tour-running/lock")).expect("our own file");
    lock.lock().expect("nobody holds it");
    assert_eq!(tour(top.path(), &["--json"], |_| ()).status, Some(0));
    let mut left: Vec<_> = fs::read_dir(&tmp)
        .expect("our own folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["brainstem-tour-of-mine", "brainstem-tour-running"]);
}
