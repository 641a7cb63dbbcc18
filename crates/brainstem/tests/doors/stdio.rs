//! A server on pipes, killed at some time and started again.

use crate::door::{Gone, Way, Went, version_in_rows};
use crate::kept::Claim;
use brainstem_testkit::{Chance, TestHome};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

pub(crate) struct Server<'a> {
    home: &'a TestHome,
    life: Duration,
    chance: Chance,
    running: Option<Running>,
    kills: u64,
}

struct Running {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Dropped when it is no longer needed, which ends its killer's wait.
    done: Sender<()>,
    killer: thread::JoinHandle<bool>,
    asked: u64,
}

impl<'a> Server<'a> {
    pub(crate) fn new(home: &'a TestHome, life: Duration, chance: Chance) -> Self {
        Self { home, life, chance, running: None, kills: 0 }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Gone> {
        if self.running.is_none() {
            self.start()?;
        }
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.running.as_mut().expect("just started").ask("tools/call", params);
        if answer.is_err() {
            self.end();
        }
        Ok(answer?["result"]["structuredContent"].clone())
    }

    fn start(&mut self) -> Result<(), Gone> {
        let mut child = self
            .home
            .command(Path::new(env!("CARGO_BIN_EXE_brainstem")))
            .arg("mcp")
            .current_dir(self.home.cherry())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server can be started");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let (done, over) = channel();
        let after = self.life.mul_f64(0.2 + self.chance.below(800) as f64 / 1_000.0);
        let killer = thread::spawn(move || kill_after(child, after, &over));
        let mut running = Running { input, output: BufReader::new(output), done, killer, asked: 0 };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "soak", "version": "1"}});
        let opened = running.ask("initialize", hello);
        self.running = Some(running);
        if opened.is_err() {
            self.end();
        }
        opened.map(|_| ())
    }

    fn end(&mut self) {
        if let Some(running) = self.running.take() {
            drop((running.input, running.output, running.done));
            self.kills += u64::from(running.killer.join().expect("the killer does not panic"));
        }
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for the end of a child, which closing its input brings about, or kills it. Answers whether it did.
fn kill_after(mut child: Child, after: Duration, over: &Receiver<()>) -> bool {
    let is_killed = matches!(over.recv_timeout(after), Err(std::sync::mpsc::RecvTimeoutError::Timeout));
    if is_killed {
        child.kill().expect("a child can be killed, ended or not");
    }
    child.wait().expect("a child can be waited for");
    is_killed
}

impl Running {
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Gone> {
        self.asked += 1;
        let asked = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.input, "{asked}").map_err(|_| Gone)?;
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) | Err(_) => Err(Gone),
            Ok(_) => serde_json::from_str(&line).map_err(|_| Gone),
        }
    }
}

impl Way for Server<'_> {
    fn name(&self) -> &'static str {
        "MCP over stdio"
    }

    fn remember(&mut self, claim: &Claim) -> Went {
        match self.call("memorize", json!({"label": claim.label(), "text": claim.text()})) {
            Ok(answer) => Went::acknowledged(&answer),
            Err(Gone) => Went::Unanswered,
        }
    }

    fn recall(&mut self, claim: &Claim) -> Result<Option<u64>, Gone> {
        let answer = self.call("seek", json!({"query": claim.word, "document": true}))?;
        Ok(version_in_rows(claim, &answer))
    }

    fn kills(&self) -> u64 {
        self.kills
    }
}
