//! One caller that asks for too much, and others beside it.

use super::{Daemon, claim, until};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

/// The locks that a store has so far, all of them held: whoever writes a label that is there waits.
struct Locked(Vec<File>);

impl Locked {
    fn of(daemon: &Daemon, root: &Path) -> Self {
        let card = daemon.done(root, &["brains"]);
        let brain = card["brains"].as_array().expect("brains").iter().find(|one| one["root"] == json!(root));
        let fingerprint = brain.and_then(|one| one["fingerprint"].as_str()).expect("a brain").to_owned();
        let mut locks = Vec::new();
        find_locks(&daemon.home.path(), &fingerprint, &mut locks);
        assert!(!locks.is_empty(), "a store has locks");
        let held = locks.iter().map(|path| {
            let file = File::options().read(true).write(true).open(path).expect("a lock");
            file.lock().expect("locked");
            file
        });
        Self(held.collect())
    }

    fn release(self) {
        for file in self.0 {
            file.unlock().expect("unlocked");
        }
    }
}

fn find_locks(dir: &Path, fingerprint: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_locks(&path, fingerprint, found);
        } else if path.to_string_lossy().contains(fingerprint)
            && path.parent().is_some_and(|of| of.ends_with(".locks"))
        {
            found.push(path);
        }
    }
}

/// Sends a version of the claim that is there, and reads nothing.
fn write_and_leave_open(daemon: &Daemon, agent: &str, number: usize) -> TcpStream {
    let mut stream = daemon.connect();
    let body = claim("Colour", &format!("Cherries are red, said for the {number}. time.")).to_string();
    let head = format!(
        "POST /api/memorize HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Brainstem-Agent: {agent}\r\nBrainstem-Caller-Root: {}\r\nContent-Length: {}\r\n\r\n{body}",
        daemon.token,
        daemon.home.cherry().display(),
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream
}

fn pending(daemon: &Daemon) -> f64 {
    daemon.meter("brainstem_calls_pending")
}

#[test] // spec: IF-14b
fn an_agent_whose_calls_hang_leaves_the_others_served() {
    let daemon = Daemon::start().with_two_brains();
    let plum = daemon.home.plum().display().to_string();
    let locked = Locked::of(&daemon, &daemon.home.cherry());
    let hanging: Vec<TcpStream> = (0..64).map(|n| write_and_leave_open(&daemon, "greedy:maker", n)).collect();
    until("they run or wait", || pending(&daemon) >= 64.0);
    let cherry = daemon.home.cherry().display().to_string();
    let headers = [("Brainstem-Agent", "greedy:maker"), ("Brainstem-Caller-Root", cherry.as_str())];
    let more = daemon.ask("GET", "/api/list", &headers, "");
    assert_eq!(more.refusal(), (503, "daemon.busy".into()));
    assert!(more.body.contains("of your calls"), "{more:?}");
    let innocent = [("Brainstem-Agent", "innocent:maker"), ("Brainstem-Caller-Root", plum.as_str())];
    assert_eq!(daemon.ask("GET", "/api/whoami", &innocent, "").status, 200);
    let wrote = daemon.ask("POST", "/api/memorize", &innocent, &claim("Served", "At once.").to_string());
    assert_eq!(wrote.status, 200, "{wrote:?}");
    assert!(pending(&daemon) >= 60.0, "and the others still hang");
    drop(hanging);
    locked.release();
    until("all is done", || pending(&daemon) == 0.0);
}

#[test] // spec: IF-7, IF-14a
fn whoever_hangs_up_takes_back_what_was_not_begun() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let locked = Locked::of(&daemon, &cherry);
    let hanging: Vec<TcpStream> = (0..40).map(|n| write_and_leave_open(&daemon, "gone:maker", n)).collect();
    until("they run or wait", || pending(&daemon) >= 40.0);
    drop(hanging);
    // What runs goes on to its end; the rest was never begun.
    until("the others are gone", || pending(&daemon) <= 8.0);
    locked.release();
    until("all is done", || pending(&daemon) == 0.0);
    let shown = daemon.done(&cherry, &["show", "Colour"]);
    let versions = shown["history"].as_array().map_or(0, Vec::len);
    assert!(
        (1..=8).contains(&versions),
        "{versions} versions: what ran was finished, and nothing else was begun"
    );
}

#[test] // spec: IF-7, IF-14a
fn a_batch_whose_caller_hangs_up_stops_after_the_line_it_is_at() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let locked = Locked::of(&daemon, &cherry);
    let first = claim("Colour", "Cherries are dark red.");
    let rest = (0..300).map(|n| claim(&format!("Claim {n}"), "It comes after."));
    let lines: Vec<Value> = std::iter::once(first).chain(rest).collect();
    let body = json!({ "batch": lines }).to_string();
    let mut stream = daemon.connect();
    let head = format!(
        "POST /api/memorize?brain={} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        cherry.display(),
        daemon.token,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    until("it is at its first line", || pending(&daemon) == 1.0);
    drop(stream);
    // The connection is seen to be gone before the line goes on.
    until("its caller is gone", || daemon.meter("brainstem_connections") == 1.0);
    locked.release();
    until("it stops", || pending(&daemon) == 0.0);
    let claims = daemon.done(&cherry, &[])["project_claims"].as_u64().expect("a count");
    assert!(claims <= 2, "{claims} claims");
}

