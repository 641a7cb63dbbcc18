//! Memory that travels: two clones with two homes, real git in between.

#![allow(
    clippy::disallowed_methods,
    reason = "a test makes repositories and looks at the files behind the answers"
)]

use crate::program::{Ran, finish};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// One person on one machine, with a clone of the repository.
struct Person {
    home: PathBuf,
    clone: PathBuf,
    name: &'static str,
}

impl Person {
    fn new(top: &Path, name: &'static str, remote: &Path) -> Self {
        let home = top.join(name);
        fs::create_dir(&home).expect("a folder");
        let person = Self { clone: home.join("cherry"), home, name };
        let cloned = person.command("git").arg("clone").arg("-q").arg(remote).arg(&person.clone).status();
        assert!(cloned.expect("git runs").success());
        person
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("USER", self.name).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("PATH", std::env::var_os("PATH").expect("a path"));
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), self.name)
                .env(format!("GIT_{role}_EMAIL"), "x@example.org");
        }
        command
    }

    fn git(&self, words: &[&str]) -> Ran {
        finish(self.command("git").current_dir(&self.clone).args(words), b"")
    }

    fn git_ok(&self, words: &[&str]) {
        let ran = self.git(words);
        assert_eq!(ran.status, Some(0), "git {words:?}: {ran:?}");
    }

    fn commit(&self, message: &str) {
        self.git_ok(&["add", "-A"]);
        self.git_ok(&["commit", "-q", "-m", message]);
    }

    fn run(&self, words: &[&str]) -> Ran {
        let program = env!("CARGO_BIN_EXE_brainstem");
        finish(self.command(program).current_dir(&self.clone).args(words).arg("--json"), b"")
    }

    fn ask(&self, words: &[&str]) -> Value {
        let ran = self.run(words);
        assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
        ran.json()
    }

    fn texts(&self) -> Vec<String> {
        let rows = self.ask(&["list"])["rows"].clone();
        let mut texts: Vec<String> = rows
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row["text"].as_str().expect("text").to_owned())
            .collect();
        texts.sort();
        texts
    }

    fn gaps(&self) -> Vec<String> {
        let gaps = self.ask(&["list"])["gaps"].clone();
        gaps.as_array()
            .expect("gaps")
            .iter()
            .map(|gap| gap["name"].as_str().expect("name").to_owned())
            .collect()
    }
}

/// A bare remote with one commit, and two people with a clone each.
fn world() -> (TempDir, Person, Person) {
    let dir = tempfile::tempdir().expect("a folder");
    let top = fs::canonicalize(dir.path()).expect("a folder");
    let remote = top.join("remote.git");
    let made = Command::new("git").args(["init", "-q", "--bare", "-b", "main"]).arg(&remote).status();
    assert!(made.expect("git runs").success());
    let ana = Person::new(&top, "ana", &remote);
    ana.git_ok(&["checkout", "-q", "-B", "main"]);
    fs::write(ana.clone.join("README.md"), "cherry\n").expect("a file");
    ana.commit("first");
    ana.git_ok(&["push", "-q", "-u", "origin", "main"]);
    let ben = Person::new(&top, "ben", &remote);
    (dir, ana, ben)
}

/// Ana has two claims in the repository and has pushed them; Ben has pulled.
fn shared() -> (TempDir, Person, Person) {
    let (dir, ana, ben) = world();
    ana.ask(&["bootstrap"]);
    ana.ask(&["memorize", "Retry policy", "--text", "three times", "--as", "codex:maker"]);
    ana.ask(&["memorize", "Cache", "--text", "cleared on deploy", "--as", "claude:maker"]);
    let made = ana.ask(&["init"]);
    assert_eq!(made["moves"].as_array().map(Vec::len), Some(2), "{made}");
    ana.commit("memory");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    (dir, ana, ben)
}

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

