//! Times, what they are compared with, and how both are told.

use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

/// Times of one thing, in milliseconds, shortest first.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    /// Takes times in any order.
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    /// The time that this share of all stays below.
    pub fn at(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// The middle.
    pub fn p50(&self) -> f64 {
        self.at(0.5)
    }
}

/// How long one call takes, in milliseconds.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let done = black_box(run());
    (done, started.elapsed().as_secs_f64() * 1e3)
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
        let [p50, p99] = [0.5, 0.99].map(|share| times.at(share));
        self.rows.push(
            json!({"claims": claims, "what": what, "p50_ms": p50, "p99_ms": p99, "count": times.0.len()}),
        );
        println!("| {claims} | {what} | {} ms | {} ms |", short(p50), short(p99));
    }

    /// Notes a number with its unit.
    pub fn number(&mut self, claims: usize, what: &str, number: f64, unit: &str) {
        self.rows.push(json!({"claims": claims, "what": what, "value": number, "unit": unit}));
        println!("| {claims} | {what} | {} {unit} | |", short(number));
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
