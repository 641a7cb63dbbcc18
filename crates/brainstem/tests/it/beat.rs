//! The beat and what is written for it, through the program itself: the budget of what a model is really handed, and the
//! words of the command line.

use crate::mcp::{call, initialize, initialized, request};
use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::Path;

struct Place(TestHome);

impl Place {
    fn new() -> Self {
        let place = Self(TestHome::new());
        place.ok(&["bootstrap"]);
        place
    }

    fn run(&self, words: &[&str], stdin: &[u8]) -> Ran {
        let mut command = self.0.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.current_dir(self.0.cherry()).args(words), stdin)
    }

    fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words, b"");
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{words:?}: {ran:?}");
        ran.stdout
    }

    /// The answers of the MCP server with its default tools, by the ids of their requests from 1.
    fn mcp(&self, messages: &[Value]) -> Vec<Value> {
        let all = [&[initialize("2025-11-25"), initialized()], messages].concat();
        let lines: String = all.iter().map(|message| format!("{message}\n")).collect();
        let ran = self.run(&["mcp", "--as", "codex:maker"], lines.as_bytes());
        let mut answers: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("one document a line")).collect();
        answers.sort_by_key(|answer| answer["id"].as_u64());
        answers.split_off(1)
    }
}

/// Sixty labels that disagree, forty boot keys of 200 bytes, and claims longer than any beat.
fn crowded() -> Place {
    let place = Place::new();
    let lines = |text: &str| -> String {
        (0..60)
            .map(|n| {
                format!("{}\n", json!({"label": format!("Gadget {n}"), "text": format!("gadget {n} {text}")}))
            })
            .collect()
    };
    for (tier, text) in [("project", "is red\nand \"loud\""), ("medulla", "is blue")] {
        let ran = place
            .run(&["memorize", "--batch", "-", "--tier", tier, "--as", "human:ana"], lines(text).as_bytes());
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
    let long: String = (0..4).map(|n| format!("{}\n", json!({"label": format!("Runbook {n}"), "text": "a step of the runbook\n".repeat(400), "confidence": 0.9}))).collect();
    assert_eq!(place.run(&["memorize", "--batch", "-"], long.as_bytes()).status, Some(0));
    for n in 0..40 {
        place.ok(&["boot", "set", &format!("key-{n}"), &"v".repeat(200)]);
    }
    place
}

#[test] // spec: MEM-28, MEM-39, IF-9, IF-16
fn nothing_that_a_model_is_handed_is_longer_than_its_budget() {
    let place = crowded();
    let text = |answer: &Value| answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned();
    for budget in [800, 1_200, 5_000] {
        let tokens = budget.to_string();
        let north = |more: &[&str]| place.ok(&[&["north", "--budget-tokens", &tokens], more].concat());
        let fields = json!({"budget_tokens": budget});
        let fenced = json!({"budget_tokens": budget, "fenced": true});
        let plain = request(1, "tools/call", json!({"name": "north", "arguments": fields}));
        let whole = call(3, "north", json!({"budget_tokens": budget}));
        let over_mcp = place.mcp(&[plain, call(2, "north", fenced), whole]);
        let document = over_mcp[2]["result"]["structuredContent"].to_string();
        let packet = place.ok(&["delegate", "the runbook", "--budget-tokens", &tokens, "--as", "human:ana"]);
        let sent = [
            ("text", north(&[])),
            ("fenced", north(&["--fenced"])),
            ("JSON", north(&["--json"])),
            ("MCP", text(&over_mcp[0])),
            ("MCP, the document", document),
            ("MCP, fenced", text(&over_mcp[1])),
            ("packet", packet.replace("```task · by human:ana\nthe runbook\n```\n", "")),
        ];
        for (form, text) in &sent {
            assert!(text.len() <= budget * 4, "{form} of {budget}: {} tokens", text.len() / 4);
            // A packet carries what is about its task, and there is no more of that.
            let is_filled = text.len() * 10 >= budget * 4 * 7 || *form == "packet" && budget > 1_200;
            assert!(is_filled, "{form} of {budget} is filled: {} tokens", text.len() / 4);
        }
    }
    let read = request(1, "resources/read", json!({"uri": "brainstem://beat"}));
    let prompt = request(2, "prompts/get", json!({"name": "start_session", "arguments": {}}));
    let answers = place.mcp(&[read, prompt]);
    let hook = place.run(&["hook", "session-start"], br#"{"session_id":"s"}"#).stdout;
    let said: Value = serde_json::from_str(&hook).unwrap_or(Value::String(hook));
    let hook = said["hookSpecificOutput"]["additionalContext"].as_str().or(said.as_str()).expect("a beat");
    let sent = [
        answers[0]["result"]["contents"][0]["text"].as_str().expect("a page"),
        answers[1]["result"]["messages"][0]["content"]["text"].as_str().expect("a prompt"),
        hook,
    ];
    for text in sent {
        assert!(text.len() <= 4_800 && text.len() > 3_600, "{}: {text}", text.len());
        assert!(text.contains("[cut here: ") && text.contains("Gadget 0"), "{text}");
    }
    let small = place.ok(&["north", "--json", "--budget-tokens", "60"]);
    assert!(small.contains("over_budget") && small.contains("60 were asked for"), "{small}");
}

#[test] // spec: IF-3, IF-17, MEM-48
fn a_tag_behind_memorize_is_the_claims_and_before_it_the_sessions() {
    let place = Place::new();
    place.ok(&["memorize", "Tagged", "--text", "with a tag", "--tag", "deploy", "--tag", "ops"]);
    place.ok(&["--tag", "mail-tag", "memorize", "Bare", "--text", "without one", "--tags", "a,b"]);
    let rows = |words: &[&str]| -> Vec<String> {
        let found: Value = serde_json::from_str(&place.ok(&[words, &["--json"]].concat())).expect("JSON");
        let rows = found["rows"].as_array().expect("rows").iter();
        rows.map(|row| format!("{} {}", row["label"].as_str().unwrap_or_default(), row["tags"])).collect()
    };
    assert_eq!(rows(&["list", "--tag", "deploy"]), [r#"Tagged ["deploy","ops"]"#]);
    assert_eq!(
        rows(&["seek", "tag", "--tags", "ops"]),
        [r#"Tagged ["deploy","ops"]"#],
        "either word is taken"
    );
    assert_eq!(rows(&["list", "--tag", "a"]), [r#"Bare ["a","b"]"#]);
    assert!(rows(&["list", "--tag", "mail-tag"]).is_empty());
}

#[test] // spec: IF-4, IF-8
fn over_mcp_no_hint_names_a_tool_that_is_not_offered() {
    let place = Place::new();
    place.ok(&["delegate", "something", "--as", "human:ana"]);
    let answers = place.mcp(&[
        call(1, "north", json!({})),
        call(2, "session_handshake", json!({"expect_root": "/nowhere"})),
        request(3, "tools/list", json!({})),
    ]);
    let moves = answers[0]["result"]["structuredContent"]["next_moves"].to_string();
    assert!(
        moves.contains("brainstem audit delegations shows it") && moves.contains("debrief: 1 delegation"),
        "{moves}"
    );
    let reception = answers[1]["result"]["structuredContent"]["reception"].to_string();
    assert!(!reception.contains("\"call\":\"brains\""), "{reception}");
    assert!(reception.contains("brainstem brains"), "{reception}");
}

#[test] // spec: MEM-48, MEM-32, MEM-33
fn people_are_told_times_and_verdicts_in_words() {
    let place = Place::new();
    place.ok(&["memorize", "Retry", "--text", "three times"]);
    place.ok(&["memorize", "Retry", "--text", "four times"]);
    let shown = place.ok(&["show", "Retry"]);
    let before = shown.lines().find(|line| line.ends_with("  superseded")).unwrap_or_default();
    assert!(before.contains(" UTC  by ") && !shown.contains("Z  by"), "{shown}");
    for since in ["yesterday", "2 days ago", "2020-01-02", "an hour ago"] {
        assert!(place.ok(&["list", "--since", since]).contains("Retry"), "{since}");
    }
    assert!(place.ok(&["show", "Retry", "--at", "today"]).contains("four times"));
    place.ok(&["memorize", "Other", "--text", "x", "--evidence", "README.md"]);
    let verified = place.ok(&["verify"]);
    assert!(verified.contains("\n2 claims: "), "{verified}");
    let swapped = place.run(&["learn", "correct", "Retry"], b"");
    assert!(swapped.stderr.contains("the other way round"), "{swapped:?}");
}
