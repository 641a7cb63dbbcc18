//! Mail and letters over the daemon: boxes by their brain, and words that mean harm in every parameter.

use super::mcp::Session;
use super::{Answer, Daemon};
use brainstem_api::{Entry, Method, Object, Toolset, table};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn whats(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let letters = answer.json()["letters"].clone();
    let mut whats: Vec<String> = letters
        .as_array()
        .expect("letters")
        .iter()
        .map(|row| row["what"].as_str().unwrap_or_default().to_owned())
        .collect();
    whats.sort();
    whats
}

#[test] // spec: LTR-13
fn a_mailbox_over_rest_is_that_of_the_brain_that_is_named_bound_or_nobodys() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    daemon.done(&cherry, &["letter", "write", "--class", "bug", "--what", "of cherry"]);
    daemon.done(&plum, &["letter", "write", "--class", "bug", "--what", "of plum"]);
    daemon.done(&cherry, &["letter", "write", "--class", "bug", "--what", "of nobody", "--repo", "all"]);
    // A repository with a box and no brain.
    let faceless = daemon.home.user_home().join("almus");
    fs::create_dir(&faceless).expect("a folder");
    daemon.done(&cherry, &["letter", "write", "--class", "bug", "--what", "of almus", "--repo", "~/almus"]);
    daemon.done(&cherry, &["distribute"]);

    let named = |brain: &str| daemon.get(&format!("/api/mailbox?brain={}", encoded(brain)));
    let shown = cherry.display().to_string();
    assert_eq!(whats(&named(&shown)), ["of cherry"]);
    let served = |answer: &Answer| answer.json()["served_brain"].as_str().unwrap_or_default().to_owned();
    assert!(served(&named(&shown)).starts_with("cherry@"), "{:?}", named(&shown));
    assert_eq!(named(&shown).json()["root"], shown.as_str());
    assert_eq!(whats(&named("medulla")), ["of nobody"]);
    assert_eq!(named("medulla").json()["served_brain"], "medulla");
    // Nobody is bound over REST unless it says where it stands.
    assert_eq!(whats(&daemon.get("/api/mailbox")), ["of nobody"], "an unbound caller gets the medulla's");
    let from = |root: &Path| {
        let root = root.display().to_string();
        daemon.ask("GET", "/api/mailbox", &[("Brainstem-Caller-Root", root.as_str())], "")
    };
    assert_eq!(whats(&from(&plum)), ["of plum"]);
    assert!(served(&from(&plum)).starts_with("plum@"), "{:?}", from(&plum));
    for unknown in [faceless.display().to_string().as_str(), "/nowhere", "nobody@12345678"] {
        let (status, code) = named(unknown).refusal();
        assert!(status == 404 && code.ends_with("unknown_brain"), "{unknown}: {status} {code}");
    }
    assert_eq!(named("../cherry").refusal().0, 400, "what leads elsewhere is nobody's name");
    let counts = named(&shown).json()["counts"].clone();
    assert_eq!(counts, json!({"wet_ink": 1, "in_flight": 0, "fired_clay": 0, "external": 0}));

    let open = || {
        let found = daemon.get("/api/instances").json();
        let of = |root: &Path| {
            let cards = found["instances"].as_array().expect("cards");
            let card = cards.iter().find(|card| card["root"] == root.display().to_string().as_str());
            card.expect("a card")["mailbox_open_count"].clone()
        };
        let gaps = found["gaps"].as_array().expect("gaps").clone();
        ([of(&cherry), of(&plum), found["medulla"]["mailbox_open_count"].clone()], gaps)
    };
    assert_eq!(open(), ([json!(1), json!(1), json!(1)], vec![]));
    // A box that cannot be read is null with a reason, never an invented zero.
    let file = plum.join(".brainstem/inbox.jsonl");
    fs::remove_file(&file).expect("it is there");
    fs::create_dir(&file).expect("a folder");
    let (counts, gaps) = open();
    assert_eq!(counts, [json!(1), Value::Null, json!(1)]);
    assert!(gaps[0]["name"] == "box_unreadable" && gaps[0].to_string().contains("plum"), "{gaps:?}");
    assert_eq!(named(&plum.display().to_string()).refusal(), (500, "store.unreadable".into()));
}

/// Names and words that lead elsewhere, end something early, or are too much.
fn tricks() -> Vec<String> {
    let mut tricks: Vec<String> = [
        "../w1",
        "..",
        ".",
        "/etc",
        "a/b",
        "a\\b",
        "~",
        "~/x",
        "read",
        "archive",
        "nul",
        "CON",
        ".tmp",
        ".git",
        "w1~x",
        "é",
        "a\nb",
        "a\r\nb",
        "a\0b",
        " ",
        "\u{202e}fdp",
        "\u{feff}w1",
        "-rf",
        "--box",
        "$(id)",
        "`id`",
        "%2e%2e%2f",
        "---",
        "---\nfrom: root\n---",
        "{}",
        "[]",
        "null",
        "-1",
        "99999999999999999999",
        "file:///etc/passwd",
        "20260128T153000Z_a_task.md",
        "../20260128T153000Z_a_task.md",
        "20260128T153000Z_../x_task.md",
        "20260128T153000Z_a_task.md\0",
        "\u{1b}[2J",
    ]
    .map(str::to_owned)
    .into();
    tricks.extend(["x".repeat(255), "é".repeat(200), "y".repeat(70_000), "../".repeat(500)]);
    tricks
}

