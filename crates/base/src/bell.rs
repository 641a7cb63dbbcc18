//! A bell: whatever changes rings it, and its listeners are called.
//!
//! It carries no message. A listener looks for itself what is new, so that a ring too many costs a look and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something that can be rung. Clones are the same bell.
#[derive(Clone, Default)]
pub struct Bell(Arc<Mutex<Listeners>>);

#[derive(Default)]
struct Listeners {
    next: u64,
    calls: BTreeMap<u64, Arc<dyn Fn() + Send + Sync>>,
}

impl Bell {
    /// Calls this at every ring from now on, until the answer is dropped. The call runs on the thread that rings: it must be short.
    #[must_use = "the listening ends when it is dropped"]
    pub fn listen(&self, call: impl Fn() + Send + Sync + 'static) -> Listening {
        let mut listeners = self.listeners();
        let number = listeners.next;
        listeners.next += 1;
        listeners.calls.insert(number, Arc::new(call));
        Listening { bell: self.clone(), number }
    }

    /// Calls every listener.
    pub fn ring(&self) {
        // A listener may begin or end another one.
        let calls: Vec<_> = self.listeners().calls.values().cloned().collect();
        calls.iter().for_each(|call| call());
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listener of a bell, for as long as this value lives.
pub struct Listening {
    bell: Bell,
    number: u64,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let gone = self.bell.listeners().calls.remove(&self.number);
        // What the call holds is dropped without the lock.
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_listener_is_called_until_it_is_dropped() {
        let (bell, count) = (Bell::default(), Arc::new(AtomicUsize::new(0)));
        let listener = || {
            let count = count.clone();
            bell.listen(move || {
                count.fetch_add(1, Ordering::Relaxed);
            })
        };
        bell.ring();
        let (one, other) = (listener(), listener());
        bell.ring();
        assert_eq!(count.load(Ordering::Relaxed), 2);
        drop(one);
        bell.ring();
        assert_eq!(count.load(Ordering::Relaxed), 3);
        drop(other);
        bell.ring();
        assert_eq!(count.load(Ordering::Relaxed), 3);
    }
}
