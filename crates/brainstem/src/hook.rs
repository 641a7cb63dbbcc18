//! `hook`: a host calls. Whatever happens, it is answered within a limit, and with status 0 (IF-16).

use crate::output::Output;
use crate::{run, surroundings};
use brainstem_api::cli::Globals;
use brainstem_api::hook;
use brainstem_api::wire::Exit;
use brainstem_base::Fault;
use brainstem_hosts::payload::{Event, Payload};
use brainstem_hosts::speech;
use serde_json::Value;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a host is kept waiting; hosts give up after ten seconds.
const LIMIT: Duration = Duration::from_secs(5);
/// How long the host's own words are waited for.
const INPUT_LIMIT: Duration = Duration::from_millis(1_500);
/// The longest words of a host that are read, in bytes.
const INPUT_LEN_MAX: u64 = 8 * 1024 * 1024;

/// Answers a hook.
pub(crate) fn run(output: Output, globals: &Globals, words: &[String]) -> Exit {
    let until = Instant::now() + LIMIT;
    let Some(event) = words.first().and_then(|word| Event::parse(word)) else {
        // A newer file than this program; to fail would stop the host.
        let _ = writeln!(io::stderr(), "brainstem: this program knows no hook {:?}", words.join(" "));
        return Exit::Done;
    };
    let payload = Payload::read(&input(), &surroundings::host_variable);
    let (told, answer) = mpsc::channel();
    let (globals, asked) = (globals.clone(), payload.clone());
    // A store that hangs holds up this thread, and nobody else.
    thread::spawn(move || told.send(text(event, &asked, &globals)));
    let text = match answer.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(Ok(text)) => text,
        Ok(Err(fault)) => hook::gap(event, fault.code.name(), &brainstem_memory::masked(&fault).message),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            hook::gap(event, "timeout", &format!("no answer within {} seconds", LIMIT.as_secs()))
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => hook::gap(event, "internal.bug", "a check inside failed"),
    };
    let _ = output.text(&speech::context(payload.host, event, text.as_deref()));
    Exit::Done
}

/// What to say, from a store that may be slow, broken or gone.
fn text(event: Event, payload: &Payload, globals: &Globals) -> Result<Option<String>, Fault> {
    let mut cx = run::context(globals)?;
    if let Some(root) = &payload.root {
        cx.roots.cwd = Some(root.clone());
    }
    cx.memory.for_one_question();
    hook::text(event, payload, &cx)
}

/// The host's words, as far as they come in time. A host that leaves its end open is not waited for once the
/// words are whole.
fn input() -> Vec<u8> {
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() {
        return bytes;
    }
    let (read, got) = mpsc::channel();
    thread::spawn(move || {
        let mut stdin = io::stdin().lock().take(INPUT_LEN_MAX);
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(len @ 1..) = stdin.read(&mut chunk) {
            if read.send(chunk[..len].to_vec()).is_err() {
                return;
            }
        }
    });
    let until = Instant::now() + INPUT_LIMIT;
    while let Ok(chunk) = got.recv_timeout(until.saturating_duration_since(Instant::now())) {
        bytes.extend(chunk);
        if bytes.trim_ascii_end().ends_with(b"}") && serde_json::from_slice::<Value>(&bytes).is_ok() {
            break;
        }
    }
    bytes
}
