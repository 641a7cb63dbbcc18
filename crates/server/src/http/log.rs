//! The daemon's log: lines in a file of the home, rotated when it grows, written by a thread of its own.
//!
//! No caller waits for a line. If lines come faster than the disk takes them, they are dropped and counted.

use crate::limits::{LOG_LEN_MAX, LOGS_KEPT};
use brainstem_base::{Clock, Disk};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

const LINES_WAITING_MAX: usize = 1024;
/// How much is collected into one write.
const WRITE_LEN_MAX: usize = 64 * 1024;
const LINE_LEN_MAX: usize = 2_000;
/// How long a line waits for others before both are written: each write is synced, and a busy daemon has many lines.
const GATHER: Duration = Duration::from_millis(200);

/// Writes to the log.
#[derive(Clone)]
pub struct Log {
    lines: SyncSender<DaemonLogLine>,
    lost: Arc<AtomicU64>,
    clock: Arc<dyn Clock>,
}

enum DaemonLogLine {
    Text {
        line: String,
        /// It is written at once: the process may end with the event that it reports.
        is_urgent: bool,
    },
    /// All lines before this are written when it is answered.
    Flush(SyncSender<()>),
}

impl Log {
    /// Starts the thread, which ends when the last [`Log`] is dropped.
    pub fn start(disk: Arc<dyn Disk>, clock: Arc<dyn Clock>, path: PathBuf) -> Self {
        let (lines, waiting) = sync_channel(LINES_WAITING_MAX);
        let lost = Arc::new(AtomicU64::new(0));
        let file = LogFile { disk, path, clock: clock.clone(), lost: lost.clone() };
        // If no thread can be started there is no log, and the daemon still serves.
        let _ = std::thread::Builder::new().name("log".into()).spawn(move || file.write(&waiting));
        Self { lines, lost, clock }
    }

    /// Writes a line: the time, the level and the text, with its control characters escaped.
    pub(crate) fn line(&self, level: &str, text: &str, is_urgent: bool) {
        let line = line_of(&*self.clock, level, text);
        if self.lines.try_send(DaemonLogLine::Text { line, is_urgent }).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until every line so far is written.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.lines.send(DaemonLogLine::Flush(done)).is_ok() {
            let _ = written.recv();
        }
    }
}

fn plain(character: char) -> impl Iterator<Item = char> {
    let escaped = character.is_control().then(|| character.escape_default());
    let itself = escaped.is_none().then_some(character);
    escaped.into_iter().flatten().chain(itself)
}

fn line_of(clock: &dyn Clock, level: &str, text: &str) -> String {
    let text: String = text.chars().take(LINE_LEN_MAX).flat_map(plain).collect();
    format!("{} {level} {text}\n", clock.now().to_rfc3339())
}

/// The file and its size.
struct LogFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    clock: Arc<dyn Clock>,
    lost: Arc<AtomicU64>,
}

impl LogFile {
    fn write(&self, waiting: &Receiver<DaemonLogLine>) {
        while let Ok(first) = waiting.recv() {
            let until = Instant::now() + GATHER;
            let (mut text, mut flushed) = (String::new(), Vec::new());
            // Whether more lines may be gathered.
            let mut take = |line, text: &mut String| match line {
                DaemonLogLine::Text { line, is_urgent } => {
                    text.push_str(&line);
                    !is_urgent && text.len() < WRITE_LEN_MAX
                }
                DaemonLogLine::Flush(done) => {
                    flushed.push(done);
                    false
                }
            };
            let mut goes_on = take(first, &mut text);
            while goes_on
                && let Ok(line) = waiting.recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                goes_on = take(line, &mut text);
            }
            self.append(text);
            for done in flushed {
                let _ = done.try_send(());
            }
        }
    }

    fn append(&self, mut text: String) {
        let count = self.lost.swap(0, Ordering::Relaxed);
        if count > 0 {
            let lost = format!("{count} lines were lost: more came than could be written");
            text.push_str(&line_of(&*self.clock, "WARN", &lost));
        }
        if self.disk.stat(&self.path).is_ok_and(|stat| stat.len + text.len() as u64 > LOG_LEN_MAX) {
            set_aside(&*self.disk, &self.path);
        }
        // A failed write is ignored: there is nowhere else to report it.
        let _ = self.disk.append(&self.path, text.as_bytes());
    }
}

/// Renames `daemon.log` to `daemon.log.1`, that one to `.2`, and removes the oldest.
fn set_aside(disk: &dyn Disk, path: &Path) {
    let aged = |age: usize| PathBuf::from(format!("{}.{age}", path.display()));
    for age in (1..LOGS_KEPT).rev() {
        let _ = disk.rename(&aged(age), &aged(age + 1));
    }
    let _ = disk.rename(path, &aged(1));
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::clock::SystemClock;
    use brainstem_base::disk::RealDisk;

    #[test] // spec: IF-14d
    fn a_log_is_set_aside_when_it_grows_and_keeps_its_lines_apart() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("daemon.log");
        let log = Log::start(Arc::new(RealDisk), Arc::new(SystemClock), path.clone());
        log.line("INFO", "one\ntwo \u{1b}[31m", false);
        log.flush();
        let text = RealDisk.read(&path, 1000).expect("written");
        let text = String::from_utf8(text).expect("text");
        assert_eq!(text.lines().count(), 1, "{text:?}");
        assert!(text.contains("Z INFO one\\ntwo \\u{1b}[31m"), "{text:?}");
        let grown = usize::try_from(LOG_LEN_MAX).expect("fits");
        for round in 1..=LOGS_KEPT + 2 {
            RealDisk.append(&path, &vec![b'x'; grown]).expect("grown");
            log.line("INFO", "next", true);
            log.flush();
            let kept =
                (1..=LOGS_KEPT + 2).filter(|age| dir.path().join(format!("daemon.log.{age}")).exists());
            assert_eq!(kept.count(), round.min(LOGS_KEPT));
            assert!(RealDisk.stat(&path).expect("there").len < 100);
        }
    }
}
