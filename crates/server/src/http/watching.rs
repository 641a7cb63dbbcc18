//! The thread that watches the stores: it turns changes into events, after a poke and by itself.

use crate::http::look_signal::LookSignal;
use crate::http::ring::{Event, EventScope, EventSubject, Ring};
use brainstem_api::gate::masked_document;
use brainstem_memory::{DeedKind, Happened, Memory, News, NewsSubject, Newsroom};
use brainstem_post::Post;
use brainstem_post::inbox::{InboxRow, RowId};
use brainstem_post::live::{Hub, LetterEvent, MessageEvent, PostNews, Project, Rounds};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The longest time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The shortest time between two looks: pokes come in groups.
const LOOK_APART: Duration = Duration::from_millis(20);
/// How often it looks at everything, whatever the file events say.
const LOOK_THOROUGHLY_EVERY: Duration = Duration::from_secs(5);

/// The parts that the thread works with.
pub(crate) struct StoreWatch {
    pub(crate) memory: Arc<Memory>,
    pub(crate) ring: Arc<Ring>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) looks: Arc<LookSignal>,
    pub(crate) seen: Arc<AtomicU64>,
    /// The socket for pokes, and the word that they must have.
    pub(crate) pokes: Option<UdpSocket>,
    pub(crate) word: String,
    pub(crate) stop: Arc<AtomicBool>,
}

/// Starts the thread. Without it there are no events, and everything else is served.
pub(crate) fn start(watching: StoreWatch) {
    let started = std::thread::Builder::new().name("watching".into()).spawn(move || watching.run());
    if let Err(error) = started {
        tracing::error!("no events: cannot start the thread that watches: {error}");
    }
}

impl StoreWatch {
    fn run(self) {
        let (mut room, mut rounds) = (Newsroom::default(), Rounds::default());
        let post = Post::new(&self.memory);
        let mut thorough_at = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let (number, is_wanted) = self.looks.begin();
            let thorough = is_wanted || Instant::now() >= thorough_at;
            if thorough {
                thorough_at = Instant::now() + LOOK_THOROUGHLY_EVERY;
            }
            // First, because a message in an inbox may be urgent and the look is short.
            match rounds.listen(&post, &self.hub) {
                Ok(arrived) => arrived.iter().for_each(|row| self.tell(inbox_event(row))),
                Err(why) => tracing::warn!("no events of inboxes: {why}"),
            }
            for item in room.look(&self.memory, thorough) {
                self.tell(event(&item));
            }
            for item in rounds.look(&post, &self.hub, thorough) {
                self.tell(post_event(item));
            }
            self.withdraw_erased(&post, &room, &rounds);
            self.looks.end(number);
            std::thread::sleep(LOOK_APART);
            if self.wait() {
                // The program that poked may have made a brain.
                thorough_at = Instant::now();
            }
        }
    }

    /// Takes the events about messages that were redacted, and about claims that were forgotten, out of the ring.
    fn withdraw_erased(&self, post: &Post, room: &Newsroom, rounds: &Rounds) {
        let (mut rows, mut claims): (Vec<RowId>, Vec<NewsSubject>) = (Vec::new(), Vec::new());
        for about in self.ring.subjects() {
            match about {
                EventSubject::Message(row) => rows.push(row),
                EventSubject::Claim(claim) | EventSubject::ClaimGone(claim) => claims.push(claim),
            }
        }
        let rows = rounds.erased_rows(post, &self.hub, rows);
        self.ring.withdraw(&rows, &room.without_version(&self.memory, &claims));
    }

    /// Publishes an event, with every secret masked.
    fn tell(&self, mut event: Event) {
        self.seen.fetch_add(1, Ordering::Relaxed);
        if let Ok(document) = serde_json::from_str(&event.data) {
            event.data = masked_document(document, &self.memory.floor());
        }
        self.ring.push(event);
    }

    /// Waits for a poke or a file event, or until it is time to look. Returns whether it was a poke.
    fn wait(&self) -> bool {
        let until = Instant::now() + LOOK_EVERY;
        let signal = self.memory.disk().watch_signal();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let heard = match (&self.pokes, &signal) {
                (None, None) => {
                    std::thread::sleep(left);
                    return false;
                }
                (pokes, signal) => listen(pokes.as_ref(), signal.as_ref(), left),
            };
            match heard {
                Heard::Poke if self.is_poke() => return true,
                // A datagram of a program that does not know the word.
                Heard::Poke => {}
                Heard::Files | Heard::Nothing => return false,
            }
        }
    }

    fn is_poke(&self) -> bool {
        let mut said = [0; 256];
        let heard = self.pokes.as_ref().and_then(|pokes| {
            pokes.set_nonblocking(true).ok()?;
            pokes.recv(&mut said).ok()
        });
        heard.is_some_and(|len| said[..len] == *self.word.as_bytes())
    }
}

