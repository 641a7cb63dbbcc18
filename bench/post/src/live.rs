//! How long it takes from a message to its reader: `cargo run --release -- live --program PATH` (MAIL-17, MAIL-18).
//!
//! A daemon of its own home, a reader that waits in a poll over REST, and messages one at a time, each when the reader
//! waits again: files that are renamed into the box, as `mv` does; `brainstem mail send` as a process of its own,
//! counted from its end, when the message is durable, and from its start; and `send` at the channel over REST.
//! Beside them the bare ask: a request that waits for nothing.

use crate::number::number;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);

/// Measures, and prints a table.
pub fn measure(options: &[&str]) {
    let (mut messages, mut program, mut json_file) = (200, None, None);
    for pair in options.chunks(2) {
        match pair {
            ["--messages", count] => messages = number(count),
            ["--program", path] => program = Some(fs::canonicalize(path).expect("the program is there")),
            ["--json", file] => json_file = Some(PathBuf::from(file)),
            other => panic!("{other:?} is not understood"),
        }
    }
    let daemon = Daemon::start(program.expect("--program PATH of a release build of brainstem"));
    let (sender, seen) = channel();
    let mut rows = Vec::new();
    std::thread::scope(|scope| {
        let _stop = Stop(&daemon);
        scope.spawn(|| read(&daemon, sender));
        until_waiting(&daemon);
        println!("| way | messages | p50 | p99 | longest |\n| --- | ---: | ---: | ---: | ---: |");
        let mut row = |name: &str, mut took: Vec<Duration>| {
            took.sort();
            let at =
                |share: f64| took[((took.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1e3;
            println!(
                "| {name} | {} | {:.2} ms | {:.2} ms | {:.2} ms |",
                took.len(),
                at(0.5),
                at(0.99),
                at(1.0)
            );
            rows.push(json!({ "way": name, "messages": took.len(), "p50_ms": at(0.5), "p99_ms": at(0.99),
                "longest_ms": at(1.0) }));
        };
        row("bare ask over REST", (0..messages).map(|_| bare(&daemon)).collect());
        row("live send to poll", (0..messages).map(|n| live(&daemon, &seen, n)).collect());
        row("rename into the box to poll", (0..messages).map(|n| rename(&daemon, &seen, n)).collect());
        let sent: Vec<(Duration, Duration)> = (0..messages).map(|n| send(&daemon, &seen, n)).collect();
        row("mail send, from its start, to poll", sent.iter().map(|(whole, _)| *whole).collect());
        row("mail send, from its end, to poll", sent.iter().map(|(_, after)| *after).collect());
    });
    if let Some(file) = json_file {
        let text = serde_json::to_string_pretty(&json!({ "live": rows })).expect("JSON");
        fs::write(file, text + "\n").expect("the file can be written");
    }
}

struct Daemon {
    folder: tempfile::TempDir,
    program: PathBuf,
    address: String,
    token: String,
}

impl Daemon {
    fn start(program: PathBuf) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut daemon = Self { folder, program, address: String::new(), token: String::new() };
        fs::create_dir_all(daemon.project().join(".git")).expect("a project");
        fs::write(daemon.project().join(".git/HEAD"), "ref: refs/heads/main\n").expect("a project");
        daemon.run(&["bootstrap"]);
        let up = daemon.run(&["up", "--detach", "--bind", "127.0.0.1:0"]);
        daemon.address = up["address"].as_str().expect("an address").to_owned();
        let token = fs::read_to_string(up["token_file"].as_str().expect("a file")).expect("a token");
        daemon.token = token.trim().to_owned();
        daemon
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn run(&self, words: &[&str]) -> Value {
        let mut command = Command::new(&self.program);
        command.env_clear().env("HOME", self.folder.path()).env("BRAINSTEM_BACKGROUND", "off");
        command.arg("--json").args(words).current_dir(self.project()).stdin(Stdio::null());
        let ran = command.output().expect("the program runs");
        assert!(ran.status.success(), "{words:?}: {ran:?}");
        serde_json::from_slice(&ran.stdout).expect("one document")
    }

    fn ask(&self, session: &str, method: &str, path: &str, body: &Value) -> Option<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(700))).ok()?;
        stream.set_nodelay(true).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nBrainstem-Session: {session}\r\nBrainstem-Caller-Root: {}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.token,
            self.project().display(),
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let body = answer.split_once("\r\n\r\n")?.1;
        Some(serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned())))
    }
}

