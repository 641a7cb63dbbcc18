//! Whether a message is complete. This program delivers complete messages; a script may write one bit by bit into the
//! box.

use super::mailbox::Mailbox;
use brainstem_base::Timestamp;
use brainstem_base::disk::FileKind;
use brainstem_mail::FileName;
use std::path::Path;

/// A file that was written to within this time may be written to again, by a script that opens it for each part.
pub(super) const RECENT_MS: i64 = 2_000;
/// A file that was not written to for this long is complete, even if a program forgot to close it.
pub(super) const FORGOTTEN_MS: i64 = 10 * 60 * 1000;
/// If the system does not say which files are open, a file that was not written to for this long counts as complete
/// before it is replaced.
const QUIET_MS: i64 = 60 * 1000;

/// How far the writer of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// It is complete.
    Done,
    /// A program wrote to it a moment ago, and may go on.
    Recent,
    /// A program has it open for writing.
    Open,
}

impl Mailbox<'_> {
    /// How far the writer of the message at a path of this box is.
    pub fn writing(&self, file: &FileName, path: &Path) -> Writing {
        match self.ms_since_written(path) {
            Some(quiet_ms) if quiet_ms < FORGOTTEN_MS && !self.root.was_given_out(file) => {
                match self.disk().is_open_for_writing(path) {
                    Some(true) => Writing::Open,
                    Some(false) | None if quiet_ms < RECENT_MS => Writing::Recent,
                    Some(false) | None => Writing::Done,
                }
            }
            Some(_) | None => Writing::Done,
        }
    }

    /// Whether another file may replace a message: no program would go on writing into the replaced one.
    pub(super) fn may_replace(&self, file: &FileName, path: &Path) -> bool {
        match self.disk().is_open_for_writing(path) {
            Some(is_open) => !is_open,
            None => {
                self.root.was_given_out(file) || self.ms_since_written(path).is_none_or(|ms| ms >= QUIET_MS)
            }
        }
    }

    /// How long ago a file was last written to. A time in the future comes from a wrong clock, and counts as long ago.
    fn ms_since_written(&self, path: &Path) -> Option<i64> {
        let stat = self.disk().stat(path).ok().filter(|stat| stat.kind == FileKind::File)?;
        let written = Timestamp::from_ms(i64::try_from(stat.modified_ns / 1_000_000).unwrap_or(i64::MAX));
        let ms = self.root.clock.now().ms_since(written);
        (ms > -RECENT_MS).then_some(ms)
    }
}
