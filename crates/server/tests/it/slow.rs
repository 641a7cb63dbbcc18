//! Callers that are slow, that never read, or that are too many, against a daemon that waits for nobody long.
//!
//! One test, because it ends with the signal that stops every daemon of this process.

use brainstem_api::Toolset;
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_memory::{DaemonRecord, Memory, NoEmbedder, Parts};
use brainstem_server::limits::HttpLimits;
use brainstem_server::{HttpDoor, McpDoor, serve_http};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const SHORT: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(20);
const CONNECTIONS: usize = 16;
const STRANGERS: usize = 8;

fn door(home: &std::path::Path) -> (HttpDoor, SocketAddr) {
    let memory = Arc::new(Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home: home.to_owned(),
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    }));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let record = DaemonRecord {
        pid: std::process::id(),
        address: address.to_string(),
        version: "0".into(),
        started: 0,
        instance: memory.secret(),
        poke: None,
        token_print: None,
        connections_max: None,
    };
    let door = McpDoor {
        memory,
        declared: Default::default(),
        roots: Default::default(),
        program: None,
        repeated: &[],
        toolsets: Toolset::DEFAULT.to_vec(),
        settle: None,
    };
    let limits = HttpLimits {
        connections_max: CONNECTIONS,
        strangers_max: STRANGERS,
        body_wait: SHORT,
        head_wait: SHORT,
        write_wait: SHORT,
        sessions_max: 4,
        stop_wait: Duration::from_secs(5),
        ..HttpLimits::default()
    };
    let http = HttpDoor {
        door,
        listener,
        pokes: None,
        token: TOKEN.into(),
        record,
        hosts: Vec::new(),
        limits,
        keep: None,
    };
    (http, address)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(SHORT)).expect("a timeout");
    stream
}

/// Sends a text and reads to the end, which must come.
fn answer(mut stream: TcpStream, text: &str) -> String {
    let _ = stream.write_all(text.as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn head(method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n{more}\r\n")
}

fn is_healthy(address: SocketAddr) -> bool {
    answer(connect(address), &head("GET", "/healthz", "Connection: close\r\n")).starts_with("HTTP/1.1 200")
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

#[test] // spec: IF-11, IF-13, IF-14
fn nobody_is_waited_for_and_nobody_takes_the_room_of_all() {
    let home = tempfile::tempdir().expect("a folder");
    let (http, address) = door(home.path());
    let (ready, is_ready) = channel();
    let served = std::thread::spawn(move || serve_http(http, || ready.send(()).expect("heard")));
    is_ready.recv_timeout(PATIENCE).expect("it serves");

    // A body that never comes, on every door that takes one.
    for path in ["/api/memorize", "/mcp"] {
        let json = "Content-Type: application/json\r\nContent-Length: 100\r\n";
        let told = answer(connect(address), &format!("{}{{", head("POST", path, json)));
        assert!(told.starts_with("HTTP/1.1 408") && told.contains("input.too_slow"), "{path}: {told}");
    }
    // A head that never ends.
    let told = answer(connect(address), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A");
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 408"), "{told}");
    // A connection that says nothing.
    assert_eq!(answer(connect(address), ""), "");

    // More strangers than there is room for: the oldest give way, and who shows the token gets in at once.
    let held: Vec<TcpStream> = (0..4 * STRANGERS).map(|_| connect(address)).collect();
    let told = answer(connect(address), &head("GET", "/metrics", "Connection: close\r\n"));
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    drop(held);
    // A known caller beyond the limit gets the answer to come back, and soon there is room again.
    let listen = |_| {
        let mut events = connect(address);
        events.write_all(head("GET", "/api/events", "").as_bytes()).expect("sent");
        events.read_exact(&mut [0; 15]).expect("an answer");
        events
    };
    let held: Vec<TcpStream> = (0..CONNECTIONS).map(listen).collect();
    let ask = || answer(connect(address), &head("GET", "/metrics", "Connection: close\r\n"));
    let told = ask();
    assert!(told.starts_with("HTTP/1.1 503") && told.contains("daemon.busy"), "{told}");
    assert!(is_healthy(address), "who needs no token is answered");
    drop(held);
    until("there is room again", || ask().starts_with("HTTP/1.1 200"));

    // Somebody asks for much and reads nothing: it is given up, and takes no room for long.
    let greedy: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = connect(address);
            for _ in 0..400 {
                if stream.write_all(head("GET", "/api/openapi.json", "").as_bytes()).is_err() {
                    break;
                }
            }
            stream
        })
        .collect();
    until("they are given up", || {
        let page = answer(connect(address), &head("GET", "/metrics", "Connection: close\r\n"));
        page.lines().any(|line| line == "brainstem_connections 1")
    });
    drop(greedy);

    // Sessions: a client has three of the four, the fourth is another client's, and one more is refused while all of
    // them are fresh.
    let open = |client: &str| {
        let hello = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-06-18\",\
             \"capabilities\":{{}},\"clientInfo\":{{\"name\":\"{client}\",\"version\":\"1\"}}}}}}"
        );
        let more = format!(
            "Connection: close\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            hello.len()
        );
        answer(connect(address), &format!("{}{hello}", head("POST", "/mcp", &more)))
    };
    for (client, status) in [("x", 200), ("x", 200), ("x", 200), ("x", 503), ("y", 200), ("y", 503)] {
        let told = open(client);
        assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{client}: {told}");
        assert_eq!(status == 503, told.contains("daemon.busy"), "{client}: {told}");
    }
    assert!(is_healthy(address));

    // A stream of events ends when the daemon stops.
    let mut events = connect(address);
    events.write_all(head("GET", "/api/events", "").as_bytes()).expect("sent");
    let mut first = [0; 15];
    events.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM)
        .expect("a signal");
    let mut rest = Vec::new();
    events.read_to_end(&mut rest).expect("it ends");
    served.join().expect("no panic").expect("served");
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}
