//! The suite that every backend runs: what a user of a ledger may rely on.
//!
//! A backend's test calls [`check`] with a function that opens the same ledger anew, as another process would. The
//! suite makes its own topics under keys of its own, so that it can run on a ledger that holds other things.

use crate::chain::{ChainFaultKind, ChainWalk};
use crate::content_hash::ContentHash;
use crate::entity_id::{AccountId, TopicId};
use crate::error::LedgerError;
use crate::limits::{MESSAGE_BYTES_MAX, PAGE_MESSAGES_MAX};
use crate::message::{Append, AppendKey, Head, TopicMessage};
use crate::port::{Ledger, ReadFrom};
use crate::redaction::Redact;
use crate::redaction_record::RedactionRecord;
use crate::sequence::Sequence;
use crate::topic::{NewTopic, SubmitPolicy, Topic};
use std::sync::Arc;

/// Opens the ledger under test.
pub type Open<'a> = dyn Fn() -> Arc<dyn Ledger> + Sync + 'a;

/// Runs the whole suite. `run` tells the topics of this run from those of an earlier one on the same ledger.
pub fn check(open: &Open<'_>, run: &str) {
    let suite = Suite { open, run };
    suite.topics_are_made_once();
    suite.messages_are_numbered_timed_and_chained();
    suite.a_repeat_returns_the_first_answer();
    suite.what_is_refused_is_not_there();
    suite.reads_page_forwards_from_a_number_or_a_time();
    suite.many_senders_leave_one_chain();
    suite.another_opening_sees_the_same();
    suite.a_redacted_message_is_gone_and_its_chain_holds();
}

struct Suite<'a> {
    open: &'a Open<'a>,
    run: &'a str,
}

const ALICE: u64 = 2_001;
const BOB: u64 = 2_002;

fn account(num: u64) -> AccountId {
    AccountId::local(num).expect("a small number")
}

