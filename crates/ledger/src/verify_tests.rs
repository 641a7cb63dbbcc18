//! A verification names what was done to a log.

use super::*;
use crate::consensus_time::ConsensusTime;
use crate::entity_id::AccountId;
use crate::message::Append;
use crate::running_hash::RunningHash;
use crate::topic::{SubmitPolicy, Topic};
use crate::{Redact, TopicMark};
use brainstem_base::Timestamp;

fn topic(num: u64) -> TopicId {
    TopicId::local(num).expect("in range")
}

fn number(sequence: u64) -> Sequence {
    Sequence::new(sequence).expect("not zero")
}

/// A log of two topics by turns, three messages each.
struct Log {
    messages: Vec<TopicMessage>,
}

impl Log {
    fn new() -> Self {
        Self::saying("")
    }

    fn saying(more: &str) -> Self {
        let mut log = Self { messages: Vec::new() };
        for n in 0..6 {
            log.append(topic(1 + n % 2), format!("message {n}{more}").into_bytes());
        }
        log
    }

    fn append(&mut self, topic: TopicId, bytes: Vec<u8>) {
        let submitter = AccountId::local(9).expect("in range");
        self.put(&Append { topic, submitter, key: None, bytes });
    }

    fn put(&mut self, append: &Append) {
        let last = self.messages.last().map(|message| message.consensus);
        let head = self.head(append.topic);
        self.messages.push(TopicMessage::following(&head, append, last, Timestamp::from_ms(5_000)));
    }

    fn head(&self, topic: TopicId) -> Head {
        let own = self.messages.iter().rev().find(|message| message.topic == topic);
        own.map_or(Head::start(topic), TopicMessage::head)
    }

    fn heads(&self) -> Vec<Head> {
        [1, 2].map(|num| self.head(topic(num))).into_iter().filter(|head| head.sequence.is_some()).collect()
    }

    fn checkpoint(&self) -> Checkpoint {
        let mut tree = GrowingTree::default();
        self.messages.iter().for_each(|message| tree.push(Frame::of(message).leaf()));
        let created = ConsensusTime::new(1, 0).expect("in range");
        let mark = |head: Head| {
            let about =
                Topic { id: head.topic, memo: String::new(), policy: SubmitPolicy::Everyone, created };
            TopicMark::new(&about, head)
        };
        let topics = self.heads().into_iter().map(mark).collect();
        Checkpoint { origin: "log".to_owned(), size: tree.size(), root: tree.root(), topics }
    }
}

fn verify(messages: &[(u64, TopicMessage)], heads: Vec<Head>, kept: &Kept) -> Verification {
    let mut verifier = Verifier::new(kept);
    for (position, message) in messages {
        verifier.take(*position, message);
    }
    verifier.finish(heads)
}

fn placed(messages: &[TopicMessage]) -> Vec<(u64, TopicMessage)> {
    (1..).zip(messages.iter().cloned()).collect()
}

/// The faults as `(topic, number, kind)`; others as themselves.
fn short(faults: &[LogFault]) -> Vec<String> {
    faults
        .iter()
        .map(|fault| match fault {
            LogFault::Message(fault) => {
                format!("{}#{} {:?}", fault.topic, fault.sequence, fault.kind)
            }
            other => format!("{other:?}"),
        })
        .collect()
}

fn check(
    change: impl FnOnce(&mut Vec<(u64, TopicMessage)>, &mut Vec<Head>),
    integrity: &[&str],
    completeness: &[&str],
) {
    let log = Log::new();
    let (mut messages, mut heads) = (placed(&log.messages), log.heads());
    change(&mut messages, &mut heads);
    let found = verify(&messages, heads, &Kept::default());
    assert_eq!(
        (short(&found.integrity), short(&found.completeness)),
        (
            integrity.iter().map(ToString::to_string).collect(),
            completeness.iter().map(ToString::to_string).collect()
        )
    );
}

#[test] // spec: LED-1b
fn a_whole_log_has_two_good_verdicts() {
    let log = Log::new();
    let mut kept = Kept::default();
    kept.add(&log.checkpoint());
    let found = verify(&placed(&log.messages), log.heads(), &kept);
    assert!(found.holds(), "{found:?}");
    assert_eq!((found.topics, found.messages, found.root), (2, 6, Some(log.checkpoint().root)));
    let empty = verify(&[], Vec::new(), &Kept::default());
    assert!(empty.holds() && empty.root == Some(TreeHash::of_nothing()));
}

#[test] // spec: LED-1b
fn a_flipped_bit_is_named() {
    check(|log, _| log[2].1.bytes[0] ^= 1, &["0.0.1#2 HashDiffers"], &[]);
    check(
        |log, _| log[3].1.submitter = AccountId::local(1).expect("in range"),
        &["0.0.2#2 HashDiffers"],
        &[],
    );
    let other = |hash: &RunningHash| {
        let mut bytes = *hash.as_bytes();
        bytes[7] ^= 1;
        RunningHash::from_bytes(bytes)
    };
    check(|log, _| log[0].1.running_hash = other(&log[0].1.running_hash), &["0.0.1#1 HashDiffers"], &[]);
    check(|_, heads| heads[0].running_hash = other(&heads[0].running_hash), &["0.0.1#3 Rewritten"], &[]);
}

