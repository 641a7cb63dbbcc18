//! The spans and events of this program, as lines of the daemon's log.
//!
//! A line has the time, the level, the event, and fields as `name=value`. A span is one line, written when it ends: `INFO call
//! door=rest verb=seek caller=agent outcome=ok took_ms=3.1 span=18 in=17`. An event inside a span has the span's fields too.
//! Traces of other crates are left out, because they contain messages of callers.

use crate::http::log::Log;
use brainstem_api::cli::LogLevel;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_core::span::Current;

/// How the targets of this program's own crates begin.
const OWN: &str = "brainstem";

/// Writes the spans, the events and the panics of this process to a log. Only the daemon has one: the other doors trace into
/// nothing.
pub fn write_into(log: Log, level: LogLevel) {
    // A process has one subscriber for its life, and the daemon's is the first.
    if tracing::subscriber::set_global_default(LogSubscriber::new(log, level)).is_ok() {
        log_panics();
    }
}

/// Writes panics to the log too: a detached daemon has no standard error. A formatted message may contain a caller's words, so
/// the log has only constant texts, and the place.
fn log_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let at = panic.location().map(ToString::to_string).unwrap_or_default();
        let text =
            panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("standard error has why");
        tracing::error!(at, "a check failed: {text}");
        before(panic);
    }));
}

/// Writes spans and events into a log.
struct LogSubscriber {
    log: Log,
    level: Level,
    given: AtomicU64,
    open: Mutex<HashMap<u64, OpenSpan>>,
}

/// A span that has not ended.
struct OpenSpan {
    metadata: &'static Metadata<'static>,
    fields: FieldText,
    inside: Option<u64>,
    started: Instant,
    handles: usize,
}

thread_local! {
    /// The spans of this thread, the innermost last.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl LogSubscriber {
    fn new(log: Log, level: LogLevel) -> Self {
        let level = match level {
            LogLevel::Error => Level::ERROR,
            LogLevel::Warn => Level::WARN,
            LogLevel::Info => Level::INFO,
            LogLevel::Debug => Level::DEBUG,
        };
        Self { log, level, given: AtomicU64::new(0), open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, OpenSpan>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, level: &Level, text: &str) {
        self.log.line(level.as_str(), text, *level <= Level::WARN);
    }
}

impl Subscriber for LogSubscriber {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(OWN) && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.level))
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        let current = || attributes.is_contextual().then(innermost).flatten();
        let span = OpenSpan {
            metadata: attributes.metadata(),
            fields: FieldText::of(|fields| attributes.record(fields)),
            inside: attributes.parent().map(Id::into_u64).or_else(current),
            started: Instant::now(),
            handles: 1,
        };
        self.open().insert(id, span);
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        if let Some(span) = self.open().get_mut(&id.into_u64()) {
            values.record(&mut span.fields);
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let FieldText { message, fields } = FieldText::of(|fields| event.record(fields));
        let within = innermost().and_then(|id| {
            let open = self.open();
            let span = open.get(&id)?;
            Some(format!(" in {}{} span={id}", span.metadata.name(), span.fields.fields))
        });
        let text = format!("{message}{fields}{}", within.unwrap_or_default());
        self.write(event.metadata().level(), &text);
    }

    fn enter(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(id.into_u64()));
    }

    fn exit(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| {
            if let Some(at) = entered.iter().rposition(|one| *one == id.into_u64()) {
                entered.remove(at);
            }
        });
    }

    fn clone_span(&self, id: &Id) -> Id {
        if let Some(span) = self.open().get_mut(&id.into_u64()) {
            span.handles += 1;
        }
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let id = id.into_u64();
        let ended = {
            let mut open = self.open();
            let Some(span) = open.get_mut(&id) else { return false };
            span.handles -= 1;
            if span.handles > 0 {
                return false;
            }
            open.remove(&id)
        };
        if let Some(OpenSpan { metadata, fields, inside, started, .. }) = ended {
            let took_ms = started.elapsed().as_secs_f64() * 1000.0;
            let inside = inside.map(|outer| format!(" in={outer}")).unwrap_or_default();
            let text = format!("{}{} took_ms={took_ms:.1} span={id}{inside}", metadata.name(), fields.fields);
            self.write(metadata.level(), &text);
        }
        true
    }

    fn current_span(&self) -> Current {
        let found = innermost().and_then(|id| Some((id, self.open().get(&id)?.metadata)));
        found.map_or_else(Current::none, |(id, metadata)| Current::new(Id::from_u64(id), metadata))
    }
}