#[test] // spec: IF-12, IF-14a
fn what_is_too_much_for_one_call_is_refused_before_it_costs_anything() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let path = format!("/api/memorize?brain={}", cherry.display());
    let before = daemon.resident_kib();
    let too_large = (413, "input.too_large".to_owned());
    let zeros = format!("{{\"batch\":[{}0]}}", "0,".repeat(1_900_000));
    assert_eq!(daemon.ask("POST", &path, &[], &zeros).refusal(), too_large);
    let lines: Vec<Value> = (0..1001).map(|n| claim(&format!("Claim {n}"), "text")).collect();
    assert_eq!(daemon.post(&path, &json!({ "batch": lines })).refusal(), too_large);
    let questions: Vec<String> = (0..1001).map(|n| format!("{{\"query\":\"q{n}\"}}")).collect();
    let session = super::mcp::Session::open(&daemon, "2025-06-18", &[]);
    let asked = session.call("seek", json!({ "batch": questions }));
    assert_eq!(asked["structuredContent"]["error"]["code"], "input.too_large", "{asked}");
    let evidence = json!({ "label": "x", "text": "y", "evidence": vec!["a"; 1001] });
    assert_eq!(daemon.post(&path, &evidence).refusal(), too_large);
    let tags = (0..33).map(|n| format!("t{n}")).collect::<Vec<_>>().join(",");
    let headers = [("Brainstem-Tags", tags.as_str()), ("Brainstem-Session", "w1")];
    assert_eq!(daemon.ask("GET", "/api/mail", &headers, "").refusal(), too_large);
    let grown = daemon.resident_kib().saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KiB");
    assert_eq!(daemon.done(&cherry, &[])["project_claims"], 1, "nothing was written");
    // A field of one claim beside a batch would mean nothing, and is not passed over.
    let beside = daemon.post(&path, &json!({ "batch": [claim("a", "b")], "kind": "event" }));
    assert_eq!(beside.refusal(), (400, "input.bad_value".into()));
    assert!(beside.body.contains("cannot be combined with `kind`"), "{beside:?}");
    // A JSON text inside a body is held to the same rules as the body.
    let twice = json!({ "batch": r#"[{"label":"a","text":"b","label":"c"}]"# });
    assert_eq!(daemon.post(&path, &twice).refusal(), (400, "input.bad_value".into()));
    let line = json!({ "batch": [r#"{"label":"a","text":"b","label":"c"}"#, claim("Kept", "text")] });
    let told = daemon.post(&path, &line).json();
    assert_eq!((&told["summary"]["born"], &told["summary"]["refused"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!(daemon.done(&cherry, &[])["project_claims"], 2);
}

#[test] // spec: IF-14a
fn bodies_that_are_held_open_take_little_and_keep_nobody_waiting() {
    let daemon = Daemon::start().with_two_brains();
    let before = daemon.resident_kib();
    let head = format!(
        "POST /api/memorize HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n",
        daemon.token
    );
    let piece = vec![b'x'; 3_900_000];
    let held: Vec<TcpStream> = std::thread::scope(|scope| {
        let sending: Vec<_> = (0..40)
            .map(|_| {
                scope.spawn(|| {
                    let mut stream = daemon.connect();
                    stream.set_write_timeout(Some(std::time::Duration::from_millis(500))).expect("a timeout");
                    stream.write_all(head.as_bytes()).expect("sent");
                    // What is not read yet stays with its sender.
                    let _ = stream.write_all(&piece);
                    stream
                })
            })
            .collect();
        sending.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    // Others are answered meanwhile, and it takes what it will take.
    let most = (0..300).map(|_| {
        assert_eq!(daemon.get("/api/status").status, 200);
        daemon.resident_kib()
    });
    let grown = most.max().unwrap_or_default().saturating_sub(before);
    assert!(grown < 96 * 1024, "{grown} KiB for forty bodies of 4 MB");
    let path = format!("/api/memorize?brain={}", daemon.home.cherry().display());
    assert_eq!(daemon.post(&path, &claim("Small", "It does not wait.")).status, 200);
    drop(held);
    until("memory is given back", || daemon.resident_kib() < before + 24 * 1024);
}

#[test] // spec: IF-14a
fn a_claim_of_many_versions_is_shown_in_part_and_says_so() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let lines: Vec<Value> = (0..130).map(|n| claim("Often", &format!("Version {n}."))).collect();
    let path = format!("/api/memorize?brain={}", cherry.display());
    assert_eq!(daemon.post(&path, &json!({ "batch": lines })).status, 200);
    let show =
        |more: &str| daemon.get(&format!("/api/show?label=Often&brain={}{more}", cherry.display())).json();
    let told = show("");
    assert_eq!(told["history"].as_array().map(Vec::len), Some(100), "{told}");
    assert_eq!(told["history"][0]["text"], "Version 128.", "the youngest are shown");
    let gap =
        told["gaps"].as_array().expect("gaps").iter().find(|gap| gap["name"] == "older").expect("a gap");
    assert!(
        gap["detail"].as_str().is_some_and(|detail| detail.starts_with("29 versions and 30 steps")),
        "{gap}"
    );
    assert_eq!(show("&limit=1000")["history"].as_array().map(Vec::len), Some(129));
    let whole = daemon.done(&cherry, &["show", "Often"]);
    assert_eq!((whole["history"].as_array().map(Vec::len), &whole["gaps"]), (Some(129), &json!([])));
}
