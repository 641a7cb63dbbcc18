//! Decisions about outsiders, over MCP and REST.

use super::Daemon;
use crate::inbox::{ask, mcp};
use crate::inbox_outsiders::Outsider;
use crate::mcp::call;
use serde_json::json;

#[test] // spec: INB-6a, INB-12, IF-4
fn outsiders_are_decided_about_on_every_door() {
    let daemon = Daemon::start();
    let home = &daemon.home;
    let topics = ask(home, &["agent", "topics", "codex"]);
    let codex = &topics["agents"][0];
    assert_eq!(codex["slug"], "codex.maker");
    ask(home, &["config", "set", "mcp.toolsets", "default,upkeep"]);
    let outsider = Outsider::of(&home.path(), 80);
    outsider.asks(&codex["inbound_topic_id"]);
    let asked = mcp(home, "codex-mcp-client", &[call(1, "inbox", json!({"op": "requests"}))]);
    assert_eq!(asked[0]["requests"][0]["account"], "0.0.80", "{}", asked[0]);
    let denied = json!({"op": "decide", "account": "0.0.80", "decision": "deny"});
    assert_eq!(mcp(home, "codex-mcp-client", &[call(1, "inbox", denied)])[0]["state"], "denied");
    let all = daemon.ask("GET", "/api/inbox/requests?all=true&agent_id=codex:maker", &[], "").json();
    assert_eq!(all["requests"][0]["state"], "denied", "{all}");
    let decide = |account: &str, decision: &str| {
        let body = json!({"account": account, "decision": decision, "agent_id": "codex:maker"}).to_string();
        daemon.ask("POST", "/api/inbox/decide", &[], &body)
    };
    assert_eq!(decide("0.0.80", "block").json()["state"], "blocked");
    assert_eq!(decide("0.0.80", "deny").status, 409);
    for (account, decision, field) in [("nobody", "deny", "account"), ("0.0.80", "maybe", "decision")] {
        let refused = decide(account, decision);
        assert_eq!((refused.status, &refused.json()["error"]["field"]), (400, &json!(field)));
    }
}
