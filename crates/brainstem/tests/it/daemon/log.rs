//! The daemon's log: a line for each call, and no word of a caller.

use super::mcp::Session;
use super::{Daemon, until};
use brainstem_api::Toolset;
use brainstem_testkit::TestHome;
use serde_json::json;

/// In everything that these callers say.
const WORD: &str = "quokka";

fn start(level: &str) -> Daemon {
    Daemon::with_options(&["--log-level", level], Toolset::ALL, TestHome::new(), None).with_two_brains()
}

/// The log, once it has a line that ends so.
fn log(daemon: &Daemon, awaited: &str) -> String {
    let path = daemon.files().join("daemon.log");
    let read = || std::fs::read_to_string(&path).unwrap_or_default();
    until(awaited, || read().lines().any(|line| line.contains(awaited)));
    read()
}

/// Calls over both doors with a word in every place where a caller can put one.
fn call_with_the_word(daemon: &Daemon) {
    let (root, agent) = (daemon.home.cherry(), format!("{WORD}:maker"));
    let root = root.to_str().expect("text");
    let headers = [("Brainstem-Caller-Root", root), ("Brainstem-Agent", agent.as_str())];
    let claim = json!({"label": format!("The {WORD}"), "text": format!("A {WORD} smiles."), "tags": [WORD]});
    let written = daemon.ask("POST", "/api/memorize", &headers, &claim.to_string());
    assert_eq!(written.status, 200, "{written:?}");
    let found = daemon.ask("GET", &format!("/api/seek?query={WORD}&agent_id={agent}"), &headers, "");
    assert!(found.status == 200 && found.body.contains(WORD), "{found:?}");
    // Refusals repeat what was wrong, to their caller alone.
    for (method, path, body) in [
        ("GET", format!("/api/{WORD}"), String::new()),
        ("GET", format!("/{WORD}?{WORD}={WORD}"), String::new()),
        ("GET", format!("/api/seek?{WORD}=1"), String::new()),
        ("GET", format!("/api/show?label={WORD}%20that%20is%20nowhere"), String::new()),
        ("POST", "/api/memorize".to_owned(), format!("{{\"{WORD}\": ")),
        ("POST", "/api/memorize".to_owned(), json!({"label": WORD, "text": WORD, "state": WORD}).to_string()),
        (WORD, format!("/api/seek/{WORD}"), String::new()),
    ] {
        let refused = daemon.ask(method, &path, &headers, &body);
        assert!(refused.status >= 400, "{path}: {refused:?}");
    }
    for (name, value) in [("Host", WORD), ("Authorization", WORD), ("Cookie", WORD), ("Origin", WORD)] {
        assert!(daemon.send("GET", &format!("/api/seek?query={WORD}"), &[(name, value)], "").status >= 400);
    }
    let session = Session::open(daemon, "2025-11-25", &[("Brainstem-Caller-Root", root)]);
    assert!(session.call("seek", json!({"query": WORD, "agent_id": agent})).to_string().contains(WORD));
    session.call("show", json!({"label": format!("{WORD} that is nowhere"), WORD: WORD}));
    session.call("memorize", json!({"label": WORD, "text": WORD, "confidence": WORD}));
    session.post(&json!({"jsonrpc": "2.0", "id": 4, "method": WORD, "params": {WORD: WORD}}));
}

#[test] // spec: IF-14d
fn the_log_has_a_line_for_each_call_and_no_word_of_a_caller() {
    let daemon = start("debug");
    call_with_the_word(&daemon);
    let agent = daemon.ask("GET", "/api/status", &[("Brainstem-Agent", "codex:maker")], "");
    assert_eq!(agent.status, 200, "{agent:?}");
    let text = log(&daemon, "call door=rest verb=status caller=agent outcome=ok took_ms=");
    for line in [
        " INFO serving on ",
        " INFO call door=rest verb=memorize caller=agent outcome=ok took_ms=",
        " INFO call door=rest verb=memorize caller=agent outcome=claim.",
        " INFO call door=rest verb=seek caller=agent outcome=ok took_ms=",
        " INFO call door=mcp verb=seek caller=agent outcome=ok took_ms=",
        " INFO call door=mcp verb=show caller=client outcome=",
        " DEBUG request door=rest access=token status=200 took_ms=",
        " DEBUG request door=mcp access=token status=200 took_ms=",
        " WARN refused: ",
    ] {
        assert!(text.lines().any(|one| one.contains(line)), "{line} in {text}");
    }
    assert!(!text.contains(WORD) && !text.contains(&daemon.token), "{text}");
    let has_level = |line: &str| {
        let level = line.split(' ').nth(1);
        level.is_some_and(|level| ["ERROR", "WARN", "INFO", "DEBUG"].contains(&level))
    };
    assert!(text.lines().all(has_level), "{text}");
}

#[test] // spec: IF-14d
fn the_level_says_what_is_in_the_log() {
    let daemon = start("warn");
    call_with_the_word(&daemon);
    let text = log(&daemon, " WARN refused: ");
    assert!(!text.contains(" INFO ") && !text.contains(" DEBUG ") && !text.contains(WORD), "{text}");
    let top = daemon.home.user_home().to_owned();
    let refused = daemon.run(&top, &["up", "--log-level", "loud"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
    assert!(["error", "warn", "info", "debug"].iter().all(|one| refused.stderr.contains(one)), "{refused:?}");
}
