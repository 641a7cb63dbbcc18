//! The daemon as its callers meet it: a process, an address and a token.

#![allow(clippy::disallowed_methods, reason = "tests make real files, and look at them")]

mod advised;
mod bounds;
mod hostile;
mod inbox;
mod inbox_rest;
mod life;
mod live;
mod log;
mod looking;
mod mcp;
mod online;
mod outsiders;
mod parity;
mod paths;
mod planted;
mod post;
mod replaced;
mod routing;
mod screens;
mod streams;
mod topics;
mod unknown;

use crate::program::{Ran, finish};
use brainstem_api::Toolset;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a test waits for something that should come soon: long enough for a machine that builds at the same time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A daemon of a home of its own. It is ended with the test.
struct Daemon {
    home: TestHome,
    address: String,
    token: String,
    pid: u64,
}

/// An answer over HTTP.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The status, and the code of the refusal.
    fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

impl Daemon {
    fn start() -> Self {
        Self::of(TestHome::new(), None)
    }

    /// Starts it from a folder.
    fn of(home: TestHome, cwd: Option<&Path>) -> Self {
        Self::offering(Toolset::ALL, home, cwd)
    }

    /// Starts it from a folder, with these sets of tools.
    fn offering(sets: &[Toolset], home: TestHome, cwd: Option<&Path>) -> Self {
        Self::with_options(&[], sets, home, cwd)
    }

    /// Starts it from a folder, with these sets of tools and options.
    fn with_options(options: &[&str], sets: &[Toolset], home: TestHome, cwd: Option<&Path>) -> Self {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        let toolsets = sets.iter().map(|set| set.as_str()).collect::<Vec<_>>().join(",");
        command
            .args(["--json", "up", "--detach", "--bind", "127.0.0.1:0", "--toolsets", &toolsets])
            .args(options);
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        let ran = finish(&mut command, b"");
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let told = ran.json();
        let token = std::fs::read_to_string(told["token_file"].as_str().expect("a file")).expect("a token");
        Self {
            home,
            address: told["address"].as_str().expect("an address").to_owned(),
            token: token.trim().to_owned(),
            pid: told["pid"].as_u64().expect("a process"),
        }
    }

    /// Runs a command line of the same home, from a folder.
    fn run(&self, cwd: &Path, words: &[&str]) -> Ran {
        let mut command = self.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.args(words).current_dir(cwd), b"")
    }

    fn done(&self, cwd: &Path, words: &[&str]) -> Value {
        let ran = self.run(cwd, &[&["--json"], words].concat());
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.json()
    }

    /// Two projects with a brain and a claim each.
    fn with_two_brains(self) -> Self {
        for (root, text) in [(self.home.cherry(), "Cherries are red."), (self.home.plum(), "Plums are blue.")]
        {
            self.done(&root, &["bootstrap"]);
            self.done(&root, &["memorize", "Colour", "--text", text]);
        }
        self
    }

    /// Sends a request with the token.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![("Host", self.address.as_str()), ("Authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        if !body.is_empty() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            all.push(("Content-Type", "application/json"));
        }
        self.send(method, path, &all, body)
    }

    /// Sends a request with these headers alone.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(&format!("{text}\r\n{body}"))
    }

    /// Sends bytes, and reads the answer to its end.
    fn raw(&self, bytes: &str) -> Answer {
        let mut stream = self.connect();
        // An answer may come before all is sent.
        let _ = stream.write_all(bytes.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        parse(&answer)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[], &body.to_string())
    }

    /// The cookie of a browser that came in by a link.
    fn cookie(&self) -> String {
        let link = self.done(self.home.user_home(), &["page"])["link"].as_str().expect("a link").to_owned();
        let path = link.split_once(&self.address).expect("its address").1.to_owned();
        let entered = self.send("GET", &path, &[("Host", &self.address)], "");
        let set = entered.headers.get("set-cookie").unwrap_or_else(|| panic!("{entered:?}"));
        set.split(';').next().expect("a cookie").to_owned()
    }

    fn is_healthy(&self) -> bool {
        self.send("GET", "/healthz", &[("Host", "localhost")], "").status == 200
    }

    /// A number of `/metrics`.
    fn meter(&self, name: &str) -> f64 {
        let page = self.get("/metrics").body;
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {page}")).parse().expect("a number")
    }

    /// What the process holds in memory, in KiB.
    fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).expect("it lives");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    fn files(&self) -> PathBuf {
        self.home.path().join("daemon")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.run(self.home.user_home(), &["down"]);
    }
}

/// Waits until something holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let is_chunked = headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked");
    let body = if is_chunked { whole(body) } else { body.to_owned() };
    Answer { status: status.unwrap_or(0), headers, body }
}

/// A body without the marks of its pieces.
fn whole(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((len, after)) = rest.split_once("\r\n") {
        let Ok(len) = usize::from_str_radix(len.trim(), 16) else { break };
        body.push_str(after.get(..len).unwrap_or(after));
        rest = after.get(len + 2..).unwrap_or_default();
        if len == 0 {
            break;
        }
    }
    body
}

/// A body of `memorize`.
fn claim(label: &str, text: &str) -> Value {
    json!({ "label": label, "text": text })
}
