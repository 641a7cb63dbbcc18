//! Watching folders on Linux: the kernel collects the names, and asking for them costs one call.
//!
//! A user may have only a hundred or so queues at once, over all processes, so a process has one queue for all of its
//! watches.

use crate::disk::{Changes, Watch};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room for many events in one call.
const BUFFER_LEN: usize = 16 * 1024;
/// With more uncollected names than this, the watch reports "look at everything".
const NAMES_MAX: usize = 16 * 1024;

/// The queue of this process, made by its first watch.
static QUEUE: Mutex<Option<Queue>> = Mutex::new(None);

struct Queue {
    queue: OwnedFd,
    /// The watchers of each watch of the kernel, which has one watch per folder for all watchers.
    watches: HashMap<i32, Vec<u64>>,
    /// What each watcher has not collected yet.
    untold: HashMap<u64, Overflowed>,
    /// How many watchers were started.
    begun: u64,
}

#[derive(Default)]
struct Overflowed {
    names: Vec<OsString>,
    lost: bool,
}

/// A watch of one folder. Asking it never waits.
pub(super) struct Inotify(u64);

impl Inotify {
    pub(super) fn on(dir: &Path) -> Option<Self> {
        let mut queue = queue();
        if queue.is_none() {
            let made = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            *queue = Some(Queue { queue: made, watches: HashMap::new(), untold: HashMap::new(), begun: 0 });
        }
        let queue = queue.as_mut()?;
        // Earlier events belong to the earlier watchers.
        queue.drain();
        let wanted = WatchFlags::CREATE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let watch = inotify::add_watch(&queue.queue, dir, wanted).ok()?;
        queue.begun += 1;
        queue.watches.entry(watch).or_default().push(queue.begun);
        queue.untold.insert(queue.begun, Overflowed::default());
        Some(Self(queue.begun))
    }
}

impl Watch for Inotify {
    fn changes(&mut self) -> Changes {
        let mut queue = queue();
        let Some(queue) = queue.as_mut() else { return Changes::Unknown };
        queue.drain();
        let Some(untold) = queue.untold.get_mut(&self.0) else { return Changes::Unknown };
        if untold.lost {
            return Changes::Unknown;
        }
        let mut names = std::mem::take(&mut untold.names);
        names.sort_unstable();
        names.dedup();
        Changes::Names(names)
    }
}

impl Drop for Inotify {
    fn drop(&mut self) {
        let mut queue = queue();
        let Some(queue) = queue.as_mut() else { return };
        queue.untold.remove(&self.0);
        let left = queue.watches.iter_mut().find_map(|(watch, watchers)| {
            watchers.retain(|watcher| *watcher != self.0);
            watchers.is_empty().then_some(*watch)
        });
        if let Some(watch) = left {
            queue.watches.remove(&watch);
            // The kernel removed the watch of a removed folder already.
            let _ = inotify::remove_watch(&queue.queue, watch);
        }
    }
}

/// Readable while the kernel has news for some watch of this process; `None` before the first watch.
pub(super) fn signal() -> Option<OwnedFd> {
    queue().as_ref().and_then(|queue| queue.queue.try_clone().ok())
}

impl Queue {
    /// Takes the events of the kernel and gives them to their watchers.
    fn drain(&mut self) {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_LEN];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    let about_folder = ReadFlags::IGNORED
                        | ReadFlags::UNMOUNT
                        | ReadFlags::DELETE_SELF
                        | ReadFlags::MOVE_SELF;
                    if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                        self.untold.values_mut().for_each(|untold| untold.lost = true);
                        continue;
                    }
                    let lost = event.events().intersects(about_folder);
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    for watcher in self.watches.get(&event.wd()).into_iter().flatten() {
                        let Some(untold) = self.untold.get_mut(watcher) else { continue };
                        untold.lost |= lost || untold.names.len() >= NAMES_MAX;
                        if !untold.lost {
                            untold.names.extend(name.map(OsStr::to_owned));
                        }
                    }
                    if event.events().contains(ReadFlags::IGNORED) {
                        self.watches.remove(&event.wd());
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.untold.values_mut().for_each(|untold| untold.lost = true);
                    break;
                }
            }
        }
    }
}

fn queue() -> MutexGuard<'static, Option<Queue>> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}
