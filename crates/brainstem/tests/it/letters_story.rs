//! Letters written in three repositories and in none end where they belong; whatever is called, the spool stays.

#![allow(
    clippy::disallowed_methods,
    reason = "a test makes repositories and looks at the files behind the answers"
)]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

use crate::program::{Ran, finish};
use brainstem_api::table;
use brainstem_base::hash;
use brainstem_base::next::VerbId;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

fn run(home: &TestHome, cwd: &Path, words: &[&str]) -> Ran {
    finish(home.command(Path::new(PROGRAM)).current_dir(cwd).args(words).arg("--json"), b"")
}

fn ask(home: &TestHome, cwd: &Path, words: &[&str]) -> Value {
    let ran = run(home, cwd, words);
    assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    ran.json()
}

fn git(home: &TestHome, cwd: &Path, words: &[&str]) -> String {
    let mut command = home.command(Path::new("git"));
    command.current_dir(cwd).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
    let ran = finish(&mut command, b"");
    assert_eq!(ran.status, Some(0), "git {words:?}: {ran:?}");
    ran.stdout
}

/// What each box holds, by what the letters say.
fn boxes(home: &TestHome) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let files =
        ["cherry", "plum", "quince", "almus"].map(|name| (name, format!("{name}/.brainstem/inbox.jsonl")));
    let files = files.into_iter().chain([("medulla", "brainstem-home/inbox.jsonl".to_owned())]);
    for (name, file) in files {
        let Ok(text) = fs::read_to_string(home.user_home().join(file)) else { continue };
        let what =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["what"].as_str().unwrap().to_owned();
        found.insert(name.to_owned(), text.lines().map(what).collect());
    }
    found
}

fn token() -> String {
    ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
}

#[test] // spec: LTR-1, LTR-4, LTR-5, LTR-6, LTR-7, LTR-8, LTR-9
fn letters_of_three_repositories_and_of_none_end_in_the_right_boxes() {
    let home = TestHome::new();
    let user = home.user_home().to_owned();
    let quince = user.join("quince");
    fs::create_dir(&quince).unwrap();
    git(&home, &quince, &["init", "-q"]);
    git(&home, &quince, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&home, &quince, &["worktree", "add", "-q", "../quince-fix"]);
    ask(&home, &home.cherry(), &["bootstrap"]);
    let write = |cwd: &Path, what: &str, more: &[&str]| {
        ask(&home, cwd, &[&["letter", "write", "--class", "friction", "--what", what], more].concat());
    };
    write(&home.cherry(), "from cherry", &[]);
    write(&home.plum(), "from plum, which has no brain", &[]);
    write(&user.join("quince-fix"), "from a worktree of quince", &[]);
    write(&user, "from none", &[]);
    write(&user, "about all", &["--repo", "all"]);
    write(&home.plum(), "about quince, from plum", &["--repo", quince.to_str().unwrap()]);
    // Other programs append lines of their own, in their own spelling.
    let spool = home.path().join("field-reports.jsonl");
    let mut bytes = fs::read(&spool).unwrap();
    for line in [
        r#"{"repo":"~/plum (worktree x)","what":"raw, a remark"}"#,
        r#"{"repo":"CHERRY","brain":"medulla","what":"raw, a project before the medulla"}"#,
        r#"{"repo":"~/almus","what":"raw, of one that is not here"}"#,
        r#"{"repo":"(no repo)","what":"raw, of none"}"#,
    ] {
        bytes.extend(format!("{line}\n").into_bytes());
    }
    bytes.extend(format!("{{\"repo\":\"cherry\",\"what\":\"the key is {}\"}}\n", token()).into_bytes());
    fs::write(&spool, &bytes).unwrap();

    let planned = ask(&home, &user, &["distribute", "--dry-run"]);
    assert_eq!(boxes(&home), BTreeMap::new(), "a plan files nothing");
    let done = ask(&home, &user, &["distribute"]);
    for answer in [&planned, &done] {
        let counts = ["filed", "pending", "refused"].map(|key| answer[key].as_u64().unwrap());
        assert_eq!(counts, [9, 1, 1], "{answer}");
    }
    assert_eq!(done["pending_letters"][0]["project"], "~/almus", "it is named: {done}");
    let expected = |almus: bool| -> BTreeMap<String, Vec<String>> {
        let mut boxes = BTreeMap::from([
            ("cherry".to_owned(), vec!["from cherry", "raw, a project before the medulla"]),
            ("plum".to_owned(), vec!["from plum, which has no brain", "raw, a remark"]),
            ("quince".to_owned(), vec!["from a worktree of quince", "about quince, from plum"]),
            ("medulla".to_owned(), vec!["from none", "about all", "raw, of none"]),
        ]);
        if almus {
            boxes.insert("almus".to_owned(), vec!["raw, of one that is not here"]);
        }
        boxes
            .into_iter()
            .map(|(name, whats)| (name, whats.into_iter().map(str::to_owned).collect()))
            .collect()
    };
    assert_eq!(boxes(&home), expected(false));
    assert!(!user.join("quince-fix/.brainstem").exists(), "a worktree's letters are its repository's");
    let again = ask(&home, &home.plum(), &["distribute"]);
    assert_eq!((&again["filed"], &again["unchanged"], boxes(&home)), (&json!(0), &json!(9), expected(false)));

    fs::create_dir(user.join("almus")).unwrap();
    let folder = ask(&home, &user, &["distribute"]);
    assert_eq!(folder["filed"], 0, "a folder alone is no project");
    assert!(folder["pending_letters"][0]["no_project"].as_str().unwrap().ends_with("almus"), "{folder}");
    git(&home, &user.join("almus"), &["init", "-q"]);
    assert_eq!(ask(&home, &user, &["distribute"])["filed"], 1, "filed once its repository appears");
    assert_eq!(boxes(&home), expected(true));
    let last = ask(&home, &user, &["distribute"]);
    assert_eq!((&last["filed"], &last["pending"], &last["refused"]), (&json!(0), &json!(0), &json!(1)));
    // What could be committed, anywhere: the credential is in none of it, and git sees the boxes.
    for repository in [home.cherry(), home.plum(), quince] {
        let status = git(&home, &repository, &["status", "--porcelain", "-uall"]);
        assert!(status.contains(".brainstem/inbox.jsonl"), "{status}");
        git(&home, &repository, &["add", "-A"]);
        assert!(!git(&home, &repository, &["diff", "--cached"]).contains(&token()));
    }
    assert!(!fs::read_to_string(home.path().join("inbox.jsonl")).unwrap().contains(&token()));
    let shown =
        ["sweep", "mailbox", "doctor", "north"].map(|verb| ask(&home, &home.cherry(), &[verb]).to_string());
    assert!(shown.iter().all(|text| !text.contains(&token())), "and nobody is shown it");
    assert_eq!(fs::read(&spool).unwrap(), bytes, "the spool is as it was");
}

