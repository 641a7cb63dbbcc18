//! MCP over streamable HTTP, with sessions and without.

use super::{Answer, Daemon};
use crate::mcp::with_document;
use brainstem_api::Toolset;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

/// Opens a session, or is refused one.
pub(super) fn initialize(daemon: &Daemon, version: &str, headers: &[(&str, &str)]) -> Answer {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "Test Client", "version": "1"}}});
    daemon.ask("POST", "/mcp", &[&[ACCEPT], headers].concat(), &hello.to_string())
}

/// A session of the older protocol.
pub(super) struct Session<'a> {
    daemon: &'a Daemon,
    id: String,
    headers: Vec<(&'a str, &'a str)>,
    pub(super) hello: Value,
}

impl<'a> Session<'a> {
    pub(super) fn open(daemon: &'a Daemon, version: &str, headers: &[(&'a str, &'a str)]) -> Self {
        let answer = initialize(daemon, version, headers);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_every_event_is_a_message(&answer);
        let id = answer.headers.get("mcp-session-id").expect("a session").clone();
        let session = Self { daemon, id, headers: headers.to_vec(), hello: message(&answer) };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.post(&ready).status, 202);
        session
    }

    pub(super) fn post(&self, message: &Value) -> Answer {
        let headers = [&[ACCEPT, ("Mcp-Session-Id", self.id.as_str())], self.headers.as_slice()].concat();
        self.daemon.ask("POST", "/mcp", &headers, &message.to_string())
    }

    /// Sends a call, and reads nothing.
    pub(super) fn send(&self, tool: &str, arguments: Value) -> std::net::TcpStream {
        let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        let (mut stream, body) = (self.daemon.connect(), call.to_string());
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nMcp-Session-Id: {}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.daemon.token,
            self.id,
            body.len()
        );
        std::io::Write::write_all(&mut stream, (head + &body).as_bytes()).expect("sent");
        stream
    }

    pub(super) fn request(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_every_event_is_a_message(&answer);
        message(&answer)["result"].clone()
    }

    pub(super) fn call(&self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": with_document(tool, arguments)}))
    }
}

/// Older clients parse every event as JSON.
fn assert_every_event_is_a_message(answer: &Answer) {
    for data in answer.body.lines().filter_map(|line| line.strip_prefix("data:")) {
        assert!(serde_json::from_str::<Value>(data.trim()).is_ok(), "{data:?} in {answer:?}");
    }
}

/// The last message of an answer, which may be a stream.
pub(super) fn message(answer: &Answer) -> Value {
    let streamed = answer.body.lines().rev().filter_map(|line| line.strip_prefix("data:"));
    let texts = streamed.chain([answer.body.as_str()]);
    texts
        .filter_map(|text| serde_json::from_str(text.trim()).ok())
        .next()
        .unwrap_or_else(|| panic!("{answer:?}"))
}

/// A request that stands for itself.
pub(super) fn stateless(
    daemon: &Daemon,
    tool: &str,
    arguments: Value,
    root: Option<&str>,
    headers: &[(&str, &str)],
) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Stateless", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    if let Some(root) = root {
        meta["brainstem/caller-root"] = root.into();
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": with_document(tool, arguments), "_meta": meta}});
    let named =
        [ACCEPT, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
    let answer = daemon.ask("POST", "/mcp", &[&named, headers].concat(), &body.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(!answer.headers.contains_key("mcp-session-id"));
    message(&answer)["result"].clone()
}

#[test] // spec: IF-7
fn every_version_is_spoken_over_http() {
    let daemon = Daemon::start();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = Session::open(&daemon, version, &[]);
        assert_eq!(session.hello["result"]["protocolVersion"], version);
        let tools = session.request("tools/list", json!({}));
        assert!(tools["tools"].as_array().is_some_and(|tools| tools.len() > 20), "{tools}");
        let who = session.call("whoami", json!({}));
        assert_eq!(who["structuredContent"]["agent_id"], "Test-Client", "{who}");
        // Arguments as text, which some clients send.
        let who = session.call("whoami", json!("{\"agent_id\": \"codex:maker\"}"));
        assert_eq!(who["structuredContent"]["agent_id"], "codex:maker", "{who}");
    }
    let who = stateless(&daemon, "whoami", json!({}), None, &[]);
    assert_eq!(who["structuredContent"]["agent_id"], "Stateless", "{who}");
}

