//! The daemon of the home, started anew whenever it was killed.

use brainstem_testkit::TestHome;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub(crate) struct Daemon<'a> {
    home: &'a TestHome,
    running: Mutex<Running>,
}

struct Running {
    child: Child,
    at: At,
    since: Instant,
    kills: u64,
}

/// Where it answers, and what opens it.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) address: String,
    pub(crate) token: String,
}

impl<'a> Daemon<'a> {
    pub(crate) fn start(home: &'a TestHome) -> Self {
        let (child, at) = start(home);
        Self { home, running: Mutex::new(Running { child, at, since: Instant::now(), kills: 0 }) }
    }

    pub(crate) fn at(&self) -> At {
        self.running.lock().expect("nobody panics here").at.clone()
    }

    pub(crate) fn kills(&self) -> u64 {
        self.running.lock().expect("nobody panics here").kills
    }

    /// Kills it when it has lived long enough, and starts another.
    pub(crate) fn kill_sometimes(&self, life: Duration) {
        let mut running = self.running.lock().expect("nobody panics here");
        if running.since.elapsed() < life {
            return;
        }
        running.child.kill().expect("it runs");
        running.child.wait().expect("a child can be waited for");
        let (child, at) = start(self.home);
        let kills = running.kills + 1;
        *running = Running { child, at, since: Instant::now(), kills };
    }
}

impl Drop for Daemon<'_> {
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Already gone is as good.
        let _ = running.child.kill();
        let _ = running.child.wait();
    }
}

fn start(home: &TestHome) -> (Child, At) {
    let mut child = home
        .command(Path::new(env!("CARGO_BIN_EXE_brainstem")))
        .args(["up", "--bind", "127.0.0.1:0", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the daemon can be started");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no daemon: {line:?}"));
    let token = std::fs::read_to_string(told["token_file"].as_str().expect("a path")).expect("a token");
    let at = At {
        address: told["address"].as_str().expect("an address").to_owned(),
        token: token.trim().to_owned(),
    };
    (child, at)
}
