//! A home in a folder of its own, with two repositories beside it.

#![allow(clippy::disallowed_methods, reason = "tests make real files")]

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

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
            std::fs::create_dir(&repository).expect("the temporary folder can be written");
            let made = home.command(Path::new("git")).arg("init").arg("--quiet").arg(&repository).status();
            assert!(made.expect("git is installed").success(), "git init");
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
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.top.path());
        command.env("HOME", self.top.path()).env("BRAINSTEM_HOME", self.path());
        // Nothing outlives the test that started it.
        command.env("BRAINSTEM_BACKGROUND", "off");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
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
        assert!(home.cherry().join(".git/HEAD").is_file() && home.plum().join(".git/HEAD").is_file());
        let output = home.command(Path::new("env")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["BRAINSTEM_BACKGROUND", "BRAINSTEM_HOME", "HOME", "PATH"]);
    }
}
