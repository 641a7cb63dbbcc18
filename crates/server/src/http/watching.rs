//! The thread that watches the stores: it turns news into events, when poked and by itself.

use crate::http::log::Log;
use crate::http::ring::{Event, Ring};
use brainstem_memory::{Happened, Memory, News, Newsroom};
use serde_json::{Value, json};
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long it looks away at most.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How soon after a look the next poke counts: pokes come in swarms.
const LOOK_APART: Duration = Duration::from_millis(20);
/// How often it looks at everything, whatever the watches say.
const LOOK_THOROUGHLY_EVERY: Duration = Duration::from_secs(5);

/// What the thread works with.
pub(crate) struct Watching {
    pub(crate) memory: Arc<Memory>,
    pub(crate) ring: Arc<Ring>,
    pub(crate) seen: Arc<AtomicU64>,
    /// Where pokes arrive, and what they must say.
    pub(crate) pokes: Option<UdpSocket>,
    pub(crate) word: String,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) log: Log,
}

/// Starts the thread; without one there are no events, and everything else is served.
pub(crate) fn start(watching: Watching) {
    let log = watching.log.clone();
    let started = std::thread::Builder::new().name("watching".into()).spawn(move || watching.run());
    if let Err(error) = started {
        log.line(&format!("no events: cannot start the thread that watches: {error}"));
    }
}

impl Watching {
    fn run(self) {
        let mut room = Newsroom::default();
        let mut thorough_at = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let thorough = Instant::now() >= thorough_at;
            if thorough {
                thorough_at = Instant::now() + LOOK_THOROUGHLY_EVERY;
            }
            for item in room.look(&self.memory, thorough) {
                self.seen.fetch_add(1, Ordering::Relaxed);
                self.ring.push(event(&item));
            }
            std::thread::sleep(LOOK_APART);
            if self.wait() {
                // Whoever pokes may have made a brain.
                thorough_at = Instant::now();
            }
        }
    }

    /// Waits for a poke, or until it is time to look.
    fn wait(&self) -> bool {
        let Some(pokes) = &self.pokes else {
            std::thread::sleep(LOOK_EVERY);
            return false;
        };
        // A timeout is an error like any other here.
        let until = Instant::now() + LOOK_EVERY;
        let mut said = [0; 256];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || pokes.set_read_timeout(Some(left)).is_err() {
                return false;
            }
            match pokes.recv(&mut said) {
                Ok(len) if said[..len] == *self.word.as_bytes() => return true,
                Ok(_) => {}
                Err(_) => {
                    std::thread::sleep(left.min(LOOK_APART));
                    return false;
                }
            }
        }
    }
}

fn event(news: &News) -> Event {
    let place = |mut data: Value| {
        data["brain"] = news.store.as_str().into();
        data["tier"] = if news.fingerprint.is_some() { "project" } else { "medulla" }.into();
        data.to_string()
    };
    let (name, data) = match &news.what {
        Happened::Written { slug, label, source_agent, created } => (
            "claim.written",
            json!({ "slug": slug, "label": label, "source_agent": source_agent, "created": created }),
        ),
        Happened::Gone { slug } => ("claim.gone", json!({ "slug": slug })),
        Happened::Acted(act) => {
            let name = match act.act.as_str() {
                "retract" => "claim.retracted",
                "promote" => "claim.promoted",
                _ => "act",
            };
            let slug = act.subject.rsplit_once('@').map(|(slug, _)| slug);
            let data = json!({
                "act": act.act, "id": act.id, "subject": act.subject, "slug": slug,
                "source_agent": act.agent, "timestamp": act.ts,
            });
            (name, data)
        }
    };
    Event { name, data: place(data), brain: news.fingerprint.clone() }
}
