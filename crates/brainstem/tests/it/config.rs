//! Settings, as their owner meets them.

#![allow(clippy::disallowed_methods, reason = "a test looks at the files behind the answers")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

struct Desk(TestHome);

impl Desk {
    fn new() -> Self {
        Self(TestHome::new())
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.with(words, &[])
    }

    fn with(&self, words: &[&str], env: &[(&str, &str)]) -> Ran {
        let mut command = self.0.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        command.current_dir(self.0.cherry()).env("USER", "ana").args(words).envs(env.iter().copied());
        finish(&mut command, b"")
    }

    /// The value that counts, and where it comes from.
    fn get(&self, key: &str, words: &[&str], env: &[(&str, &str)]) -> (Value, String) {
        let answer = self.with(&[&["config", "get", key, "--json"], words].concat(), env).json();
        (answer["value"].clone(), answer["origin"].as_str().expect("an origin").to_owned())
    }

    fn file(&self) -> std::path::PathBuf {
        self.0.path().join("config.toml")
    }
}

#[test] // spec: IF-27
fn the_nearest_word_counts_and_says_where_it_comes_from() {
    let desk = Desk::new();
    let agent = |words: &[&str], env: &[(&str, &str)]| desk.get("agent", words, env);
    let is = |value: &str, origin: &str| (json!(value), origin.to_owned());
    assert_eq!(agent(&[], &[]), (Value::Null, "default".into()));
    assert_eq!(desk.get("writes_per_minute", &[], &[]), is("1000", "default"));

    assert_eq!(desk.run(&["config", "set", "agent", "codex:maker"]).status, Some(0));
    assert_eq!(agent(&[], &[]), is("codex:maker", "home"));
    assert_eq!(desk.run(&["config", "set", "agent", "claude:maker", "--repo"]).status, Some(0));
    assert_eq!(agent(&[], &[]), is("claude:maker", "repository"));
    assert_eq!(agent(&[], &[("BRAINSTEM_AGENT", "x:y")]), is("x:y", "environment"));
    assert_eq!(agent(&["--as", "a:b"], &[("BRAINSTEM_AGENT", "x:y")]), is("a:b", "flag"));

    assert_eq!(desk.run(&["config", "get", "agent"]).stdout, "claude:maker\n");
    assert_eq!(desk.run(&["config", "get", "owner"]).stdout, "");
    let listed = desk.run(&["config", "list", "--json"]).json();
    assert_eq!(listed["settings"].as_array().map(Vec::len), Some(8));
    let paths = desk.run(&["config", "path"]).stdout;
    assert_eq!(paths.lines().count(), 2);
    assert!(paths.lines().all(|path| Path::new(path).is_file()), "{paths}");
}

#[test] // spec: IF-25, IF-27
fn the_settings_say_who_calls_after_the_environment() {
    let desk = Desk::new();
    let who = |env: &[(&str, &str)]| {
        let answer = desk.with(&["whoami", "--json"], env).json();
        format!("{} {}", answer["agent_id"].as_str().unwrap_or(""), answer["source"].as_str().unwrap_or(""))
    };
    assert_eq!(who(&[]), "human:ana login");
    desk.run(&["config", "set", "agent", "codex:maker"]);
    desk.run(&["config", "set", "owner", "human:ana"]);
    assert_eq!(who(&[]), "codex:maker config");
    assert_eq!(who(&[("BRAINSTEM_AGENT", "x:y")]), "x:y environment");
    assert_eq!(desk.run(&["whoami", "--json"]).json()["owner"], "human:ana");

    let hostile = desk.0.cherry().join(".brainstem");
    fs::create_dir_all(&hostile).expect("a folder");
    fs::write(hostile.join("config.toml"), "owner = \"human:eve\"\nagent = \"human:ana\"\n").expect("a file");
    assert_eq!(who(&[]), "codex:maker config", "a repository makes nobody a person");
    assert_eq!(desk.run(&["whoami", "--json"]).json()["owner"], "human:ana");
    fs::write(hostile.join("config.toml"), "][").expect("a file");
    assert_eq!(who(&[]), "codex:maker config", "what a repository broke stops nobody");
    assert_eq!(desk.run(&["config", "list", "--json"]).code(), "config.broken");
}

