//! Who is connected: those who have shown the token, and strangers, each in a room of their own.
//!
//! Anybody on this machine can open a connection and say nothing. Strangers have a small room, in which the oldest
//! gives way to the next; whoever shows the token leaves it for the large one, so that no number of strangers
//! keeps out who belongs here.

use crate::limits::HttpLimits;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The two rooms.
#[derive(Debug)]
pub(crate) struct Visitors {
    known: Arc<Semaphore>,
    strangers: Mutex<Strangers>,
    strangers_max: usize,
}

#[derive(Debug, Default)]
struct Strangers {
    /// By number, so the oldest comes first.
    here: BTreeMap<u64, CancellationToken>,
    next: u64,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Visitor {
    visitors: Arc<Visitors>,
    number: u64,
    place: Mutex<Place>,
    gone: CancellationToken,
}

#[derive(Debug)]
enum Place {
    Stranger,
    Known { _place: OwnedSemaphorePermit },
}

impl Visitors {
    pub(crate) fn new(limits: &HttpLimits) -> Self {
        Self {
            known: Arc::new(Semaphore::new(limits.connections_max)),
            strangers: Mutex::default(),
            strangers_max: limits.strangers_max,
        }
    }

    /// A stranger comes; of too many the oldest is told to go.
    pub(crate) fn enter(self: &Arc<Self>) -> Visitor {
        let gone = CancellationToken::new();
        let mut strangers = self.lock();
        if strangers.here.len() >= self.strangers_max
            && let Some((_, oldest)) = strangers.here.pop_first()
        {
            oldest.cancel();
        }
        let number = strangers.next;
        strangers.next += 1;
        strangers.here.insert(number, gone.clone());
        drop(strangers);
        Visitor { visitors: self.clone(), number, place: Mutex::new(Place::Stranger), gone }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Strangers> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visitor {
    /// It showed the token, now or before: whether there is a place for it.
    pub(crate) fn is_let_in(&self) -> bool {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Place::Stranger = *place {
            let Ok(known) = self.visitors.known.clone().try_acquire_owned() else { return false };
            *place = Place::Known { _place: known };
            self.leave();
        }
        true
    }

    /// It must make room for another.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    fn leave(&self) {
        self.visitors.lock().here.remove(&self.number);
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-11, IF-14
    fn strangers_give_way_to_each_other_and_never_take_the_place_of_who_is_known() {
        let limits = HttpLimits { connections_max: 2, strangers_max: 3, ..HttpLimits::default() };
        let visitors = Arc::new(Visitors::new(&limits));
        let mut strangers: Vec<Visitor> = (0..3).map(|_| visitors.enter()).collect();
        let is_gone = |visitor: &Visitor| visitor.gone.is_cancelled();
        assert!(!strangers.iter().any(is_gone));
        let one = visitors.enter();
        assert!(is_gone(&strangers[0]) && !is_gone(&strangers[1]), "the oldest gives way");
        assert!(one.is_let_in() && one.is_let_in(), "shown twice is one place");
        strangers.extend((0..20).map(|_| visitors.enter()));
        assert!(!is_gone(&one), "it is no stranger any more");
        assert_eq!(strangers.iter().filter(|visitor| !is_gone(visitor)).count(), 3);
        let two = visitors.enter();
        assert!(two.is_let_in());
        let three = visitors.enter();
        assert!(!three.is_let_in(), "so many are known and no more");
        drop(one);
        assert!(three.is_let_in());
        drop(strangers);
        assert!(visitors.lock().here.is_empty());
    }
}
