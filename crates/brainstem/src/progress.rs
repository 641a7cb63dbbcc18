//! The progress of long work, for a person at a terminal; nothing in a pipe (IF-5).

use brainstem_api::Progress;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work that ends sooner shows nothing, and the line is rewritten no more often than this.
const PAUSE: Duration = Duration::from_millis(200);

/// A line that is rewritten in place, if standard error is a terminal.
pub(crate) fn on_terminal() -> Option<Arc<dyn Progress>> {
    let line: Arc<dyn Progress> = Arc::new(ProgressLine(Mutex::new(Instant::now())));
    io::stderr().is_terminal().then_some(line)
}

struct ProgressLine(Mutex<Instant>);

impl Progress for ProgressLine {
    fn done(&self, done: usize, total: usize) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < PAUSE && done < total {
            return;
        }
        *last = Instant::now();
        let text = if done < total { format!("\r{done} of {total}") } else { "\r\x1b[K".to_owned() };
        let _ = io::stderr().write_all(text.as_bytes());
    }
}
