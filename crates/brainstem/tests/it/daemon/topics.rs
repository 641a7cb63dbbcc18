//! Topics in the form of a mirror node, behind the daemon's gate.

use super::Daemon;
use crate::ledger::seeded;

#[test] // spec: LED-2a
fn a_client_of_mirror_nodes_reads_a_topic_page_by_page() {
    let daemon = Daemon::start();
    seeded(&daemon.home.path(), &["one", "two", "three", "four", "five"]);
    let get = |path: &str| daemon.ask("GET", path, &[], "");
    let topic = get("/api/v1/topics/0.0.1001");
    assert_eq!((topic.status, &topic.json()["memo"]), (200, &"hcs-10:0:3600:1".into()));
    let mut path = "/api/v1/topics/0.0.1001/messages?limit=2".to_owned();
    let mut numbers = Vec::new();
    loop {
        let page = get(&path);
        assert_eq!(page.status, 200, "{page:?}");
        let page = page.json();
        let messages = page["messages"].as_array().expect("messages");
        numbers.extend(messages.iter().map(|message| message["sequence_number"].as_u64().expect("a number")));
        match page["links"]["next"].as_str() {
            Some(next) => path = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    let one = get("/api/v1/topics/0.0.1001/messages/3").json();
    assert_eq!((&one["message"], &one["running_hash_version"]), (&"dGhyZWU=".into(), &3.into()));
    let time = one["consensus_timestamp"].as_str().expect("a time");
    assert_eq!(get(&format!("/api/v1/topics/messages/{time}")).json(), one);
    let missing = get("/api/v1/topics/0.0.7/messages");
    assert_eq!(missing.status, 404);
    assert_eq!(missing.json()["_status"]["messages"][0]["message"], "No such topic id - 7");
    assert_eq!(get("/api/v1/topics/0.0.1001/messages?limit=x").status, 400);
    assert_eq!(daemon.ask("POST", "/api/v1/topics/0.0.1001", &[], "{}").status, 405);
    let stranger = daemon.send("GET", "/api/v1/topics/0.0.1001", &[("Host", &daemon.address)], "");
    assert_eq!(stranger.status, 401, "behind the same gate");
}
