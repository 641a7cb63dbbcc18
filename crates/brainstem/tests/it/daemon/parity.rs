//! One verb, every door: nothing is missing anywhere, and no field has another name.

use super::Daemon;
use super::mcp::Session;
use brainstem_api::caller::AGENT_ID;
use brainstem_api::{Entry, Method, cli, table};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test] // spec: IF-2, IF-8a, IF-12
fn every_verb_has_every_door_and_the_same_fields() {
    let daemon = Daemon::start();
    let served = daemon.get("/api/openapi.json").json();
    assert_eq!(served["servers"][0]["url"], "/", "whatever port it has");
    let fenced = daemon.get("/api/north?fenced=yes").json();
    assert!(fenced["error"]["fix"].as_str().is_some_and(|fix| fix.contains("true or false")), "{fenced}");
    let session = Session::open(&daemon, "2025-11-25", &[]);
    let tools = session.request("tools/list", json!({}))["tools"].clone();
    let tools = tools.as_array().expect("tools");
    let command = cli::command();
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    for entry in table() {
        let spec = entry.spec();
        let mut fields = keys(&entry.input_schema()["properties"]);
        // The command line: an option or a word of its own for every field.
        let mut at = &command;
        for word in spec.cli() {
            at = at.find_subcommand(word).unwrap_or_else(|| panic!("no command {:?}", spec.cli()));
        }
        let arguments: BTreeSet<String> =
            at.get_arguments().map(|argument| argument.get_id().to_string()).collect();
        assert!(fields.is_subset(&arguments), "{}: {fields:?} of {arguments:?}", spec.id());
        if !spec.doors.has_tool() {
            continue;
        }
        fields.insert(AGENT_ID.to_owned());
        let named = spec.verb.tool();
        let tool = tools.iter().find(|tool| tool["name"] == named.tool);
        let tool = tool.unwrap_or_else(|| panic!("no tool {}", spec.id()));
        let offered = keys(&tool["inputSchema"]["properties"]);
        // A list of tools leaves out what is rarely needed; a call takes it all the same.
        let listed = keys(&entry.tool_schema()["properties"]);
        assert!(listed.is_subset(&offered), "{} over MCP: {offered:?}", spec.id());
        match named.op {
            None => {
                let own: BTreeSet<String> =
                    offered.iter().filter(|name| *name != AGENT_ID).cloned().collect();
                assert_eq!(own, listed, "{} over MCP", spec.id());
            }
            Some(op) => {
                let ops = tool["inputSchema"]["properties"]["op"]["enum"].as_array().expect("operations");
                assert!(ops.iter().any(|one| one == op), "{} over MCP", spec.id());
            }
        }
        assert!(listed.is_subset(&fields), "{}: {listed:?}", spec.id());
        let (method, path) = (spec.method(), spec.path());
        let operation = &served["paths"][path][method.as_str().to_ascii_lowercase()];
        let named: BTreeSet<String> = match method {
            Method::Get => {
                let all = operation["parameters"].as_array().expect("parameters").iter();
                all.filter_map(|one| one["name"].as_str()).map(str::to_owned).collect()
            }
            Method::Post => {
                keys(&operation["requestBody"]["content"]["application/json"]["schema"]["properties"])
            }
        };
        assert_eq!(named, fields, "{} over REST", spec.id());
        // And it answers there, with a document that names no other brain's door.
        let answer = daemon.ask(method.as_str(), path, &[], if method == Method::Get { "" } else { "{}" });
        assert!(![0, 404, 405, 500].contains(&answer.status), "{}: {answer:?}", spec.id());
        assert!(answer.json().is_object());
        let other = if method == Method::Get { "DELETE" } else { "GET" };
        let wrong = daemon.ask(other, path, &[], "");
        assert_eq!(
            (wrong.refusal(), wrong.headers["allow"].as_str()),
            ((405, "input.method".into()), method.as_str())
        );
    }
}

#[test] // spec: IF-12
fn the_committed_document_is_the_one_that_is_served() {
    let daemon = Daemon::start();
    let committed = include_str!("../../../../../docs/reference/openapi.json");
    let committed: Value = serde_json::from_str(committed).expect("JSON");
    assert_eq!(daemon.get("/api/openapi.json").json(), committed, "cargo xtask docs writes it");
}

#[test] // spec: IF-8a, IF-12
fn the_paths_of_before_still_reach_their_verbs_and_no_list_has_them() {
    let daemon = Daemon::start();
    let served = daemon.get("/api/openapi.json").json();
    let mut tried = 0;
    for spec in table().iter().map(Entry::spec) {
        for former in spec.former_paths() {
            let path = former.replace("{what}", "promotions");
            let method = spec.method().as_str();
            let [now, before] = [spec.path(), &path].map(|path| daemon.ask(method, path, &[], "{}").status);
            assert!(![0, 404, 405, 500].contains(&before), "{path}: {before}");
            assert!(former.contains('{') || now == before, "{path}: {now} {before}");
            assert_eq!(served["paths"].get(former), None, "{former}");
            tried += 1;
        }
    }
    assert!(tried >= 8, "{tried}");
}
