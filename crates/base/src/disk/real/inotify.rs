//! Watching a folder on Linux: the kernel keeps the names, and asking costs one call.

use crate::disk::{Changes, Watch};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Room for many events in one call.
const BUFFER_LEN: usize = 16 * 1024;

/// A watch of one folder, asked without waiting.
pub(super) struct Inotify {
    queue: OwnedFd,
}

impl Inotify {
    pub(super) fn on(dir: &Path) -> Option<Self> {
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let wanted = WatchFlags::CREATE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        inotify::add_watch(&queue, dir, wanted).ok()?;
        Some(Self { queue })
    }
}

impl Watch for Inotify {
    fn changes(&mut self) -> Changes {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_LEN];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        let mut names: Vec<OsString> = Vec::new();
        let mut lost = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let about_all = ReadFlags::QUEUE_OVERFLOW
                        | ReadFlags::IGNORED
                        | ReadFlags::UNMOUNT
                        | ReadFlags::DELETE_SELF
                        | ReadFlags::MOVE_SELF;
                    lost |= event.events().intersects(about_all);
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
                    names.extend(name);
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => return Changes::Unknown,
            }
        }
        if lost {
            return Changes::Unknown;
        }
        names.sort_unstable();
        names.dedup();
        Changes::Names(names)
    }
}
