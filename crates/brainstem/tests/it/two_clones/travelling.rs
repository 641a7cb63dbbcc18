//! What a clone brings along, and what stays on its machine.

use super::{Person, shared, world};
use crate::program::finish;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[test] // spec: MEM-2
fn a_fresh_clone_recalls_with_no_further_step() {
    let (_dir, ana, ben) = shared();
    let found = ben.ask(&["seek", "how often do we retry?"]);
    assert_eq!(found["rows"][0]["text"], "three times");
    assert_eq!(found["rows"][0]["source_agent"], "codex:maker");
    assert!(ben.gaps().is_empty(), "{:?}", ben.gaps());
    // Acts travel too, and what Ben writes reaches Ana.
    ben.ask(&["retract", "Cache", "--reason", "no cache any more", "--as", "human:ben"]);
    ben.ask(&["memorize", "Timeouts", "--text", "ten seconds", "--as", "cursor:maker"]);
    ben.commit("ben");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    assert_eq!(ana.texts(), ["ten seconds", "three times"]);
    let acts = fs::read_to_string(ana.clone.join(".brainstem/acts.jsonl")).expect("acts");
    assert!(acts.contains("no cache any more") && acts.contains("bootstrap"), "{acts}");
    let id = |person: &Person| person.ask(&["brains"])["brains"][0]["id"].clone();
    assert_eq!(id(&ana), id(&ben), "the id travels with the repository");
}

#[test] // spec: MEM-1, MEM-4, MEM-22
fn two_clones_of_one_id_in_one_home_are_both_listed_after_each_was_only_read() {
    let (dir, ana, _) = shared();
    let remote = fs::canonicalize(dir.path()).expect("a folder").join("remote.git");
    let cleo = Person::new(remote.parent().expect("a folder"), "cleo", &remote);
    let second = Person { home: cleo.home.clone(), clone: cleo.home.join("again"), name: "cleo" };
    let cloned = cleo.command("git").arg("clone").arg("-q").arg(&remote).arg(&second.clone).status();
    assert!(cloned.expect("git runs").success());
    // Nothing is written by Cleo: one clone is asked a question, in the other a session starts.
    assert_eq!(cleo.ask(&["seek", "how often do we retry?"])["rows"][0]["text"], "three times");
    assert_eq!(second.ask(&["north", "retry"])["binding"]["root"], json!(second.clone));
    let other = cleo.home.join("other");
    fs::create_dir_all(other.join(".git")).expect("a folder");
    let other = Person { home: cleo.home.clone(), clone: other, name: "cleo" };
    let listed = other.ask(&["brains"]);
    let mut roots: Vec<(&Value, &Value)> = listed["brains"]
        .as_array()
        .expect("brains")
        .iter()
        .map(|brain| (&brain["root"], &brain["id"]))
        .collect();
    roots.sort_by_key(|(root, _)| root.to_string());
    let id = &ana.ask(&["brains"])["brains"][0]["id"];
    assert_eq!(roots, [(&json!(second.clone), id), (&json!(cleo.clone), id)], "{listed}");
    // And both are answered for where every project is asked.
    let found = other.ask(&["seek", "retry", "--tier", "all-brains"]);
    assert_eq!(found["groups"].as_array().map(Vec::len), Some(2), "{found}");
    let program = env!("CARGO_BIN_EXE_brainstem");
    let shown = finish(
        other.command(program).current_dir(&other.clone).args(["seek", "retry", "--tier", "all-brains"]),
        b"",
    );
    for clone in [&cleo.clone, &second.clone] {
        let is_its =
            |line: &str| line.starts_with("── cherry@") && line.ends_with(&clone.display().to_string());
        assert_eq!(shown.stdout.lines().filter(|line| is_its(line)).count(), 1, "{shown:?}");
    }
}

#[test] // spec: MEM-2
fn no_path_of_a_machine_is_committed() {
    let (dir, ana, _) = shared();
    ana.ask(&[
        "memorize",
        "Where",
        "--text",
        "see evidence",
        "--evidence",
        &format!("{}/README.md", ana.clone.display()),
    ]);
    ana.commit("more");
    let top = fs::canonicalize(dir.path()).expect("a folder");
    let found = ana.git(&["grep", "-n", "-F", top.to_str().expect("UTF-8"), "HEAD"]);
    assert_eq!((found.status, found.stdout.as_str()), (Some(1), ""), "a committed file names this machine");
    let tracked = ana.git(&["ls-files", ".brainstem"]).stdout;
    for name in tracked.lines() {
        let known = ["brain.json", "acts.jsonl", ".gitattributes", ".gitignore"];
        assert!(name.ends_with(".light.md") || known.iter().any(|end| name.ends_with(end)), "{name}");
    }
}

#[test] // spec: MEM-2, MEM-17
fn worktrees_share_the_main_worktrees_memory() {
    let (_dir, ana, _) = shared();
    ana.git_ok(&["worktree", "add", "-q", "../feature"]);
    let mut command = ana.command(env!("CARGO_BIN_EXE_brainstem"));
    let words = ["memorize", "From the worktree", "--text", "hello", "--json"];
    let ran = finish(command.current_dir(ana.home.join("feature")).args(words), b"");
    let main = fs::canonicalize(&ana.clone).expect("a folder");
    assert!(Path::new(ran.json()["path"].as_str().expect("a path")).starts_with(main), "{ran:?}");
    assert!(ana.texts().contains(&"hello".to_owned()));
}

#[test] // spec: MEM-2
fn private_memory_stays_out_of_git() {
    let (_dir, ana, _) = world();
    let made = ana.ask(&["init", "--private"]);
    assert!(made["notes"].to_string().contains("private"), "{made}");
    ana.ask(&["memorize", "Secret plan", "--text", "hush"]);
    assert!(ana.clone.join(".brainstem/agent-memory/secret-plan.light.md").is_file());
    assert_eq!(ana.git(&["status", "--porcelain"]).stdout, "");
}

#[test] // spec: MEM-10a
fn what_another_home_wrote_in_a_persons_name_is_marked() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Of Ana", "--text", "her own"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    let marks = |person: &Person, words: &[&str]| -> Vec<bool> {
        let rows = person.ask(words)["rows"].clone();
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| {
            let is_marked = row["unrecorded"].as_bool().unwrap_or(false);
            let is_told = row["warnings"].to_string().contains("this home has no record of it");
            assert_eq!(is_marked, is_told, "{row}");
            is_marked
        })
        .collect()
    };
    assert_eq!(marks(&ana, &["list"]), [false; 3], "written through her home");
    assert_eq!(
        marks(&ben, &["list"]),
        [true, false, false],
        "his home has no record of her; agents stay agents"
    );
    assert!(marks(&ben, &["seek", "her own"])[0]);
    ben.ask(&["memorize", "Of Ben", "--text", "his own"]);
    assert_eq!(marks(&ben, &["list"]), [false, true, false, false]);
}
