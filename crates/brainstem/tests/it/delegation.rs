//! A mother, her children and their reports, as real processes.

#![allow(
    clippy::disallowed_methods,
    reason = "a test makes folders and looks at the files behind the answers"
)]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MOTHER: &str = "claude:orchestrator";

struct Family {
    home: TestHome,
    packet: Value,
}

impl Family {
    /// Two brains, a worktree of the first, and a packet.
    fn new() -> Self {
        let mut family = Self { home: TestHome::new(), packet: Value::Null };
        for repository in [family.home.cherry(), family.home.plum()] {
            assert_eq!(family.run(&repository, MOTHER, &["bootstrap"]).status, Some(0));
        }
        let cherry = family.home.cherry();
        family.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
        family.git(&["worktree", "add", "--quiet", "-b", "fix", "../fix"]);
        family.ask(&cherry, MOTHER, &["memorize", "Retry loop", "--text", "It has no bound."]);
        let words = ["delegate", "bound the retry loop", "--to", "codex:maker"];
        family.packet = family.ask(&cherry, MOTHER, &words);
        family
    }

    fn command(&self, at: &Path) -> Command {
        let mut command = self.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        command.current_dir(at);
        command
    }

    fn run(&self, at: &Path, agent: &str, words: &[&str]) -> Ran {
        finish(self.command(at).args(words).args(["--json", "--as", agent]), b"")
    }

    fn ask(&self, at: &Path, agent: &str, words: &[&str]) -> Value {
        let ran = self.run(at, agent, words);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.json()
    }

    /// A child with nothing but the environment of its packet.
    fn child(&self, at: &Path) -> Command {
        let mut command = self.command(at);
        command.env_remove("BRAINSTEM_HOME");
        for (name, value) in self.packet["env"].as_object().expect("an environment") {
            command.env(name, value.as_str().expect("a text"));
        }
        command
    }

    fn id(&self) -> &str {
        self.packet["delegation_id"].as_str().expect("an id")
    }

    fn git(&self, words: &[&str]) -> String {
        let mut git = self.home.command(Path::new("git"));
        git.current_dir(self.home.cherry()).args(["-c", "user.name=ana", "-c", "user.email=ana@example.org"]);
        let ran = git.args(words).output().expect("git is installed");
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).expect("UTF-8").trim().to_owned()
    }

    fn places(&self) -> Vec<PathBuf> {
        let scratch = self.home.user_home().join("scratch");
        fs::create_dir_all(&scratch).expect("a folder");
        vec![self.home.cherry(), self.home.user_home().join("fix"), scratch]
    }
}

#[test] // spec: MEM-39, MEM-40, MEM-17, MEM-18
fn a_child_lands_in_the_brain_of_its_packet_wherever_it_starts() {
    let family = Family::new();
    assert_eq!(family.packet["sources"]["project"]["sha"], family.git(&["rev-parse", "HEAD"]).as_str());
    let binding = &family.packet["mission"]["binding"];
    let (root, fingerprint) =
        (binding["root"].as_str().expect("a root"), binding["fingerprint"].as_str().expect("one"));
    let before = family.ask(&family.home.plum(), MOTHER, &["list"]);
    for (n, place) in family.places().iter().enumerate() {
        let check = ["handshake", "--expect-root", root, "--expect-fingerprint", fingerprint, "--json"];
        let told = finish(family.child(place).args(check), b"");
        assert_eq!(told.status, Some(0), "{told:?}");
        assert_eq!((&told.json()["match"], told.json().get("reception")), (&json!(true), None));
        let beat = finish(family.child(place).args(["north", "retry", "--json"]), b"").json();
        assert_eq!((&beat["binding"]["brain"], beat.get("reception")), (&binding["brain"], None), "{beat}");
        let label = format!("Seen {n}");
        let wrote =
            finish(family.child(place).args(["memorize", &label, "--text", "by the child", "--json"]), b"");
        assert_eq!(wrote.status, Some(0), "{wrote:?}");
        let wrote = wrote.json();
        assert_eq!((&wrote["tier"], &wrote["source_agent"]), (&json!("project"), &json!("codex:maker")));
        assert_eq!(
            (&wrote["origin_brain"], &wrote["lifecycle"]),
            (&binding["brain"], &json!("project_private"))
        );
    }
    assert_eq!(
        family.ask(&family.home.cherry(), MOTHER, &["list"])["rows"].as_array().map(Vec::len),
        Some(4)
    );
    assert_eq!(
        family.ask(&family.home.plum(), MOTHER, &["list"])["rows"],
        before["rows"],
        "private to the project"
    );
    // Without the environment the same place is no place.
    let lost = family.run(&family.places()[2], "codex:maker", &["memorize", "x", "--text", "y"]);
    assert_eq!(lost.code(), "memory.brainless_root");
    // And with it, in another project, the answer names that project.
    let beat = finish(family.child(&family.home.plum()).args(["north", "retry", "--json"]), b"").json();
    assert!(beat["reception"]["where_you_are"].as_str().is_some_and(|text| text.contains("plum")), "{beat}");
}

