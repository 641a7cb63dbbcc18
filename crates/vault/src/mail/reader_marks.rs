//! The marks of sessions that read a box besides their own: an empty file `readers/<box>/<session>` each.

use crate::durable;
use brainstem_base::{Disk, DiskFault};
use brainstem_mail::name::MailboxName;
use std::path::{Path, PathBuf};

/// The folder of the marks, beside the records.
const READERS: &str = "readers";

/// The folder of the folders of all boxes that have marks, beside the records in this folder.
pub(super) fn all(records: &Path) -> PathBuf {
    records.join(READERS)
}

/// The folder of the marks of a box, beside the records in this folder.
pub(super) fn folder(records: &Path, name: &MailboxName) -> PathBuf {
    all(records).join(name.as_str())
}

/// Marks which boxes a session reads. A session without a mark is found by the slower search through all records.
pub(super) fn mark(disk: &dyn Disk, records: &Path, session: &str, boxes: &[MailboxName]) {
    for name in boxes {
        let dir = folder(records, name);
        let path = dir.join(session);
        let made = match disk.reserve(&path) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(disk, &dir).ok().and_then(|()| disk.reserve(&path).ok())
            }
            made => made.ok(),
        };
        // A mark that is there, or cannot be made, changes nothing.
        let _ = made;
    }
}