/// What ended a wait.
enum Heard {
    Poke,
    Files,
    Nothing,
}

/// Waits for a datagram and for file events at once.
fn listen(pokes: Option<&UdpSocket>, signal: Option<&OwnedFd>, wait: Duration) -> Heard {
    let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
    fds.extend(pokes.map(|pokes| PollFd::new(pokes, PollFlags::IN)));
    fds.extend(signal.map(|signal| PollFd::new(signal, PollFlags::IN)));
    let wait = Timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos().into() };
    match poll(&mut fds, Some(&wait)) {
        Ok(0) => Heard::Nothing,
        Ok(_) if pokes.is_some() && !fds[0].revents().is_empty() => Heard::Poke,
        Ok(_) => Heard::Files,
        Err(_) => {
            std::thread::sleep(LOOK_APART);
            Heard::Nothing
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
            let name = match act.kind() {
                Some(DeedKind::Retract) => "claim.retracted",
                Some(DeedKind::Promote) => "claim.promoted",
                Some(_) | None => "act",
            };
            let subject = act.deed().subject();
            let slug = act.deed().slug().map(|slug| slug.as_str());
            let data = json!({
                "act": act.deed().name(), "id": act.id().as_str(), "subject": subject, "slug": slug,
                "source_agent": act.agent(), "timestamp": act.at().as_str(),
            });
            (name, data)
        }
    };
    let of = news.fingerprint.clone().map_or(EventScope::Medulla, EventScope::Brain);
    let subject = |slug: String| NewsSubject { fingerprint: news.fingerprint.clone(), slug };
    let about = match &news.what {
        Happened::Written { slug, .. } => Some(EventSubject::Claim(subject(slug.clone()))),
        Happened::Gone { slug } => Some(EventSubject::ClaimGone(subject(slug.clone()))),
        Happened::Acted(act) => act.deed().slug().map(|slug| EventSubject::Claim(subject(slug.to_string()))),
    };
    Event { name, data: place(data), of, about }
}

/// The event about a message that came into an inbox: whose it is and what it is about, without its payload.
fn inbox_event(row: &InboxRow) -> Event {
    let reference = row.content.reference.as_ref();
    let data = json!({
        "id": row.id.to_string(), "to_agent": row.to.as_str(), "from_agent": row.from,
        "message_type": row.content.kind.as_str(), "subject": row.content.subject,
        "priority": row.content.priority.number(), "ref_id": reference.map(|reference| reference.id.as_str()),
        "created_at": row.created.to_timestamp().to_rfc3339(),
    });
    let (of, about) = (EventScope::Inbox(row.to.to_string()), Some(EventSubject::Message(row.id)));
    Event { name: "inbox.arrived", data: data.to_string(), of, about }
}

/// The event about mail or letters: the box and the kind, without any text.
fn post_event(news: PostNews) -> Event {
    let mail = |name, project: Project, mut data: Value| {
        data["root"] = project.root.as_str().into();
        Event { name, data: data.to_string(), of: EventScope::Mail(project), about: None }
    };
    let message = |seen: &MessageEvent| {
        let mut data = json!({
            "mailbox": seen.mailbox.as_str(), "file": seen.file.as_str(), "from": seen.head.from,
            "type": seen.head.kind.as_str(), "priority": seen.head.priority.as_str(), "subject": seen.head.subject,
            "needs_response": seen.head.needs_response, "timestamp": seen.head.timestamp.to_rfc3339(),
        });
        if seen.tracked {
            data["tracked_by_git"] = true.into();
        }
        data
    };
    let letter = |letter: &LetterEvent| {
        let mut data = json!({ "id": letter.id.to_string(), "class": letter.class, "kind": letter.kind, "source_agent": letter.agent });
        if letter.unrecorded {
            data["unrecorded"] = true.into();
        }
        data
    };
    match news {
        PostNews::Arrived(root, seen) => mail("mail.arrived", root, message(&seen)),
        PostNews::Gone(root, seen) => mail("mail.gone", root, message(&seen)),
        PostNews::Woke(root, wake) => {
            let reply: Vec<&str> = wake.notified.iter().map(|who| who.name.as_str()).collect();
            let data = json!({
                "mailbox": wake.mailbox.as_str(), "files": wake.files, "urgent": wake.urgent,
                "attempt": wake.attempt, "told": reply,
            });
            mail("wake", root, data)
        }
        PostNews::Written(written) => {
            let data = letter(&written).to_string();
            Event { name: "letter.written", data, of: EventScope::Home, about: None }
        }
        PostNews::Filed(whose, filed) => {
            let mut data = letter(&filed);
            data["brain"] = whose.as_ref().map_or("medulla", |(_, origin)| origin.as_str()).into();
            let of = whose.map_or(EventScope::Medulla, |(fingerprint, _)| EventScope::Brain(fingerprint));
            Event { name: "letter.filed", data: data.to_string(), of, about: None }
        }
    }
}
