//! The live channel and the watchdog, with the real daemon and other processes.

use super::mcp::Session;
use super::streams::Events;
use super::{Answer, Daemon, until};
use crate::mcp as stdio;
use crate::program::finish;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;

/// A session of a project, which calls over REST.
pub(super) struct Caller<'a> {
    daemon: &'a Daemon,
    name: &'static str,
    tags: &'static str,
    root: String,
}

impl<'a> Caller<'a> {
    pub(super) fn new(daemon: &'a Daemon, name: &'static str, tags: &'static str) -> Self {
        Self { daemon, name, tags, root: daemon.home.cherry().display().to_string() }
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [
            ("Brainstem-Session", self.name),
            ("Brainstem-Tags", self.tags),
            ("Brainstem-Caller-Root", self.root.as_str()),
        ];
        self.daemon.ask("POST", path, &headers, &body.to_string())
    }

    pub(super) fn poll(&self, cursor: &Value, wait_s: u64) -> Value {
        let answer = self.post("/api/live/poll", &json!({ "cursor": cursor, "wait_s": wait_s }));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    pub(super) fn send(&self, body: &Value) -> Value {
        let answer = self.post("/api/live/send", body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Sends the request of a poll that waits, and reads nothing.
    fn wait(&self) -> TcpStream {
        let mut stream = self.daemon.connect();
        let body = json!({ "wait_s": 600 }).to_string();
        let head = format!(
            "POST /api/live/poll HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nBrainstem-Session: {}\r\nBrainstem-Caller-Root: {}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.daemon.token,
            self.name,
            self.root,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        stream
    }
}

/// A process that ends with the test, however that ends: one that watches would wait for ever.
pub(super) struct Watching(pub(super) Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn messages(polled: &Value) -> Vec<(String, String)> {
    let word = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    let all = polled["messages"].as_array().expect("a list");
    all.iter().map(|message| (word(message, "type"), word(message, "subject"))).collect()
}

pub(super) fn one(kind: &str, subject: &str) -> Vec<(String, String)> {
    vec![(kind.to_owned(), subject.to_owned())]
}

pub(super) fn waiting(daemon: &Daemon) -> f64 {
    daemon.meter("brainstem_live_waiting")
}

/// Waits for the next message while something is done.
fn while_it_waits(caller: &Caller<'_>, cursor: &Value, act: impl FnOnce()) -> Value {
    thread::scope(|scope| {
        let polling = scope.spawn(|| caller.poll(cursor, 600));
        until("it waits", || waiting(caller.daemon) > 0.0);
        act();
        polling.join().expect("an answer")
    })
}

fn urgent(subject: &str) -> String {
    format!(
        "---\nfrom: shell\nto: w1\ntype: alert\ntimestamp: 2026-11-15T10:00:00Z\npriority: urgent\n\
         subject: {subject}\n---\nThe secret body.\n"
    )
}

#[test] // spec: MAIL-17, MAIL-18, IF-13, MEM-22
fn urgent_mail_is_seen_at_once_whoever_writes_the_file() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let (w1, orch) = (Caller::new(&daemon, "w1", "worker"), Caller::new(&daemon, "orch", "orchestrator"));
    orch.poll(&Value::Null, 0);
    let mut own = Events::open(&daemon, &format!("?brain={}", cherry.display()), None);
    let mut other = Events::open(&daemon, &format!("?brain={}", plum.display()), None);

    // Another process sends, while this one waits: what it was waiting for is the answer.
    let send = ["--session", "w9", "mail", "send", "--to", "w1", "--type", "alert", "--priority", "urgent"];
    let words = [&send[..], &["--subject", "fire", "--body", "The secret body."]].concat();
    let first = while_it_waits(&w1, &Value::Null, || {
        daemon.done(&cherry, &words);
    });
    assert_eq!(messages(&first), one("mail", "fire"), "{first}");
    assert_eq!(first["messages"][0]["urgent"], true);
    let heard = orch.poll(&Value::Null, 20);
    assert_eq!(messages(&heard), one("mail", "fire"), "{heard}");

    // A shell moves a file into the box, without a word to anybody.
    let beside = daemon.home.user_home().join("message.md");
    std::fs::write(&beside, urgent("smoke")).expect("written");
    let name = cherry.join(".mail/w1/20261115T100000Z_shell_alert.md");
    let second = while_it_waits(&w1, &first["cursor"], || {
        let moved = finish(daemon.home.command(Path::new("mv")).args([&beside, &name]), b"");
        assert_eq!(moved.status, Some(0), "{moved:?}");
    });
    assert_eq!(messages(&second), one("mail", "smoke"), "{second}");
    assert_eq!(second["messages"][0]["file"], "20261115T100000Z_shell_alert.md");

    // The stream tells the same to who stands there, and to nobody else; and never what a message says.
    for (subject, from) in [("fire", "w9"), ("smoke", "shell")] {
        let told = own.find("mail.arrived").data;
        assert_eq!((&told["subject"], &told["from"]), (&json!(subject), &json!(from)), "{told}");
        assert_eq!(
            (&told["mailbox"], &told["type"], &told["priority"]),
            (&json!("w1"), &json!("alert"), &json!("urgent"))
        );
        assert!(!told.to_string().contains("secret"), "{told}");
    }
    daemon.done(&plum, &["memorize", "Later", "--text", "It came after the mail."]);
    loop {
        let event = other.next().expect("an event");
        assert!(!event.name.starts_with("mail") && event.name != "wake", "{event:?}");
        if event.data["label"] == "Later" {
            break;
        }
    }
}

#[test] // spec: MAIL-17
fn what_was_got_live_is_shown_no_second_time() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let (w1, orch) = (Caller::new(&daemon, "w1", "worker"), Caller::new(&daemon, "orch", "orchestrator"));
    w1.poll(&Value::Null, 0);
    let unread = || {
        daemon.done(&cherry, &["--session", "w1", "mail", "list"])["messages"]
            .as_array()
            .expect("a list")
            .len()
    };
    let mut cursor = Value::Null;
    for n in 0..20 {
        let subject = format!("task {n}");
        let sent = orch.send(&json!({ "target": "w1", "subject": subject, "body": "x", "persist": true }));
        assert_eq!((&sent["recipients"], sent["mailed"].as_array().map(Vec::len)), (&json!(["w1"]), Some(1)));
        let got = w1.poll(&cursor, 20);
        assert_eq!(messages(&got), one("task", &subject), "{got}");
        cursor = got["cursor"].clone();
    }
    assert_eq!(unread(), 1, "the last one is not acknowledged yet");
    // By then the daemon has seen every file, and none of them is news.
    daemon.done(
        &cherry,
        &["--session", "orch", "mail", "send", "--to", "w1", "--type", "task", "--subject", "last"],
    );
    let got = w1.poll(&cursor, 20);
    assert_eq!(messages(&got), one("mail", "last"), "{got}");
    assert_eq!(unread(), 1, "what was only mail is read as mail");
}

#[test] // spec: MAIL-17, MAIL-18
fn a_sender_hears_that_nobody_is_home_and_nobody_reached_is_said() {
    let daemon = Daemon::start().with_two_brains();
    let orch = Caller::new(&daemon, "orch", "orchestrator");
    orch.poll(&Value::Null, 0);
    let sent = orch.send(&json!({ "target": "w7", "subject": "anybody?", "body": "x" }));
    assert_eq!((&sent["recipients"], &sent["daemon"]), (&json!([]), &json!(true)));
    assert_eq!(sent["mailed"][0]["mailbox"], "w7");
    let heard = orch.poll(&Value::Null, 20);
    assert_eq!(messages(&heard), one("nobody_home", "anybody?"), "{heard}");
    let told = &heard["messages"][0];
    assert_eq!((&told["to"], told.get("from")), (&json!("w7"), None), "w7 has sent nothing: {told}");
    let nobody = orch.post("/api/live/send", &json!({ "target": "parent", "body": "x" }));
    assert_eq!(nobody.refusal().1, "live.nobody");
    let long = orch.post("/api/live/send", &json!({ "target": "w7", "body": "x".repeat(65_537) }));
    assert_eq!(long.refusal(), (413, "input.too_large".into()));
}

#[test] // spec: MAIL-4, MAIL-17
fn a_shell_inside_a_session_speaks_on_its_channel_and_another_agent_does_not() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    daemon.done(&cherry, &["--as", "codex:maker", "--session", "w1", "mail", "list"]);
    let told = daemon.done(&cherry, &["--session", "w1", "live", "status", "working"]);
    assert_eq!(told["me"], "w1", "{told}");
    let words = ["--json", "--as", "claude:maker", "--session", "w1", "live", "status", "working"];
    assert_eq!(daemon.run(&cherry, &words).code(), "mail.name_taken");
}

#[test] // spec: MAIL-4, MAIL-17
fn over_rest_a_caller_that_says_nothing_of_itself_is_no_session_of_an_agent() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let root = cherry.display().to_string();
    daemon.done(&cherry, &["--as", "claude:maker", "--session", "w1", "mail", "list"]);
    daemon.done(&cherry, &["mail", "send", "--to", "w1", "--type", "task", "--subject", "for w1 alone"]);
    let headers = [("Brainstem-Session", "w1"), ("Brainstem-Caller-Root", root.as_str())];
    let refused = |method: &str, path: &str, body: &Value| {
        let answer = daemon.ask(method, path, &headers, &body.to_string());
        assert_eq!(answer.refusal(), (409, "mail.name_taken".into()), "{path}");
        assert!(!answer.json().to_string().contains("alone"), "{answer:?}");
    };
    refused("POST", "/api/live/poll", &json!({}));
    refused("POST", "/api/live/send", &json!({ "target": "everyone", "body": "x" }));
    refused("POST", "/api/live/status", &json!({ "status": "working" }));
    refused("GET", "/api/mail", &Value::Null);
    refused("POST", "/api/mail/read", &json!({}));
    refused("POST", "/api/mail/claim", &json!({}));
    refused("POST", "/api/sessions/register", &json!({ "tag": ["worker"] }));
    let own = [&headers[..], &[("Brainstem-Agent", "claude:maker")]].concat();
    let polled = daemon.ask("POST", "/api/live/poll", &own, "{}");
    assert!(polled.status == 200 && polled.json().to_string().contains("for w1 alone"), "{polled:?}");
    // Nor does the name of a connection open a box.
    let other = [
        ("Brainstem-Connection", "w1"),
        ("Brainstem-Agent", "codex:maker"),
        ("Brainstem-Caller-Root", root.as_str()),
    ];
    let polled = daemon.ask("POST", "/api/live/poll", &other, "{}");
    assert_eq!(polled.refusal(), (409, "mail.name_taken".into()));
    // An address of another agent is no session's name.
    let taking = [("Brainstem-Agent", "codex:maker"), ("Brainstem-Caller-Root", root.as_str())];
    let body = json!({ "name": "claude-code" }).to_string();
    let taken = daemon.ask("POST", "/api/sessions/register", &taking, &body);
    assert_eq!(taken.refusal(), (409, "mail.name_taken".into()));
}

#[test] // spec: MAIL-18, IF-14
fn a_killed_daemon_loses_no_mail_and_the_next_one_wakes_again() {
    let mut daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    Caller::new(&daemon, "w1", "worker").poll(&Value::Null, 0);
    let killed = finish(daemon.home.command(Path::new("kill")).args(["-9", &daemon.pid.to_string()]), b"");
    assert_eq!(killed.status, Some(0), "{killed:?}");
    until("the lock is free", || daemon.done(&cherry, &[])["daemon"].is_null());
    daemon.done(
        &cherry,
        &["--session", "orch", "mail", "send", "--to", "w1", "--type", "task", "--subject", "do it"],
    );
    let without = daemon.run(&cherry, &["--json", "--session", "w1", "live", "poll"]).json();
    assert_eq!(without["error"]["code"], "live.no_daemon");
    let fix = without["error"]["fix"].as_str().expect("a fix");
    assert!(
        fix.contains("brainstem up --detach") && fix.contains("brainstem --session w1 mail send"),
        "{fix}"
    );
    let at_once = daemon.run(&cherry, &["--json", "--session", "w1", "live", "watch"]);
    assert_eq!(
        (at_once.status, &at_once.json()),
        (Some(1), &without),
        "a caller that begins without one is refused at once"
    );
    let asked =
        [stdio::initialize("2025-11-25"), stdio::initialized(), stdio::call(1, "poll_messages", json!({}))];
    let lines: String = asked.iter().map(|message| format!("{message}\n")).collect();
    let mut mcp = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    let told = finish(mcp.args(["mcp", "--toolsets", "live"]).current_dir(&cherry), lines.as_bytes()).stdout;
    assert!(
        told.contains("brainstem up --detach") && told.contains("brainstem mail send"),
        "mail is not offered: {told}"
    );
    let again = daemon.done(&cherry, &["up", "--detach", "--bind", "127.0.0.1:0"]);
    daemon.address = again["address"].as_str().expect("an address").to_owned();
    // Its first look is the first attempt, whoever looked before.
    let record: Value =
        serde_json::from_slice(&std::fs::read(daemon.files().join("daemon.json")).expect("a record"))
            .expect("JSON");
    let before = format!("{}-0", &record["instance"].as_str().expect("a word")[..8]);
    let mut events = Events::open(&daemon, &format!("?brain={}", cherry.display()), Some(&before));
    let wake = events.find("wake").data;
    assert_eq!(
        (&wake["mailbox"], &wake["attempt"], &wake["told"]),
        (&json!("w1"), &json!(1), &json!([])),
        "{wake}"
    );
    let told = Caller::new(&daemon, "w1", "worker").poll(&Value::Null, 20);
    assert_eq!(messages(&told), one("mail", "do it"), "{told}");
}

#[test] // spec: IF-14, MAIL-17
fn polls_that_wait_hold_up_nobody_and_end_with_their_callers_and_the_daemon() {
    let daemon = Daemon::start().with_two_brains();
    let w1 = Caller::new(&daemon, "w1", "");
    // As many as may wait, all at once: none is refused because the others begin at the same time.
    let names = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
    let waiters = names.map(|name| Caller::new(&daemon, name, ""));
    let mut waits: Vec<TcpStream> =
        waiters.iter().flat_map(|caller| (0..32).map(|_| caller.wait())).collect();
    until("all wait", || waiting(&daemon) == 256.0);
    // The last of them waits a moment before its call is counted as done.
    until("no place of a call is taken", || daemon.meter("brainstem_calls_pending") == 0.0);
    assert_eq!(waiting(&daemon), 256.0);
    assert_eq!(daemon.get("/api/status").status, 200);
    let full = w1.post("/api/live/poll", &json!({ "wait_s": 1 }));
    assert_eq!(full.refusal(), (503, "daemon.busy".into()));
    assert_eq!(w1.post("/api/live/poll", &json!({})).status, 200, "who does not wait is answered");
    // What wakes all of them turns none of them away.
    let sent = w1.send(&json!({ "target": "everyone", "body": "news", "type": "status" }));
    assert_eq!(sent["recipients"].as_array().map(Vec::len), Some(names.len()), "{sent}");
    for stream in &mut waits {
        stream.set_read_timeout(Some(super::PATIENCE)).expect("a timeout");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200");
    }
    drop(waits);
    // One caller has its share of them.
    let waits: Vec<TcpStream> = (0..32).map(|_| w1.wait()).collect();
    until("all of its own wait", || waiting(&daemon) == 32.0);
    let full = w1.post("/api/live/poll", &json!({ "wait_s": 1 }));
    assert_eq!(full.refusal(), (503, "daemon.busy".into()));
    assert!(full.body.contains("of your polls"), "{full:?}");
    drop(waits);
    until("they are gone", || waiting(&daemon) == 0.0);
    // Over MCP a connection that is lost cancels nothing, and still nobody waits.
    let session = Session::open(&daemon, "2025-06-18", &[("Brainstem-Caller-Root", &w1.root)]);
    let leaving = session.send("poll_messages", json!({ "wait_s": 600 }));
    until("it waits", || waiting(&daemon) == 1.0);
    drop(leaving);
    until("it is gone", || waiting(&daemon) == 0.0);
    // What ends the daemon ends the waiting, well before its time is over.
    let polled = while_it_waits(&w1, &Value::Null, || {
        daemon.done(daemon.home.user_home(), &["down"]);
    });
    assert_eq!(polled["messages"], json!([]));
}

#[test] // spec: IF-2, IF-10, MAIL-17
fn the_command_line_and_stdio_reach_who_is_online() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let watch = daemon
        .home
        .command(Path::new(env!("CARGO_BIN_EXE_brainstem")))
        .args(["--json", "--session", "w1", "--tag", "worker", "live", "watch"])
        .current_dir(&cherry)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut watch = Watching(watch);
    until("it waits", || waiting(&daemon) > 0.0);
    let mut lines = BufReader::new(watch.0.stdout.take().expect("piped")).lines();
    let mut next =
        || serde_json::from_str::<Value>(&lines.next().expect("a line").expect("text")).expect("JSON");
    for subject in ["one", "two"] {
        let words = [
            "--session",
            "orch",
            "live",
            "send",
            "--target",
            "tag:worker",
            "--subject",
            subject,
            "--body",
            "x",
        ];
        assert_eq!(daemon.done(&cherry, &words)["recipients"], json!(["w1"]));
        assert_eq!(next()["subject"], subject);
    }
    // An MCP client over stdio says what it does, and whoever watches as orchestrator hears it.
    Caller::new(&daemon, "lead", "orchestrator").poll(&Value::Null, 0);
    let asked = [
        stdio::initialize("2025-11-25"),
        stdio::initialized(),
        stdio::call(1, "report_status", json!({ "status": "blocked", "note": "no key" })),
        stdio::call(2, "poll_messages", json!({ "wait_s": 600 })),
    ];
    let lines: String = asked.iter().map(|message| format!("{message}\n")).collect();
    let mut mcp = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    mcp.args(["--session", "w2", "mcp", "--toolsets", "live"]).current_dir(&cherry);
    let ran = finish(&mut mcp, lines.as_bytes());
    assert!(ran.stdout.contains(r#""recipients":["lead"]"#), "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 3, "the end of its input ends its waiting: {ran:?}");
    assert_eq!(watch.0.try_wait().expect("asked"), None, "it goes on");
}

#[test] // spec: MAIL-4, IF-25
fn a_handshake_puts_a_session_on_record_and_whoami_shows_it() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let root = cherry.display().to_string();
    let http = Session::open(
        &daemon,
        "2025-06-18",
        &[("Brainstem-Caller-Root", &root), ("Brainstem-Session", "desk")],
    );
    let mut mcp = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    let hello = format!("{}\n{}\n", stdio::initialize("2025-11-25"), stdio::initialized());
    finish(mcp.arg("mcp").current_dir(&plum), hello.as_bytes());
    let names = |at: &Path| -> Vec<String> {
        let listed = daemon.done(at, &["--as", "human:ana", "session", "list"]);
        let rows = listed["sessions"].as_array().expect("a list").clone();
        rows.iter().map(|row| row["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(names(&cherry).contains(&"desk".to_owned()), "{:?}", names(&cherry));
    let given = |name: &String| name.strip_prefix("Test-Client-").is_some_and(|rest| rest.len() == 6);
    let connection = names(&plum).into_iter().find(given).expect("a name that the connection was given");
    // One agent, two places: whoever asks for it sees both, by whatever way it says who it is.
    let of = |told: &Value| -> Vec<(String, String)> {
        let rows = told["sessions"].as_array().expect("a list");
        let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let mut all: Vec<_> = rows.iter().map(|row| (word(row, "name"), word(row, "root"))).collect();
        all.sort();
        all
    };
    let own = of(&http.call("whoami", json!({"all_roots": true}))["structuredContent"]);
    let mail = |at: &Path| at.join(".mail").display().to_string();
    assert_eq!(own, [(connection.clone(), mail(&plum)), ("desk".to_owned(), mail(&cherry))]);
    assert_eq!(of(&daemon.done(&cherry, &["--as", "Test-Client", "whoami", "--all-roots"])), own);
    let mut named = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    let named =
        finish(named.args(["--json", "whoami", "--all-roots"]).env("BRAINSTEM_AGENT", "Test-Client"), b"");
    assert_eq!(of(&named.json()), own);
    let asked = daemon.get("/api/whoami?agent_id=Test-Client&all_roots=true");
    assert_eq!(of(&asked.json()), own);
    // By default nobody is shown another project.
    let here = of(&http.call("whoami", json!({}))["structuredContent"]);
    assert_eq!(here, [("desk".to_owned(), mail(&cherry))]);
    assert_eq!(of(&daemon.done(&plum, &["--as", "Test-Client", "whoami"])), [(connection, mail(&plum))]);
    assert_eq!(of(&daemon.get("/api/whoami?agent_id=Test-Client").json()), []);
}

#[test] // spec: IF-13, MEM-22
fn letters_are_told_without_what_they_say_and_to_whom_they_concern() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let mut all = Events::open(&daemon, "?tier=all-brains", None);
    let mut own = Events::open(&daemon, &format!("?brain={}", cherry.display()), None);
    let mut other = Events::open(&daemon, &format!("?brain={}", plum.display()), None);
    let root = cherry.display().to_string();
    let words = [
        "--as",
        "codex:maker",
        "letter",
        "write",
        "--class",
        "bug",
        "--what",
        "The secret words.",
        "--repo",
        &root,
    ];
    let id = daemon.done(&cherry, &words)["id"].clone();
    let written = all.find("letter.written").data;
    assert_eq!(
        (&written["id"], &written["class"], &written["source_agent"]),
        (&id, &json!("bug"), &json!("codex:maker"))
    );
    daemon.done(&cherry, &["distribute"]);
    let filed = own.find("letter.filed").data;
    assert_eq!(filed["id"], id, "{filed}");
    assert!(!format!("{written}{filed}").contains("secret"));
    daemon.done(&plum, &["memorize", "Later", "--text", "It came after the letter."]);
    loop {
        let event = other.next().expect("an event");
        assert!(!event.name.starts_with("letter"), "{event:?}");
        if event.data["label"] == "Later" {
            break;
        }
    }
}

#[test] // spec: IF-4, MAIL-17
fn what_the_daemon_refuses_to_a_command_is_told_in_words_of_the_command_line() {
    let daemon = Daemon::start();
    let cherry = daemon.home.cherry();
    let fix = |args: &[&str]| {
        let told = daemon.run(&cherry, args).json();
        told["error"]["fix"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
    };
    let nobody = fix(&["--json", "live", "send", "--target", "worktree:/x", "--body", "hi"]);
    assert!(nobody.contains("--everywhere") && !nobody.contains("everywhere: true"), "{nobody}");
    let long = "x".repeat(65 * 1024);
    let body = format!("--body={long}");
    let told = fix(&["--json", "live", "send", "--target", "w1", &body]);
    assert!(told.contains("brainstem mail send"), "{told}");
    // Over MCP it is a tool.
    let root = cherry.display().to_string();
    let session = Session::open(&daemon, "2025-11-25", &[("Brainstem-Caller-Root", &root)]);
    let send = brainstem_base::next::VerbId::LiveSend.id();
    let told = session.call(send, json!({ "target": "w1", "body": long, "agent_id": "codex:maker" }));
    let told =
        told["structuredContent"]["error"]["fix"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    assert!(told.ends_with("mail with op: send"), "{told}");
    let bogus = daemon.post("/api/live/send", &json!({ "target": { "bogus": 1 } })).json();
    assert_eq!(bogus["error"]["field"], "target", "{bogus}");
    assert!(bogus["error"]["fix"].as_str().is_some_and(|fix| fix.contains("session, tag, agent")), "{bogus}");
}
