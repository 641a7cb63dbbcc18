//! The temporary folder of the tour, which is removed however the tour ends.

use crate::surroundings;
use brainstem_base::disk::{FileKind, LockGuard, RealDisk};
use brainstem_base::ids::SystemIds;
use brainstem_base::{Disk, DiskError, Fault, Ids, codes};
use std::future::poll_fn;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::Poll;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What the names of these folders start with.
const PREFIX: &str = "brainstem-tour-";

/// The file inside that is locked while its tour runs.
const LOCK: &str = "lock";

/// The first repository. It is made after the lock is held, so a folder with it belongs to a running tour,
/// which has the lock, or to one that was killed.
const FIRST: &str = "cherry";

/// A folder with a home and two repositories. It is removed when this is dropped, and when a signal ends the program.
pub(super) struct Stage {
    folder: Folder,
    _lock: Box<dyn LockGuard>,
}

/// The folder while it exists. Holding the lock keeps the folder from being removed.
#[derive(Clone, Default)]
struct Folder(Arc<Mutex<Option<PathBuf>>>);

impl Stage {
    /// Makes the folder, and removes those that killed tours left.
    pub(super) fn set() -> Result<Self, Fault> {
        let unusable = |error: DiskError| {
            Fault::new(
                codes::HOME_UNUSABLE,
                format!("the tour needs a folder for a moment: {error}: {}", error.fault()),
            )
            .fix("name a folder that can be written with TMPDIR")
        };
        let disk = RealDisk;
        let temp = disk.canonical(&surroundings::temp_dir()).map_err(unusable)?;
        remove_leftovers(&temp);
        let folder = Folder::default();
        folder.remove_on_signals();
        let top = temp.join(format!("{PREFIX}{}", &SystemIds.temp_suffix()[..12]));
        let mut held = folder.hold();
        disk.make_dir(&top).map_err(unusable)?;
        *held = Some(top.clone());
        drop(held);
        let lock = disk.lock(&top.join(LOCK), Duration::ZERO).map_err(unusable);
        let stage = Self { _lock: lock.inspect_err(|_| folder.remove())?, folder };
        for repository in [FIRST, "plum"] {
            let root = top.join(repository);
            for dir in [root.clone(), root.join(".git"), root.join("src")] {
                disk.make_dir(&dir).map_err(unusable)?;
            }
            // These two files make a repository for this program; git is not needed.
            disk.write_new(&root.join(".git/HEAD"), b"ref: refs/heads/main\n").map_err(unusable)?;
            disk.write_new(&root.join(".git/config"), b"[core]\n\tbare = false\n").map_err(unusable)?;
            disk.write_new(&root.join("src/retry.rs"), b"const TRIES: u32 = 3;\n").map_err(unusable)?;
        }
        Ok(stage)
    }

    /// Runs `act` in the folder. A signal waits for its end, so that the files written meanwhile are removed too.
    pub(super) fn while_it_stands<T>(&self, act: impl FnOnce(&Path) -> T) -> T {
        let held = self.folder.hold();
        act(held.as_deref().unwrap_or(Path::new("")))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.folder.remove();
    }
}

impl Folder {
    fn hold(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self) {
        if let Some(top) = self.hold().take()
            && let Err(error) = remove(&top)
        {
            let _ = writeln!(io::stderr(), "cannot remove {}: {error}", top.display());
        }
    }

    /// Removes the folder and ends the program on Ctrl-C, on a request to end, and when the terminal is closed. Returns when
    /// the signals are caught, or cannot be.
    fn remove_on_signals(&self) {
        let folder = self.clone();
        let (ready, caught) = mpsc::channel();
        let wait = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
            let status = runtime.block_on(async {
                let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
                let caught = kinds.map(|kind| signal(kind).map(|caught| (kind.as_raw_value(), caught)));
                let mut caught: Vec<(i32, Signal)> = caught.into_iter().collect::<io::Result<_>>().ok()?;
                let _ = ready.send(());
                let came = poll_fn(|cx| {
                    let came = caught.iter_mut().find_map(|(number, signal)| {
                        matches!(signal.poll_recv(cx), Poll::Ready(Some(()))).then_some(*number)
                    });
                    came.map_or(Poll::Pending, Poll::Ready)
                });
                // The status that a shell gives for a program that a signal ended.
                Some(128 + came.await)
            })?;
            folder.remove();
            std::process::exit(status)
        };
        // Without the thread, an interrupted tour leaves its folder to the next one.
        let _ =
            std::thread::Builder::new().name("tour-signals".into()).spawn(move || -> Option<()> { wait() });
        let _ = caught.recv();
    }
}

/// Removes the folders of tours that were killed before they could.
fn remove_leftovers(temp: &Path) {
    let disk = RealDisk;
    for entry in disk.list(temp).unwrap_or_default() {
        let is_tours = entry.kind == FileKind::Dir && entry.name.to_string_lossy().starts_with(PREFIX);
        let path = temp.join(&entry.name);
        let is_free = |path: &Path| disk.is_locked(&path.join(LOCK)).is_ok_and(|is_locked| !is_locked);
        // Another person's folder cannot be removed, and stays.
        if is_tours && disk.stat(&path.join(FIRST)).is_ok() && is_free(&path) {
            let _ = remove(&path);
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a folder that a tour has made, and nobody else uses")]
fn remove(top: &Path) -> io::Result<()> {
    std::fs::remove_dir_all(top)
}
