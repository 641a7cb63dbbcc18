//! Secrets that lie in files: one is planted in every place that a file has, and read through every door.

use super::Daemon;
use super::mcp::Session;
use super::streams::Events;
use crate::program::finish;
use brainstem_api::{Doors, Effect, Method, table};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What stands in the files until the secret takes its place.
const SEED: &str = "zzplantzz";

/// So many characters of a secret in a row are a leak.
const STRETCH_LEN: usize = 12;

/// Where the first line of a text is cut in a list on a terminal.
const CUT_AT: usize = 90;

/// Built from pieces, so that no scanner takes this file for a leak.
fn secret() -> String {
    ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
}

/// A home in which every kind of file carries the seed.
struct Garden {
    daemon: Daemon,
    letter: String,
    message: String,
}

impl Garden {
    fn new() -> Self {
        let daemon = Daemon::of(TestHome::new(), None);
        let home = daemon.home.cherry();
        let run = |words: &[&str]| daemon.done(&home, words);
        let by = ["--as", "human:ana"];
        run(&[&["bootstrap"][..], &by].concat());
        fs::write(home.join("notes.txt"), "one\n").expect("a file");
        let says = |what: &str| format!("{what} {SEED} {what}");
        // A claim with the seed in each of its fields, with a version before it, and judged.
        let alpha = |text: &str| {
            let (text, title, tag) = (says(text), says("title"), format!("tag-{SEED}"));
            let evidence = format!("{SEED}.txt#a");
            run(&[
                &["memorize", "Alpha", "--text", &text, "--title", &title, "--tags", &tag][..],
                &[
                    "--evidence",
                    &evidence,
                    "--group",
                    SEED,
                    "--depends-on",
                    SEED,
                    "--as",
                    &format!("codex:{SEED}"),
                ],
            ]
            .concat())
        };
        alpha("first");
        alpha("second");
        run(&[&["learn", "Alpha", "correct", "--note", &says("note")][..], &by].concat());
        run(&[&["memorize", &format!("Labelled {SEED}"), "--text", "plain"][..], &by].concat());
        // One whose first line is cut within the secret.
        let long = format!("{} {SEED} end", "y".repeat(CUT_AT - STRETCH_LEN - 1));
        run(&[&["memorize", "Long", "--text", &long][..], &by].concat());
        run(&[&["memorize", "Shared", "--text", &says("shared")][..], &by].concat());
        let reason = says("reason");
        run(&[&["promote", "Shared", "--reason", &reason][..], &by].concat());
        run(&[&["memorize", "Proposed", "--text", "plain"][..], &["--as", "codex:maker"]].concat());
        run(&[&["promote", "Proposed", "--reason", &reason][..], &["--as", "codex:maker"]].concat());
        run(&[&["memorize", "Taken back", "--text", "plain"][..], &by].concat());
        run(&[&["retract", "Taken back", "--reason", &reason][..], &by].concat());
        run(&[&["boot", "set", &format!("key-{SEED}"), &says("value")][..], &by].concat());
        run(&[&["delegate", &says("task"), "--to", "codex:maker"][..], &by].concat());
        let letter =
            run(&[&["letter", "write", "--class", "bug", "--what", &says("what")][..], &by].concat());
        run(&[&["distribute"][..], &by].concat());
        let sent = run(&[
            &["--session", "orch", "mail", "send", "--to", "worker", "--type", "question"][..],
            &["--subject", &says("subject"), "--body", &says("body"), "--needs-response"],
            &by,
        ]
        .concat());
        // Two versions that wait for a decision.
        let claims = claims_of(&daemon);
        let file = |text: &str, created: u64| {
            fs::read_to_string(claims.join("proposed.light.md"))
                .expect("a claim")
                .replace("Proposed", "Undecided")
                .replace("plain", &says(text))
                .lines()
                .map(|line| {
                    if line.starts_with("Created:") { format!("Created: {created}") } else { line.to_owned() }
                })
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (ours, theirs) = (file("ours", 1_700_000_000_000), file("theirs", 1_700_000_000_001));
        let undecided = format!("<<<<<<< ours\n{ours}\n=======\n{theirs}\n>>>>>>> theirs\n");
        fs::write(claims.join("undecided.light.md"), undecided).expect("a file");
        let text = |value: &Value, field: &str| {
            value[field].as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
        };
        Self { letter: text(&letter, "id"), message: text(&sent, "file"), daemon }
    }

    /// Puts a secret in the place of the seed, in every file. Answers how many files have it now.
    fn plant(&self, secret: &str) -> usize {
        let mut planted = 0;
        for file in files(self.daemon.home.user_home()).into_iter().chain(files(&self.daemon.home.cherry())) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            if text.contains(SEED) {
                fs::write(&file, text.replace(SEED, secret)).expect("a file");
                planted += 1;
            }
        }
        planted
    }

