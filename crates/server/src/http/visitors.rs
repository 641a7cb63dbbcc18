//! The open connections: those that have shown the token, and strangers. Each kind has a room of its own.
//!
//! Any program on this machine can open a connection and send nothing. Strangers have a small room, in which the oldest is
//! closed for the next. A connection that shows the token moves to the large room, so strangers can never keep it out. In the
//! large room a connection that waits for its next request is closed for a new one, the longest waiting first; a connection
//! with a request or an answer stays.

use crate::limits::HttpLimits;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a stranger has before it may be closed: time for its first bytes to be read. Until then a new connection waits.
const STRANGER_MIN: Duration = Duration::from_millis(50);

/// The two rooms.
#[derive(Debug)]
pub(crate) struct Visitors {
    rooms: Mutex<Rooms>,
    known_max: usize,
    strangers_max: usize,
}

#[derive(Debug, Default)]
struct Rooms {
    /// By number, so that the oldest comes first.
    strangers: BTreeMap<u64, Stranger>,
    known: BTreeMap<u64, Known>,
    next: u64,
}

#[derive(Debug)]
struct Stranger {
    since: Instant,
    gone: CancellationToken,
}

#[derive(Debug)]
struct Known {
    /// The requests and answers on it.
    busy: usize,
    idle_since: Instant,
    gone: CancellationToken,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct VisitorHandle {
    visitors: Arc<Visitors>,
    number: u64,
    gone: CancellationToken,
}

/// A request or an answer on a connection.
#[derive(Debug)]
pub(crate) struct BusyConnection {
    visitors: Arc<Visitors>,
    number: u64,
}

impl Visitors {
    pub(crate) fn new(limits: &HttpLimits) -> Self {
        let (known_max, strangers_max) = (limits.connections_max, limits.strangers_max);
        Self { rooms: Mutex::default(), known_max, strangers_max }
    }

    /// How long a new connection must wait before it may enter.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let rooms = self.lock();
        if rooms.strangers.len() < self.strangers_max {
            return None;
        }
        let (_, oldest) = rooms.strangers.first_key_value()?;
        STRANGER_MIN.checked_sub(oldest.since.elapsed()).filter(|wait| !wait.is_zero())
    }

    /// Adds a stranger. If there are too many, the oldest is closed.
    pub(crate) fn enter(self: &Arc<Self>) -> VisitorHandle {
        let gone = CancellationToken::new();
        let mut rooms = self.lock();
        if rooms.strangers.len() >= self.strangers_max
            && let Some((_, oldest)) = rooms.strangers.pop_first()
        {
            oldest.gone.cancel();
        }
        let number = rooms.next;
        rooms.next += 1;
        rooms.strangers.insert(number, Stranger { since: Instant::now(), gone: gone.clone() });
        drop(rooms);
        VisitorHandle { visitors: self.clone(), number, gone }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rooms {
    /// Makes room among the known connections, and returns whether there is some now.
    fn make_room(&mut self, known_max: usize) -> bool {
        if self.known.len() < known_max {
            return true;
        }
        let idle = self.known.iter().filter(|(_, known)| known.busy == 0);
        let Some(number) = idle.min_by_key(|(_, known)| known.idle_since).map(|(number, _)| *number) else {
            return false;
        };
        if let Some(known) = self.known.remove(&number) {
            known.gone.cancel();
        }
        true
    }
}

impl VisitorHandle {
    /// Moves a connection that showed the token to the large room, and returns whether there is a place for it.
    pub(crate) fn is_let_in(&self) -> bool {
        let mut rooms = self.visitors.lock();
        if rooms.known.contains_key(&self.number) {
            return true;
        }
        if !rooms.make_room(self.visitors.known_max) {
            return false;
        }
        rooms.strangers.remove(&self.number);
        // It is let in for a request, which counts from now on.
        let known = Known { busy: 0, idle_since: Instant::now(), gone: self.gone.clone() };
        rooms.known.insert(self.number, known);
        true
    }

    /// Marks a request on it, until the returned value is dropped with the answer.
    pub(crate) fn begin(&self) -> BusyConnection {
        if let Some(known) = self.visitors.lock().known.get_mut(&self.number) {
            known.busy += 1;
        }
        BusyConnection { visitors: self.visitors.clone(), number: self.number }
    }

    /// Waits until it must make room for another.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }
}

impl Drop for VisitorHandle {
    fn drop(&mut self) {
        let mut rooms = self.visitors.lock();
        rooms.strangers.remove(&self.number);
        rooms.known.remove(&self.number);
    }
}

impl Drop for BusyConnection {
    fn drop(&mut self) {
        if let Some(known) = self.visitors.lock().known.get_mut(&self.number) {
            known.busy = known.busy.saturating_sub(1);
            known.idle_since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(connections_max: usize, strangers_max: usize) -> Arc<Visitors> {
        let limits = HttpLimits { connections_max, strangers_max, ..HttpLimits::default() };
        Arc::new(Visitors::new(&limits))
    }

    fn is_gone(visitor: &VisitorHandle) -> bool {
        visitor.gone.is_cancelled()
    }

    #[test] // spec: IF-11, IF-14
    fn strangers_give_way_to_each_other_and_never_take_the_place_of_who_is_known() {
        let visitors = rooms(2, 3);
        let mut strangers: Vec<VisitorHandle> = (0..3).map(|_| visitors.enter()).collect();
        assert!(!strangers.iter().any(is_gone));
        let one = visitors.enter();
        assert!(is_gone(&strangers[0]) && !is_gone(&strangers[1]), "the oldest gives way");
        assert!(one.is_let_in() && one.is_let_in(), "shown twice is one place");
        let _first = one.begin();
        strangers.extend((0..20).map(|_| visitors.enter()));
        assert!(!is_gone(&one), "it is no stranger any more");
        assert_eq!(strangers.iter().filter(|visitor| !is_gone(visitor)).count(), 3);
        let two = visitors.enter();
        assert!(two.is_let_in());
        let _second = two.begin();
        let three = visitors.enter();
        assert!(!three.is_let_in(), "so many are known and no more");
        drop(one);
        assert!(three.is_let_in());
        drop((strangers, two, three));
        let left = visitors.lock();
        assert!(left.strangers.is_empty() && left.known.is_empty());
    }

    #[test] // spec: IF-14
    fn a_stranger_has_a_moment_to_say_who_it_is() {
        let visitors = rooms(1, 2);
        let first = visitors.enter();
        assert_eq!(visitors.wait(), None);
        let _second = visitors.enter();
        assert!(
            visitors.wait().is_some_and(|wait| wait <= STRANGER_MIN),
            "the room is full of new connections"
        );
        visitors.lock().strangers.get_mut(&first.number).expect("it is there").since -= STRANGER_MIN;
        assert_eq!(visitors.wait(), None, "the oldest has had its moment");
    }

    #[test] // spec: IF-14b
    fn a_connection_that_waits_for_its_next_request_gives_way() {
        let visitors = rooms(2, 8);
        let (idle, busy) = (visitors.enter(), visitors.enter());
        assert!(idle.is_let_in() && busy.is_let_in());
        let answer = busy.begin();
        drop(idle.begin());
        let next = visitors.enter();
        assert!(next.is_let_in() && is_gone(&idle) && !is_gone(&busy));
        let _request = next.begin();
        let third = visitors.enter();
        assert!(!third.is_let_in(), "both have something on them");
        drop(answer);
        assert!(third.is_let_in() && is_gone(&busy) && !is_gone(&next));
    }
}