fn innermost() -> Option<u64> {
    ENTERED.with_borrow(|entered| entered.last().copied())
}

/// The fields of a span or an event as text.
#[derive(Default)]
struct FieldText {
    message: String,
    /// Each as ` name=value`.
    fields: String,
}

impl FieldText {
    fn of(record: impl FnOnce(&mut Self)) -> Self {
        let mut fields = Self::default();
        record(&mut fields);
        fields
    }
}

impl Visit for FieldText {
    fn record_str(&mut self, field: &Field, value: &str) {
        let is_plain = !value.is_empty() && !value.contains([' ', '"', '=']);
        let _ = match is_plain {
            true => write!(self.fields, " {}={value}", field.name()),
            false => write!(self.fields, " {}={value:?}", field.name()),
        };
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::Disk as _;
    use brainstem_base::clock::SystemClock;
    use brainstem_base::disk::RealDisk;
    use std::sync::Arc;
    use tracing::{debug, debug_span, error, field, info, info_span, warn};

    /// The lines of a log after `act`, without times and durations.
    fn logged(level: LogLevel, act: impl FnOnce()) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("daemon.log");
        let log = Log::start(Arc::new(RealDisk), Arc::new(SystemClock), path.clone());
        tracing::subscriber::with_default(LogSubscriber::new(log.clone(), level), act);
        log.flush();
        let text = String::from_utf8(RealDisk.read(&path, 1 << 20).unwrap_or_default()).expect("text");
        let plain = |line: &str| {
            let (_, line) = line.split_once(' ').expect("a time");
            let is_kept = |word: &&str| !word.starts_with("took_ms=");
            line.split(' ').filter(is_kept).collect::<Vec<_>>().join(" ")
        };
        text.lines().map(plain).collect()
    }

    fn act() {
        let request = debug_span!("request", door = "rest", status = field::Empty).entered();
        let call = info_span!("call", verb = "seek", outcome = field::Empty);
        call.in_scope(|| {
            debug!("small");
            warn!(count = 3, word = "two words", "something odd");
        });
        call.record("outcome", "ok");
        drop(call);
        request.record("status", 200);
        error!("outside");
    }

    #[test] // spec: IF-14d
    fn a_span_is_a_line_and_an_event_names_the_span_it_is_in() {
        assert_eq!(
            logged(LogLevel::Debug, act),
            [
                "DEBUG small in call verb=seek span=2",
                "WARN something odd count=3 word=\"two words\" in call verb=seek span=2",
                "INFO call verb=seek outcome=ok span=2 in=1",
                "ERROR outside in request door=rest status=200 span=1",
                "DEBUG request door=rest status=200 span=1",
            ]
        );
    }

    #[test] // spec: IF-14d
    fn the_level_says_which_spans_and_events_are_written() {
        let words = |level| -> Vec<String> {
            let first = |line: String| line.split(' ').next().expect("a level").to_owned();
            logged(level, act).into_iter().map(first).collect()
        };
        assert_eq!(words(LogLevel::Error), ["ERROR"]);
        assert_eq!(words(LogLevel::Warn), ["WARN", "ERROR"]);
        assert_eq!(words(LogLevel::Info), ["WARN", "INFO", "ERROR"]);
        assert_eq!(words(LogLevel::Debug), ["DEBUG", "WARN", "INFO", "ERROR", "DEBUG"]);
    }

    #[test] // spec: IF-14d
    fn other_crates_write_nothing_into_the_log() {
        let lines = logged(LogLevel::Debug, || {
            error!(target: "rmcp::service", "what a caller said");
            let _span = info_span!(target: "hyper", "what a caller said").entered();
            info!("ours");
        });
        assert_eq!(lines, ["INFO ours"]);
    }

    #[test] // spec: IF-14d
    fn a_span_lives_until_its_last_handle_on_any_thread_is_gone() {
        let lines = logged(LogLevel::Info, || {
            let span = info_span!("call", verb = "seek");
            let (dispatch, other) = (tracing::dispatcher::get_default(Clone::clone), span.clone());
            drop(span);
            let work = move || {
                tracing::dispatcher::with_default(&dispatch, || {
                    other.in_scope(|| info!("on another thread"))
                });
            };
            std::thread::spawn(work).join().expect("done");
        });
        assert_eq!(lines, ["INFO on another thread in call verb=seek span=1", "INFO call verb=seek span=1"]);
    }
}