#[test] // spec: MEM-49, MEM-3c
fn two_clones_that_disagree_keep_both_sides_until_someone_decides() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]); // tells Ben's git how claims are merged
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "human:ana"]);
    ana.ask(&["memorize", "Only Ana", "--text", "one"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "human:ben"]);
    ben.ask(&["retract", "Cache", "--reason", "gone"]);
    ben.commit("ben");
    let pulled = ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
    assert_ne!(pulled.status, Some(0), "git tells that someone has to decide");

    // Both versions are recalled, each with its author, and nothing else is in the way.
    let found = ben.ask(&["seek", "retry policy"]);
    let sides: Vec<_> =
        found["rows"].as_array().expect("rows").iter().map(|row| (&row["side"], &row["text"])).collect();
    assert!(sides.contains(&(&json!("ours"), &json!("five times"))), "{found}");
    assert!(sides.contains(&(&json!("theirs"), &json!("four times"))), "{found}");
    assert_eq!(found["gaps"][0]["name"], "undecided");
    let refused = ben.run(&["memorize", "Retry policy", "--text", "six times"]);
    assert_eq!(refused.code(), "claim.unreadable");
    assert!(refused.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("resolve")));
    assert_eq!(ben.ask(&["resolve"])["waiting"].as_array().map(Vec::len), Some(2));

    let decided = ben.ask(&["resolve", "Retry policy", "--take", "theirs", "--as", "human:ben"]);
    assert_eq!((&decided["text"], &decided["waiting"]), (&json!("four times"), &json!([])));
    ben.git_ok(&["add", "-A"]);
    ben.git_ok(&["commit", "-q", "-m", "merged"]);
    ben.git_ok(&["push", "-q"]);
    let shown = ben.ask(&["show", "Retry policy"]);
    assert_eq!(shown["claim"]["source_agent"], "human:ana");
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert!(before.contains(&json!("five times")) && before.contains(&json!("three times")), "{shown}");

    // Ana gets the decision, the union of the acts, and who decided.
    ana.git_ok(&["pull", "-q"]);
    assert_eq!(ana.texts(), ["four times", "one"]);
    let acts = fs::read_to_string(ana.clone.join(".brainstem/acts.jsonl")).expect("acts");
    assert!(acts.contains("\"resolve\"") && acts.contains("\"gone\""), "{acts}");
}

#[test] // spec: MEM-49
fn a_clone_whose_git_was_told_nothing_merges_as_text_and_resolve_reads_that() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "human:ana"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "human:ben"]);
    ben.commit("ben");
    assert_ne!(ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status, Some(0));
    let own = ben.ask(&["resolve", "Retry policy", "--text", "six times", "--as", "human:ben"]);
    assert_eq!((&own["text"], &own["source_agent"]), (&json!("six times"), &json!("human:ben")));
    let shown = ben.ask(&["show", "Retry policy"]);
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert!(before.contains(&json!("five times")) && before.contains(&json!("four times")), "{shown}");
}