impl Suite<'_> {
    fn ledger(&self) -> Arc<dyn Ledger> {
        (self.open)()
    }

    fn new_topic(&self, name: &str, policy: SubmitPolicy) -> NewTopic {
        NewTopic { memo: format!("contract:{name}"), policy, key: format!("{}:{name}", self.run) }
    }

    fn topic(&self, name: &str) -> Topic {
        let made = self.ledger().create_topic(&self.new_topic(name, SubmitPolicy::Everyone));
        made.expect("a topic can be made")
    }

    // LED-1
    fn topics_are_made_once(&self) {
        let ledger = self.ledger();
        let new = self.new_topic("once", SubmitPolicy::Only(account(ALICE)));
        let made = ledger.create_topic(&new).expect("a topic can be made");
        assert_eq!(ledger.create_topic(&new).expect("made again"), made, "the same key is the same topic");
        assert_eq!(ledger.topic(made.id).expect("readable"), Some(made.clone()));
        let other = NewTopic { memo: "another".to_owned(), ..new };
        let refused = ledger.create_topic(&other);
        assert!(matches!(refused, Err(LedgerError::TopicKeyReused(id)) if id == made.id), "{refused:?}");
        let mut listed = Vec::new();
        while let Some(last) = ledger.topics(listed.last().copied(), 2).expect("readable").last() {
            listed.extend(
                ledger.topics(listed.last().copied(), 2).expect("readable").iter().map(|topic| topic.id),
            );
            assert_eq!(listed.last(), Some(&last.id));
        }
        assert!(listed.is_sorted_by(|a, b| a < b), "by id, each once");
        assert!(listed.contains(&made.id));
        assert_eq!(ledger.head(made.id).expect("readable"), Head::start(made.id));
    }

    // LED-1, LED-2b
    fn messages_are_numbered_timed_and_chained(&self) {
        let (ledger, topic) = (self.ledger(), self.topic("chain"));
        let texts: [&[u8]; 4] = [b"one", b"", &[0, 159, 146, 150], b"one"];
        for (at, bytes) in texts.into_iter().enumerate() {
            let receipt = ledger.append(&append(topic.id, bytes)).expect("appended");
            assert_eq!(receipt.sequence.number(), at as u64 + 1);
            assert!(!receipt.is_repeat, "without a key nothing is a repeat");
            let head = ledger.head(topic.id).expect("readable");
            assert_eq!(
                (head.sequence, head.running_hash, head.consensus),
                (Some(receipt.sequence), receipt.running_hash, Some(receipt.consensus))
            );
        }
        let messages = self.all(topic.id);
        assert_eq!(messages.iter().map(|message| message.bytes.as_slice()).collect::<Vec<_>>(), texts);
        walk(topic.id, &messages).expect("the chain holds");
        let mut changed = messages.clone();
        changed[2].bytes.push(1);
        assert_eq!(walk(topic.id, &changed).map_err(|fault| (fault.sequence.number(), fault.kind)), {
            Err((3, ChainFaultKind::HashDiffers))
        });
    }

    // LED-4
    fn a_repeat_returns_the_first_answer(&self) {
        let (ledger, topic, other) = (self.ledger(), self.topic("keys"), self.topic("keys-beside"));
        let key = Some(AppendKey::parse("order-7").expect("a plain key"));
        let keyed = Append { key: key.clone(), ..append(topic.id, b"seven") };
        let first = ledger.append(&keyed).expect("appended");
        ledger.append(&append(topic.id, b"eight")).expect("appended");
        let again = self.ledger().append(&keyed).expect("answered");
        assert!(again.is_repeat);
        assert_eq!((again.sequence, again.running_hash), (first.sequence, first.running_hash));
        let reused = ledger.append(&Append { bytes: b"other words".to_vec(), ..keyed.clone() });
        assert!(matches!(reused, Err(LedgerError::KeyReused { sequence, .. }) if sequence == first.sequence));
        let beside = ledger.append(&Append { topic: other.id, ..keyed }).expect("appended");
        assert!(!beside.is_repeat, "a key is a key of its topic");
        assert_eq!(self.all(topic.id).len(), 2);
        assert_eq!(self.all(topic.id)[0].key, key);
    }

    // LED-1, LED-3
    fn what_is_refused_is_not_there(&self) {
        let ledger = self.ledger();
        let mine =
            ledger.create_topic(&self.new_topic("mine", SubmitPolicy::Only(account(ALICE)))).expect("made");
        ledger.append(&append(mine.id, b"mine")).expect("the owner may");
        let refused = ledger.append(&Append { submitter: account(BOB), ..append(mine.id, b"his") });
        assert!(matches!(refused, Err(LedgerError::Forbidden { account: who, .. }) if who == account(BOB)));
        let refused = ledger.append(&append(mine.id, &vec![0; MESSAGE_BYTES_MAX + 1]));
        assert!(matches!(refused, Err(LedgerError::TooLarge { .. })));
        ledger.append(&append(mine.id, &vec![7; MESSAGE_BYTES_MAX])).expect("the largest message");
        let nowhere = TopicId::local(i64::MAX as u64).expect("in range");
        for missing in [
            ledger.append(&append(nowhere, b"x")).err(),
            ledger.read(nowhere, ReadFrom::Start, 1).err(),
            ledger.head(nowhere).err(),
        ] {
            assert!(matches!(missing, Some(LedgerError::NoTopic(id)) if id == nowhere));
        }
        assert_eq!(self.all(mine.id).len(), 2);
    }

    // LED-4
    fn reads_page_forwards_from_a_number_or_a_time(&self) {
        let (ledger, topic) = (self.ledger(), self.topic("pages"));
        let receipts: Vec<_> =
            (0..7).map(|n| ledger.append(&append(topic.id, &[n])).expect("appended")).collect();
        let numbers = |from, count| {
            let page = ledger.read(topic.id, from, count).expect("readable");
            (page.messages.iter().map(|message| message.sequence.number()).collect::<Vec<_>>(), page.has_more)
        };
        let after = |number| ReadFrom::After(Sequence::new(number).expect("not zero"));
        assert_eq!(numbers(ReadFrom::Start, 3), (vec![1, 2, 3], true));
        assert_eq!(numbers(after(3), 4), (vec![4, 5, 6, 7], false));
        assert_eq!(numbers(after(7), 4), (vec![], false));
        assert_eq!(numbers(after(70), 4), (vec![], false));
        assert_eq!(numbers(ReadFrom::Time(receipts[4].consensus), 9), (vec![5, 6, 7], false));
        assert_eq!(numbers(ReadFrom::Start, 0).0, [1], "a page holds at least one message");
        assert_eq!(numbers(ReadFrom::Start, PAGE_MESSAGES_MAX * 2).0.len(), 7);
    }

    // LED-1
    fn many_senders_leave_one_chain(&self) {
        const SENDERS: u64 = 8;
        const EACH: u64 = 25;
        let topic = self.topic("senders");
        std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let ledger = self.ledger();
                scope.spawn(move || {
                    for n in 0..EACH {
                        let text = format!("{sender}:{n}");
                        let from = Append {
                            submitter: account(ALICE + sender),
                            ..append(topic.id, text.as_bytes())
                        };
                        ledger.append(&from).expect("appended");
                    }
                });
            }
        });
        let messages = self.all(topic.id);
        walk(topic.id, &messages).expect("the chain holds");
        assert_eq!(messages.len() as u64, SENDERS * EACH);
        for sender in 0..SENDERS {
            let own = messages.iter().filter(|message| message.submitter == account(ALICE + sender));
            let texts: Vec<_> =
                own.map(|message| String::from_utf8_lossy(&message.bytes).into_owned()).collect();
            let expected: Vec<_> = (0..EACH).map(|n| format!("{sender}:{n}")).collect();
            assert_eq!(texts, expected, "a sender's messages keep their order");
        }
    }

    // LED-2
    fn another_opening_sees_the_same(&self) {
        let topic = self.topic("reopened");
        self.ledger().append(&append(topic.id, b"first")).expect("appended");
        let (one, two) = (self.ledger(), self.ledger());
        one.append(&append(topic.id, b"second")).expect("appended");
        two.append(&append(topic.id, b"third")).expect("appended");
        let read = one.read(topic.id, ReadFrom::Start, 9).expect("readable");
        assert_eq!(read.messages, self.all(topic.id));
        assert_eq!(read.messages.len(), 3);
        walk(topic.id, &read.messages).expect("the chain holds");
    }

    // LED-5
    fn a_redacted_message_is_gone_and_its_chain_holds(&self) {
        let (ledger, topic) = (self.ledger(), self.topic("redacted"));
        let key = Some(AppendKey::parse("said-once").expect("a plain key"));
        let secret = Append { key, ..append(topic.id, b"a person's secret") };
        let said = ledger.append(&secret).expect("appended");
        ledger.append(&append(topic.id, b"and more")).expect("appended");
        let redact = Redact {
            topic: topic.id,
            sequence: said.sequence,
            submitter: account(BOB),
            reason: "asked for".to_owned(),
        };
        let record = ledger.redact(&redact).expect("redacted");
        assert_eq!((record.sequence.number(), record.is_repeat), (3, false));
        let again = self.ledger().redact(&redact).expect("answered");
        assert_eq!((again.sequence, again.is_repeat), (record.sequence, true));
        let messages = self.all(topic.id);
        walk(topic.id, &messages).expect("the chain holds");
        let content = ContentHash::of(b"a person's secret");
        assert_eq!((messages[0].bytes.as_slice(), messages[0].redacted), (&b""[..], Some(content)));
        assert_eq!(ledger.message_at(said.consensus), Ok(Some(messages[0].clone())));
        assert_eq!(messages.len(), 3);
        let kept = RedactionRecord::parse(&messages[2].bytes).expect("a record");
        assert_eq!(
            (kept.sequence, kept.content, kept.reason.as_str()),
            (said.sequence, content, "asked for")
        );
        let repeat = ledger.append(&secret).expect("answered");
        assert!(repeat.is_repeat && repeat.sequence == said.sequence, "its key still names it");
        let forged = ledger.append(&append(topic.id, &messages[2].bytes));
        assert_eq!(forged, Err(LedgerError::RedactionRecord), "only a redaction writes a record");
        let of_record = ledger.redact(&Redact { sequence: record.sequence, ..redact.clone() });
        assert!(matches!(of_record, Err(LedgerError::RecordStays { .. })), "{of_record:?}");
        let missing = Sequence::new(99).expect("not zero");
        let nowhere = ledger.redact(&Redact { sequence: missing, ..redact });
        assert_eq!(nowhere, Err(LedgerError::NoMessage { topic: topic.id, sequence: missing }));
    }

    fn all(&self, topic: TopicId) -> Vec<TopicMessage> {
        let ledger = self.ledger();
        let mut messages: Vec<TopicMessage> = Vec::new();
        loop {
            let from = messages.last().map_or(ReadFrom::Start, |last| ReadFrom::After(last.sequence));
            let page = ledger.read(topic, from, 50).expect("readable");
            messages.extend(page.messages);
            if !page.has_more {
                return messages;
            }
        }
    }
}

fn append(topic: TopicId, bytes: &[u8]) -> Append {
    Append { topic, submitter: account(ALICE), key: None, bytes: bytes.to_vec() }
}

fn walk(topic: TopicId, messages: &[TopicMessage]) -> Result<Head, crate::chain::ChainFault> {
    let mut walk = ChainWalk::of(topic);
    messages.iter().try_for_each(|message| walk.step(message))?;
    Ok(*walk.head())
}
