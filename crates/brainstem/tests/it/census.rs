//! Every kind of file that the program keeps is in the census, and `doctor` names each one that is hurt.

#![allow(clippy::disallowed_methods, reason = "a test breaks the files behind the answers")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use brainstem_vault::census::{self, CensusEntry, ContentCheck, ExpectedKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to hurt a path whose content was put out of the way before.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Link,
    Folder,
    Pipe,
    TooLarge(u64),
    Garbled,
    File,
}

impl Damage {
    /// What can happen to a path of this kind and must be named.
    fn all_of(kind: &CensusEntry) -> Vec<Self> {
        match kind.is {
            ExpectedKind::Passage => vec![Self::Link],
            ExpectedKind::Folder => vec![Self::Link, Self::File, Self::Pipe],
            ExpectedKind::Plain => vec![Self::Link, Self::Folder, Self::Pipe],
            ExpectedKind::File(len_max, form) => {
                let mut all = vec![Self::Link, Self::Folder, Self::Pipe];
                all.extend((len_max < 1 << 40).then(|| Self::TooLarge(len_max + 1)));
                all.extend((!matches!(form, ContentCheck::Any)).then_some(Self::Garbled));
                all
            }
        }
    }

    fn put(self, path: &Path, before: &Path) {
        match self {
            Self::Link => symlink(before, path).expect("a link"),
            Self::Folder => fs::create_dir(path).expect("a folder"),
            Self::Pipe => {
                assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo is installed").success());
            }
            Self::TooLarge(len) => {
                fs::File::create(path).expect("a file").set_len(len).expect("a sparse file")
            }
            Self::Garbled | Self::File => fs::write(path, "neither one nor the other\n").expect("a file"),
        }
    }
}

struct World {
    home: TestHome,
}

impl World {
    /// A home and a repository in which every verb that keeps something was used.
    fn new() -> Self {
        let world = Self { home: TestHome::new() };
        let git = |words: &[&str]| {
            let mut git = world.home.command(Path::new("git"));
            git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
            let done = git.current_dir(world.home.cherry()).output().expect("git is installed");
            assert!(done.status.success(), "{words:?}: {done:?}");
        };
        world.done(&["bootstrap"]);
        world.done(&["config", "set", "owner", "human:ana"]);
        world.done(&["boot", "set", "branch", "main"]);
        world.done(&["memorize", "Retry policy", "--text", "three"]);
        world.done(&["memorize", "Retry policy", "--text", "four"]);
        world.done(&["memorize", "Old", "--text", "old"]);
        world.done(&["retract", "Old", "--reason", "no more"]);
        world.done(&["memorize", "Tabs", "--text", "use tabs", "--tier", "medulla"]);
        world.done(&["memorize", "Tabs", "--text", "use four tabs", "--tier", "medulla"]);
        world.done(&["boot", "set", "place", "here", "--tier", "medulla"]);
        world.done(&["init", "--private"]);
        world.done(&["init", "--shared"]);
        git(&["add", "-A"]);
        git(&["commit", "-qm", "memory"]);
        world.done(&["memorize", "Retry policy", "--text", "five"]);
        world.done(&["promote", "Retry policy", "--reason", "it holds everywhere"]);
        world.done(&["delegate", "look at the retries"]);
        world.done(&["north", "retry"]);
        world.done(&["index", "--rebuild", "--tier", "all-brains"]);
        world.done(&["mail", "init"]);
        world.done(&["session", "register", "worker", "--tag", "maker"]);
        world.done(&["mail", "init", "--commit-mail"]);
        let send =
            ["mail", "send", "--type", "status", "--subject", "s", "--body", "b", "--key", "k1", "--to"];
        world.done(&[&send[..], &["worker"]].concat());
        world.done(&["mail", "send", "--type", "task", "--subject", "t", "--body", "b", "--to", "worker"]);
        world.done(&[
            "mail",
            "send",
            "--type",
            "task",
            "--subject",
            "u",
            "--body",
            "b",
            "--to",
            "__broadcast",
        ]);
        git(&["add", "-f", ".mail"]);
        let boxed = world.mail().join("worker");
        let file = names_in(&boxed).into_iter().find(|name| name.ends_with("_status.md")).expect("a message");
        world.done(&["mail", "read", &file, "--session", "worker"]);
        world.done(&["mail", "list", "--session", "worker"]);
        world.done(&["mail", "claim", "--session", "worker"]);
        world.done(&["letter", "write", "--class", "friction", "--what", "it hurt"]);
        let bad = ["letter", "write", "--class", "memory_misdelivery", "--kind", "leak", "--what", "a leak"];
        world.done(&bad);
        world.done(&["letter", "write", "--class", "win", "--what", "it worked", "--brain", "medulla"]);
        world.done(&["distribute"]);
        world.done(&["mailbox"]);
        world.done(&["init", "--host", "claude-code"]);
        world.done(&["up", "--detach"]);
        world.done(&["down"]);
        world
    }