#[test] // spec: MEM-2, MEM-3c, MEM-12, MEM-48
fn what_another_clone_took_away_stays_away() {
    let (_dir, ana, ben) = shared();
    for label in ["Taken back", "Forgotten", "Old name"] {
        ben.ask(&["memorize", label, "--text", &format!("about {label}"), "--as", "human:ben"]);
    }
    ben.commit("ben");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    ana.ask(&["retract", "Taken back", "--reason", "it was wrong", "--as", "human:ana"]);
    ana.ask(&["forget", "Forgotten", "--yes"]);
    ana.ask(&["rename", "Old name", "New name"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);

    assert_eq!(ben.gaps(), ["forgotten_elsewhere"], "nothing is offered back");
    assert_eq!(ben.ask(&["init"])["restored"], json!([]));
    assert!(!ben.texts().contains(&"about Forgotten".to_owned()));
    let shown = ben.ask(&["show", "Taken back"]);
    assert_eq!((&shown["claim"], &shown["history"][0]["reason"]), (&Value::Null, &json!("it was wrong")));
    assert_eq!(shown["history"][0]["retracted_by"], "human:ana");
}

#[test] // spec: MEM-2, MEM-11
fn what_git_took_away_is_weighed_against_what_is_written_next() {
    let (_dir, ana, _) = shared();
    ana.ask(&["memorize", "Strong", "--text", "checked", "--state", "verified"]);
    ana.git_ok(&["clean", "-q", "-fdx"]);
    let refused = ana.run(&["memorize", "Strong", "--text", "a guess"]);
    assert_eq!(refused.code(), "claim.would_downgrade");
    assert!(!ana.texts().contains(&"checked".to_owned()), "a refusal brings nothing into the checkout");
    assert!(ana.gaps().contains(&"absent_here".to_owned()));
    ana.ask(&["init"]);
    assert!(ana.texts().contains(&"checked".to_owned()));

    // A version that a checkout threw away is in history after the next write.
    ana.ask(&["memorize", "Retry policy", "--text", "thrown away"]);
    ana.git_ok(&["checkout", "-q", "-f", "."]);
    ana.ask(&["memorize", "Retry policy", "--text", "five times"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert!(before.contains(&json!("thrown away")) && before.contains(&json!("three times")), "{shown}");
}

#[test] // spec: MEM-49, MEM-48
fn a_version_that_was_decided_for_carries_no_mark_and_is_live_alone() {
    let (_dir, ana, _) = shared();
    ana.git_ok(&["checkout", "-q", "-b", "other"]);
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "codex:maker"]);
    ana.commit("four");
    ana.git_ok(&["checkout", "-q", "main"]);
    for text in ["five times", "six times"] {
        ana.ask(&["memorize", "Retry policy", "--text", text, "--as", "codex:maker"]);
    }
    ana.commit("six");
    assert_ne!(ana.git(&["merge", "-q", "other"]).status, Some(0));
    let gaps = ana.ask(&["status"])["gaps"].clone();
    let waits = gaps.as_array().expect("gaps").iter().find(|gap| gap["name"] == "undecided");
    let detail = waits.and_then(|gap| gap["detail"].as_str()).unwrap_or_default();
    assert!(detail.starts_with("1 claim waits for a decision between versions (\"Retry policy\")"), "{gaps}");
    ana.ask(&["resolve", "Retry policy", "--take", "theirs"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["claim"]["text"], &shown["claim"]["resurrected"]),
        (&json!("four times"), &Value::Null)
    );
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert_eq!(before, ["six times", "five times", "three times"], "{shown}");
    assert_eq!(ana.ask(&["doctor"])["findings"], json!([]));
    assert!(ana.ask(&["status"])["gaps"].as_array().is_none_or(Vec::is_empty));
    // What is written over it and taken back by git is marked as before.
    ana.commit("decided");
    ana.ask(&["memorize", "Retry policy", "--text", "seven times", "--as", "codex:maker"]);
    ana.git_ok(&["checkout", "-q", "."]);
    assert_eq!(ana.ask(&["show", "Retry policy"])["claim"]["resurrected"], true);
}

#[test] // spec: MEM-49
fn a_merge_over_an_undecided_file_does_not_nest_and_eject_waits_for_it() {
    let (_dir, ana, _) = shared();
    for (branch, text) in [("b2", "b2 view"), ("b3", "b3 view")] {
        ana.git_ok(&["checkout", "-q", "-b", branch, "main"]);
        ana.ask(&["memorize", "Retry policy", "--text", text]);
        ana.git_ok(&["commit", "-q", "-a", "-m", branch]);
    }
    ana.git_ok(&["checkout", "-q", "main"]);
    ana.ask(&["memorize", "Retry policy", "--text", "main view"]);
    ana.git_ok(&["commit", "-q", "-a", "-m", "main"]);
    assert_ne!(ana.git(&["merge", "-q", "b2"]).status, Some(0));
    ana.git_ok(&["commit", "-q", "-a", "-m", "left undecided"]);
    assert_ne!(ana.git(&["merge", "-q", "b3"]).status, Some(0));
    let waiting = ana.ask(&["resolve"])["waiting"].clone();
    let sides: Vec<_> = waiting.as_array().expect("rows").iter().map(|row| row["text"].clone()).collect();
    assert_eq!(
        sides,
        [json!("main view"), json!("b2 view"), json!("b3 view")],
        "all of them, and none nested"
    );
    ana.ask(&["resolve", "Retry policy", "--text", "all of it"]);
    let texts = all_texts(&ana, "Retry policy");
    for text in ["all of it", "main view", "b2 view", "b3 view", "three times"] {
        assert!(texts.iter().any(|known| known == text), "{text} is not in {texts:?}");
    }
    assert_eq!(
        ana.run(&["resolve", "Retry policy", "--take", "ours"]).code(),
        "claim.not_found",
        "nothing waits"
    );
    fs::write(ana.clone.join(".brainstem/agent-memory/odd.light.md"), "no claim").expect("a file");
    assert_eq!(ana.run(&["eject"]).code(), "claim.unreadable", "nothing is left behind in silence");
}

#[test] // spec: MEM-2, MEM-13
fn writes_go_after_a_store_that_moves_and_make_no_conflict() {
    let (_dir, ana, _) = world();
    ana.ask(&["bootstrap"]);
    let texts: Vec<String> = (0..24).map(|n| format!("version {n}")).collect();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for text in &texts {
                ana.ask(&["memorize", "Moving target", "--text", text]);
            }
        });
        while !writer.is_finished() {
            ana.ask(&["init"]);
            ana.ask(&["eject"]);
        }
    });
    assert_eq!(ana.ask(&["resolve"])["waiting"], json!([]));
    let shown = ana.ask(&["show", "Moving target"]);
    assert_eq!(shown["claim"]["text"], "version 23");
    let history = shown["history"].as_array().expect("history");
    let before: Vec<_> =
        history.iter().rev().map(|version| version["text"].as_str().expect("text")).collect();
    assert_eq!(before, texts[..23].iter().map(String::as_str).collect::<Vec<_>>(), "every version, in order");
}