#[test] // spec: LED-1b
fn a_removed_row_is_named_in_the_middle_and_at_the_end() {
    check(|log, _| drop(log.remove(2)), &[], &["Positions { first: 3, count: 1 }", "0.0.1#2 Missing"]);
    check(|log, _| log.truncate(4), &[], &["0.0.1#3 Missing", "0.0.2#3 Missing"]);
    check(|log, _| log.clear(), &[], &["0.0.1#1 Missing", "0.0.2#1 Missing"]);
    // The row and every trace of it in its own topic, but not its place among all.
    check(
        |log, heads| {
            heads[0] = log[2].1.head();
            log.remove(4);
        },
        &[],
        &["Positions { first: 5, count: 1 }"],
    );
}

#[test] // spec: LED-1b
fn a_swapped_pair_is_out_of_place_and_not_missing() {
    let swap = |log: &mut Vec<(u64, TopicMessage)>, _: &mut Vec<Head>| {
        let (one, other) = (log[0].1.clone(), log[2].1.clone());
        (log[0].1, log[2].1) = (other, one);
    };
    check(swap, &["0.0.1#1 OutOfSequence(Sequence(1))"], &[]);
    // Only what they say: the hashes tell.
    let content = |log: &mut Vec<(u64, TopicMessage)>, _: &mut Vec<Head>| {
        let bytes = std::mem::take(&mut log[0].1.bytes);
        log[0].1.bytes = std::mem::replace(&mut log[2].1.bytes, bytes);
    };
    check(content, &["0.0.1#1 HashDiffers"], &[]);
}

#[test] // spec: LED-1b
fn a_forged_append_is_named() {
    let forge = |log: &mut Vec<(u64, TopicMessage)>, _: &mut Vec<Head>| {
        let mut whole = Log { messages: log.iter().map(|(_, message)| message.clone()).collect() };
        whole.append(topic(2), b"forged, with a hash that fits".to_vec());
        *log = placed(&whole.messages);
    };
    check(forge, &["0.0.2#4 BehindHead"], &[]);
    check(|_, heads| heads.clear(), &["0.0.1#1 BehindHead", "0.0.2#1 BehindHead"], &[]);
}

#[test] // spec: LED-4a, LED-4b
fn a_rewritten_log_and_an_older_copy_are_told_by_a_kept_head() {
    let log = Log::new();
    let mut kept = Kept::default();
    kept.add(&log.checkpoint());
    let rewritten = Log::saying(", rewritten");
    let found = verify(&placed(&rewritten.messages), rewritten.heads(), &kept);
    assert_eq!(short(&found.integrity), ["0.0.1#3 Rewritten", "OtherTree { size: 6 }", "0.0.2#3 Rewritten"]);
    assert_eq!(found.completeness, []);
    let older = Log { messages: log.messages[..3].to_vec() };
    let found = verify(&placed(&older.messages), older.heads(), &kept);
    assert_eq!(found.integrity, []);
    assert_eq!(
        short(&found.completeness),
        ["0.0.1#3 Missing", "0.0.2#2 Missing", "OlderCopy { has: 3, kept: 6 }"]
    );
    let mut grown = Log::new();
    grown.append(topic(3), b"more".to_vec());
    let heads = [grown.heads(), vec![grown.head(topic(3))]].concat();
    assert!(verify(&placed(&grown.messages), heads, &kept).holds(), "a log may grow behind a head");
}

#[test] // spec: LED-5, LED-1b
fn erased_bytes_need_a_record_and_a_record_needs_erased_bytes() {
    let redact = Redact {
        topic: topic(1),
        sequence: number(2),
        submitter: AccountId::local(9).expect("in range"),
        reason: "asked".to_owned(),
    };
    let erase = |message: &mut TopicMessage| {
        message.redacted = Some(message.content());
        message.bytes.clear();
    };
    let mut log = Log::new();
    log.put(&redact.to_append(log.messages[2].content()));
    let kept_bytes = verify(&placed(&log.messages), log.heads(), &Kept::default());
    assert_eq!(short(&kept_bytes.integrity), ["0.0.1#2 NotErased"]);
    erase(&mut log.messages[2]);
    let found = verify(&placed(&log.messages), log.heads(), &Kept::default());
    assert!(found.holds() && found.redacted == 1, "{found:?}");
    let mut unrecorded = Log::new();
    erase(&mut unrecorded.messages[2]);
    let found = verify(&placed(&unrecorded.messages), unrecorded.heads(), &Kept::default());
    assert_eq!(short(&found.integrity), ["0.0.1#2 ErasedWithoutRecord"]);
}

#[test] // spec: LED-1a
fn times_that_go_back_over_topics_are_named() {
    let log = Log::new();
    let mut other = Log::new();
    // The second topic alone, a moment earlier: each chain holds, and the order of all does not.
    other.messages.retain(|message| message.topic == topic(2));
    let messages =
        [&log.messages[..1], &log.messages[2..3], &log.messages[4..5], &other.messages[..]].concat();
    let found = verify(&placed(&messages), log.heads(), &Kept::default());
    assert_eq!(found.integrity.len(), 1, "{found:?}");
    assert!(matches!(
        found.integrity[0],
        LogFault::Message(ChainFault { kind: ChainFaultKind::TimeWentBack(_), .. })
    ));
}
