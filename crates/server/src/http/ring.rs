//! The last events, kept for readers at their own pace.
//!
//! There is no queue for a reader: each keeps its position in the ring. A reader that is too slow, or was away
//! for too long, finds its position gone, and its stream says so.

use crate::limits::EVENTS_KEPT_MAX;
use brainstem_post::live::Project;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The `event` of the stream.
    pub(crate) name: &'static str,
    /// The document.
    pub(crate) data: String,
    /// Which callers may get it.
    pub(crate) of: EventScope,
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
    events: VecDeque<Arc<Event>>,
    /// The number of the next one.
    next: u64,
}

/// What a reader finds at its position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RingRead {
    /// These events, and the number of the first.
    Events(u64, Vec<Arc<Event>>),
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
        kept.events.push_back(Arc::new(event));
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

    /// The events from a number on, a few at a time.
    pub(crate) fn from(&self, number: u64, count_max: usize) -> RingRead {
        let kept = self.lock();
        let first = kept.next - kept.events.len() as u64;
        if number < first || number > kept.next {
            return RingRead::Gone(kept.next);
        }
        let skip = usize::try_from(number - first).unwrap_or(usize::MAX);
        RingRead::Events(number, kept.events.iter().skip(skip).take(count_max).cloned().collect())
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
        Event { name: "claim.written", data: data.to_owned(), of: EventScope::Medulla }
    }

    #[test] // spec: IF-13
    fn who_comes_back_goes_on_where_it_was_or_is_told_of_a_gap() {
        let ring = Ring::new("0123456789");
        for n in 1..=3 {
            ring.push(event(&n.to_string()));
        }
        let id = ring.id(1);
        assert_eq!(id, "01234567-1");
        let RingRead::Events(2, seen) = ring.from(ring.after(&id).expect("ours"), 10) else { panic!("kept") };
        assert_eq!(seen.iter().map(|event| &*event.data).collect::<Vec<_>>(), ["2", "3"]);
        assert_eq!(ring.from(4, 10), RingRead::Events(4, Vec::new()));
        assert_eq!(ring.from(5, 10), RingRead::Gone(4), "an id that was never given");
        assert_eq!(ring.after("01234567-3"), Some(4));
        assert_eq!(ring.after("01234567-4"), None, "the next event has this id, and nobody has seen it");
        assert_eq!(ring.after(&format!("01234567-{}", u64::MAX)), None);
        assert_eq!(ring.after("76543210-1"), None);
        assert_eq!(ring.after("nonsense"), None);
        for n in 0..EVENTS_KEPT_MAX {
            ring.push(event(&n.to_string()));
        }
        assert_eq!(ring.lock().events.len(), EVENTS_KEPT_MAX, "it is bounded");
        assert_eq!(ring.from(2, 10), RingRead::Gone(EVENTS_KEPT_MAX as u64 + 4));
    }
}
