//! `/api/events`: changes in the stores, as server-sent events.
//!
//! A caller gets the events of its own brain and of the medulla; those of every brain only if it asks for all
//! of them, as at every door (MEM-22).

use crate::caller_key::CallerKey;
use crate::http::answer::{HttpAnswer, refusal};
use crate::http::body::Pieces;
use crate::http::ring::{Event, EventScope, Ring, RingRead};
use crate::http::shared::DaemonParts;
use crate::limits::CALLER_STREAMS_MAX;
use crate::shares::Full;
use brainstem_base::{Fault, codes};
use brainstem_post::live::Project;
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// How often a silent stream sends a comment to show that it is open.
const PULSE: Duration = Duration::from_secs(15);
/// How many events are taken from the ring at once.
const TAKEN_MAX: usize = 64;

/// Which events a caller gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Those of one brain, if there is one, and of the medulla; of mail, those of one mail root; of inboxes, its own.
    Of {
        /// The fingerprint of the brain.
        brain: Option<String>,
        /// The project with the mail root, as it was when the stream began.
        mail: Option<Project>,
        /// The slugs whose inboxes are the caller's.
        inboxes: Vec<String>,
    },
    /// All of them.
    All,
}

impl Audience {
    fn hears(&self, event: &Event) -> bool {
        match self {
            Self::All => true,
            Self::Of { brain, mail, inboxes } => match &event.of {
                EventScope::Medulla => true,
                EventScope::Brain(of) => brain.as_ref() == Some(of),
                EventScope::Mail(project) => mail.as_ref() == Some(project),
                EventScope::Inbox(slug) => inboxes.contains(slug),
                EventScope::Home => false,
            },
        }
    }
}

/// Finds out whose events a caller hears where it is now.
pub(crate) type FindAudience = Arc<dyn Fn() -> Result<Audience, Fault> + Send + Sync>;

/// Where a stream begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StreamStart<'a> {
    /// With the next event.
    Next,
    /// Behind the event with this id.
    After(&'a str),
    /// With the next event, because the events behind this id could not be held to the stores: some may tell of what was erased.
    Unchecked(&'a str),
}

/// Opens a stream.
pub(crate) fn open(
    shared: &Arc<DaemonParts>,
    key: &CallerKey,
    audience: Audience,
    find: FindAudience,
    start: StreamStart<'_>,
) -> HttpAnswer {
    let place = match shared.event_streams.take(key) {
        Ok(place) => place,
        Err(full) => {
            let message = match full {
                Full::ForAll => {
                    format!("{} streams of events are open already", shared.limits.event_streams_max)
                }
                Full::ForThisOne => {
                    format!("{CALLER_STREAMS_MAX} of your streams of events are open already")
                }
            };
            let fault = Fault::new(codes::DAEMON_BUSY, message).fix("close one, and try again").rule("IF-13");
            return refusal(&fault);
        }
    };
    let ring = shared.ring.clone();
    let opened = ring.next();
    let (next, gap) = match start {
        StreamStart::Next => (opened, None),
        StreamStart::After(id) => match ring.after(id) {
            Some(number) => (number, None),
            None => (opened, Some(gap(&ring, Some(id), "this daemon gave no such id"))),
        },
        StreamStart::Unchecked(id) => {
            let why = "the events in between could not be compared with the stores";
            (opened, Some(gap(&ring, Some(id), why)))
        }
    };
    let (sender, body) = Pieces::channel();
    let (stop, meters) = (shared.stop.clone(), shared.meters.clone());
    let (shared, key) = (shared.clone(), key.clone());
    tokio::spawn(async move {
        let _place = place;
        meters.event_streams.fetch_add(1, Ordering::Relaxed);
        let stream = Stream { ring, audience, find, shared, key, sender, next, opened };
        tokio::select! {
            () = stream.run(gap) => {}
            () = stop.cancelled() => {}
        }
        meters.event_streams.fetch_sub(1, Ordering::Relaxed);
    });
    let mut answer = Response::new(body);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer
}

struct Stream {
    ring: Arc<Ring>,
    audience: Audience,
    find: FindAudience,
    shared: Arc<DaemonParts>,
    key: CallerKey,
    sender: Sender<Bytes>,
    next: u64,
    /// The number of the first event that came after the stream was opened.
    opened: u64,
}

impl Stream {
    /// Writes until the reader has gone.
    async fn run(mut self, gap: Option<String>) {
        let hello = format!(": brainstem {}\nretry: 2000\n\n", env!("CARGO_PKG_VERSION"));
        if !self.say(hello).await {
            return;
        }
        if let Some(gap) = gap
            && !self.say(gap).await
        {
            return;
        }
        let ring = self.ring.clone();
        loop {
            // Registered before the look, so that no event in between is missed.
            let news = ring.news.notified();
            tokio::pin!(news);
            news.as_mut().enable();
            match self.ring.from(self.next, TAKEN_MAX, self.opened) {
                RingRead::Gone(next) => {
                    let last = self.ring.id(self.next.saturating_sub(1));
                    let reply =
                        gap_of(&self.ring.id(next - 1), Some(&last), "events in between are no longer kept");
                    self.next = next;
                    if !self.say(reply).await {
                        return;
                    }
                }
                RingRead::Events(_, events) if events.is_empty() => {
                    let woken = tokio::select! {
                        () = news => true,
                        () = tokio::time::sleep(PULSE) => false,
                        () = self.sender.closed() => return,
                    };
                    if !woken && !self.say(": still here\n\n".to_owned()).await {
                        return;
                    }
                }
                RingRead::Events(_, events) => {
                    for event in events {
                        let id = self.ring.id(self.next);
                        self.next += 1;
                        let Some(event) = event else { continue };
                        self.look_for_brain(&event).await;
                        if self.audience.hears(&event) && !self.say(frame(&id, event.name, &event.data)).await
                        {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// A project that had no brain when the stream began may have the one that this event is of by now. In another folder at
    /// its path nothing is heard.
    async fn look_for_brain(&mut self, event: &Event) {
        let Audience::Of { brain: None, mail: Some(begun_at), .. } = &self.audience else { return };
        if !matches!(event.of, EventScope::Brain(_)) {
            return;
        }
        let find = self.find.clone();
        let found = self.shared.look("events", self.key.clone(), move || find()).await;
        if let Ok(Audience::Of { brain: Some(brain), mail: Some(now), inboxes }) = found
            && now == *begun_at
        {
            self.audience = Audience::Of { brain: Some(brain), mail: Some(now), inboxes };
        }
    }

    async fn say(&self, text: String) -> bool {
        self.sender.send(Bytes::from(text)).await.is_ok()
    }
}

fn frame(id: &str, name: &str, data: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}

fn gap(ring: &Ring, since: Option<&str>, why: &str) -> String {
    gap_of(&ring.id(ring.next() - 1), since, why)
}

/// The event that says that some events were lost. Their content is gone.
fn gap_of(id: &str, since: Option<&str>, why: &str) -> String {
    let since: Option<String> = since.map(|since| since.chars().take(80).collect());
    frame(id, "gap", &json!({ "since": since, "why": why }).to_string())
}
