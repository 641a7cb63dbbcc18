//! Feeds on the command line: one page, for which the caller waits, or page after page until the person ends it. If the daemon
//! goes away, the command waits for the next one.

use crate::call::guarded;
use crate::output::Output;
use brainstem_api::wire::Exit;
use brainstem_api::{Answer, Context, Cursor, Entry, OpenFeed, OpenPage, WaitsOn};
use brainstem_base::next::calls;
use brainstem_base::{ErrorCode, Fault, codes};
use brainstem_server::token_of;
use std::io::{self, Write as _};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The longest single wait.
const TURN: Duration = Duration::from_secs(5);
/// The pause before it asks again: the first one, and the longest.
const PAUSE_FIRST: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(3);
/// Refusals while a daemon ends, is away or starts.
const PASSING: [ErrorCode; 3] = [codes::LIVE_NO_DAEMON, codes::DAEMON_FAILED, codes::DAEMON_BUSY];

/// The first page with content, or the last one when the caller's patience ends.
pub(crate) fn answer(feed: &OpenFeed, cx: &Context, patience: Duration) -> Result<Box<dyn Answer>, Fault> {
    let mut page = feed.page(cx, feed.begin.after)?;
    let mut left = patience;
    while let Some(waits_on) = page.waits_on.clone().filter(|_| !left.is_zero()) {
        let turn = left.min(TURN);
        left -= turn;
        page = next(feed, cx, page.next, &waits_on, turn)?.unwrap_or(page);
    }
    Ok(page.answer)
}

/// Waits for the next page, so long at most; `None` if there are no news.
fn next(
    feed: &OpenFeed,
    cx: &Context,
    after: Cursor,
    waits_on: &WaitsOn,
    turn: Duration,
) -> Result<Option<OpenPage>, Fault> {
    match waits_on {
        WaitsOn::OtherProcess => feed.page_of_other_process(cx, after, turn).map(Some),
        WaitsOn::FeedTopic(topic) => {
            let (ring, rung) = mpsc::channel();
            let _listening = topic.bell().listen(move || {
                let _ = ring.send(());
            });
            let until = Instant::now() + turn;
            while !topic.has_news(after) {
                topic.keep();
                if rung.recv_timeout(until.saturating_duration_since(Instant::now())).is_err() {
                    return Ok(None);
                }
            }
            feed.page(cx, after).map(Some)
        }
    }
}

/// Shows page after page. The request for the next page acknowledges the one that was shown.
pub(crate) fn follow(
    output: Output,
    entry: &'static Entry,
    feed: &OpenFeed,
    cx: &Context,
) -> Result<Exit, Fault> {
    // A caller that begins without a daemon is refused at once. A caller that had a daemon waits for the next.
    let record = cx.memory.daemon();
    let mut had_one = record.is_some();
    record.map(|record| token_of(&cx.memory, &record)).transpose()?;
    let mut away = Away::default();
    let (mut after, mut waits_on) = (feed.begin.after, None);
    loop {
        let asked = guarded(entry, || match &waits_on {
            None => feed.page(cx, after).map(Some),
            Some(waits_on) => next(feed, cx, after, waits_on, TURN),
        });
        let page = match asked {
            Ok(Some(page)) => page,
            Ok(None) => continue,
            Err(fault) if had_one && PASSING.contains(&fault.code) => {
                away.wait(output, &fault);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        had_one = true;
        away.end();
        let text = if output.json {
            // The lines of JSON have no place for notes.
            page.notes.iter().for_each(|note| say(note));
            page.answer.lines().unwrap_or_default().iter().map(|line| format!("{line}\n")).collect()
        } else {
            let mut screen = output.page();
            page.answer.present(&mut screen);
            screen.as_str().to_owned()
        };
        if !text.is_empty() && !output.goes_on(&text) {
            return Ok(Exit::Done);
        }
        (after, waits_on) = (page.next, page.waits_on);
    }
}

/// The time without a daemon. Its beginning and its end are reported on standard error, once each.
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

fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