#[test] // spec: IF-7, MEM-17
fn a_session_is_bound_where_it_begins_and_moved_only_by_its_own_word() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let (cherry, plum) = (cherry.to_str().expect("text"), plum.to_str().expect("text"));
    let texts = |result: &Value| -> Vec<String> {
        let rows = result["structuredContent"]["rows"].as_array().expect("rows").iter();
        rows.map(|row| row["text"].as_str().expect("text").to_owned()).collect()
    };
    let session = Session::open(&daemon, "2025-06-18", &[("Brainstem-Caller-Root", cherry)]);
    assert_eq!(texts(&session.call("list", json!({}))), ["Cherries are red."]);
    // A header that says otherwise later does not move it, and is not passed over; a handshake moves it.
    let elsewhere = Session {
        headers: vec![("Brainstem-Caller-Root", plum)],
        id: session.id.clone(),
        daemon: &daemon,
        hello: Value::Null,
    };
    let refused = elsewhere.call("list", json!({}))["structuredContent"]["error"].clone();
    let names_both = |told: &Value| {
        told["message"].as_str().is_some_and(|told| told.contains(cherry) && told.contains(plum))
    };
    assert!(refused["code"] == "input.bad_value" && names_both(&refused), "{refused}");
    let named = json!({"name": "list", "arguments": {}, "_meta": {"brainstem/caller-root": plum}});
    let bare = Session { headers: Vec::new(), id: session.id.clone(), daemon: &daemon, hello: Value::Null };
    let refused = bare.request("tools/call", named)["structuredContent"]["error"].clone();
    assert!(names_both(&refused), "{refused}");
    let inside = format!("{cherry}/.git");
    let deeper =
        Session { headers: vec![("Brainstem-Caller-Root", &inside)], id: session.id.clone(), ..elsewhere };
    assert_eq!(texts(&deeper.call("list", json!({}))), ["Cherries are red."], "the same brain");
    // It begins once.
    let again = initialize(
        &daemon,
        "2025-06-18",
        &[("Mcp-Session-Id", &session.id), ("Brainstem-Caller-Root", plum)],
    );
    assert_eq!(
        (again.status, &again.json()["error"]["data"]["code"]),
        (400, &json!("input.bad_value")),
        "{again:?}"
    );
    assert_eq!(texts(&session.call("list", json!({}))), ["Cherries are red."]);
    session.call("session_handshake", json!({ "expect_root": plum }));
    let moved = session.call("list", json!({}));
    assert_eq!(
        texts(&moved),
        ["Plums are blue."],
        "what the header said at the beginning is no contradiction"
    );
    let brain = moved["structuredContent"]["served_brain"].as_str();
    assert!(brain.is_some_and(|brain| brain.starts_with("plum@")), "{moved}");
    let count = "brainstem_calls_total{verb=\"handshake\",outcome=\"ok\"}";
    assert_eq!(daemon.meter(count), 1.0, "calls over MCP are counted");
    assert!(daemon.meter("brainstem_calls_total{verb=\"list\",outcome=\"input.bad_value\"}") >= 2.0);
    // Another session knows nothing of it.
    let fresh = Session::open(&daemon, "2025-06-18", &[]);
    assert_eq!(texts(&fresh.call("list", json!({}))), [] as [&str; 0]);
    // A session that ended is gone, and says so as the protocol has it.
    let end = daemon.ask("DELETE", "/mcp", &[("Mcp-Session-Id", session.id.as_str())], "");
    assert_eq!(end.status, 204, "{end:?}");
    assert_eq!(session.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).status, 404);
}

#[test] // spec: IF-7
fn what_the_protocol_refuses_is_json_with_a_fix() {
    let daemon = Daemon::start();
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).to_string();
    let unknown = ("Mcp-Session-Id", "no-such-session");
    let json_only = ("Accept", "application/json");
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, u16, &'a str);
    let cases: [Case<'_>; 6] = [
        ("POST", &[ACCEPT, unknown], &list, 404, "initialize again"),
        ("POST", &[ACCEPT], "{\"jsonrpc\":", 400, "one JSON document"),
        ("POST", &[json_only], &list, 406, "text/event-stream"),
        ("POST", &[ACCEPT, ("Content-Type", "text/plain")], &list, 415, "Content-Type: application/json"),
        ("GET", &[ACCEPT], "", 400, "Mcp-Session-Id"),
        ("PUT", &[ACCEPT], &list, 405, "POST"),
    ];
    for (method, headers, body, status, fix) in cases {
        let answer = daemon.ask(method, "/mcp", headers, body);
        let error = answer.json();
        assert_eq!((answer.status, &error["jsonrpc"]), (status, &json!("2.0")), "{answer:?}");
        for told in [&error["error"]["message"], &error["error"]["data"]["fix"]] {
            assert!(told.as_str().is_some_and(|told| told.contains(fix)), "{fix}: {answer:?}");
        }
        assert!(error["error"]["code"].is_i64() && error["error"]["data"]["code"].is_string(), "{answer:?}");
        let id = if method == "POST" && body == list { json!(7) } else { Value::Null };
        assert_eq!(error["id"], id, "{answer:?}");
    }
}