#[test] // spec: MEM-41, IF-21, MEM-40
fn a_report_through_a_pipe_becomes_claims_once() {
    let family = Family::new();
    let cherry = family.home.cherry();
    let report = format!(
        "[brainstem {}] success\n\nDEVIATIONS\n- none\n\nFINDINGS\n- The loop is bounded at five.\n- Tests take two minutes.\n",
        family.id()
    );
    let debrief = |at: &Path, agent: &str, report: &str| {
        finish(
            family.command(at).args(["debrief", "--report", "-", "--json", "--as", agent]),
            report.as_bytes(),
        )
    };
    let refused = debrief(&family.home.plum(), MOTHER, &report);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "delegation.other_brain"));
    let file = cherry.join("report.md");
    fs::write(&file, &report).expect("a file");
    // Three processes at once tell the same.
    let told: Vec<_> = (0..3)
        .map(|_| {
            let mut command = family.command(&cherry);
            command.args([
                "debrief",
                "--report",
                "report.md",
                "--touched-path",
                "src/retry.rs",
                "--json",
                "--as",
                MOTHER,
            ]);
            std::thread::spawn(move || finish(&mut command, b""))
        })
        .collect();
    for ran in told {
        let ran = ran.join().expect("it ends");
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert_eq!(ran.json()["memorized"].as_array().map(Vec::len), Some(2));
    }
    let found = family.ask(&cherry, MOTHER, &["seek", "loop bounded five"]);
    assert_eq!(
        (&found["rows"][0]["source_agent"], &found["rows"][0]["group"]),
        (&json!("codex:maker"), &json!(family.id()))
    );
    assert_eq!(found["memory_exists"], 3);
    let other = debrief(&cherry, MOTHER, &report.replace("five", "six"));
    assert_eq!((other.status, other.code().as_str()), (Some(1), "delegation.closed"));
    let audit = family.ask(&cherry, MOTHER, &["audit", "delegations"]);
    let row = &audit["delegations"][0];
    assert_eq!(
        (&row["outcome"], &row["findings"], &row["touched_paths"]),
        (&json!("success"), &json!(2), &json!(1))
    );
    let words = family.run(&cherry, MOTHER, &["audit", "delegations"]);
    assert!(!words.stdout.contains("bounded"), "counts only: {words:?}");
}

#[test] // spec: MEM-41
fn the_audit_names_a_recipient_only_where_one_was_named() {
    let family = Family::new();
    let cherry = family.home.cherry();
    let given = family.ask(&cherry, MOTHER, &["delegate", "paint it"]);
    let id = given["delegation_id"].as_str().unwrap();
    let debrief = ["debrief", id, "--outcome", "success", "--child", "cursor:maker"];
    assert_eq!(family.run(&cherry, MOTHER, &debrief).status, Some(0));
    let audit = family.ask(&cherry, MOTHER, &["audit", "delegations"]);
    let rows = audit["delegations"].as_array().unwrap();
    let row = rows.iter().find(|row| row["delegation_id"] == id).unwrap();
    assert_eq!((row.get("to"), &row["child"]), (None, &json!("cursor:maker")), "{row}");
    let shown = finish(family.command(&cherry).args(["audit", "delegations", "--as", MOTHER]), b"");
    // A narrow terminal breaks the line.
    let words = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = format!("{id} success by {MOTHER}, no recipient named, debriefed for cursor:maker");
    assert!(words.contains(&told), "{words}");
    assert!(words.contains(&format!("by {MOTHER} to codex:maker")), "one that was named: {words}");
}