#[test] // spec: MEM-26
fn a_claim_that_a_pull_brings_back_is_shown_as_such() {
    let (_dir, ana, _) = shared();
    ana.ask(&["memorize", "Retry policy", "--text", "four times"]);
    ana.commit("newer");
    ana.git_ok(&["revert", "--no-edit", "HEAD"]);
    let row = ana.ask(&["seek", "retry policy"])["rows"][0].clone();
    assert_eq!((&row["text"], &row["resurrected"]), (&json!("three times"), &json!(true)));
    // Written anew, it is an ordinary claim again.
    ana.ask(&["memorize", "Retry policy", "--text", "five times"]);
    let row = ana.ask(&["seek", "retry policy"])["rows"][0].clone();
    assert_eq!((&row["text"], &row["resurrected"]), (&json!("five times"), &Value::Null));
}

#[test] // spec: MEM-26, MEM-48
fn a_forgotten_claim_that_git_brings_back_is_shown_as_such() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Retry policy", "--text", "four times"]);
    ana.commit("newer");
    ana.ask(&["forget", "Retry policy", "--yes"]);
    ana.commit("gone");
    let file = ".brainstem/agent-memory/retry-policy.light.md";
    // As it was last, as it was before that, and together with the record.
    for (from, what, text) in [
        ("HEAD~1", file, "four times"),
        ("HEAD~2", file, "three times"),
        ("HEAD~1", ".brainstem", "four times"),
    ] {
        ana.git_ok(&["checkout", "-q", from, "--", what]);
        for words in [["seek", "retry policy"], ["list", "--tier=project"]] {
            let rows = ana.ask(&words)["rows"].clone();
            let rows = rows.as_array().expect("rows");
            let row = rows.iter().find(|row| row["label"] == "Retry policy").expect("it is shown");
            assert_eq!((&row["text"], &row["resurrected"]), (&json!(text), &json!(true)), "{words:?}");
            assert_eq!(row["forgotten"], true);
        }
        assert_eq!(ana.ask(&["show", "Retry policy"])["claim"]["forgotten"], true);
        let found = ana.run(&["doctor"]).json()["findings"].clone();
        let named = |finding: &&Value| finding["name"] == "claim_forgotten";
        let finding = found.as_array().expect("findings").iter().find(named).expect("a finding").clone();
        assert!(
            finding["fix"].as_str().is_some_and(|fix| fix.contains("forget 'Retry policy' --yes")),
            "{finding}"
        );
        ana.ask(&["forget", "Retry policy", "--yes"]);
    }
    ana.git_ok(&["reset", "-q", "--hard"]);
    // Another claim of that label is no ghost, and a clean names it as any other.
    ana.ask(&["memorize", "Retry policy", "--text", "five times"]);
    assert_eq!(ana.ask(&["seek", "retry policy"])["rows"][0]["forgotten"], Value::Null);
    ana.git_ok(&["clean", "-q", "-fdx"]);
    assert_eq!(ana.gaps(), ["absent_here", "acts_absent"], "and the reset took its forgetting away");
    ana.ask(&["init"]);
    assert_eq!(ana.gaps(), [""; 0]);
    assert_eq!(ana.texts(), ["cleared on deploy", "five times"]);
    ana.commit("anew");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    assert_eq!(ben.texts(), ["cleared on deploy", "five times"]);
}

