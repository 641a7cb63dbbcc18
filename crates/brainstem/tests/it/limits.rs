//! What a process may do is limited by its system.

#![allow(clippy::disallowed_methods, reason = "a test closes the folders behind the answers")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

#[test] // spec: IF-4, MEM-31
fn a_limit_on_the_size_of_files_is_an_error_of_a_write_and_ends_nothing() {
    let home = TestHome::new();
    let run = |limit: &str, words: &str| -> Ran {
        let line = format!("ulimit -f {limit} && exec '{}' {words} --json", env!("CARGO_BIN_EXE_brainstem"));
        let mut shell = home.command(Path::new("/bin/sh"));
        finish(shell.args(["-c", &line]).current_dir(home.cherry()).env("USER", "ana"), b"")
    };
    for words in ["bootstrap", "memorize Port --text 'The port is 8080.'"] {
        assert_eq!(run("unlimited", words).status, Some(0));
    }
    for (words, status) in [("north port", 0), ("seek port", 0), ("index", 0), ("memorize A --text b", 1)] {
        let ran = run("0", words);
        assert_eq!(ran.status, Some(status), "{words}: {ran:?}");
    }
    assert_eq!(run("0", "memorize A --text b").code(), "store.no_space");
    assert_eq!(run("unlimited", "list").json()["memory_exists"], 1);
}

/// The program as a user whom permissions bind: they do not bind root, so that root becomes another one.
struct Ordinary {
    home: TestHome,
    program: PathBuf,
    is_root: bool,
}

const NOBODY: u32 = 65_534;

impl Ordinary {
    fn new() -> Self {
        let home = TestHome::new();
        let is_root = fs::metadata(home.user_home()).expect("our own folder").uid() == 0;
        let mut program = PathBuf::from(env!("CARGO_BIN_EXE_brainstem"));
        if is_root {
            // The folder of the build may be closed to others.
            let copy = home.user_home().join("program");
            fs::copy(&program, &copy).expect("a copy");
            program = copy;
            give_away(home.user_home());
        }
        Self { home, program, is_root }
    }

    fn run(&self, words: &[&str]) -> Ran {
        let mut command = self.home.command(&self.program);
        if self.is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        finish(command.args(words).arg("--json").current_dir(self.home.cherry()).env("USER", "ana"), b"")
    }
}

fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
    if fs::symlink_metadata(path).expect("it is there").is_dir() {
        fs::read_dir(path).expect("a folder").for_each(|entry| give_away(&entry.expect("an entry").path()));
    }
}

#[test] // spec: MEM-13a
fn a_folder_that_can_be_written_and_not_read_refuses_and_nothing_is_done() {
    let world = Ordinary::new();
    assert_eq!(world.run(&["bootstrap"]).status, Some(0));
    let kept = world.run(&["memorize", "Port", "--text", "The port is 8080."]).json();
    let claims = Path::new(kept["path"].as_str().expect("a path")).parent().expect("a folder").to_owned();
    let brain = claims.parent().expect("the brain's folder").to_owned();
    let mode = |dir: &Path, mode| {
        fs::set_permissions(dir, fs::Permissions::from_mode(mode)).expect("our own folder");
    };
    let history = claims.join(".history");
    // Each call with the folders that it changes.
    let calls: [(&[&str], &[&Path]); 4] = [
        (&["memorize", "New", "--text", "words"], &[&claims]),
        (&["memorize", "Port", "--text", "The port is 9090."], &[&claims, &history]),
        (&["retract", "Port", "--reason", "it moved"], &[&claims, &history, &brain]),
        (&["rename", "Port", "Ports"], &[&claims, &brain]),
    ];
    for (words, dir) in calls.iter().flat_map(|(words, dirs)| dirs.iter().map(move |dir| (words, dir))) {
        let before = world.run(&["show", "Port"]).json();
        mode(dir, 0o300);
        let refused = world.run(words);
        mode(dir, 0o700);
        assert_eq!(refused.code(), "store.read_only", "{words:?} with {}", dir.display());
        let after = world.run(&["show", "Port"]).json();
        assert_eq!(after["claim"]["text"], before["claim"]["text"], "{words:?}: {refused:?}");
        assert_eq!(after["history"], before["history"], "{words:?}: {refused:?}");
        assert_eq!(world.run(&["list"]).json()["memory_exists"], 1, "{words:?}: {refused:?}");
    }
}
