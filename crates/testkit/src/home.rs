//! A home in a folder of its own, with two repositories beside it.

#![allow(clippy::disallowed_methods, reason = "tests make real files")]

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

/// What `git init` makes, without the samples of hooks: each path with its bytes, or nothing for a folder. It is made once in a
/// process, because every test has two repositories.
static REPOSITORY: LazyLock<Vec<(PathBuf, Option<Vec<u8>>)>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let mut git = clean_command(Path::new("git"), dir.path());
    let made = git.arg("init").arg("--quiet").arg(dir.path()).status();
    assert!(made.expect("git is installed").success(), "git init");
    let mut found = Vec::new();
    read_below(dir.path(), Path::new(""), &mut found);
    found
});

/// A temporary person: an empty home for Brainstem and two git repositories, `cherry` and `plum`.
/// All of it is removed when this is dropped.
#[derive(Debug)]
pub struct TestHome {
    top: TempDir,
}

impl TestHome {
    /// Makes the folders and the repositories.
    pub fn new() -> Self {
        let home = Self { top: tempfile::tempdir().expect("a temporary folder can be made") };
        // A home that a variable names and that does not exist is refused to a call that only reads.
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(home.path())
            .expect("the temporary folder can be written");
        for repository in [home.cherry(), home.plum()] {
            make_repository(&repository);
        }
        home
    }

    /// The same, and the home does not exist until something makes it.
    pub fn without_a_home() -> Self {
        let home = Self::new();
        std::fs::remove_dir(home.path()).expect("it is empty");
        home
    }

    /// The folder that holds everything else: the person's own home.
    pub fn user_home(&self) -> &Path {
        self.top.path()
    }

    /// The home of Brainstem: a folder that is empty until something writes there.
    pub fn path(&self) -> PathBuf {
        self.top.path().join("brainstem-home")
    }

    /// A git repository.
    pub fn cherry(&self) -> PathBuf {
        self.top.path().join("cherry")
    }

    /// Another git repository.
    pub fn plum(&self) -> PathBuf {
        self.top.path().join("plum")
    }

    /// A program that sees nothing of the environment but this home, in no repository.
    ///
    /// The binary under test is `env!("CARGO_BIN_EXE_brainstem")` in its own package.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = clean_command(program, self.top.path());
        // Nothing outlives the test that started it.
        command.env("BRAINSTEM_HOME", self.path()).env("BRAINSTEM_BACKGROUND", "off");
        command
    }
}

/// A program of a person whose home this is.
fn clean_command(program: &Path, user_home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().current_dir(user_home).env("HOME", user_home);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// Makes a git repository as `git init` does.
fn make_repository(root: &Path) {
    std::fs::create_dir(root).expect("the temporary folder can be written");
    for (path, bytes) in &*REPOSITORY {
        let made = match bytes {
            None => std::fs::create_dir(root.join(path)),
            Some(bytes) => std::fs::write(root.join(path), bytes),
        };
        made.expect("the temporary folder can be written");
    }
}

/// Reads a folder, each folder before what is in it.
fn read_below(top: &Path, folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
    for entry in std::fs::read_dir(top.join(folder)).expect("git made it") {
        let entry = entry.expect("git made it");
        let path = folder.join(entry.file_name());
        if entry.file_type().expect("git made it").is_dir() {
            found.push((path.clone(), None));
            read_below(top, &path, found);
        } else if path.extension().is_none_or(|extension| extension != "sample") {
            found.push((path, Some(std::fs::read(entry.path()).expect("git made it"))));
        }
    }
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::TestHome;
    use std::path::Path;

    #[test]
    fn a_program_sees_the_home_and_nothing_else() {
        let home = TestHome::new();
        for repository in [home.cherry(), home.plum()] {
            let status =
                home.command(Path::new("git")).arg("-C").arg(&repository).arg("status").output().unwrap();
            assert!(status.status.success(), "git knows it: {status:?}");
        }
        let output = home.command(Path::new("env")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["BRAINSTEM_BACKGROUND", "BRAINSTEM_HOME", "HOME", "PATH"]);
    }
}