#[test] // spec: MEM-2
fn a_branch_without_memory_and_a_clean_lose_nothing() {
    let (_dir, ana, _) = shared();
    ana.git_ok(&["checkout", "-q", "HEAD~1"]);
    assert!(!ana.clone.join(".brainstem/brain.json").exists());
    assert_eq!(ana.texts(), Vec::<String>::new());
    assert_eq!(ana.gaps(), ["absent_here"], "never reported as if there were none");
    ana.git_ok(&["checkout", "-q", "main"]);
    assert_eq!(ana.texts(), ["cleared on deploy", "three times"]);

    ana.ask(&["memorize", "Not committed", "--text", "yet"]);
    ana.git_ok(&["clean", "-q", "-fdx"]);
    assert_eq!(ana.texts(), ["cleared on deploy", "three times"]);
    assert_eq!(ana.gaps(), ["absent_here"]);
    let planned = ana.ask(&["init", "--dry-run"]);
    assert_eq!(planned["restored"], json!(["Not committed"]));
    assert_eq!(ana.texts().len(), 2, "a dry run changes nothing");
    ana.ask(&["init"]);
    assert_eq!(ana.texts(), ["cleared on deploy", "three times", "yet"]);
    assert!(ana.gaps().is_empty());
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

#[test] // spec: MEM-2
fn claims_under_the_home_are_merged_by_a_plan_and_never_shadowed() {
    let (_dir, ana, ben) = world();
    // Ben has memory of his own before he pulls Ana's.
    ben.ask(&["bootstrap"]);
    ben.ask(&["memorize", "Retry policy", "--text", "bens view", "--as", "human:ben"]);
    ben.ask(&["memorize", "Bens own", "--text", "kept"]);
    ana.ask(&["init"]);
    ana.ask(&["memorize", "Retry policy", "--text", "anas view", "--as", "human:ana"]);
    ana.commit("memory");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);

    assert_eq!(ben.texts(), ["anas view"], "the repository's store wins");
    assert_eq!(ben.gaps(), ["owner_side_claims"], "and says what it does not show");
    let planned = ben.ask(&["init", "--dry-run"]);
    let outcome = |label: &str| {
        let moves = planned["moves"].as_array().expect("moves");
        moves.iter().find(|moved| moved["label"] == label).expect("a move")["outcome"].clone()
    };
    assert_eq!((outcome("Retry policy"), outcome("Bens own")), (json!("undecided"), json!("moved")));
    ben.ask(&["init"]);
    assert_eq!(ben.texts(), ["anas view", "bens view", "kept"]);
    assert_eq!(ben.gaps(), ["undecided"]);
    ben.ask(&["resolve", "Retry policy", "--take", "ours"]);
    assert_eq!(ben.texts(), ["anas view", "kept"]);
    assert!(ben.gaps().is_empty());
}

#[test] // spec: MEM-2
fn eject_undoes_exactly_what_init_did() {
    let (_dir, ana, _) = world();
    ana.ask(&["bootstrap"]);
    ana.ask(&["memorize", "Retry policy", "--text", "three times"]);
    ana.ask(&["memorize", "Retry policy", "--text", "four times"]);
    let config = fs::read_to_string(ana.clone.join(".git/config")).expect("settings");
    ana.ask(&["init"]);
    assert_ne!(fs::read_to_string(ana.clone.join(".git/config")).expect("settings"), config);
    fs::write(ana.clone.join(".brainstem/inbox.jsonl"), "{}\n").expect("a box");
    let planned = ana.ask(&["eject", "--dry-run"]);
    assert_eq!(planned["moves"].as_array().map(Vec::len), Some(1), "{planned}");
    ana.ask(&["eject"]);
    assert_eq!(fs::read_to_string(ana.clone.join(".git/config")).expect("settings"), config);
    let mut left: Vec<_> = fs::read_dir(ana.clone.join(".brainstem"))
        .expect("the box's folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [".gitattributes", ".gitignore", "inbox.jsonl"],
        "boxes stay, and what git knows of them"
    );
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["claim"]["text"], &shown["history"][0]["text"]),
        (&json!("four times"), &json!("three times"))
    );
    assert_eq!(ana.ask(&["eject"])["existed"], true, "twice is once");
}

