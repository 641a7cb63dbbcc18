//! The daemon's counters, in the form that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The counters of one daemon.
#[derive(Debug)]
pub(crate) struct Meters {
    started: Instant,
    /// By door and status. Both come from fixed lists, so their number is bounded.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    calls: Mutex<BTreeMap<(&'static str, &'static str), Spent>>,
    pub(crate) connections: AtomicUsize,
    pub(crate) connections_refused: AtomicU64,
    pub(crate) event_streams: AtomicUsize,
    pub(crate) events: Arc<AtomicU64>,
    pub(crate) sessions: AtomicUsize,
    pub(crate) sessions_evicted: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    count: u64,
    time: Duration,
}

impl Meters {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            requests: Mutex::default(),
            calls: Mutex::default(),
            connections: AtomicUsize::new(0),
            connections_refused: AtomicU64::new(0),
            event_streams: AtomicUsize::new(0),
            events: Arc::default(),
            sessions: AtomicUsize::new(0),
            sessions_evicted: AtomicU64::new(0),
        }
    }

    /// Counts an answered request.
    pub(crate) fn answered(&self, door: &'static str, status: u16) {
        *lock(&self.requests).entry((door, status)).or_default() += 1;
    }

    /// Counts a verb that was run, with its outcome and its time.
    pub(crate) fn called(&self, verb: &'static str, outcome: &'static str, took: Duration) {
        let mut calls = lock(&self.calls);
        let spent = calls.entry((verb, outcome)).or_default();
        spent.count += 1;
        spent.time += took;
    }

    /// The counters as text.
    pub(crate) fn render(&self, pending: usize, waiting: usize) -> String {
        let mut page = String::new();
        let head = |page: &mut String, name: &str, kind: &str, help: &str| {
            let _ = write!(page, "# HELP brainstem_{name} {help}\n# TYPE brainstem_{name} {kind}\n");
        };
        head(&mut page, "info", "gauge", "The version of the program.");
        let _ = writeln!(page, "brainstem_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"));
        let up = self.started.elapsed().as_secs_f64();
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed) as f64;
        let sum = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        let plain = [
            ("uptime_seconds", "gauge", "Seconds since the daemon started.", up),
            ("connections", "gauge", "Connections that are open.", of(&self.connections)),
            (
                "connections_refused_total",
                "counter",
                "Connections that were turned away or had to give way.",
                sum(&self.connections_refused),
            ),
            ("calls_pending", "gauge", "Calls that run or wait.", pending as f64),
            ("mcp_sessions", "gauge", "MCP sessions that are open.", of(&self.sessions)),
            (
                "mcp_sessions_evicted_total",
                "counter",
                "MCP sessions that gave way to others.",
                sum(&self.sessions_evicted),
            ),
            ("event_streams", "gauge", "Streams of events that are open.", of(&self.event_streams)),
            ("live_waiting", "gauge", "Polls of the live channel that wait.", waiting as f64),
            ("events_total", "counter", "Events seen.", sum(&self.events)),
        ];
        for (name, kind, help, value) in plain {
            head(&mut page, name, kind, help);
            let _ = writeln!(page, "brainstem_{name} {value}");
        }
        head(&mut page, "requests_total", "counter", "Requests that were answered, by door and status.");
        for ((door, status), count) in lock(&self.requests).iter() {
            let _ = writeln!(page, "brainstem_requests_total{{door=\"{door}\",status=\"{status}\"}} {count}");
        }
        let calls = lock(&self.calls);
        head(
            &mut page,
            "calls_total",
            "counter",
            "Verbs that were run over REST and MCP, by how they ended.",
        );
        for ((verb, outcome), spent) in calls.iter() {
            let count = spent.count;
            let _ = writeln!(page, "brainstem_calls_total{{verb=\"{verb}\",outcome=\"{outcome}\"}} {count}");
        }
        head(&mut page, "call_seconds_total", "counter", "What those took, waiting included.");
        for ((verb, outcome), spent) in calls.iter() {
            let took = spent.time.as_secs_f64();
            let _ = writeln!(
                page,
                "brainstem_call_seconds_total{{verb=\"{verb}\",outcome=\"{outcome}\"}} {took}"
            );
        }
        page
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-14
    fn the_page_is_prometheus_text() {
        let meters = Meters::new();
        meters.answered("rest", 200);
        meters.answered("rest", 200);
        meters.called("seek", "ok", Duration::from_millis(1500));
        let page = meters.render(3, 0);
        for line in [
            "brainstem_requests_total{door=\"rest\",status=\"200\"} 2",
            "brainstem_calls_total{verb=\"seek\",outcome=\"ok\"} 1",
            "brainstem_call_seconds_total{verb=\"seek\",outcome=\"ok\"} 1.5",
            "brainstem_calls_pending 3",
        ] {
            assert!(page.lines().any(|one| one == line), "{line} in {page}");
        }
        let is_sound = |line: &str| {
            line.starts_with("# ") || line.rsplit_once(' ').is_some_and(|(_, n)| n.parse::<f64>().is_ok())
        };
        assert!(page.lines().all(is_sound), "{page}");
    }
}