#[test] // spec: IF-7, MEM-17, MEM-15
fn a_request_without_a_session_carries_its_place_and_leaves_nothing_behind() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let (cherry, plum) = (cherry.to_str().expect("text"), plum.to_str().expect("text"));
    let list = |root: Option<&str>, headers: &[(&str, &str)]| {
        let result = stateless(&daemon, "list", json!({}), root, headers);
        let rows = result["structuredContent"]["rows"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["text"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(Some(cherry), &[]), ["Cherries are red."]);
    assert_eq!(list(None, &[("Brainstem-Caller-Root", plum)]), ["Plums are blue."]);
    assert_eq!(list(None, &[]), [] as [&str; 0], "the request before is forgotten");
    let of = |root: Option<&str>| {
        stateless(&daemon, "list", json!({}), root, &[])["structuredContent"]["served_brain"].clone()
    };
    assert!(of(Some(cherry)).as_str().is_some_and(|brain| brain.starts_with("cherry@")));
    assert_eq!(of(None), Value::Null);
    assert_eq!(list(Some(plum), &[("Brainstem-Caller-Root", plum)]), ["Plums are blue."], "said twice");
    for headers in [
        &[("Brainstem-Caller-Root", plum)][..],
        &[("Brainstem-Caller-Root", cherry), ("M1nd-Caller-Root", plum)],
    ] {
        let refused = stateless(&daemon, "list", json!({}), Some(cherry), headers);
        let error = &refused["structuredContent"]["error"];
        let told = error["message"].as_str().expect("a message");
        assert!(
            error["code"] == "input.bad_value" && told.contains(cherry) && told.contains(plum),
            "{refused}"
        );
    }
    stateless(&daemon, "bootstrap", json!({ "path": cherry }), None, &[]);
    assert_eq!(list(None, &[]), [] as [&str; 0], "a bootstrap binds nobody here");
    let refused = stateless(&daemon, "memorize", json!({"label": "Lost", "text": "x"}), None, &[]);
    assert_eq!(refused["structuredContent"]["error"]["code"], "memory.brainless_root", "{refused}");
    for bad in ["cherry", "../cherry", ""] {
        let refused = stateless(&daemon, "list", json!({}), Some(bad), &[]);
        assert_eq!(refused["structuredContent"]["error"]["code"], "input.bad_value", "{bad:?}: {refused}");
    }
}

#[test] // spec: IF-7, IF-8
fn the_product_offers_nothing_of_the_conformance_suite() {
    let daemon = Daemon::start();
    let session = Session::open(&daemon, "2025-11-25", &[]);
    for (method, list) in
        [("tools/list", "tools"), ("resources/list", "resources"), ("prompts/list", "prompts")]
    {
        let listed = session.request(method, json!({}))[list].to_string();
        assert!(!listed.contains("test_") && !listed.contains("test://"), "{method}: {listed}");
    }
    assert!(session.hello["result"]["capabilities"].get("logging").is_none(), "{}", session.hello);
    let uri = "test://static-text";
    let read =
        session.post(&json!({"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": uri}}));
    assert_eq!(
        message(&read)["error"]["data"]["uri"],
        uri,
        "what was asked for stands beside why there is none"
    );
}

#[test] // spec: IF-7
fn a_request_under_an_id_in_flight_is_refused_and_gets_nobody_elses_answer() {
    let daemon = Daemon::start().with_two_brains();
    let root = daemon.home.cherry().display().to_string();
    let session = Session::open(&daemon, "2025-06-18", &[("Brainstem-Caller-Root", &root)]);
    let _waits = session.send("poll_messages", json!({ "wait_s": 600 }));
    super::until("it waits", || daemon.meter("brainstem_live_waiting") == 1.0);
    let same = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}});
    let refused = session.post(&same);
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!((&message(&refused)["id"], &message(&refused)["error"]["code"]), (&json!(9), &json!(-32600)));
    assert_eq!(session.call("whoami", json!({}))["isError"], false, "another id is another request");
}