    fn run(&self, words: &[&str]) -> Ran {
        let mut command = self.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.current_dir(self.home.cherry()).env("USER", "ana").args(words), b"")
    }

    fn done(&self, words: &[&str]) {
        let ran = self.run(words);
        assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    }

    fn mail(&self) -> PathBuf {
        self.home.cherry().join(".mail")
    }

    /// The folders that the program keeps files in, each with its census.
    fn bases(&self) -> Vec<(PathBuf, &'static [CensusEntry])> {
        let brains = self.home.path().join("project-brains");
        let mut bases = vec![
            (self.home.path(), census::HOME),
            (self.home.cherry().join(".brainstem"), census::REPOSITORY),
            (self.mail(), census::MAIL),
        ];
        bases.extend(names_in(&brains).into_iter().map(|name| (brains.join(name), census::BRAIN)));
        bases
    }

    /// Whether a finding of the doctor is about a path.
    fn names(&self, path: &Path) -> bool {
        let ran = self.run(&["doctor", "--all-brains", "--json"]);
        let (place, name) =
            (path.display().to_string(), path.file_name().unwrap_or_default().to_string_lossy());
        let folder = path.parent().unwrap_or(path).display().to_string();
        let told = ran.json();
        let is_about = |finding: &&Value| {
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            text("where") == place
                || text("detail").contains(&place)
                || text("fix").contains(&place)
                || text("where") == folder && text("detail").contains(&*name)
        };
        let findings = told["findings"].as_array().unwrap_or_else(|| panic!("no findings in {ran:?}"));
        findings.iter().any(|finding| is_about(&finding))
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("names are UTF-8 here"))
        .collect();
    names.sort();
    names
}

/// Everything below a folder.
fn below(base: &Path, dir: &Path, found: &mut Vec<PathBuf>) {
    for name in names_in(dir) {
        let path = dir.join(name);
        found.push(path.strip_prefix(base).expect("it lies below").to_owned());
        if path.is_dir() && !path.is_symlink() {
            below(base, &path, found);
        }
    }
}

#[test] // spec: MEM-43
fn every_file_that_is_kept_has_an_entry_and_is_named_when_it_is_hurt() {
    let world = World::new();
    let aside = world.home.user_home().join("aside");
    let (mut without_an_entry, mut unnamed) = (Vec::new(), Vec::new());
    let mut tried = BTreeMap::new();
    for (base, kinds) in world.bases() {
        let mut paths = Vec::new();
        below(&base, &base, &mut paths);
        for path in paths {
            let is_of_a_brain = path.starts_with("project-brains") && path.components().count() > 2;
            match census::kind_of(kinds, &path) {
                Some(kind) => {
                    tried.entry(kind.place).or_insert((base.join(path), kind));
                }
                None if is_of_a_brain => {}
                None => without_an_entry.push(base.join(path)),
            }
        }
        // What this world does not have could be there.
        for kind in kinds.iter().filter(|kind| !matches!(kind.is, ExpectedKind::Passage)) {
            let path = base.join(kind.place.replace('*', "0123456789abcdef"));
            tried.entry(kind.place).or_insert((path, kind));
        }
        for (path, kind) in std::mem::take(&mut tried).into_values() {
            fs::create_dir_all(path.parent().expect("it lies below a base")).expect("our own folder");
            let is_made = !path.exists();
            if is_made {
                fs::write(&path, "").expect("our own file");
            }
            for damage in Damage::all_of(kind) {
                fs::rename(&path, &aside).expect("our own file");
                damage.put(&path, &aside);
                if !world.names(&path) {
                    let told = world.run(&["doctor", "--all-brains"]).stdout;
                    unnamed.push(format!("{damage:?} at {} ({}): {told}", path.display(), kind.place));
                }
                match path.is_dir() && !path.is_symlink() {
                    true => fs::remove_dir_all(&path).expect("our own folder"),
                    false => fs::remove_file(&path).expect("our own file"),
                }
                fs::rename(&aside, &path).expect("our own file");
            }
            if is_made {
                fs::remove_file(&path).expect("our own file");
            }
        }
    }
    assert!(without_an_entry.is_empty(), "no entry in vault/src/census.rs: {without_an_entry:#?}");
    assert!(unnamed.is_empty(), "doctor does not name: {unnamed:#?}");
    let sound = world.run(&["doctor", "--all-brains", "--json"]).json();
    assert!(
        sound["findings"].as_array().is_some_and(|all| all.iter().all(|it| it["severity"] != "problem")),
        "{sound:#}"
    );
}
