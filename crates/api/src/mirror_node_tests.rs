//! Pages, filters and errors are those of a mirror node.

use super::*;
use brainstem_base::clock::ManualClock;
use brainstem_ledger::in_memory::InMemoryLedger;
use brainstem_ledger::{AccountId, Append, NewTopic, SubmitPolicy};
use std::sync::Arc;

/// A topic 0.0.1001 with ten messages, a nanosecond apart from 5.000000001 on.
fn ledger() -> InMemoryLedger {
    let ledger = InMemoryLedger::new(Arc::new(ManualClock::at(5_000)));
    let new = NewTopic { memo: "m".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    let topic = ledger.create_topic(&new).expect("made").id;
    let submitter = AccountId::local(10).expect("in range");
    for n in 1..=10 {
        let bytes = format!("message {n}").into_bytes();
        ledger.append(&Append { topic, submitter, key: None, bytes }).expect("appended");
    }
    ledger
}

fn get(path: &str) -> (u16, Value) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let fields: Vec<(String, String)> = query
        .split('&')
        .filter_map(|field| field.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    answer_from(&ledger(), &format!("{PREFIX}{path}"), Some(&fields)).expect("the ledger answers")
}

/// The numbers of a page, and its next link.
fn numbers(query: &str) -> (Vec<u64>, Option<String>) {
    let (status, page) = get(&format!("0.0.1001/messages?{query}"));
    assert_eq!(status, 200, "{page}");
    let messages = page["messages"].as_array().expect("messages");
    let numbers = messages.iter().map(|message| message["sequence_number"].as_u64().expect("a number"));
    (numbers.collect(), page["links"]["next"].as_str().map(str::to_owned))
}

#[test] // spec: LED-2a
fn a_message_has_the_fields_of_a_mirror_node() {
    let (status, page) = get("0.0.1001/messages?limit=1");
    assert_eq!(status, 200);
    let message = &page["messages"][0];
    let fields: Vec<&String> = message.as_object().expect("an object").keys().collect();
    let expected = [
        "chunk_info",
        "consensus_timestamp",
        "message",
        "payer_account_id",
        "running_hash",
        "running_hash_version",
        "sequence_number",
        "topic_id",
    ];
    assert_eq!(fields, expected);
    assert_eq!(
        (&message["message"], &message["consensus_timestamp"]),
        (&"bWVzc2FnZSAx".into(), &"5.000000001".into())
    );
    assert_eq!((&message["payer_account_id"], &message["topic_id"]), (&"0.0.10".into(), &"0.0.1001".into()));
    assert_eq!(get("0.0.1001/messages?limit=1&encoding=utf-8").1["messages"][0]["message"], "message 1");
    assert_eq!(get("0.0.1001/messages/1").1, *message);
    assert_eq!(get("messages/5.000000001").1, *message);
    let (_, topic) = get("1001");
    assert_eq!(
        (&topic["topic_id"], &topic["deleted"], &topic["memo"]),
        (&"0.0.1001".into(), &false.into(), &"m".into())
    );
}

#[test] // spec: LED-2a
fn pages_go_both_ways_and_name_the_next_one() {
    let next = |query: &str| Some(format!("/api/v1/topics/0.0.1001/messages?{query}"));
    assert_eq!(numbers("limit=4"), (vec![1, 2, 3, 4], next("limit=4&sequencenumber=gt:4")));
    assert_eq!(numbers("limit=4&sequencenumber=gt:8"), (vec![9, 10], None));
    assert_eq!(
        numbers("limit=4&order=desc"),
        (vec![10, 9, 8, 7], next("limit=4&order=desc&sequencenumber=lt:7"))
    );
    assert_eq!(numbers("limit=4&order=desc&sequencenumber=lt:4"), (vec![3, 2, 1], None));
    assert_eq!(
        numbers("limit=2&sequencenumber=gte:3&sequencenumber=lte:6"),
        (vec![3, 4], next("limit=2&sequencenumber=lte:6&sequencenumber=gt:4"))
    );
    assert_eq!(numbers("").0.len(), 10);
    assert_eq!(numbers("limit=1000").0.len(), 10);
}

#[test] // spec: LED-2a
fn filters_take_numbers_and_times() {
    assert_eq!(numbers("sequencenumber=3").0, [3]);
    assert_eq!(numbers("sequencenumber=eq:3").0, [3]);
    assert_eq!(numbers("sequencenumber=ne:3&limit=4").0, [1, 2, 4, 5]);
    assert_eq!(numbers("sequencenumber=gt:2&sequencenumber=lt:5").0, [3, 4]);
    assert_eq!(numbers("timestamp=5.000000003").0, [3]);
    assert_eq!(numbers("timestamp=gte:5.000000003&timestamp=lt:5.000000006").0, [3, 4, 5]);
    assert_eq!(numbers("timestamp=gt:5.000000008").0, [9, 10]);
    assert_eq!(numbers("timestamp=lte:5.000000002&order=desc").0, [2, 1]);
    assert_eq!(numbers("timestamp=gt:6").0, [0; 0]);
    assert_eq!(numbers("timestamp=lt:5.000000001").0, [0; 0]);
    assert_eq!(numbers("sequencenumber=gt:10").0, [0; 0]);
}

#[test] // spec: LED-2a
fn errors_have_the_form_of_a_mirror_node() {
    let cases = [
        ("0.0.7", 404, "No such topic id - 7"),
        ("0.0.7/messages", 404, "No such topic id - 7"),
        ("0.0.1001/messages/99", 404, "Not found"),
        ("messages/9.000000000", 404, "Not found"),
        ("0.0.x", 400, "Invalid parameter: topicId"),
        ("0.0.1001/messages/0", 400, "Invalid parameter: sequencenumber"),
        ("messages/x", 400, "Invalid parameter: timestamp"),
        ("0.0.1001/messages?limit=0", 400, "Invalid parameter: limit"),
        ("0.0.1001/messages?order=up", 400, "Invalid parameter: order"),
        ("0.0.1001/messages?encoding=hex", 400, "Invalid parameter: encoding"),
        ("0.0.1001/messages?sequencenumber=about:3", 400, "Invalid parameter: sequencenumber"),
        ("0.0.1001/messages?timestamp=gt:yesterday", 400, "Invalid parameter: timestamp"),
        ("0.0.1001/messages?colour=red", 400, "Unknown query parameter: colour"),
        ("0.0.1001/more/parts/here", 404, "Not found"),
    ];
    for (path, status, message) in cases {
        let expected = json!({ "_status": { "messages": [{ "message": message }] } });
        assert_eq!(get(path), (status, expected), "{path}");
    }
}
