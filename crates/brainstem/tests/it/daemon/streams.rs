//! Events and the page.

use super::{Daemon, claim, until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

/// A stream of events, read one by one.
pub(super) struct Events(BufReader<TcpStream>);

#[derive(Debug)]
pub(super) struct Event {
    id: String,
    pub(super) name: String,
    pub(super) data: Value,
}

impl Event {
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Events {
    pub(super) fn open(daemon: &Daemon, query: &str, last: Option<&str>) -> Self {
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        Self::open_with(daemon, query, &last)
    }

    /// Opens one with these further lines of the head.
    pub(super) fn open_with(daemon: &Daemon, query: &str, last: &str) -> Self {
        let mut stream = daemon.connect();
        let head = format!(
            "GET /api/events{query} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{last}\r\n",
            daemon.address, daemon.token
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut events = Self(BufReader::new(stream));
        // The first words come when it listens.
        while !events.line().expect("an answer").starts_with("retry:") {}
        events
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; `None` when the stream ends.
    pub(super) fn next(&mut self) -> Option<Event> {
        let (mut id, mut name) = (String::new(), String::new());
        loop {
            let line = self.line()?;
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.to_owned();
            } else if let Some(text) = line.strip_prefix("event: ") {
                name = text.to_owned();
            } else if let Some(text) = line.strip_prefix("data: ") {
                return Some(Event { id, name, data: serde_json::from_str(text).expect("JSON") });
            }
        }
    }

    /// Reads on to the next event of this name.
    pub(super) fn find(&mut self, name: &str) -> Event {
        loop {
            let event = self.next().unwrap_or_else(|| panic!("no {name}"));
            if event.name == name {
                return event;
            }
        }
    }
}

#[test] // spec: IF-10, IF-13, MEM-22
fn what_others_do_is_told_to_who_may_hear_it_and_told_again_to_who_was_away() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let mut all = Events::open(&daemon, "?tier=all-brains", None);
    let mut own = Events::open(&daemon, &format!("?brain={}", plum.display()), None);
    let mut nobody = Events::open(&daemon, "", None);
    // Another process writes, and pokes.
    daemon.done(&cherry, &["memorize", "Stone", "--text", "One."]);
    // What was written just before may still be told.
    let written = loop {
        let event = all.find("claim.written");
        if event.data["label"] == "Stone" {
            break event;
        }
    };
    assert_eq!(written.data["tier"], "project");
    daemon.done(&cherry, &["retract", "Stone", "--reason", "wrong"]);
    assert_eq!(all.find("claim.retracted").data["slug"], "stone");
    daemon.done(&cherry, &["--as", "human:ana", "promote", "Colour", "--reason", "holds everywhere"]);
    assert_eq!(all.find("claim.promoted").data["source_agent"], "human:ana");
    let told = daemon.post(&format!("/api/memorize?brain={}", plum.display()), &claim("Mine", "x"));
    assert_eq!(told.status, 200, "{told:?}");

    // Of another project's private claims nobody else hears; of the medulla everybody does.
    let name =
        |event: &Event| event.data["brain"].as_str().expect("a name").split('@').next().map(str::to_owned);
    let first = nobody.next().expect("an event");
    assert_eq!(name(&first).as_deref(), Some("medulla"), "{first:?}");
    loop {
        let event = own.next().expect("an event");
        assert_ne!(name(&event).as_deref(), Some("cherry"), "{event:?}");
        if event.data["label"] == "Mine" {
            break;
        }
    }

    // Who was away goes on where it was.
    let mut again = Events::open(&daemon, "?tier=all-brains", Some(&written.id));
    assert_ne!(again.next().expect("an event").id, written.id);
    let mut again = Events::open(&daemon, "?tier=all-brains", Some(&written.id));
    assert_eq!(again.find("claim.retracted").data["slug"], "stone");
    // If events are no longer kept, the stream says that there were some.
    for unknown in ["00000000-1", "nonsense", &written.id.replace('-', "-9")] {
        let mut stream = Events::open(&daemon, "", Some(unknown));
        let gap = stream.next().expect("an event");
        assert_eq!((gap.name.as_str(), gap.data["why"].is_string()), ("gap", true), "{gap:?}");
    }
    // A daemon that stops ends the streams.
    daemon.done(&plum, &["down"]);
    while all.next().is_some() {}
}

#[test] // spec: IF-13
fn a_stream_from_before_bootstrap_hears_of_the_claims_of_its_project() {
    let daemon = Daemon::start();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let at = format!("Brainstem-Caller-Root: {}\r\n", cherry.display());
    let mut events = Events::open_with(&daemon, "", &at);
    for root in [&plum, &cherry] {
        daemon.done(root, &["bootstrap"]);
        daemon.done(root, &["memorize", "Stone", "--text", "One."]);
    }
    let written = events.find("claim.written");
    assert!(written.data["brain"].as_str().is_some_and(|brain| brain.starts_with("cherry@")), "{written:?}");
}

#[test] // spec: IF-13, IF-14
fn a_client_that_never_reads_costs_nothing() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let path = format!("/api/memorize?brain={}", cherry.display());
    let streams: Vec<Events> = (0..8).map(|_| Events::open(&daemon, "?tier=all-brains", None)).collect();
    let write = |round: usize| {
        let label = |n: usize| format!("{round} {n} {}", "long label ".repeat(12));
        let lines: Vec<Value> = (0..200).map(|n| claim(&label(n), "text")).collect();
        assert_eq!(daemon.post(&path, &json!({ "batch": lines })).status, 200);
    };
    write(0);
    let before = daemon.resident_kib();
    for round in 1..8 {
        write(round);
    }
    until("all of it was seen", || daemon.meter("brainstem_events_total") >= 1600.0);
    let grown = daemon.resident_kib().saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KiB for events that nobody reads");
    assert!(daemon.is_healthy());
    drop(streams);
    until("they are gone", || daemon.meter("brainstem_event_streams") == 0.0);
    let open: Vec<Events> = (0..16).map(|_| Events::open(&daemon, "", None)).collect();
    let full = daemon.get("/api/events");
    assert_eq!(full.refusal(), (503, "daemon.busy".into()));
    assert!(full.body.contains("of your streams"), "each caller has its share: {full:?}");
    let other = daemon.ask("GET", "/api/events?brain=nobody", &[("Brainstem-Agent", "other:maker")], "");
    assert_eq!(other.status, 404, "and another caller is let through: {other:?}");
    drop(open);
}

#[test] // spec: IF-11
fn a_browser_comes_in_by_a_link_once_and_only_looks() {
    let daemon = Daemon::start().with_two_brains();
    let link = daemon.done(daemon.home.user_home(), &["page"])["link"].as_str().expect("a link").to_owned();
    let path = link.split_once(&daemon.address).expect("its address").1.to_owned();
    assert!(!link.contains(&daemon.token));
    let host = [("Host", daemon.address.as_str())];
    assert_eq!(daemon.send("GET", "/", &host, "").status, 401);
    let entered = daemon.send("GET", &path, &host, "");
    assert_eq!(entered.status, 200, "{entered:?}");
    let cookie = entered.headers["set-cookie"].clone();
    assert!(["HttpOnly", "SameSite=Strict", "Path=/"].iter().all(|word| cookie.contains(word)), "{cookie}");
    assert_eq!(daemon.send("GET", &path, &host, "").status, 401, "once");
    assert_eq!(daemon.send("GET", "/link?code=x.1.y", &host, "").status, 401);
    let looking = [host[0], ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    for path in [path.as_str(), "/"] {
        let shown = daemon.send("GET", path, &looking, "");
        assert_eq!((shown.status, shown.headers["content-type"].as_str()), (401, "text/html; charset=utf-8"));
        assert!(shown.body.contains("brainstem page") && shown.headers.contains_key("www-authenticate"));
        assert!(shown.body.contains("<style nonce=") && !shown.body.contains('`'), "{}", shown.body);
    }

    let cookie = cookie.split(';').next().expect("a pair");
    let known = [host[0], ("Cookie", cookie)];
    let page = daemon.send("GET", "/", &known, "");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains("cherry@") && page.body.contains("medulla"), "{}", page.body);
    assert!(page.body.contains("open letters") && page.body.contains(&daemon.address), "{}", page.body);
    assert!(!page.body.contains("<script") && !page.body.contains("daemon/token"), "{}", page.body);
    assert!(page.headers["content-security-policy"].starts_with("default-src 'none'"));
    assert_eq!(page.headers["x-frame-options"], "DENY");
    std::fs::write(daemon.files().join("token"), "0123456789abcdef".repeat(4)).expect("ours");
    let page = daemon.send("GET", "/", &known, "").body;
    assert!(page.contains("daemon/token") && page.contains("brainstem down"), "it was replaced: {page}");
    assert_eq!(daemon.send("GET", "/api/instances", &known, "").status, 200);
    let written = daemon.send(
        "POST",
        "/api/memorize",
        &[known[0], known[1], ("Content-Type", "application/json")],
        "{}",
    );
    assert_eq!(written.refusal(), (401, "access.token".into()), "a cookie writes nothing");
    let foreign =
        daemon.send("GET", "/api/instances", &[known[0], known[1], ("Origin", "http://localhost:3000")], "");
    assert_eq!(foreign.status, 403);
}