/// The texts that `show` gives of a label: live, waiting, and before.
fn all_texts(person: &Person, label: &str) -> Vec<String> {
    let shown = person.ask(&["show", label]);
    let of = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter().filter_map(|row| row["text"].as_str().map(str::to_owned)).collect()
    };
    let live = shown["claim"]["text"].as_str().map(str::to_owned);
    live.into_iter().chain(of(&shown["sides"])).chain(of(&shown["history"])).collect()
}

#[test] // spec: MEM-49, MEM-5a
fn a_correction_by_hand_and_a_new_version_are_both_kept_by_a_pull() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]);
    let file = ana.clone.join(".brainstem/agent-memory/retry-policy.light.md");
    let text = fs::read_to_string(&file).expect("a claim").replace("three times", "three times, corrected");
    fs::write(&file, text).expect("a file");
    ana.commit("by hand");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "cursor:maker"]);
    ben.commit("five");
    assert_ne!(ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status, Some(0), "someone has to decide");
    let texts = all_texts(&ben, "Retry policy");
    for text in ["three times, corrected", "five times"] {
        assert!(texts.iter().any(|known| known == text), "{text} is not in {texts:?}");
    }
    assert_eq!(ben.gaps(), ["undecided"]);
    ben.ask(&["resolve", "Retry policy", "--take", "ours", "--as", "human:ben"]);
    ben.commit("decided");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q", "--no-edit"]);
    assert!(ana.texts().contains(&"five times".to_owned()), "{:?}", ana.texts());
    assert!(ana.gaps().is_empty(), "{:?}", ana.gaps());
}

#[test] // spec: MEM-49, MEM-48
fn a_rename_in_one_clone_and_a_new_version_in_another_become_one_claim() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]);
    ana.ask(&["rename", "Retry policy", "Attempts", "--as", "human:ana"]);
    ana.commit("renamed");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "cursor:maker"]);
    ben.commit("five");
    ben.git_ok(&["pull", "-q", "--no-rebase", "--no-edit"]);
    let shown = ben.ask(&["show", "Attempts"]);
    assert_eq!(
        (shown["claim"]["label"].as_str(), shown["claim"]["text"].as_str()),
        (Some("Attempts"), Some("five times"))
    );
    assert!(ben.gaps().is_empty(), "{:?}", ben.gaps());
    let health = ben.ask(&["doctor"]);
    assert_eq!(health["findings"].as_array().map(Vec::len), Some(0), "{health}");
}

#[test] // spec: MEM-48, MEM-8
fn a_label_that_another_clone_renamed_has_a_new_history_and_forgetting_it_leaves_the_renamed_claim_whole() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Cache", "--text", "cleared by hand", "--as", "claude:maker"]);
    ana.commit("by hand");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    ben.ask(&["rename", "Cache", "Page cache", "--as", "human:ben"]);
    ben.commit("renamed");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    ana.ask(&["memorize", "Cache", "--text", "of the compiler", "--as", "claude:maker"]);
    let renamed = ["cleared by hand", "cleared on deploy"];
    assert_eq!(all_texts(&ana, "Cache"), ["of the compiler"]);
    assert_eq!(all_texts(&ana, "Page cache"), renamed);
    let gone = ana.ask(&["forget", "Cache", "--yes"]);
    assert_eq!(gone["versions"], 0, "{gone}");
    assert!(gone["notes"].to_string().contains("another clone renamed that claim"), "{gone}");
    assert_eq!(all_texts(&ana, "Page cache"), renamed);
    ana.commit("forgotten");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    assert_eq!(all_texts(&ben, "Page cache")[0], "cleared by hand");
}

