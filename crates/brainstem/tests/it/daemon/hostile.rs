//! Callers that mean no good: refused or bounded, and the daemon alive.

use super::{Daemon, claim};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

const DOORS: [(&str, &str); 7] = [
    ("GET", "/api/status"),
    ("POST", "/api/memorize"),
    ("GET", "/api/events"),
    ("POST", "/mcp"),
    ("GET", "/metrics"),
    ("GET", "/"),
    ("GET", "/nothing/here"),
];

#[test] // spec: IF-11
fn nobody_comes_in_from_another_site_under_another_name_or_without_the_token() {
    let daemon = Daemon::start();
    let bearer = format!("Bearer {}", daemon.token);
    let wrong = format!("Bearer {}", "0".repeat(64));
    let own = daemon.address.clone();
    for (method, path) in DOORS {
        let refused = |headers: &[(&str, &str)]| daemon.send(method, path, headers, "").refusal();
        let foreign = (403, "access.foreign".to_owned());
        let token = ("Authorization", bearer.as_str());
        let local = ("Host", own.as_str());
        assert_eq!(refused(&[token, ("Host", "evil.example")]), foreign, "{path}: rebinding");
        assert_eq!(refused(&[token, ("Host", "127.0.0.1.evil.example:7733")]), foreign, "{path}");
        assert_eq!(refused(&[token, local, ("Origin", "https://evil.example")]), foreign, "{path}");
        assert_eq!(refused(&[token, local, ("Origin", "null")]), foreign, "{path}");
        let sealed = format!("https://{own}");
        assert_eq!(
            refused(&[token, local, ("Origin", &sealed)]),
            foreign,
            "{path}: nothing here is encrypted"
        );
        assert_eq!(refused(&[token, local, ("Sec-Fetch-Site", "cross-site")]), foreign, "{path}");
        let no_token = (401, "access.token".to_owned());
        assert_eq!(refused(&[local]), no_token, "{path}");
        assert_eq!(refused(&[local, ("Authorization", &wrong)]), no_token, "{path}");
        assert_eq!(refused(&[local, ("Cookie", "brainstem-7733=x")]), no_token, "{path}");
        let port = own.rsplit(':').next().expect("a port");
        assert_eq!(refused(&[local, ("Cookie", &format!("brainstem-{port}=x"))]), no_token, "{path}");
    }
    assert_eq!(daemon.send("GET", "/healthz", &[("Host", "evil.example")], "").status, 403);
    for (method, path, status) in [
        ("POST", "/daemon/stop", 401),
        ("POST", "/daemon/stop?word=x&proof=x", 401),
        ("GET", "/daemon/ask", 405),
    ] {
        let told = daemon.send(method, path, &[("Host", &own), ("Authorization", &bearer)], "");
        assert_eq!(told.status, status, "{path}: the token is not what it takes");
    }
    assert!(daemon.is_healthy());
    let preflight = [
        ("Host", own.as_str()),
        ("Origin", "https://evil.example"),
        ("Access-Control-Request-Method", "POST"),
    ];
    let answer = daemon.send("OPTIONS", "/api/memorize", &preflight, "");
    assert!(
        answer.status == 403 && !answer.headers.keys().any(|name| name.starts_with("access-control")),
        "{answer:?}"
    );
    let log = daemon.files().join("daemon.log");
    super::until("it is in the log", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("refused"))
    });
    let text = std::fs::read_to_string(log).expect("a log");
    assert!(text.lines().count() < 20, "whoever knocks all the time is counted: {text}");
    assert!(!text.contains(&daemon.token) && !text.contains(&"0".repeat(64)), "{text}");
}

