//! Outsiders through the program: what they say is held, shown as a request, and in the inbox only behind an acceptance.
//!
//! No door of the program appends for another account, so the test appends to the ledger itself, as a shared ledger would.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test looks at files of its own home")]

use crate::inbox::{ask, run};
use crate::seen::{Seen, assert_seen};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{AccountId, Append, Ledger as _};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// An outsider, which has an account and no definition in this home.
pub(crate) struct Outsider {
    ledger: SqliteLedger,
    account: u64,
}

impl Outsider {
    pub(crate) fn of(home: &Path, account: u64) -> Self {
        let ledger = SqliteLedger::in_folder(&home.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock));
        Self { ledger, account }
    }

    fn append(&self, topic: &Value, fields: &str) {
        let account = AccountId::local(self.account).unwrap();
        let text = format!(r#"{{"p":"hcs-10",{fields},"operator_id":"0.0.7@{account}"}}"#);
        let topic = topic.as_str().unwrap().parse().unwrap();
        let append = Append { topic, submitter: account, key: None, bytes: text.into_bytes() };
        self.ledger.append(&append).unwrap();
    }

    fn says(&self, topic: &Value, text: &str) {
        self.append(topic, &format!(r#""op":"message","data":"{text}""#));
    }

    pub(crate) fn asks(&self, topic: &Value) {
        self.append(topic, r#""op":"connection_request""#);
    }
}

fn inbound(home: &TestHome) -> Value {
    ask(home, &["agent", "topics"])["agents"][0]["inbound_topic_id"].clone()
}

fn subjects(listed: &Value) -> Vec<&str> {
    listed["messages"].as_array().unwrap().iter().map(|it| it["subject"].as_str().unwrap()).collect()
}

#[test] // spec: INB-6, INB-6a
fn nothing_of_an_outsider_is_in_the_inbox_before_it_is_accepted_nor_after_the_end() {
    let home = TestHome::new();
    let human = inbound(&home);
    let outsider = Outsider::of(&home.path(), 77);
    outsider.says(&human, "hello");
    let refused = run(&home, &["inbox", "decide", "0.0.77", "accept"]);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "inbox.connection_refused"));
    outsider.asks(&human);
    let listed = ask(&home, &["inbox", "list", "--all"]);
    assert_eq!((subjects(&listed).len(), &listed["outsiders"]), (0, &json!(1)), "it is shown, not delivered");
    let requests = ask(&home, &["inbox", "requests"])["requests"].clone();
    assert_eq!((&requests[0]["account"], &requests[0]["state"]), (&json!("0.0.77"), &json!("requested")));
    assert_eq!(requests[0]["held"][1]["excerpt"], "hello");
    let accepted = ask(&home, &["inbox", "decide", "0.0.77", "accept"]);
    let topic = &accepted["connection_topic_id"];
    assert_eq!((&accepted["state"], &accepted["unchanged"]), (&json!("accepted"), &json!(false)));
    let again = ask(&home, &["inbox", "decide", "0.0.77", "accept"]);
    assert_eq!((&again["connection_topic_id"], &again["unchanged"]), (topic, &json!(true)));
    outsider.says(topic, "now it arrives");
    outsider.says(&human, "beside the connection");
    let before = ask(&home, &["inbox", "list", "--all"]);
    assert_eq!(subjects(&before), ["now it arrives"]);
    assert_eq!(before["messages"][0]["from_agent"], "0.0.77");
    assert_eq!(ask(&home, &["inbox", "requests"])["requests"], json!([]), "nothing waits any more");
    assert_eq!(ask(&home, &["inbox", "decide", "0.0.77", "close"])["state"], "closed");
    outsider.says(topic, "too late");
    assert_eq!(ask(&home, &["inbox", "decide", "0.0.77", "block"])["state"], "blocked");
    outsider.asks(&human);
    assert_eq!(ask(&home, &["inbox", "requests"])["requests"], json!([]), "a blocked one asks in vain");
    let after = ask(&home, &["inbox", "list", "--all"]);
    assert_eq!(subjects(&after), ["now it arrives"]);
    std::fs::remove_dir_all(home.path().join("inbox")).unwrap();
    assert_eq!(ask(&home, &["inbox", "list", "--all"]), after, "a rebuild lets nothing in");
    // The agent's word is on the connection's own topic and on its inbound topic, once each.
    let said = |topic: &Value, op: &str| {
        let shown = ask(&home, &["ledger", "show", topic.as_str().unwrap()]);
        let has = |it: &&Value| it["text"].as_str().is_some_and(|text| text.contains(op));
        shown["messages"].as_array().unwrap().iter().filter(has).count()
    };
    assert_eq!((said(&human, "connection_created"), said(topic, "close_connection")), (1, 1));
}

#[test] // spec: INB-6a
fn an_outsider_that_says_much_hides_no_other_and_one_that_closed_asks_again() {
    let home = TestHome::new();
    let human = inbound(&home);
    let (quiet, loud) = (Outsider::of(&home.path(), 78), Outsider::of(&home.path(), 79));
    quiet.asks(&human);
    for n in 0..600 {
        loud.says(&human, &format!("m{n}"));
    }
    let requests = ask(&home, &["inbox", "requests"])["requests"].clone();
    let accounts: Vec<&Value> = requests.as_array().unwrap().iter().map(|it| &it["account"]).collect();
    assert_eq!(accounts, ["0.0.79", "0.0.78"]);
    let topic = ask(&home, &["inbox", "decide", "0.0.78", "accept"])["connection_topic_id"].clone();
    quiet.append(&topic, r#""op":"close_connection""#);
    let refused = run(&home, &["inbox", "decide", "0.0.78", "accept"]);
    assert_eq!(refused.code(), "inbox.connection_refused", "its topic stays closed");
    quiet.asks(&human);
    let again = ask(&home, &["inbox", "decide", "0.0.78", "accept"]);
    assert_ne!(again["connection_topic_id"], topic);
    quiet.says(&again["connection_topic_id"], "back");
    assert_eq!(subjects(&ask(&home, &["inbox", "list"])), ["back"]);
}

#[test] // spec: INB-6a
fn what_a_person_sees_of_outsiders() {
    let home = TestHome::new();
    let human = inbound(&home);
    let outsider = Outsider::of(&home.path(), 81);
    let mut seen = Seen::of(&home);
    let see = |seen: &mut Seen, words: &[&str]| {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        let ran =
            crate::program::finish(command.current_dir(home.cherry()).env("USER", "ana").args(words), b"");
        seen.add(words, &ran);
    };
    see(&mut seen, &["inbox", "requests"]);
    outsider.says(&human, "May I?");
    outsider.asks(&human);
    see(&mut seen, &["inbox", "list"]);
    see(&mut seen, &["inbox", "requests"]);
    see(&mut seen, &["inbox", "decide", "0.0.81", "accept"]);
    see(&mut seen, &["inbox", "decide", "0.0.81", "accept"]);
    see(&mut seen, &["inbox", "decide", "0.0.81", "deny"]);
    see(&mut seen, &["inbox", "decide", "0.0.81", "close"]);
    see(&mut seen, &["inbox", "accept", "0.0.81"]);
    see(&mut seen, &["inbox", "decide", "0.0.81", "perhaps"]);
    assert_seen!(seen);
}
