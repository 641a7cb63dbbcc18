//! A person's folders on a real disk, with real repositories.

use crate::world::{MAKER, Short as _, caller, service_at};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::RealDisk;
use brainstem_memory::{Caller, InitRequest, Memory, Route};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// A person's folders on a real disk.
pub(crate) struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = Self { dir };
        std::fs::create_dir_all(place.at("home")).unwrap();
        std::fs::create_dir_all(place.at("src")).unwrap();
        place
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    /// A process that has just started.
    pub(crate) fn memory(&self) -> Memory {
        // Long after all that is written here.
        let clock = Arc::new(ManualClock::at(4_000_000_000_000));
        service_at(Arc::new(RealDisk), &clock, &self.at("home/.brainstem"), Some(&self.at("home")))
    }

    /// Runs git and expects it to work.
    pub(crate) fn git(&self, dir: &str, args: &[&str]) {
        let settings = ["user.name=ana", "user.email=ana@example.org", "protocol.file.allow=always"];
        let out = Command::new("git")
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .args(args)
            .current_dir(self.at(dir))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git is installed");
        assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    }

    /// What git would commit there.
    pub(crate) fn committable(&self, dir: &str) -> Vec<String> {
        let out = Command::new("git")
            .args(["status", "--porcelain", "-uall"])
            .current_dir(self.at(dir))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git is installed");
        let text = String::from_utf8(out.stdout).unwrap();
        text.lines().map(|line| line[3..].to_owned()).collect()
    }

    /// A repository with one commit.
    pub(crate) fn repository(&self, dir: &str) {
        std::fs::create_dir_all(self.at(dir)).unwrap();
        self.git(dir, &["init", "-q", "-b", "main"]);
        self.write(&format!("{dir}/lib/readme"), "hello");
        self.commit(dir);
    }

    pub(crate) fn commit(&self, dir: &str) {
        self.git(dir, &["add", "-A"]);
        self.git(dir, &["commit", "-q", "-m", "something"]);
    }

    /// Commits what there is to commit, if there is something.
    pub(crate) fn commit_all(&self, dir: &str) {
        self.git(dir, &["add", "-A"]);
        self.git(dir, &["commit", "-q", "--allow-empty", "-m", "something more"]);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn begin(&self, dir: &str) -> PathBuf {
        self.memory().begin(&self.in_(dir)).unwrap().brain.root
    }

    pub(crate) fn in_(&self, dir: &str) -> Caller {
        caller(MAKER, self.at(dir))
    }

    /// Where a caller lands: the root of its brain, of one that cannot be read (`!`), of its project
    /// without one (`?`), of a folder that was made anew (`*`), or nowhere.
    pub(crate) fn lands(&self, dir: &str) -> String {
        let route = self.memory().route(&self.in_(dir));
        let base = self.at("");
        let inside = |path: &Path| path.strip_prefix(&base).unwrap().display().to_string();
        match &*route {
            Route::Bound { brain, .. } => inside(&brain.root),
            Route::Broken { root, .. } => format!("{}!", inside(root)),
            Route::Replaced { root, .. } => format!("{}*", inside(root)),
            Route::Brainless { root, .. } => format!("{}?", inside(root)),
            Route::Unbound { .. } => "nowhere".into(),
        }
    }

    /// Brings the memory of a repository into it.
    pub(crate) fn init(&self, dir: &str) {
        self.memory().init(&self.in_(dir), &InitRequest::default()).unwrap();
    }

    /// Copies a folder with everything in it, dates included.
    pub(crate) fn copy(&self, from: &str, to: &str) {
        let out = Command::new("cp").arg("-a").arg(self.at(from)).arg(self.at(to)).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }

    pub(crate) fn tell(&self, dir: &str, label: &str, text: &str) {
        self.memory().tell(&self.in_(dir), label, text).unwrap();
    }

    /// The texts a caller there finds.
    pub(crate) fn found(&self, dir: &str) -> Vec<String> {
        let mut texts: Vec<_> =
            self.memory().all(&self.in_(dir)).rows.into_iter().map(|row| row.text).collect();
        texts.sort();
        texts
    }

    pub(crate) fn id(&self, dir: &str) -> String {
        let memory = self.memory();
        memory.route(&self.in_(dir)).brain().expect("a brain").manifest.id.to_string()
    }

    pub(crate) fn origin(&self, dir: &str) -> String {
        self.memory().route(&self.in_(dir)).brain().expect("a brain").origin()
    }

    pub(crate) fn move_to(&self, from: &str, to: &str) {
        std::fs::rename(self.at(from), self.at(to)).unwrap();
    }

    pub(crate) fn delete(&self, dir: &str) {
        std::fs::remove_dir_all(self.at(dir)).unwrap();
    }

    pub(crate) fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(self.at(target), self.at(path)).unwrap();
    }
}