#[test] // spec: IF-27
fn a_broken_file_refuses_what_signs_and_names_line_and_fix() {
    let desk = Desk::new();
    desk.run(&["bootstrap"]);
    fs::write(desk.file(), "# mine\nagent = codex\n").expect("a file");
    let write = ["memorize", "Retry policy", "--text", "three", "--json"];
    let refused = desk.run(&write);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "config.broken"));
    let error = refused.json()["error"].clone();
    assert!(error["message"].as_str().is_some_and(|text| text.contains("line 2")), "{error}");
    assert!(error["fix"].as_str().is_some_and(|text| text.contains("line 2")), "{error}");
    assert_eq!(error["rule"], "IF-27");
    for words in [&["list", "--json"][..], &["config", "get", "owner", "--json"], &["--json"]] {
        let expected = if words[0] == "config" { 1 } else { 0 };
        assert_eq!(desk.run(words).status, Some(expected), "{words:?}");
    }
    let set = desk.run(&["config", "set", "owner", "human:ana", "--json"]);
    assert_eq!(set.code(), "config.broken");
    assert_eq!(fs::read_to_string(desk.file()).expect("it is there"), "# mine\nagent = codex\n");
    assert_eq!(
        desk.run(&[&write[..], &["--as", "a:b"]].concat()).status,
        Some(0),
        "a flag needs no settings"
    );
}

#[test] // spec: IF-27
fn setting_keeps_comments_and_refuses_what_does_not_fit() {
    let desk = Desk::new();
    desk.run(&["config", "set", "owner", "human:ana"]);
    let text = "# who I am\nowner = \"human:ana\" # really\nlater = true\n";
    fs::write(desk.file(), text).expect("a file");
    assert_eq!(desk.run(&["config", "set", "owner", "human:ben"]).status, Some(0));
    // Mail to the name of before still waits for the same person.
    let after = text.replace("human:ana", "human:ben") + "other_names = \"human:ana\"\n";
    assert_eq!(fs::read_to_string(desk.file()).expect("it is there"), after);
    for (words, field) in [
        (&["owner", "codex:maker"][..], "value"),
        (&["writes_per_minute", "0"], "value"),
        (&["nonsense", "1"], "key"),
        (&["owner", "human:ana", "--repo"], "repo"),
        (&["agent", "human:ana", "--repo"], "repo"),
    ] {
        let ran = desk.run(&[&["config", "set"], words, &["--json"]].concat());
        assert_eq!((ran.status, ran.code().as_str()), (Some(1), "input.bad_value"), "{words:?}");
        assert_eq!(ran.json()["error"]["field"], field, "{words:?}");
    }
    let outside = desk.run(&["config", "set", "agent", "a:b", "--repo", "--root", "/", "--json"]);
    assert_eq!(outside.json()["error"]["field"], "repo");
}

#[test] // spec: IF-27
fn what_signs_says_that_a_repositorys_broken_file_was_passed_over() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["bootstrap"]).status, Some(0));
    let file = desk.0.cherry().join(".brainstem/config.toml");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, "agent = \n").expect("a file");
    let batch = desk.0.cherry().join("batch.jsonl");
    std::fs::write(&batch, "{\"label\": \"c\", \"text\": \"d\"}\n").expect("a file");
    let batch = batch.to_str().expect("UTF-8");
    let told = |words: &[&str]| {
        let words: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        let ran = desk.run(&words);
        assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
        ran.stdout
    };
    for words in [
        &["memorize", "a", "--text", "b"][..],
        &["memorize", "--batch", batch],
        &["rename", "a", "b"],
        &["retract", "b", "--reason", "no"],
        &["forget", "b", "--yes"],
        &["boot", "set", "k", "v"],
        &["boot", "delete", "k"],
        &["bootstrap"],
        &["whoami"],
        &["resolve"],
        &["init"],
        &["eject"],
    ] {
        let said = told(words);
        for part in ["config.toml", "line 1", "signed human:ana (login)", "mend line 1"] {
            assert!(said.contains(part), "{words:?} does not say {part:?}: {said}");
        }
        // Who says it on the call is signed so, whatever the file has.
        let named: Vec<&str> = words.iter().copied().chain(["--as", "codex:maker"]).collect();
        if words[0] == "whoami" {
            assert!(!told(&named).contains("config.toml"));
        }
    }
}
