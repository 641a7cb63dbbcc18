//! The last events, kept for readers at their own pace.
//!
//! There is no queue for a reader: each keeps its position in the ring. A reader that is too slow, or was away
//! for too long, finds its position gone, and its stream says so.

use crate::limits::EVENTS_KEPT_MAX;
use brainstem_memory::NewsSubject;
use brainstem_post::inbox::RowId;
use brainstem_post::live::Project;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long the event that a claim went stays in the ring for streams that are open, once no version of the claim is left.
const GOING_KEPT: Duration = Duration::from_secs(2);

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The `event` of the stream.
    pub(crate) name: &'static str,
    /// The document.
    pub(crate) data: String,
    /// Which callers may get it.
    pub(crate) of: EventScope,
    /// What it tells of, which may be erased later.
    pub(crate) about: Option<EventSubject>,
}

/// What an event tells of. The ring forgets the event once this is erased (LED-5, MEM-48).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventSubject {
    /// A message of an inbox: redacted messages have no row.
    Message(RowId),
    /// A claim.
    Claim(NewsSubject),
    /// That a claim went. Readers whose streams are open need its name.
    ClaimGone(NewsSubject),
}

/// What an event is about, which alone decides the callers that get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventScope {
    /// The medulla: all callers.
    Medulla,
    /// A brain, by its fingerprint.
    Brain(String),
    /// The mail of a project, as long as its folder is the same: the sessions in it.
    Mail(Project),
    /// The inbox of an agent or a person, by its slug: the callers whose inbox it is.
    Inbox(String),
    /// The whole home: only callers that ask for all.
    Home,
}

/// The last events of a daemon, numbered from 1.
pub(crate) struct Ring {
    instance: String,
    kept: Mutex<KeptEvents>,
    pub(crate) news: Notify,
}

struct KeptEvents {
    events: VecDeque<KeptEvent>,
    /// The number of the next one.
    next: u64,
}

/// An event with its place in the ring, which stays when the event is withdrawn.
struct KeptEvent {
    /// `None` if it was withdrawn.
    event: Option<Arc<Event>>,
    pushed: Instant,
    /// It goes to streams that were open when it came, and to no reader that comes back.
    is_live_only: bool,
}

/// What a reader finds at its position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RingRead {
    /// These events, and the number of the first. `None` in the place of an event that was withdrawn.
    Events(u64, Vec<Option<Arc<Event>>>),
    /// The events there are gone; the reader continues at this number.
    Gone(u64),
}

impl Ring {
    pub(crate) fn new(instance: &str) -> Self {
        let instance = instance.chars().take(8).collect();
        Self {
            instance,
            kept: Mutex::new(KeptEvents { events: VecDeque::new(), next: 1 }),
            news: Notify::new(),
        }
    }

    pub(crate) fn push(&self, event: Event) {
        let mut kept = self.lock();
        kept.events.push_back(KeptEvent {
            event: Some(Arc::new(event)),
            pushed: Instant::now(),
            is_live_only: false,
        });
        kept.next += 1;
        if kept.events.len() > EVENTS_KEPT_MAX {
            kept.events.pop_front();
        }
        drop(kept);
        self.news.notify_waiters();
    }

    /// The number of the next event.
    pub(crate) fn next(&self) -> u64 {
        self.lock().next
    }

    /// What the events of the ring tell of.
    pub(crate) fn subjects(&self) -> Vec<EventSubject> {
        let kept = self.lock();
        kept.events.iter().filter_map(|kept| kept.event.as_ref()?.about.clone()).collect()
    }

    /// Takes the events about what was erased out of memory. Their numbers stay.
    pub(crate) fn withdraw(&self, rows: &HashSet<RowId>, claims: &HashSet<NewsSubject>) {
        let now = Instant::now();
        for kept in &mut self.lock().events {
            let about = kept.event.as_ref().and_then(|event| event.about.as_ref());
            match about {
                Some(EventSubject::Message(id)) if rows.contains(id) => kept.event = None,
                Some(EventSubject::Claim(claim)) if claims.contains(claim) => kept.event = None,
                Some(EventSubject::ClaimGone(claim)) if claims.contains(claim) => kept.is_live_only = true,
                Some(_) | None => {}
            }
            if kept.is_live_only && now.duration_since(kept.pushed) >= GOING_KEPT {
                kept.event = None;
            }
        }
    }

