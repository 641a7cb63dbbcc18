//! `live watch`: what comes is shown when it comes, until the person ends it. A daemon that goes away is waited for.

use crate::call;
use crate::output::Output;
use brainstem_api::wire::Exit;
use brainstem_api::{Context, Entry, Object};
use brainstem_base::next::calls;
use brainstem_base::{ErrorCode, Fault, codes};
use brainstem_server::token_of;
use serde_json::Value;
use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

/// How long it waits before it asks again: the first time, and at most.
const PAUSE_FIRST: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(3);
/// What is answered while a daemon ends, is away or starts.
const PASSING: [ErrorCode; 3] = [codes::LIVE_NO_DAEMON, codes::DAEMON_FAILED, codes::DAEMON_BUSY];

/// Asks again and again. What was shown is acknowledged by asking for what comes after it.
pub(crate) fn run(
    output: Output,
    entry: &'static Entry,
    mut arguments: Object,
    cx: &Context,
) -> Result<Exit, Fault> {
    // Who begins without a daemon is told at once; who has one waits for the next.
    let record = cx.memory.daemon();
    let mut had_one = record.is_some();
    record.map(|record| token_of(&cx.memory, &record)).transpose()?;
    let mut away = Away::default();
    let (post, caller) = (cx.post(), cx.caller()?);
    let begun_at = post.live_place(&caller);
    loop {
        // Another project may have the path by now, and this watch is of the one before.
        post.check_live_place(&caller, begun_at.as_ref())?;
        let answer = match call::answer(entry, arguments.clone(), cx) {
            Ok(answer) => answer,
            Err(fault) if had_one && PASSING.contains(&fault.code) => {
                away.wait(output, &fault);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        had_one = true;
        away.end();
        let document = answer.json()?;
        let text = if output.json {
            tell_losses(&document);
            let messages = document["messages"].as_array().into_iter().flatten();
            messages.map(|message| format!("{message}\n")).collect()
        } else {
            let mut page = output.page();
            answer.present(&mut page);
            page.as_str().to_owned()
        };
        if !text.is_empty() && !output.goes_on(&text) {
            return Ok(Exit::Done);
        }
        arguments.insert("cursor".to_owned(), Value::clone(&document["cursor"]));
    }
}

/// The time without a daemon: its beginning and its end are told on standard error, once each.
#[derive(Default)]
struct Away {
    told: Option<String>,
    pause: Duration,
}

impl Away {
    fn wait(&mut self, output: Output, fault: &Fault) {
        if self.told.as_ref() != Some(&fault.message) {
            if fault.code == codes::LIVE_NO_DAEMON {
                let up = calls::up().line_with(output.typed);
                say(&format!("the daemon is gone; waiting for the next ({up} starts one, Ctrl-C ends this)"));
            } else {
                output.complain(fault);
                say("waiting for the daemon; Ctrl-C ends this");
            }
            self.told = Some(fault.message.clone());
        }
        self.pause = (self.pause * 2).clamp(PAUSE_FIRST, PAUSE_MAX);
        thread::sleep(self.pause);
    }

    fn end(&mut self) {
        if self.told.is_some() {
            say("the daemon is back");
        }
        *self = Self::default();
    }
}

/// What the lines of JSON have no place for.
fn tell_losses(document: &Value) {
    if let Some(gap) = document["gap"].as_str() {
        say(gap);
    }
    if let Some(missed) = document["missed"].as_u64().filter(|missed| *missed > 0) {
        say(&format!("{missed} messages were dropped; see your mail"));
    }
}

fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