#[test] // spec: IF-7
fn what_is_wrong_with_a_message_is_said_in_the_form_of_the_protocol() {
    let daemon = Daemon::start();
    let session = Session::open(&daemon, "2025-03-26", &[]);
    let told = |body: &str| {
        let headers = [ACCEPT, ("Mcp-Session-Id", session.id.as_str())];
        let answer = daemon.ask("POST", "/mcp", &headers, body);
        (answer.status, message(&answer)["error"]["code"].as_i64().unwrap_or_default())
    };
    assert_eq!(told("no JSON"), (400, -32700));
    assert_eq!(told(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), (400, -32600));
    assert_eq!(told(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#), (400, -32600));
    assert_eq!(told(r#"{"jsonrpc":"2.0","id":1}"#), (400, -32600));
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": 5, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}});
    let answer = daemon.ask("POST", "/mcp", &[ACCEPT], &hello.to_string());
    assert_eq!((answer.status, &message(&answer)["error"]["code"]), (400, &json!(-32602)), "{answer:?}");
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}},
    ]);
    let answers = session.post(&batch).json();
    assert_eq!(answers.as_array().map(Vec::len), Some(2), "{answers}");
    assert_eq!(answers[1]["result"]["isError"], false, "{answers}");
    let end = |id: &str| daemon.ask("DELETE", "/mcp", &[ACCEPT, ("Mcp-Session-Id", id)], "").status;
    assert_eq!((end("never-there"), end(&session.id), end(&session.id)), (404, 204, 404));
}

#[test] // spec: IF-8
fn a_session_switches_tool_sets_on_for_itself_alone() {
    let daemon = Daemon::offering(Toolset::DEFAULT, TestHome::new(), None);
    let (one, other) = (Session::open(&daemon, "2025-11-25", &[]), Session::open(&daemon, "2025-11-25", &[]));
    assert_eq!(one.hello["result"]["capabilities"]["tools"]["listChanged"], true, "{}", one.hello);
    let names = |session: &Session<'_>| -> Vec<String> {
        let listed = session.request("tools/list", json!({}));
        let names = listed["tools"].as_array().expect("tools").iter();
        names.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let before = names(&one);
    let refused = one.call("brains", json!({}));
    let next = refused["structuredContent"]["error"]["next"][0].clone();
    let told = one.call(next["tool"].as_str().expect("a tool"), next["arguments"].clone());
    assert_eq!(told["structuredContent"]["switched_on"], json!(["upkeep"]), "{told}");
    let brains = one.call("brains", json!({}));
    assert!(brains["structuredContent"]["brains"].is_array(), "{brains}");
    let after = names(&one);
    assert!(after.len() > before.len() && after.contains(&"forget".to_owned()), "{after:?}");
    let letter = one.call("letter", json!({"op": "box"}));
    assert!(letter["structuredContent"]["counts"].is_object(), "{letter}");
    assert_eq!(names(&other), before);
    assert_eq!(one.call("tools", json!({"on": "upkeep"}))["structuredContent"]["switched_on"], json!([]));
    // What has no session keeps nothing.
    let told = stateless(&daemon, "tools", json!({"on": ["live"]}), None, &[]);
    assert_eq!(told["structuredContent"]["error"]["field"], "on", "{told}");
    let shown = stateless(&daemon, "tools", json!({}), None, &[]);
    assert_eq!(shown["structuredContent"]["sets"][0]["set"], "memory", "{shown}");
}

#[test] // spec: MAIL-4
fn a_session_that_its_client_ended_is_gone_from_the_register() {
    let daemon = Daemon::start();
    let cherry = daemon.home.cherry().display().to_string();
    let at = [("Brainstem-Caller-Root", cherry.as_str())];
    let session = Session::open(&daemon, "2025-06-18", &at);
    let other = Session::open(&daemon, "2025-06-18", &at);
    for session in [&session, &other] {
        let told = session.call("session", json!({"op": "register", "name": "beta"}));
        assert_eq!(told["isError"], false, "{told}");
    }
    let watcher = Session::open(&daemon, "2025-06-18", &at);
    let is_live = || {
        let listed = watcher.call("session", json!({"op": "list"}));
        let sessions = listed["structuredContent"]["sessions"].as_array().expect("sessions").clone();
        sessions.iter().find(|session| session["name"] == "beta").expect("on record")["live"].clone()
    };
    let end = |id: &str| daemon.ask("DELETE", "/mcp", &[ACCEPT, ("Mcp-Session-Id", id)], "").status;
    assert_eq!((end(&other.id), is_live()), (204, json!(true)), "the first one is open");
    assert_eq!((end(&session.id), is_live()), (204, json!(false)));
}