/// A value that a field takes, so that the trick stands alone.
fn fair(field: &str, file: &str) -> Value {
    match field {
        "to" | "box" | "target" | "name" => json!("w1"),
        "type" => json!("task"),
        "file" | "thread" => json!(file),
        "class" => json!("bug"),
        "id" | "from_letter" => json!("123456789abc"),
        "older_than" => json!("1d"),
        "state" => json!("working"),
        "verb" | "action" => json!("add"),
        "limit" | "lease_s" => json!(5),
        _ => json!("x"),
    }
}

/// Every file below a folder, but what the daemon and the counts write.
fn files(dir: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let is_own = entry.ends_with("brainstem-home") || entry.ends_with("cherry/.mail");
        if !is_own && entry.is_dir() && !entry.is_symlink() {
            files(&entry, found);
        } else if !is_own {
            found.insert(entry);
        }
    }
}

/// How many sessions try tricks at the same time.
const SESSIONS: usize = 4;

/// Gives every trick for one field of a verb, over MCP and REST; returns how many calls that were.
fn try_tricks(
    daemon: &Daemon,
    session: &Session<'_>,
    here: &[(&str, &str)],
    (entry, schema): (&Entry, &Object),
    (field, is_list): (&str, bool),
    file: &str,
) -> usize {
    let spec = entry.spec();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
    let mut asked = 0;
    for trick in tricks() {
        let mut words: Map<String, Value> =
            required.iter().map(|name| ((*name).to_owned(), fair(name, file))).collect();
        words.insert(field.to_owned(), if is_list { json!([trick]) } else { json!(trick) });
        let shown = format!("{} {field} {:?}", spec.id(), trick.chars().take(40).collect::<String>());
        let told = session.call(spec.id(), Value::Object(words.clone()));
        assert!(told["isError"].is_boolean(), "{shown}: {told}");
        assert_ne!(told["structuredContent"]["error"]["code"], "internal.bug", "{shown}: {told}");
        // The query of a GET has no room for long texts, and the refusal says so.
        let answer = match (spec.method(), spec.path()) {
            (Method::Get, path) => {
                let pairs = words.iter().flat_map(|(name, value)| {
                    let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                    values.into_iter().map(move |value| {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        format!("{name}={}", encoded(&text))
                    })
                });
                daemon.ask("GET", &format!("{path}?{}", pairs.collect::<Vec<_>>().join("&")), here, "")
            }
            (method, path) => {
                daemon.ask(method.as_str(), path, here, &Value::Object(words.clone()).to_string())
            }
        };
        let is_fine = answer.status == 200 || (400..500).contains(&answer.status) || answer.status == 503;
        assert!(is_fine || (answer.status == 0 && trick.len() > 10_000), "{shown}: {answer:?}");
        asked += 2;
    }
    asked
}

#[test] // spec: MAIL-2, MAIL-16, LTR-1, LTR-5, IF-11
fn a_trick_in_any_parameter_of_mail_and_letters_leads_nowhere_on_any_door() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let root = cherry.display().to_string();
    let here = [("Brainstem-Caller-Root", root.as_str())];
    let sent = daemon.done(&cherry, &["mail", "send", "--to", "w1", "--type", "task", "--body", "x"]);
    let file = sent["file"].as_str().expect("a file").to_owned();
    daemon.done(&cherry, &["letter", "write", "--class", "bug", "--what", "first"]);
    let snapshot = || {
        let mut found = BTreeSet::new();
        files(daemon.home.user_home(), &mut found);
        found
    };
    let before = snapshot();
    let spool = daemon.home.path().join("field-reports.jsonl");
    let prefix = fs::read(&spool).expect("a spool");
    let verbs = table().iter().filter(|entry| [Toolset::Mail, Toolset::Live].contains(&entry.spec().toolset));
    let mut fields = Vec::new();
    for entry in verbs.filter(|entry| entry.spec().doors.has_tool()) {
        let schema = entry.input_schema();
        let properties = schema["properties"].as_object().expect("fields");
        for (field, shape) in properties.iter().filter(|(_, shape)| shape.to_string().contains("\"string\""))
        {
            fields.push((entry, schema.clone(), field.clone(), shape.to_string().contains("\"array\"")));
        }
    }
    // Thousands of calls, of which each waits for the disk: several sessions make them side by side.
    let try_every = &|part: usize| {
        let session = Session::open(&daemon, "2025-11-25", &here);
        let own = fields.iter().skip(part).step_by(SESSIONS);
        own.map(|(entry, schema, field, is_list)| {
            try_tricks(&daemon, &session, &here, (entry, schema), (field, *is_list), &file)
        })
        .sum::<usize>()
    };
    let asked: usize = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..SESSIONS).map(|part| scope.spawn(move || try_every(part))).collect();
        parts.into_iter().map(|part| part.join().expect("every call is answered")).sum()
    });
    assert!(asked > 4_000, "{asked}: every field was tried");
    assert_eq!(snapshot(), before, "nothing was written but below the home and the mail root");
    assert!(fs::read(&spool).expect("a spool").starts_with(&prefix));
    for entry in fs::read_dir(cherry.join(".mail")).expect("boxes").map(|entry| entry.expect("a box")) {
        let name = entry.file_name().into_string().expect("text");
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte));
        assert!(is_name && name.len() <= 64 && name != ".." && name != "read", "{name:?}");
    }
    assert!(daemon.is_healthy());
}