/// The words of an example, as a shell would cut them.
fn words(example: &str) -> Vec<String> {
    let script = format!("for word in {}; do printf '%s\\036' \"$word\"; done", example);
    let mut shell = std::process::Command::new("sh");
    let out = shell.arg("-c").arg(script).output().unwrap();
    String::from_utf8(out.stdout).unwrap().split_terminator('\u{1e}').map(str::to_owned).collect()
}

#[test] // spec: LTR-1, LTR-7
fn no_verb_of_the_table_changes_what_the_spool_holds() {
    let home = TestHome::new();
    let cherry = home.cherry();
    ask(&home, &cherry, &["bootstrap"]);
    ask(&home, &cherry, &["memorize", "Retry loop", "--text", "It is bounded."]);
    ask(&home, &cherry, &["letter", "write", "--class", "bug", "--what", "first"]);
    let spool = home.path().join("field-reports.jsonl");
    let mut bytes = fs::read(&spool).unwrap();
    bytes.extend(b"no letter\n\xff\n{\"repo\":\"nowhere\",\"what\":\"waits\"}\n{\"what\":\"no newline\"}");
    fs::write(&spool, &bytes).unwrap();
    let before = hash::sha256_hex(&bytes, 64);
    let mut called = 0;
    // A watch goes on until its caller ends it, and only reads.
    let ends = |verb: VerbId| !matches!(verb, VerbId::InboxWatch | VerbId::LedgerTail);
    for entry in table().iter().filter(|entry| ends(entry.spec().verb)) {
        let spec = entry.spec();
        let named: Vec<String> = spec.cli().iter().map(|word| (*word).to_owned()).collect();
        // As its help shows it, with a hurried answer to whatever it asks, and with nothing at all.
        let examples =
            spec.examples.iter().map(|example| words(example.split(['|', '>', '<', '#']).next().unwrap()));
        let mut lines: Vec<Vec<String>> = examples
            .filter(|words| words.first().is_some_and(|word| word == "brainstem"))
            .map(|words| words[1..].to_vec())
            .collect();
        assert!(!lines.is_empty(), "{}: no example that can be called", spec.id());
        lines.push(named);
        for line in lines {
            let mut command = home.command(Path::new(PROGRAM));
            finish(command.current_dir(&cherry).args(&line), b"{}\n");
            let now = fs::read(&spool).unwrap_or_else(|error| panic!("{line:?}: {error}"));
            assert_eq!(hash::sha256_hex(&now[..bytes.len().min(now.len())], 64), before, "{line:?}");
            called += 1;
        }
    }
    assert!(called > 2 * table().len(), "{called} calls");
}

#[test] // spec: LTR-14
fn a_person_sees_fates_and_threads_on_the_command_line() {
    let home = TestHome::new();
    let cherry = home.cherry();
    let write = |class: &str, what: &str, more: &[&str]| -> String {
        let words = [&["letter", "write", "--class", class, "--what", what], more].concat();
        ask(&home, &cherry, &words)["id"].as_str().unwrap().to_owned()
    };
    let open = write("bug", "nobody has answered", &[]);
    let taken = write("bug", "somebody is at it", &[]);
    let closed = write("bug", "it is mended", &[]);
    let theirs = write("bug", "of another tool", &["--tool", "context7"]);
    write("friction", "here too", &["--answers", &taken]);
    let receipt = write("receipt", "so it is", &["--answers", &closed]);
    let page = |words: &[&str]| {
        let ran = finish(home.command(Path::new(PROGRAM)).current_dir(&cherry).args(words), b"");
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.stdout
    };
    let shown = page(&["mailbox"]);
    for (mark, id) in [("●", &open), ("◍", &taken), ("↳", &closed), ("◌", &theirs), ("↳", &receipt)]
    {
        assert!(shown.contains(&format!("{mark} {id}")), "{mark} {id} in {shown}");
    }
    assert!(
        shown.lines().next().unwrap().ends_with("6 letters, 3 open (1 in flight), 2 closed, 1 external"),
        "{shown}"
    );
    let thread = page(&["letter", "show", &closed]);
    let at = |text: &str| thread.find(text).unwrap_or_else(|| panic!("no {text} in {thread}"));
    assert!(at("it is mended") < at("Answered by") && at("Answered by") < at("so it is"), "{thread}");
}
