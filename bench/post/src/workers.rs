//! Worker processes that run side by side.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Runs workers side by side, and answers for how many seconds.
pub fn run(what: &str, folder: &Path, processes: usize, messages: usize) -> f64 {
    let program = std::env::current_exe().expect("this program");
    let start = |n: usize| {
        let mut command = Command::new(&program);
        command.args(["worker", what]).arg(folder).arg(n.to_string()).arg(messages.to_string());
        command.stdin(Stdio::piped()).spawn().expect("a worker starts")
    };
    let mut workers: Vec<Child> = (0..processes).map(start).collect();
    // They wait for their standard input to end, so all have started before the first goes on.
    let since = Instant::now();
    for worker in &mut workers {
        worker.stdin.take();
    }
    for mut worker in workers {
        assert!(worker.wait().expect("it ends").success(), "a worker failed");
    }
    since.elapsed().as_secs_f64()
}