/// Ends the daemon, and with it its reader, whatever failed.
struct Stop<'a>(&'a Daemon);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        let mut command = Command::new(&self.0.program);
        command.env_clear().env("HOME", self.0.folder.path()).arg("down").current_dir(self.0.folder.path());
        let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Polls until the daemon stops, and says when which subject was seen.
fn read(daemon: &Daemon, seen: Sender<(Instant, String)>) {
    let mut cursor = Value::Null;
    while let Some(polled) =
        daemon.ask("reader", "POST", "/api/live/poll", &json!({ "cursor": cursor, "wait_s": 600 }))
    {
        let now = Instant::now();
        for message in polled["messages"].as_array().into_iter().flatten() {
            let subject = message["subject"].as_str().unwrap_or_default().to_owned();
            if seen.send((now, subject)).is_err() {
                return;
            }
        }
        if polled["cursor"].is_null() {
            return;
        }
        cursor = polled["cursor"].clone();
    }
}

fn until_waiting(daemon: &Daemon) {
    let since = Instant::now();
    loop {
        let page = daemon.ask("", "GET", "/metrics", &Value::Null).unwrap_or_default();
        if page.as_str().is_some_and(|page| page.contains("brainstem_live_waiting 1\n")) {
            return;
        }
        assert!(since.elapsed() < PATIENCE, "nobody waits");
    }
}

/// When a subject was seen.
fn when(seen: &Receiver<(Instant, String)>, subject: &str) -> Instant {
    loop {
        let (at, of) = seen.recv_timeout(PATIENCE).expect("it is seen");
        if of == subject {
            return at;
        }
    }
}

fn bare(daemon: &Daemon) -> Duration {
    let since = Instant::now();
    daemon.ask("", "GET", "/healthz", &Value::Null).expect("an answer");
    since.elapsed()
}

fn live(daemon: &Daemon, seen: &Receiver<(Instant, String)>, n: usize) -> Duration {
    until_waiting(daemon);
    let subject = format!("live {n}");
    let since = Instant::now();
    daemon.ask(
        "sender",
        "POST",
        "/api/live/send",
        &json!({ "target": "reader", "subject": subject, "body": "x" }),
    );
    when(seen, &subject) - since
}

fn rename(daemon: &Daemon, seen: &Receiver<(Instant, String)>, n: usize) -> Duration {
    let (subject, mailbox) = (format!("file {n}"), daemon.project().join(".mail/reader"));
    let beside = daemon.folder.path().join("message.md");
    let text = format!(
        "---\nfrom: shell\nto: reader\ntype: alert\ntimestamp: 2026-01-28T15:30:00Z\npriority: urgent\nsubject: {subject}\n---\nLook.\n"
    );
    fs::create_dir_all(&mailbox).and_then(|()| fs::write(&beside, text)).expect("a message");
    // A box that is new is no part of the figure.
    if n == 0 {
        std::thread::sleep(Duration::from_secs(6));
    }
    until_waiting(daemon);
    let since = Instant::now();
    fs::rename(&beside, mailbox.join(format!("20260128T153000Z_shell~{n:04}_alert.md"))).expect("it moves");
    let took = when(seen, &subject) - since;
    clear(&mailbox);
    took
}

fn send(daemon: &Daemon, seen: &Receiver<(Instant, String)>, n: usize) -> (Duration, Duration) {
    let subject = format!("sent {n}");
    until_waiting(daemon);
    let since = Instant::now();
    let to = ["--session", "sender", "mail", "send", "--to", "reader", "--type", "task"];
    daemon.run(&[&to[..], &["--subject", subject.as_str(), "--body", "x"]].concat());
    let sent = Instant::now();
    let at = when(seen, &subject);
    clear(&daemon.project().join(".mail/reader"));
    (at - since, at.saturating_duration_since(sent))
}

/// A reader that reads: what was told of is unread no longer. A pause, because messages come apart.
fn clear(mailbox: &Path) {
    fs::create_dir_all(mailbox.join("read")).expect("a folder");
    let entries = fs::read_dir(mailbox).expect("a box").flatten();
    for entry in entries.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "md")) {
        fs::rename(entry.path(), mailbox.join("read").join(entry.file_name())).expect("it goes");
    }
    std::thread::sleep(PAUSE);
}
