//! The files of the ledger and of the inbox. The calls of one process share their connections.

use crate::Post;
use brainstem_inbox_sqlite::{LookDepth, MirrorLook, SqliteError, SqliteMirror, look_at_mirror};
use brainstem_ledger_sqlite::SqliteLedger;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The folder of a home in which the ledger is.
pub(crate) const LEDGER_FOLDER: &str = "ledger";
/// The folder of a home in which the mirror is: derived, and may be deleted at any time.
pub const INBOX_FOLDER: &str = "inbox";

/// The connections that the calls of a process share. Each of them notices by itself that its file was removed or replaced.
#[derive(Default)]
struct SharedFiles {
    open: OnceLock<(Arc<SqliteLedger>, Arc<SqliteMirror>)>,
    /// When a call last took one of them; `None` if they were closed since.
    used: Mutex<Option<Instant>>,
}

impl SharedFiles {
    fn used(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Post {
    /// The ledger of the home. Nothing is opened or made before it is asked something.
    pub fn ledger(&self) -> Arc<SqliteLedger> {
        match self.memory().only_looks() {
            true => Arc::new(self.ledger_apart()),
            false => self.shared_files().0,
        }
    }

    /// The ledger with connections of its own, for a walk over all of it: every other call would wait for the shared ones.
    pub(crate) fn ledger_apart(&self) -> SqliteLedger {
        let (disk, clock) = (self.memory().disk().clone(), self.memory().clock().clone());
        SqliteLedger::in_folder(&self.folder_of(LEDGER_FOLDER), disk, clock)
    }

    /// The mirror of the home. Nothing is opened or made before it is asked something.
    pub(crate) fn mirror(&self) -> Arc<SqliteMirror> {
        match self.memory().only_looks() {
            true => Arc::new(self.mirror_apart()),
            false => self.shared_files().1,
        }
    }

    fn mirror_apart(&self) -> SqliteMirror {
        let (disk, clock) = (self.memory().disk().clone(), self.memory().clock().clone());
        SqliteMirror::in_folder(&self.folder_of(INBOX_FOLDER), disk, clock)
    }

    fn shared_files(&self) -> (Arc<SqliteLedger>, Arc<SqliteMirror>) {
        let files = self.memory().kept::<SharedFiles>();
        *files.used() = Some(Instant::now());
        let open = || (Arc::new(self.ledger_apart()), Arc::new(self.mirror_apart()));
        files.open.get_or_init(open).clone()
    }

    /// Closes the shared connections if no call took them for this long. A file that no process has open is whole by itself.
    pub fn close_idle_files(&self, idle: Duration) {
        let files = self.memory().kept::<SharedFiles>();
        if files.used().take_if(|used| used.elapsed() >= idle).is_none() {
            return;
        }
        if let Some((ledger, mirror)) = files.open.get() {
            ledger.close();
            mirror.close();
        }
    }

    /// Looks at the mirror without making or changing anything; `None` if there is none.
    pub(crate) fn look_at_mirror(
        &self,
        depth: LookDepth,
        quarantined_max: usize,
    ) -> Result<Option<MirrorLook>, SqliteError> {
        look_at_mirror(&self.folder_of(INBOX_FOLDER), self.disk(), depth, quarantined_max)
    }

    /// A folder of the home.
    pub(crate) fn folder_of(&self, name: &str) -> PathBuf {
        self.memory().home_path().join(name)
    }
}
