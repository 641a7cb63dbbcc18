//! Times, what they are compared with, and how both are told.

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

/// Times of one thing, in milliseconds, shortest first.
#[derive(Clone, Debug)]
pub struct Times {
    wall: Vec<f64>,
    /// What the process had of a processor: the same however busy the machine is.
    processor: Vec<f64>,
}

impl Times {
    /// Takes pairs of a wall-clock time and a processor time, in any order.
    pub fn of(times: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (mut wall, mut processor): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
        wall.sort_by(f64::total_cmp);
        processor.sort_by(f64::total_cmp);
        Self { wall, processor }
    }

    /// The wall-clock time that half of all stay below.
    pub fn wall(&self) -> f64 {
        at(&self.wall, 0.5)
    }

    /// The processor time that half of all stay below.
    pub fn processor(&self) -> f64 {
        at(&self.processor, 0.5)
    }

    /// The shortest.
    pub fn least(&self) -> f64 {
        at(&self.wall, 0.0)
    }
}

fn at(times: &[f64], share: f64) -> f64 {
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

/// How long one call takes, by the clock and on a processor, in milliseconds.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, (f64, f64)) {
    let (started, used) = (Instant::now(), processor_ms());
    let done = black_box(run());
    (done, (started.elapsed().as_secs_f64() * 1e3, processor_ms() - used))
}

fn processor_ms() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 * 1e3 + used.tv_nsec as f64 / 1e6
}

/// Runs things in turn, so that whatever else goes on meets all of them, and answers the times of each.
pub fn in_turn(count: usize, things: &mut [&mut dyn FnMut(usize)]) -> Vec<Times> {
    let mut times = vec![Vec::with_capacity(count); things.len()];
    for round in 0..count {
        for (thing, times) in things.iter_mut().zip(&mut times) {
            times.push(timed(|| thing(round)).1);
        }
    }
    times.into_iter().map(Times::of).collect()
}

/// What was measured in one run; each figure is printed when it is known.
#[derive(Default)]
pub struct Report {
    rows: Vec<Value>,
}

impl Report {
    /// Notes how long something took.
    pub fn times(&mut self, claims: usize, what: &str, times: &Times) {
        let [p50, p99] = [0.5, 0.99].map(|share| at(&times.wall, share));
        let processor = times.processor();
        let count = times.wall.len();
        self.rows.push(json!({
            "claims": claims, "what": what, "p50_ms": p50, "p99_ms": p99, "processor_ms": processor, "count": count
        }));
        println!("| {claims} | {what} | {} ms | {} ms | {} ms |", short(p50), short(p99), short(processor));
    }

    /// Notes a number with its unit.
    pub fn number(&mut self, claims: usize, what: &str, number: f64, unit: &str) {
        self.rows.push(json!({"claims": claims, "what": what, "value": number, "unit": unit}));
        println!("| {claims} | {what} | {} {unit} | | |", short(number));
    }

    /// All of it, for programs.
    pub fn json(&self) -> Value {
        json!({ "figures": self.rows })
    }
}

fn short(number: f64) -> String {
    match number.abs() {
        large if large >= 100.0 => format!("{number:.0}"),
        middle if middle >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}
