//! Notes around a secret: each token is met in many surroundings.

use super::rng::Rng;

pub(crate) type Carrier = (&'static str, fn(&str) -> String);

/// Surroundings of a token.
#[rustfmt::skip]
pub(crate) const CARRIERS: &[Carrier] = &[
    ("bare", |s| s.to_owned()),
    ("env", |s| format!("SERVICE_VALUE={s}")),
    ("json", |s| format!("{{\"value\": \"{s}\", \"region\": \"eu-west-1\"}}")),
    ("yaml", |s| format!("deploy:\n  region: eu\n  value: {s}\n  retries: 3")),
    ("fence", |s| format!("```sh\nexport VALUE={s}\n./deploy.sh\n```")),
    ("backticks", |s| format!("It worked with `{s}` on the second try.")),
    ("query", |s| format!("See https://api.internal/v2/run?v={s}&page=2 for the run.")),
    ("cell", |s| format!("| name | value |\n| --- | --- |\n| ci | {s} |")),
    ("sentence", |s| format!("The value for the build account is {s}.")),
    ("comma", |s| format!("We used {s}, then the job passed.")),
    ("brackets", |s| format!("The build account ({s}) has read access.")),
    ("shell", |s| format!("$ ./login --value '{s}' --quiet")),
    ("log", |s| format!("2026-03-02T10:11:12Z INFO auth accepted value={s} took=12ms")),
    ("windows lines", |s| format!("first line\r\n{s}\r\nlast line")),
    ("accents", |s| format!("für den Zugriff\u{a0}«{s}» benutzen")),
    ("escaped line", |s| format!("{{\"env\": \"A=1\\n{s}\\nB=2\"}}")),
    ("markdown escapes", |s| format!("Use {} here.", s.replace('_', "\\_"))),
    ("smart quotes", |s| format!("He typed \u{201c}{s}\u{201d} into the box.")),
    ("list", |s| format!("- host: build-3\n- {s}\n- port 8443")),
    ("html", |s| format!("<td>{s}</td><td>build</td>")),
    ("comment", |s| format!("fn main() {{}} // {s}")),
    ("colour", |s| format!("\u{1b}[32m{s}\u{1b}[0m ok")),
];

const SENTENCES: &[&str] = &[
    "The importer retries three times and then gives up.",
    "We moved the scheduler to the second machine last week.",
    "Builds take nine minutes since the cache was split.",
    "The queue drains slowly when the mail service is down.",
    "Ports 8080 and 8443 are taken by the old gateway.",
    "Alice owns the billing module, Bob the exporter.",
    "Run the migration before the new binary starts.",
    "Logs are kept for thirty days and then compressed.",
    "The flaky test waits for a lock that nobody holds.",
    "Prefer the pure function; the driver stays thin.",
    "A restart of the worker clears the stuck jobs.",
    "Latency doubled after commit 3f2a91c and halved again.",
    "The staging database is refreshed every Monday.",
    "Use the read replica for reports, never the primary.",
];

/// A note of a few sentences with the text in the middle, or at one end.
pub(crate) fn note(r: &mut Rng, text: &str) -> String {
    let lines =
        |r: &mut Rng, count: usize| (0..count).map(|_| r.one(SENTENCES)).collect::<Vec<_>>().join(" ");
    let (before, after) = match r.below(5) {
        0 => (String::new(), lines(r, 3)),
        1 => (lines(r, 3), String::new()),
        _ => (lines(r, 2), lines(r, 2)),
    };
    let mut note = String::new();
    if !before.is_empty() {
        note += &format!("# Deploying\n\n{before}\n\n");
    }
    note += text;
    if !after.is_empty() {
        note += &format!("\n\n{after}\n");
    }
    note
}