    /// Fields for a verb, several ways to call it where that makes a difference.
    fn fields(&self, id: &str) -> Vec<Value> {
        let labels = ["Alpha", "Shared", "Undecided", "Proposed", "labelled-zzplantzz"];
        match id {
            "show" => labels.iter().map(|label| json!({ "label": label })).collect(),
            "seek" => vec![json!({"query": "second title"}), json!({"query": "shared", "tier": "medulla"})],
            "north" => vec![json!({}), json!({"task": "second", "fenced": true})],
            "delegate" => vec![json!({"task": "second shared", "seeds": ["Shared"]})],
            "audit" => ["promotions", "doctrine", "delegations"].map(|what| json!({ "what": what })).to_vec(),
            "boot_memory" => vec![json!({"action": "list"})],
            "list" => vec![json!({}), json!({"tier": "medulla"})],
            "letter_show" => vec![json!({"id": self.letter})],
            "inbox_sweep" => vec![json!({}), json!({"state": "open"})],
            "distribute" => vec![json!({"dry_run": true})],
            "mail_list" => vec![json!({}), json!({"box": "worker"})],
            "mail_read" | "mail_thread" => {
                vec![json!({"file": self.message, "box": "worker"}), json!({"file": self.message})]
            }
            "mail_search" => vec![json!({"query": "body"}), json!({"query": "subject"})],
            "config_get" => vec![json!({"key": "agent"})],
            "resolve" => vec![json!({}), json!({"label": "Undecided"})],
            "consolidate" => vec![json!({})],
            "promote" => vec![json!({"label": "Alpha", "reason": "why not"})],
            "learn" => vec![json!({"label": "Alpha", "verdict": "correct"})],
            "rename" => vec![json!({"label": "Alpha", "to": "Alpha"})],
            "init" | "export" => vec![json!({})],
            _ => vec![json!({})],
        }
    }
}

