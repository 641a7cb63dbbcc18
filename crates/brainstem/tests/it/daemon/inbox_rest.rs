//! The inbox over REST: the same verbs, fields, answers and refusals as on the other doors.

use super::Daemon;
use crate::inbox::{ask, mcp};
use crate::mcp::call;
use serde_json::{Value, json};

fn posted(daemon: &Daemon, path: &str, agent: &str, body: Value) -> Value {
    let mut body = body;
    body["agent_id"] = agent.into();
    daemon.post(path, &body).json()
}

#[test] // spec: INB-12, INB-12a, INB-4, INB-5
fn an_inbox_is_sent_to_read_and_finished_over_rest() {
    let daemon = Daemon::start();
    let send = json!({"to_agent": "codex", "message_type": "review.request", "subject": "Parser", "priority": 2,
        "payload": {"file": "a.rs"}, "context": {"since": "v2"}, "ref_id": "TASK-7", "ref_type": "task"});
    let sent = posted(&daemon, "/api/inbox/send", "claude:maker", send);
    assert_eq!((&sent["sequence_number"], &sent["visible"]), (&json!(1), &json!("now")), "{sent}");
    assert!(sent["topic_id"].is_string() && sent["consensus_timestamp"].is_string(), "{sent}");
    let note = json!({"note": "Begun.", "entity_id": "TASK-7", "entity_type": "task", "notify": ["codex"], "priority": 4});
    let noted = posted(&daemon, "/api/note", "claude:maker", note);
    assert_eq!((&noted["notified"], &noted["created"]), (&json!(["codex.maker"]), &json!(true)), "{noted}");
    let about =
        format!("/api/inbox/list?agent_id=codex:maker&ref_id={}", noted["topic_id"].as_str().unwrap());
    let listed = daemon.get(&about).json();
    let subjects: Vec<&Value> =
        listed["messages"].as_array().unwrap().iter().map(|it| &it["subject"]).collect();
    assert_eq!(subjects, ["Parser", "Begun."], "by the topic of the entity, the more urgent first");
    let fetched = posted(&daemon, "/api/inbox/fetch", "codex:maker", json!({"limit": 1}));
    let message = &fetched["messages"][0];
    assert_eq!((&message["payload"]["file"], &message["context"]["since"]), (&json!("a.rs"), &json!("v2")));
    let read =
        daemon.get(&format!("/api/inbox/read?agent_id=codex:maker&id={}", message["id"].as_str().unwrap()));
    assert_eq!(read.json()["thread"][0]["note"], "Begun.");
    let done = posted(&daemon, "/api/inbox/done", "codex:maker", json!({"ids": [message["id"]]}));
    assert_eq!(done["messages"][0]["processed"], true, "{done}");
    let found = daemon.get("/api/inbox/search?agent_id=codex:maker&query=parser").json();
    assert_eq!(found["messages"][0]["processed"], true);
}

#[test] // spec: INB-4, INB-12a
fn a_message_to_all_is_one_append_and_each_reader_has_its_own_copy() {
    let daemon = Daemon::start();
    ask(&daemon.home, &["agent", "topics", "codex", "gemini"]);
    let all = json!({"to_agent": "ALL", "message_type": "fyi", "subject": "Green"});
    let sent = mcp(&daemon.home, "codex-mcp-client", &[call(1, "send_message", all)]).remove(0);
    assert_eq!((&sent["to_agent"], &sent["sequence_number"]), (&json!("ALL"), &json!(1)), "{sent}");
    ask(&daemon.home, &["agent", "topics", "claude"]);
    let list =
        |agent: &str| daemon.get(&format!("/api/inbox/list?agent_id={agent}")).json()["messages"].clone();
    let id = list("gemini:maker")[0]["id"].clone();
    assert_ne!(list("codex:maker")[0]["id"], id);
    posted(&daemon, "/api/inbox/done", "gemini:maker", json!({"ids": [id]}));
    assert_eq!(list("gemini:maker"), json!([]));
    assert_eq!(list("codex:maker").as_array().unwrap().len(), 1, "each finishes its own");
    assert_eq!(list("claude:maker"), json!([]), "an agent of later was not meant");
    let topic = sent["topic_id"].as_str().unwrap();
    let log = daemon.get(&format!("/api/ledger/show?topic={topic}")).json();
    assert_eq!(log["messages"].as_array().unwrap().len(), 1);
}

#[test] // spec: INB-4a, INB-14
fn a_sender_is_who_calls_and_a_refusal_over_rest_names_field_and_rule() {
    let daemon = Daemon::start();
    let good = json!({"to_agent": "human", "message_type": "fyi", "subject": "Hello"});
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        let refused = daemon.post("/api/inbox/send", &body);
        assert!((400..500).contains(&refused.status), "{refused:?}");
        refused.json()["error"].clone()
    };
    for (field, value, code) in [
        ("from_agent", json!("human"), "input.bad_value"),
        ("operator_id", json!("0.0.7@0.0.9"), "input.bad_value"),
        ("to_agent", json!("nobody-here"), "inbox.unknown_recipient"),
        ("message_type", json!("No Type"), "input.bad_value"),
        ("ref_id", json!("a b"), "input.bad_value"),
        ("priority", json!(9), "input.bad_value"),
        ("subject", json!("x".repeat(501)), "input.too_large"),
        ("payload", json!("x".repeat(70_000)), "input.too_large"),
        ("key", json!("a\nb"), "input.bad_value"),
    ] {
        let error = with(field, value);
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
        let is_unknown = ["from_agent", "operator_id"].contains(&field);
        assert!(is_unknown || error["rule"].is_string(), "{error}");
        assert!(error["fix"].is_string(), "{error}");
    }
    let agent = with("agent_id", json!("system"));
    assert_eq!((&agent["code"], &agent["rule"]), (&json!("identity.bad_agent"), &json!("IF-3")), "{agent}");
    let listed = ask(&daemon.home, &["inbox", "list", "--all"]);
    assert_eq!(listed["messages"], json!([]), "nothing was half sent");
    let sent = posted(&daemon, "/api/inbox/send", "codex:maker", good.clone());
    let topics = ask(&daemon.home, &["agent", "topics"]);
    let codex = &topics["agents"][0];
    let log = ask(&daemon.home, &["ledger", "show", sent["topic_id"].as_str().unwrap()]);
    let text = log["messages"][0]["text"].as_str().unwrap();
    let operator =
        format!("{}@{}", codex["inbound_topic_id"].as_str().unwrap(), codex["account_id"].as_str().unwrap());
    assert!(text.contains(&format!("\"operator_id\":\"{operator}\"")), "{text}");
}