#[test] // spec: MEM-10a, MEM-49
fn of_a_merge_without_the_driver_the_side_that_was_written_here_is_recorded() {
    let (_dir, ana, ben) = shared();
    let text =
        |first: &str| format!("{first}\n{}", "a line that git finds again in the renamed file\n".repeat(9));
    ana.ask(&["memorize", "Backups", "--text", &text("nightly"), "--as", "claude:maker"]);
    ana.commit("backups");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    ana.ask(&["rename", "Backups", "Copies", "--as", "human:ana"]);
    ana.commit("renamed");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Backups", "--text", &text("hourly"), "--as", "human:ben"]);
    ben.commit("hourly");
    assert_ne!(ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status, Some(0));
    let sides = |answer: Value| -> Vec<(String, bool)> {
        let rows = answer["waiting"].as_array().or(answer["sides"].as_array()).expect("sides").clone();
        let side = |row: &Value| {
            let is_told = row["warnings"].to_string().contains("this home has no record of it");
            assert_eq!(is_told, row["unrecorded"] == true, "{row}");
            (row["side"].as_str().expect("a side").to_owned(), is_told)
        };
        rows.iter().map(side).collect()
    };
    // His own version, under the name that Ana gave the claim; what git made of hers was written by nobody.
    let expected = [("ours".to_owned(), false), ("theirs".to_owned(), true)];
    assert_eq!(sides(ben.ask(&["resolve"])), expected);
    assert_eq!(sides(ben.ask(&["show", "Copies"])), expected);
    let marks = |person: &Person| {
        let rows = person.ask(&["list"])["rows"].as_array().expect("rows").clone();
        let own = rows.into_iter().filter(|row| row["label"] == "Copies");
        own.map(|row| row["unrecorded"] == true).collect::<Vec<_>>()
    };
    assert_eq!(marks(&ben).iter().filter(|is_marked| **is_marked).count(), 1);
    ben.ask(&["resolve", "Copies", "--take", "ours", "--as", "human:ben"]);
    assert_eq!(marks(&ben), [false]);
}