/// The folder of the live claims of cherry's brain.
fn claims_of(daemon: &Daemon) -> PathBuf {
    let brains = daemon.home.path().join("project-brains");
    let brain = fs::read_dir(brains).expect("brains").next().expect("one").expect("a folder").path();
    brain.join("agent-memory")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Verbs that only look, and some whose refusals and echoes say much.
fn is_asked(id: &str, effect: Effect) -> bool {
    const ALSO: &[&str] = &[
        "doctor",
        "resolve",
        "consolidate",
        "delegate",
        "distribute",
        "promote",
        "learn",
        "boot_memory",
        "export",
        "mail_read",
    ];
    const NEVER: &[&str] = &["live_watch", "inbox_watch", "poll_messages"];
    (effect == Effect::Read || ALSO.contains(&id)) && !NEVER.contains(&id)
}

/// What was said where, without what was not said.
struct Heard {
    secret: String,
    masked: usize,
    shown: Vec<String>,
}

impl Heard {
    fn hear(&mut self, place: &str, text: &str) {
        self.masked += text.matches("[secret]").count();
        let (text, secret) = (text.to_lowercase(), self.secret.to_lowercase());
        let parts = (0..=secret.len() - STRETCH_LEN).map(|at| &secret[at..at + STRETCH_LEN]);
        if { parts }.any(|part| text.contains(part)) {
            self.shown.push(place.to_owned());
        }
    }
}

/// Asks every verb at every door, and everything else that is read.
fn read_everything(garden: &Garden, secret: &str) -> Heard {
    let daemon = &garden.daemon;
    let root = daemon.home.cherry();
    let mut heard = Heard { secret: secret.to_owned(), masked: 0, shown: Vec::new() };
    let session = Session::open(
        daemon,
        "2025-06-18",
        &[("Brainstem-Caller-Root", Box::leak(root.display().to_string().into_boxed_str()))],
    );
    let headers = [
        ("Brainstem-Caller-Root", root.to_str().expect("UTF-8")),
        ("Brainstem-Session", "worker"),
        ("Brainstem-Agent", "human:ana"),
    ];
    for entry in table().iter().filter(|entry| is_asked(entry.spec().id(), entry.spec().effect)) {
        let spec = entry.spec();
        for fields in garden.fields(spec.id()) {
            let Value::Object(object) = &fields else { panic!("fields are an object") };
            // The command line, for people and for programs.
            let options = object.iter().flat_map(|(field, value)| {
                let option = format!("--{}", field.replace('_', "-"));
                match value {
                    Value::Bool(_) => vec![option],
                    Value::Array(items) => {
                        items.iter().flat_map(|item| [option.clone(), word(item)]).collect()
                    }
                    value => vec![option, word(value)],
                }
            });
            let options: Vec<String> = options.collect();
            let positional: Vec<String> =
                object.values().filter(|value| value.is_string()).map(word).collect();
            for arguments in [options, positional] {
                for json in [&["--json"][..], &[]] {
                    let words: Vec<&str> = spec.cli().iter().copied().chain(json.iter().copied()).collect();
                    let mut command = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
                    command
                        .current_dir(&root)
                        .args(["--as", "human:ana", "--session", "worker"])
                        .args(words)
                        .args(&arguments);
                    // An export on the command line carries bytes as they are.
                    if spec.id() == "export" {
                        continue;
                    }
                    let ran = finish(&mut command, b"");
                    heard.hear(
                        &format!("{:?} {arguments:?} on the command line", spec.cli()),
                        &(ran.stdout + &ran.stderr),
                    );
                }
            }
            if spec.doors != Doors::All {
                continue;
            }
            let told = session.call(spec.id(), fields.clone());
            heard.hear(&format!("{} {fields} over MCP", spec.id()), &told.to_string());
            let (method, path) = (spec.method(), spec.path());
            let answer = match method {
                Method::Get => {
                    let query: Vec<String> = object
                        .iter()
                        .map(|(field, value)| format!("{field}={}", word(value).replace(' ', "%20")))
                        .collect();
                    daemon.ask("GET", &format!("{path}?{}", query.join("&")), &headers, "")
                }
                Method::Post => daemon.ask(method.as_str(), path, &headers, &fields.to_string()),
            };
            heard.hear(&format!("{method:?} {path} {fields}"), &answer.body);
        }
    }
    let resources = session.request("resources/list", json!({}));
    heard.hear("resources/list", &resources.to_string());
    let listed = resources["resources"].as_array().cloned().unwrap_or_default();
    assert!(listed.len() >= 5, "{resources}");
    let uris = listed.iter().map(|one| word(&one["uri"])).chain(["brainstem://mail/worker".to_owned()]);
    for uri in uris {
        heard.hear(&uri, &session.request("resources/read", json!({ "uri": uri })).to_string());
    }
    for prompt in ["start_session", "hand_over", "triage_letters"] {
        heard.hear(prompt, &session.request("prompts/get", json!({ "name": prompt })).to_string());
    }
    for path in ["/api/instances", "/metrics", "/"] {
        heard.hear(path, &daemon.get(path).body);
    }
    for (number, event) in ["session-start", "stop"].into_iter().enumerate() {
        let payload =
            json!({"session_id": format!("{secret}-{number}"), "hook_event_name": event, "cwd": root});
        let mut command = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        let ran = finish(command.current_dir(&root).args(["hook", event]), payload.to_string().as_bytes());
        heard.hear(&format!("hook {event}"), &(ran.stdout + &ran.stderr));
    }
    heard
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Plants a secret, and reads all there is of it.
fn planted_and_read(secret: impl FnOnce(&Garden) -> String) -> Heard {
    let garden = Garden::new();
    let secret = secret(&garden);
    let mut events = Events::open(&garden.daemon, "?tier=all-brains", None);
    let files = garden.plant(&secret);
    assert!(files >= 9, "claims, history, acts, boot values, letters, mail: {files}");
    let mut heard = read_everything(&garden, &secret);
    // The daemon tells that the file changed, and whose it is.
    loop {
        let event = events.find("claim.written");
        heard.hear("events", &event.data.to_string());
        if event.data["source_agent"]
            .as_str()
            .is_some_and(|agent| agent.contains("[secret]") || agent.contains(&secret))
        {
            break;
        }
    }
    heard
}

#[test] // spec: MEM-14a
fn a_secret_in_any_file_is_shown_by_no_verb_at_no_door() {
    let heard = planted_and_read(|_| secret());
    assert_eq!(heard.shown, [""; 0]);
    assert!(heard.masked > 200, "the places were read: {}", heard.masked);
}

#[test] // spec: MEM-14a, IF-14
fn the_token_of_the_home_is_shown_by_no_verb_at_no_door() {
    let heard = planted_and_read(|garden| garden.daemon.token.clone());
    assert_eq!(heard.shown, [""; 0]);
    assert!(heard.masked > 200, "the places were read: {}", heard.masked);
}

#[test] // spec: MEM-14, IF-14
fn the_token_of_the_home_is_refused_wherever_it_would_be_kept() {
    let daemon = Daemon::start().with_two_brains();
    let (root, token) = (daemon.home.cherry(), daemon.token.clone());
    let with = format!("call it with {token}");
    let loud = token.to_uppercase();
    let table: &[&[&str]] = &[
        &["memorize", "x", "--text", &with],
        &["memorize", "x", "--text", &loud],
        &["memorize", &token, "--text", "x"],
        &["memorize", "x", "--text", "y", "--evidence", &token],
        &["boot", "set", "token", &token],
        &["learn", "Colour", "correct", "--note", &with],
        &["retract", "Colour", "--reason", &with],
        &["promote", "Colour", "--reason", &with],
        &["rename", "Colour", &token],
        &["delegate", &with],
        &["config", "set", "agent", &token],
        &["--session", &token, "mail", "list"],
        &["--tag", &token, "mail", "list"],
        &["mail", "send", "--to", &token, "--type", "status", "--body", "x"],
        &["mail", "send", "--to", "worker", "--type", "status", "--body", &with],
        &["mail", "send", "--to", "worker", "--type", "status", "--subject", &with],
        &["session", "register", &token],
        &["session", "register", "worker", "--tag", &token],
    ];
    for words in table {
        let ran = daemon.run(&root, &[&["--json", "--as", "human:ana"], *words].concat());
        assert_eq!(ran.code(), "hygiene.secret", "{words:?}: {ran:?}");
        assert!(!ran.stdout.to_lowercase().contains(&token), "{words:?} repeats it");
    }
    let refused =
        daemon.post(&format!("/api/memorize?brain={}", root.display()), &json!({"label": "x", "text": with}));
    assert_eq!(refused.refusal(), (422, "hygiene.secret".to_owned()), "{refused:?}");
    // What is committed: a letter is filed without it, and mail that may be committed is not sent.
    let written =
        daemon.done(&root, &["--as", "human:ana", "letter", "write", "--class", "bug", "--what", &with]);
    assert!(written.to_string().contains("masked"), "{written}");
    daemon.done(&root, &["--as", "human:ana", "distribute"]);
    let filed = std::fs::read_to_string(root.join(".brainstem/inbox.jsonl")).expect("the letter is filed");
    assert!(filed.contains("call it with") && !filed.contains(&token), "{filed}");
    daemon.done(&root, &["--as", "human:ana", "mail", "init", "--commit-mail"]);
    let words = [
        "--json",
        "--as",
        "human:ana",
        "mail",
        "send",
        "--to",
        "worker",
        "--type",
        "status",
        "--body",
        &with,
    ];
    assert_eq!(daemon.run(&root, &words).code(), "hygiene.secret");
    let boxes = files(&root).into_iter().filter_map(|file| fs::read_to_string(file).ok());
    assert!({ boxes }.all(|text| !text.contains(&token)), "it lies in the repository");
    // Another home knows nothing of it: 64 digits are a hash more often than not.
    let other = TestHome::new();
    let run = |words: &[&str]| {
        let mut command = other.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.current_dir(other.cherry()).args(["--as", "human:ana"]).args(words), b"")
    };
    run(&["bootstrap"]);
    assert_eq!(run(&["memorize", "x", "--text", &format!("sha256 {token}")]).status, Some(0));
}