#[test] // spec: MEM-17, MEM-18, MEM-19, IF-26
fn over_mcp_a_handshake_moves_the_session_to_the_expected_brain() {
    let family = Family::new();
    let binding = &family.packet["mission"]["binding"];
    let call = |id: u32, tool: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": crate::mcp::with_document(tool, arguments)}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "child", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "memorize", json!({"label": "lost", "text": "x"})),
        call(
            2,
            "session_handshake",
            json!({"expect_root": binding["root"], "expect_fingerprint": "cherry-000000000000"}),
        ),
        call(
            3,
            "session_handshake",
            json!({"expect_root": binding["root"], "expect_fingerprint": binding["fingerprint"]}),
        ),
        call(4, "memorize", json!({"label": "Found", "text": "by the child"})),
        call(5, "brains", json!({})),
    ];
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let ran =
        finish(family.command(&family.places()[2]).args(["mcp", "--toolsets", "all"]), lines.as_bytes());
    let mut answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a document")).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let answer = |id: usize| &answers[id]["result"]["structuredContent"];
    assert_eq!(answer(1)["error"]["code"], "memory.brainless_root");
    assert_eq!((&answer(2)["match"], &answer(2)["actual"]["brain"]), (&json!(false), &Value::Null));
    assert!(answer(2)["reception"]["options"].is_array());
    assert_eq!((&answer(3)["match"], &answer(3)["rebound"]), (&json!(true), &json!(true)), "{}", answer(3));
    assert_eq!(answer(4)["origin_brain"], binding["brain"]);
    let brains = answer(5)["brains"].as_array().expect("brains").clone();
    let of =
        |name: &str| brains.iter().find(|brain| brain["brain"].as_str().is_some_and(|b| b.starts_with(name)));
    assert_eq!(of("cherry@").expect("cherry")["sessions"], 1, "{brains:?}");
    assert_eq!(of("plum@").expect("plum")["sessions"], 0, "{brains:?}");
    let root = binding["root"].as_str().expect("a root");
    let cli = family.run(&family.home.plum(), MOTHER, &["handshake", "--expect-root", root]);
    assert_eq!((cli.status, &cli.json()["match"]), (Some(1), &json!(false)), "a script notices");
}

#[test] // spec: MEM-41
fn of_different_reports_at_once_exactly_one_counts() {
    let family = Family::new();
    let cherry = family.home.cherry();
    let told: Vec<_> = (0..6)
        .map(|n| {
            let mut command = family.command(&cherry);
            let finding = format!("The answer is number{n}.");
            command.args(["debrief", family.id(), "--outcome", "success", "--finding", &finding]);
            command.args(["--json", "--as", MOTHER]);
            std::thread::spawn(move || finish(&mut command, b""))
        })
        .collect();
    let ran: Vec<Ran> = told.into_iter().map(|ran| ran.join().expect("it ends")).collect();
    let done: Vec<usize> = (0..ran.len()).filter(|n| ran[*n].status == Some(0)).collect();
    assert_eq!(done.len(), 1, "{ran:?}");
    for refused in ran.iter().filter(|ran| ran.status != Some(0)) {
        assert_eq!(refused.code(), "delegation.closed");
    }
    let rows = family.ask(&cherry, MOTHER, &["list"])["rows"].to_string();
    for n in 0..ran.len() {
        assert_eq!(
            rows.contains(&format!("number{n}.")),
            n == done[0],
            "a report that is refused writes nothing"
        );
    }
}