#[test] // spec: IF-11, IF-12
fn a_body_that_is_too_long_broken_or_of_another_kind_is_refused() {
    let daemon = Daemon::start();
    let head = format!("Host: {}\r\nAuthorization: Bearer {}\r\n", daemon.address, daemon.token);
    for path in ["/api/memorize", "/mcp"] {
        let said = format!(
            "POST {path} HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{{"
        );
        assert_eq!(
            daemon.raw(&said).refusal(),
            (413, "input.too_large".into()),
            "{path}: refused by its length"
        );
        let mut stream = daemon.connect();
        let chunked = format!(
            "POST {path} HTTP/1.1\r\n{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(chunked.as_bytes()).expect("sent");
        let piece = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
        for _ in 0..80 {
            if stream.write_all(piece.as_bytes()).is_err() {
                break;
            }
        }
        let mut answer = [0; 12];
        let told = stream.read_exact(&mut answer).map(|()| answer.ends_with(b"413"));
        assert!(told.unwrap_or(true), "{path}: refused while it comes, or the connection is cut");
    }
    let refused = |body: &str, media: &str| {
        daemon.ask("POST", "/api/memorize", &[("Content-Type", media)], body).refusal()
    };
    assert_eq!(refused("{\"label\":", "application/json"), (400, "input.unparsable".into()));
    assert_eq!(refused("[1]", "application/json"), (400, "input.bad_value".into()));
    assert_eq!(refused("\"{}\"", "application/json"), (400, "input.bad_value".into()));
    assert_eq!(refused(&"[".repeat(100_000), "application/json"), (400, "input.unparsable".into()));
    assert_eq!(
        refused("{}", "text/plain"),
        (415, "input.media".into()),
        "what a form of another site can send"
    );
    assert_eq!(refused("{\"labell\":\"x\"}", "application/json").0, 400);
    for (path, accept) in [("/api/memorize", "*/*"), ("/mcp", "application/json, text/event-stream")] {
        let refused = |more: (&str, &str), body: &str| {
            let answer = daemon.ask("POST", path, &[("Accept", accept), more], body);
            let error = &answer.json()["error"];
            let code = if path == "/mcp" && error["data"].is_object() {
                &error["data"]["code"]
            } else {
                &error["code"]
            };
            (answer.status, code.as_str().unwrap_or_default().to_owned())
        };
        let packed = (415, "input.media".to_owned());
        assert_eq!(refused(("Content-Encoding", "gzip"), "{}"), packed, "{path}");
        assert_eq!(refused(("Content-Encoding", "identity, br"), "{}"), packed, "{path}");
        let twice = (400, "input.bad_value".to_owned());
        for body in [
            r#"{"label":"a","text":"one","text":"two"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","name":"forget"}}"#,
        ] {
            assert_eq!(refused(("X-Plain", "yes"), body), twice, "{path}: {body}");
        }
    }
    let packed = format!(
        "POST /api/memorize HTTP/1.1\r\n{head}Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
    );
    assert_eq!(daemon.raw(&packed).status, 415);
    for (len, status) in [(60_000, 200), (70_000, 431), (100_000, 431)] {
        let wide = format!(
            "GET /api/status HTTP/1.1\r\n{head}Connection: close\r\nX-Wide: {}\r\n\r\n",
            "x".repeat(len)
        );
        assert_eq!(daemon.raw(&wide).status, status, "{len}");
    }
    let long = format!("GET /api/seek?query={} HTTP/1.1\r\n{head}\r\n", "x".repeat(200_000));
    assert!([0, 400, 414, 431].contains(&daemon.raw(&long).status));
    assert_eq!(daemon.raw("nonsense\r\n\r\n").status, 400);
    assert!(daemon.is_healthy());
}

/// Every file below a folder with its bytes, without what the daemon itself and the counts write.
fn tree(dir: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let is_own = entry.ends_with("brainstem-home/daemon") || entry.ends_with("brainstem-home/local");
        if is_own || entry.ends_with("brainstem-home/index") || entry.ends_with(".locks") {
        } else if entry.is_dir() {
            tree(&entry, found);
        } else {
            found.insert(entry.clone(), std::fs::read(&entry).unwrap_or_default());
        }
    }
}

#[test] // spec: IF-11, MEM-15, MEM-17
fn no_parameter_leads_to_another_place() {
    let daemon = Daemon::start().with_two_brains();
    let snapshot = || {
        let mut found = BTreeMap::new();
        tree(daemon.home.user_home(), &mut found);
        found
    };
    let before = snapshot();
    let tricks = [
        "..",
        "../..",
        "../../etc/passwd",
        "relative",
        "./x",
        "~",
        "~/x",
        "",
        " ",
        "/..",
        "/../..",
        "//",
        "/etc/../..",
        "file:///etc",
        "C:\\x",
        "\\\\host\\share",
        "/dev/null",
        "/proc/self/cwd",
        "/proc/self/root",
        "$(id)",
        "a\nb",
        "%2e%2e%2f",
    ];
    let encoded = |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    // From the folder the daemon stands in, this would be a project.
    let cherry = daemon.home.cherry().display().to_string();
    let tricks = tricks.into_iter().chain([cherry.trim_start_matches('/')]);
    for trick in tricks {
        let shown = format!("{trick:?}");
        // Where the caller stands, by header: a place it is not in, or a refusal; never another project.
        for name in ["Brainstem-Caller-Root", "M1nd-Caller-Root"] {
            let headers = [(name, encoded(trick))];
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let answer = daemon.ask("POST", "/api/memorize", &headers, &claim("Lost", "x").to_string());
            assert!([400, 409].contains(&answer.status), "{name} {shown}: {answer:?}");
            let looked = daemon.ask("GET", "/api/list", &headers, "");
            assert!(looked.status == 400 || looked.json()["rows"] == json!([]), "{name} {shown}: {looked:?}");
        }
        // A brain by name.
        let query = format!("/api/list?brain={}", encoded(trick));
        assert_eq!(daemon.get(&query).refusal(), (404, "memory.unknown_brain".into()), "{shown}");
        assert!(
            [400, 404].contains(&daemon.get(&format!("/api/audit/{}", encoded(trick))).status),
            "{shown}"
        );
        // Paths in the fields of verbs.
        let fields: [(&str, Value); 5] = [
            ("/api/bootstrap", json!({ "path": trick })),
            ("/api/import", json!({ "path": trick })),
            ("/api/export", json!({ "out": trick, "tier": "medulla" })),
            ("/api/promote", json!({ "label": "Colour", "reason": "x", "brain": trick })),
            ("/api/handshake", json!({ "expect_root": trick })),
        ];
        for (path, body) in fields {
            let answer = daemon.post(path, &body);
            let is_told = answer.status == 200 && answer.json()["match"] == false;
            assert!((400..500).contains(&answer.status) || is_told, "{path} {body}: {answer:?}");
        }
    }
    assert_eq!(snapshot(), before, "nothing was written anywhere");
    assert!(daemon.is_healthy());
}

