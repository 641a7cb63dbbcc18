//! `hook`: a host calls this program. It is answered within a limit and with status 0, whatever happens (IF-16).

use crate::output::Output;
use crate::{call, surroundings};
use brainstem_api::cli::Globals;
use brainstem_api::wire::Exit;
use brainstem_api::{Context, Effect, hook};
use brainstem_base::Fault;
use brainstem_hosts::payload::{HookEvent, Payload};
use brainstem_hosts::speech;
use brainstem_memory::RootHints;
use serde_json::Value;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a host is kept waiting; hosts give up after ten seconds.
const LIMIT: Duration = Duration::from_secs(5);
/// How long to wait for the host's input.
const INPUT_LIMIT: Duration = Duration::from_millis(1_500);
/// The longest input of a host that is read, in bytes.
const INPUT_LEN_MAX: u64 = 8 * 1024 * 1024;

/// Answers a hook.
pub(crate) fn run(output: Output, globals: &Globals, words: &[String]) -> Exit {
    let until = Instant::now() + LIMIT;
    let Some(event) = words.first().and_then(|word| HookEvent::parse(word)) else {
        // A file of a newer program may call it; a failure would stop the host.
        let shown = brainstem_memory::without_secrets(&words.join(" "));
        let _ = writeln!(io::stderr(), "brainstem: this program knows no hook {shown:?}");
        return Exit::Done;
    };
    let payload = Payload::read(&input(), &surroundings::host_variable);
    let globals = globals.clone();
    let text = within(until, event, payload.clone(), move || {
        let cx = call::context(&globals)?;
        call::check_places(&globals, Effect::Read, &cx.memory, &cx.roots)?;
        Ok(cx)
    });
    let _ = output.text(&speech::context(payload.host, event, text.as_deref()));
    Exit::Done
}

/// The answer, from a store that may be slow, broken or gone. Empty when the time is up.
fn within(
    until: Instant,
    event: HookEvent,
    payload: Payload,
    context: impl FnOnce() -> Result<Context, Fault> + Send + 'static,
) -> Option<String> {
    let (told, answer) = mpsc::channel();
    // A store that hangs blocks this thread alone.
    thread::spawn(move || {
        told.send(context().and_then(|mut cx| {
            if let Some(root) = &payload.root {
                if !cx.roots.is_named() {
                    // A folder that is gone says nothing about its project.
                    let named = RootHints { explicit: Some(root.clone()), ..RootHints::default() };
                    cx.memory.check_named(&named)?;
                }
                cx.roots.cwd = Some(root.clone());
            }
            // The caller is the host's agent, as for the host's MCP server, and not the person at the terminal.
            if let Some(host) = payload.host {
                cx.declared.host = Some(host.as_str().to_owned());
            }
            cx.memory.for_one_question();
            hook::text(event, &payload, &cx)
        }))
    });
    match answer.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(Ok(text)) => text,
        Ok(Err(fault)) => hook::gap(event, fault.code.name(), &brainstem_memory::masked(&fault).message),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            hook::gap(event, "timeout", &format!("no answer within {} seconds", LIMIT.as_secs()))
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            hook::gap(event, "internal.bug", "a check inside failed")
        }
    }
}

/// The host's input, as far as it comes in time. Once the input is complete, this does not wait for its end.
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

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_api::{Door, FoundPlace, Offers};
    use brainstem_base::clock::ManualClock;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use brainstem_memory::{Declared, Memory, NoEmbedder, Parts};
    use std::sync::Arc;

    fn world() -> (SimDisk, Context) {
        let disk = SimDisk::new();
        disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
        disk.make_dirs("/home/ana");
        let memory = Memory::new(Parts {
            disk: Arc::new(disk.clone()),
            clock: Arc::new(ManualClock::at(1_783_209_431_408)),
            ids: Arc::new(CountingIds::from(1)),
            home: "/home/ana/.brainstem".into(),
            user_home: Some("/home/ana".into()),
            meanings: Arc::new(NoEmbedder),
        });
        let cx = Context {
            memory: Arc::new(memory),
            declared: Declared { flag: Some("human:ana".into()), ..Declared::default() },
            roots: RootHints { cwd: Some("/src/cherry".into()), ..RootHints::default() },
            program: None,
            door: Door::command_line(&[]),
            session: None,
            offers: Offers::default(),
            found: FoundPlace::default(),
        };
        let caller = cx.caller().expect("an id that is one");
        cx.memory.bootstrap(&caller, &Default::default()).expect("a working disk");
        (disk, cx)
    }

    #[test] // spec: IF-16
    fn a_store_that_hangs_is_a_gap_with_a_name() {
        let payload = || Payload { session: Some("s".into()), ..Payload::default() };
        for hung in ["/home/ana/.brainstem/project-brains", "/home/ana/.brainstem", "/"] {
            let (disk, cx) = world();
            disk.hang_reads_below(hung);
            let began = Instant::now();
            let context = cx.clone();
            let until = began + Duration::from_millis(200);
            let said = within(until, HookEvent::SessionStart, payload(), move || Ok(context));
            assert!(began.elapsed() < Duration::from_secs(5), "{hung}");
            assert!(said.as_deref().is_some_and(|text| text.contains("gap timeout")), "{hung}: {said:?}");
            let context = cx.clone();
            let until = Instant::now() + Duration::from_millis(200);
            assert_eq!(
                within(until, HookEvent::Stop, payload(), move || Ok(context)),
                None,
                "a stop says nothing"
            );
            disk.release();
        }
    }

    #[test] // spec: IF-16, MEM-15
    fn a_folder_of_the_host_that_is_gone_is_a_gap_and_no_place_without_a_project() {
        let (_, cx) = world();
        let at = |root: &str, cx: Context| {
            let payload =
                Payload { root: Some(root.into()), session: Some("s".into()), ..Payload::default() };
            let said = within(Instant::now() + LIMIT, HookEvent::SessionStart, payload, move || Ok(cx));
            said.unwrap_or_default()
        };
        let said = at("/nope", cx.clone());
        assert!(said.contains("gap memory.root_missing") && !said.contains("in no project"), "{said}");
        assert!(!at("/src/cherry", cx.clone()).contains("gap "));
        // A root from an option or a variable counts before the host's.
        let mut named = cx;
        named.roots.env = Some("/src/cherry".into());
        assert!(!at("/nope", named).contains("gap "));
    }

    #[test] // spec: IF-16
    fn a_check_that_fails_inside_is_a_gap_too() {
        let until = Instant::now() + LIMIT;
        let said = within(until, HookEvent::SessionStart, Payload::default(), || panic!("on purpose"));
        assert!(said.is_some_and(|text| text.contains("gap internal.bug")));
    }

    #[test] // spec: IF-16
    fn the_limit_is_below_what_hosts_are_told() {
        assert!(LIMIT.as_secs() < brainstem_hosts::host::HOOK_TIMEOUT_S);
    }
}
