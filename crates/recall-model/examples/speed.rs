//! How long texts take, for each path that this processor has.
//!
//! `cargo run --release -p brainstem-recall-model --example speed`; behind `--`, the name of a path asks for
//! that one alone, and `cold` for no more than the first query of a process.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use brainstem_recall_model::{DIMENSIONS, Embed, Encoder, KernelPath, PieceTable};
use std::hint::black_box;
use std::time::{Duration, Instant};

const QUERY: &str = "what do I have to do about old prices before release";
const DOCUMENT: &str = "The cache must be flushed before every release, otherwise stale prices are shown. Retry the \
    webhook with backoff, at most five times, and never log the authorization header of a request.";
const ROW_COUNT: usize = 100_000;

fn main() {
    let started = Instant::now();
    let first = Encoder::new();
    black_box(first.query(QUERY));
    let took = started.elapsed();
    println!("cold first query: {} ({})", milliseconds(took), KernelPath::best().name());
    let started = Instant::now();
    black_box(PieceTable::new().query(QUERY));
    println!("cold first static query: {}", milliseconds(started.elapsed()));
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    if only.as_deref() == Some("cold") {
        return;
    }

    let table = PieceTable::new();
    show("static, 13 tokens", 2000, || table.query(QUERY));
    let rows: Vec<i8> = (0..ROW_COUNT * DIMENSIONS).map(|index| (index % 251) as i8).collect();
    for path in KernelPath::all().into_iter().filter(|path| wanted(path.name())) {
        let encoder = Encoder::on(path);
        let name = path.name();
        show(&format!("{name}, query of 13 tokens"), 300, || encoder.query(QUERY));
        show(&format!("{name}, document of 42 tokens"), 100, || encoder.document(DOCUMENT));
        let mut out = Vec::new();
        let vector = encoder.query(QUERY).quantised();
        show(&format!("{name}, dots with {ROW_COUNT} rows"), 50, || {
            path.dots(&vector.values, &rows, &mut out);
            out[ROW_COUNT / 2]
        });
    }
}

fn show<T>(what: &str, count: usize, mut run: impl FnMut() -> T) {
    for _ in 0..count / 10 {
        black_box(run());
    }
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let started = Instant::now();
            black_box(run());
            started.elapsed()
        })
        .collect();
    times.sort();
    let [least, half, most] = [0, count / 2, count * 95 / 100].map(|at| milliseconds(times[at]));
    println!("{what}: least {least}, p50 {half}, p95 {most}");
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