#[test] // spec: IF-14c
fn a_thousand_sessions_are_bounded_and_one_that_is_used_stays() {
    let daemon = Daemon::start();
    let honest = super::mcp::Session::open(&daemon, "2025-06-18", &[]);
    honest.call("whoami", json!({}));
    honest.call("whoami", json!({}));
    let before = daemon.resident_kib();
    let mut refused = 0;
    // A version that has no sessions is answered with an older one, and the session counts.
    let newest = "2026-07-28";
    let versions = [("2025-06-18", &[][..]), (newest, &[("MCP-Protocol-Version", newest)][..])];
    for (version, headers) in versions.into_iter().cycle().take(1000) {
        let answer = super::mcp::initialize(&daemon, version, headers);
        match answer.status {
            200 => {}
            503 => refused += 1,
            other => panic!("{other}: {answer:?}"),
        }
    }
    assert!(daemon.meter("brainstem_mcp_sessions") <= 256.0);
    // On a slow machine some that made no call have been idle long enough to give way.
    let evicted = daemon.meter("brainstem_mcp_sessions_evicted_total");
    assert!(f64::from(refused) + evicted >= 700.0, "{refused} were told to come back, {evicted} gave way");
    let grown = daemon.resident_kib().saturating_sub(before);
    assert!(grown < 96 * 1024, "{grown} KiB for a thousand sessions");
    assert_eq!(honest.call("whoami", json!({}))["isError"], false, "the one that is used is still there");
    assert!(daemon.is_healthy());
}

#[test] // spec: IF-11, IF-14
fn strangers_who_say_nothing_keep_nobody_out() {
    let daemon = Daemon::start();
    let silent: Vec<_> = (0..600).map(|_| daemon.connect()).collect();
    for _ in 0..20 {
        assert_eq!(daemon.get("/api/status").status, 200);
    }
    // Somebody who showed the token stays, however many come.
    let mut known = daemon.connect();
    let head = format!("Host: {}\r\nAuthorization: Bearer {}\r\n\r\n", daemon.address, daemon.token);
    let mut ask = || {
        known.write_all(format!("GET /api/status HTTP/1.1\r\n{head}").as_bytes()).expect("sent");
        let mut first = [0; 12];
        known.read_exact(&mut first).map(|()| String::from_utf8_lossy(&first).into_owned())
    };
    assert_eq!(ask().expect("an answer"), "HTTP/1.1 200");
    drop(silent);
    let _more: Vec<_> = (0..600).map(|_| daemon.connect()).collect();
    super::until("strangers are bounded", || daemon.meter("brainstem_connections") < 300.0);
    known.set_nonblocking(true).expect("a socket");
    let mut rest = vec![0; 1 << 16];
    let still = loop {
        match known.read(&mut rest) {
            Ok(0) => break false,
            Ok(_) => {}
            Err(error) => break error.kind() == std::io::ErrorKind::WouldBlock,
        }
    };
    assert!(still, "the connection is open");
}

#[test] // spec: IF-14
fn what_long_answers_took_is_given_back() {
    let daemon = Daemon::start().with_two_brains();
    let brain = daemon.home.cherry().display().to_string();
    for round in 0..3 {
        let text = |n: usize| format!("word {n} ").repeat(500);
        let lines: Vec<Value> = (0..200).map(|n| claim(&format!("Claim {round} {n}"), &text(n))).collect();
        let told = daemon.post(&format!("/api/memorize?brain={brain}"), &json!({ "batch": lines }));
        assert_eq!(told.status, 200, "{told:?}");
    }
    let ask = || daemon.get(&format!("/api/list?limit=1000&brain={brain}"));
    assert!(ask().body.len() > 2 << 20, "a long answer");
    let before = daemon.resident_kib();
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..24).map(|_| scope.spawn(ask)).collect();
        for answer in asked {
            assert_eq!(answer.join().expect("no panic").status, 200);
        }
    });
    super::until("memory is given back", || daemon.resident_kib() < before + 48 * 1024);
}