    /// The events from a number on, a few at a time, for a stream that was opened when `opened` was the next number.
    pub(crate) fn from(&self, number: u64, count_max: usize, opened: u64) -> RingRead {
        let kept = self.lock();
        let first = kept.next - kept.events.len() as u64;
        if number < first || number > kept.next {
            return RingRead::Gone(kept.next);
        }
        let skip = usize::try_from(number - first).unwrap_or(usize::MAX);
        let numbered = (number..).zip(kept.events.iter().skip(skip).take(count_max));
        let shown = |(number, kept): (u64, &KeptEvent)| {
            kept.event.clone().filter(|_| !kept.is_live_only || number >= opened)
        };
        RingRead::Events(number, numbered.map(shown).collect())
    }

    /// The id of an event on the wire. It names the daemon that numbered it.
    pub(crate) fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.instance)
    }

    /// The position after this event id. `None` if the id is not from this daemon, or was never given.
    pub(crate) fn after(&self, id: &str) -> Option<u64> {
        let (instance, number) = id.rsplit_once('-')?;
        let number: u64 = number.parse().ok()?;
        // Decided now: a number of the future may belong to an event by the time the stream looks.
        (instance == self.instance && number < self.next()).then(|| number + 1)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, KeptEvents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str) -> Event {
        Event { name: "claim.written", data: data.to_owned(), of: EventScope::Medulla, about: None }
    }

    fn texts(read: RingRead) -> Vec<Option<String>> {
        let RingRead::Events(_, events) = read else { panic!("gone") };
        events.into_iter().map(|event| event.map(|event| event.data.clone())).collect()
    }

    #[test] // spec: IF-13, LED-5, MEM-48
    fn what_was_erased_leaves_the_ring_and_the_numbers_stay() {
        let ring = Ring::new("0123456789");
        let claim = |slug: &str| NewsSubject { fingerprint: None, slug: slug.to_owned() };
        let row: RowId = "3d2f7a8e-6f0b-8c4d-9a1e-0123456789ab".parse().expect("an id");
        for (data, about) in [
            ("1", EventSubject::Claim(claim("tulip"))),
            ("2", EventSubject::Message(row)),
            ("3", EventSubject::Claim(claim("rose"))),
        ] {
            ring.push(Event { about: Some(about), ..event(data) });
        }
        let opened = ring.next();
        ring.push(Event { about: Some(EventSubject::ClaimGone(claim("tulip"))), ..event("4") });
        ring.withdraw(&HashSet::from([row]), &HashSet::from([claim("tulip")]));
        let rose = Some("3".to_owned());
        let live = [None, None, rose.clone(), Some("4".to_owned())];
        assert_eq!(texts(ring.from(1, 10, opened)), live, "a stream that was open hears that the claim went");
        assert_eq!(
            texts(ring.from(1, 10, ring.next())),
            [None, None, rose.clone(), None],
            "a reader that comes back"
        );
        assert_eq!(ring.subjects().len(), 2, "the words are out of memory");
        ring.lock().events[3].pushed = Instant::now().checked_sub(GOING_KEPT).expect("a time");
        ring.withdraw(&HashSet::new(), &HashSet::new());
        assert_eq!(texts(ring.from(1, 10, opened)), [None, None, rose, None]);
        assert_eq!(ring.after("01234567-4"), Some(5));
    }

    #[test] // spec: IF-13
    fn who_comes_back_goes_on_where_it_was_or_is_told_of_a_gap() {
        let ring = Ring::new("0123456789");
        for n in 1..=3 {
            ring.push(event(&n.to_string()));
        }
        let id = ring.id(1);
        assert_eq!(id, "01234567-1");
        let seen = ring.from(ring.after(&id).expect("ours"), 10, 4);
        assert_eq!(texts(seen), [Some("2".to_owned()), Some("3".to_owned())]);
        assert_eq!(ring.from(4, 10, 4), RingRead::Events(4, Vec::new()));
        assert_eq!(ring.from(5, 10, 4), RingRead::Gone(4), "an id that was never given");
        assert_eq!(ring.after("01234567-3"), Some(4));
        assert_eq!(ring.after("01234567-4"), None, "the next event has this id, and nobody has seen it");
        assert_eq!(ring.after(&format!("01234567-{}", u64::MAX)), None);
        assert_eq!(ring.after("76543210-1"), None);
        assert_eq!(ring.after("nonsense"), None);
        for n in 0..EVENTS_KEPT_MAX {
            ring.push(event(&n.to_string()));
        }
        assert_eq!(ring.lock().events.len(), EVENTS_KEPT_MAX, "it is bounded");
        assert_eq!(ring.from(2, 10, 4), RingRead::Gone(EVENTS_KEPT_MAX as u64 + 4));
    }
}