#[test] // spec: MEM-2, MEM-49
fn what_a_forced_push_replaced_is_named_shown_and_decided() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]);
    ben.ask(&["memorize", "Retry policy", "--text", "ben says", "--as", "human:ben"]);
    ben.commit("ben");
    ben.git_ok(&["push", "-q"]);
    ana.ask(&["memorize", "Retry policy", "--text", "ana says", "--as", "human:ana"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q", "--force"]);
    ben.git_ok(&["fetch", "-q"]);
    ben.git_ok(&["reset", "-q", "--hard", "origin/main"]);
    assert_eq!(ben.gaps(), ["version_absent"]);
    let texts = all_texts(&ben, "Retry policy");
    assert!(texts.starts_with(&["ana says".into(), "ben says".into()]), "{texts:?}");
    ben.ask(&["resolve", "Retry policy", "--take", "theirs", "--as", "human:ben"]);
    assert!(ben.texts().contains(&"ben says".to_owned()));
    assert!(all_texts(&ben, "Retry policy").contains(&"ana says".to_owned()));
    assert!(ben.gaps().is_empty(), "{:?}", ben.gaps());
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

#[test] // spec: MEM-2
fn a_retraction_that_git_throws_away_is_named_and_comes_back() {
    let (_dir, ana, _) = shared();
    let label = ana.ask(&["list"])["rows"][0]["label"].as_str().expect("a label").to_owned();
    ana.ask(&["retract", &label, "--reason", "it was wrong"]);
    ana.git_ok(&["checkout", "-q", "--", "."]);
    let shown = ana.ask(&["show", &label]);
    let warnings = shown["claim"]["warnings"].to_string();
    assert!(warnings.contains("came back after it was retracted here: \\\"it was wrong\\\""), "{shown}");
    assert_eq!(ana.gaps(), ["acts_absent"]);
    ana.ask(&["init"]);
    assert_eq!(ana.gaps(), [""; 0]);
    let log = fs::read_to_string(ana.clone.join(".brainstem/acts.jsonl")).expect("a log");
    assert_eq!(log.matches("it was wrong").count(), 1);
}

#[test] // spec: MEM-12, MEM-13a, MEM-26
fn a_retraction_that_another_clone_reverted_is_undone_by_no_other_verb() {
    let (_dir, ana, ben) = shared();
    let label = "Retry policy";
    ana.ask(&["retract", label, "--reason", "not sure"]);
    ana.commit("retract");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    ben.git_ok(&["revert", "--no-edit", "HEAD"]);
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    for words in [
        vec!["learn", label, "correct"],
        vec!["promote", label, "--reason", "for all", "--propose"],
        vec!["rename", label, "Cache"],
        vec!["memorize", label, "--text", "perhaps", "--confidence", "low"],
    ] {
        ana.run(&words);
        let status = ana.git(&["status", "--short", ".brainstem/agent-memory"]);
        assert_eq!(status.stdout, "", "{words:?}");
        let shown = ana.ask(&["show", label]);
        let warnings = shown["claim"]["warnings"].to_string();
        assert!(warnings.contains("came back after it was retracted here"), "{words:?}: {shown}");
    }
    ana.git_ok(&["commit", "-q", "-am", "my work"]);
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    assert_eq!(ben.texts(), ["cleared on deploy", "three times"]);
}

/// The names of the gaps of an answer.
fn gap_names(answer: &Value) -> Vec<String> {
    let gaps = answer["gaps"].as_array().map(Vec::as_slice).unwrap_or_default();
    gaps.iter().map(|gap| gap["name"].as_str().expect("a name").to_owned()).collect()
}

#[test] // spec: MEM-23
fn the_status_names_claims_that_are_on_another_branch() {
    let (_dir, ana, _) = shared();
    assert_eq!(gap_names(&ana.ask(&[])), Vec::<String>::new());
    ana.git_ok(&["checkout", "-q", "HEAD~1"]);
    assert_eq!(gap_names(&ana.ask(&[])), ["absent_here"]);
}

#[test] // spec: MEM-23, MEM-41
fn an_audit_whose_log_is_not_there_or_damaged_does_not_call_it_none() {
    let (_dir, ana, _) = shared();
    ana.ask(&["--as", "codex:orchestrator", "delegate", "mend the cache"]);
    ana.commit("a delegation");
    let audit = || ana.ask(&["audit", "delegations"]);
    assert_eq!((gap_names(&audit()), audit()["delegations"].as_array().map(Vec::len)), (Vec::new(), Some(1)));
    ana.git_ok(&["checkout", "-q", "HEAD~2"]);
    assert_eq!(gap_names(&audit()), ["acts_absent"]);
    ana.git_ok(&["checkout", "-q", "main"]);
    fs::write(ana.clone.join(".brainstem/acts.jsonl"), "garbage\n").expect("a file");
    assert_eq!(gap_names(&audit()), ["acts_damaged"]);
}

#[test] // spec: MEM-23, MEM-35
fn the_medullas_copy_does_not_hide_what_the_project_did() {
    let (_dir, ana, _) = shared();
    ana.ask(&["--as", "human:ana", "promote", "Retry policy", "--reason", "for all of us"]);
    ana.commit("promoted");
    ana.git_ok(&["checkout", "-q", "HEAD~2"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["tier"], gap_names(&shown)),
        (&json!("medulla"), vec!["absent_here".to_owned()]),
        "{shown}"
    );
    ana.git_ok(&["checkout", "-q", "main"]);
    ana.ask(&["retract", "Retry policy", "--reason", "not here"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["tier"], gap_names(&shown)),
        (&json!("medulla"), vec!["retracted_in_project".to_owned()]),
        "{shown}"
    );
    assert!(shown["gaps"][0]["detail"].as_str().is_some_and(|detail| detail.contains("not here")), "{shown}");
}

#[test] // spec: MEM-23, MEM-35
fn copies_in_a_medulla_that_is_gone_are_not_called_unshared() {
    let (_dir, ana, _) = shared();
    ana.ask(&["--as", "human:ana", "promote", "Retry policy", "--reason", "for all of us"]);
    fs::rename(ana.home.join(".brainstem/agent-memory"), ana.home.join("aside")).expect("a folder");
    let audit = ana.ask(&["audit", "promotions"]);
    assert_eq!(gap_names(&audit), ["medulla_unreadable"], "{audit}");
    assert_eq!(audit["entries"][0]["standing"], "unreadable", "{audit}");
}

#[test] // spec: MAIL-15
fn a_box_that_is_a_file_is_named_where_all_boxes_are_listed() {
    let (_dir, ana, _) = shared();
    let words =
        ["--as", "codex:maker", "mail", "send", "--to", "codex:maker", "--type", "task", "--body", "x"];
    let sent = ana.ask(&words);
    let path = ana.clone.join(sent["path"].as_str().expect("a path"));
    let mailbox = path.parent().expect("a box");
    fs::rename(mailbox, ana.home.join("box.aside")).expect("a folder");
    fs::write(mailbox, "no folder").expect("a file");
    for words in
        [&["--as", "codex:maker", "mail", "list"][..], &["--as", "codex:maker", "mail", "list", "--all"]]
    {
        let gaps = ana.ask(words)["gaps"].to_string();
        assert!(gaps.contains("no folder"), "{words:?}: {gaps}");
    }
}
