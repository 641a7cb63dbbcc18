//! The ledger in memory keeps the contract, and a walk names what was done to a chain.

use brainstem_base::clock::ManualClock;
use brainstem_ledger::in_memory::InMemoryLedger;
use brainstem_ledger::{
    AccountId, Append, ChainFaultKind, ChainWalk, Head, Ledger, NewTopic, ReadFrom, Sequence, SubmitPolicy,
    TopicId, TopicMessage, contract,
};
use proptest::prelude::*;
use std::sync::Arc;

fn ledger() -> Arc<dyn Ledger> {
    Arc::new(InMemoryLedger::new(Arc::new(ManualClock::at(1_000))))
}

#[test] // spec: LED-1, LED-2b, LED-3, LED-4, LED-5
fn the_ledger_in_memory_keeps_the_contract() {
    let ledger = ledger();
    contract::check(&|| Arc::clone(&ledger), "first");
    contract::check(&|| Arc::clone(&ledger), "second");
}

fn chain(texts: &[Vec<u8>]) -> (TopicId, Vec<TopicMessage>) {
    let ledger = ledger();
    let new = NewTopic { memo: "m".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    let topic = ledger.create_topic(&new).expect("made").id;
    let submitter = AccountId::local(9).expect("in range");
    for bytes in texts {
        ledger.append(&Append { topic, submitter, key: None, bytes: bytes.clone() }).expect("appended");
    }
    (topic, ledger.read(topic, ReadFrom::Start, 1_000).expect("readable").messages)
}

fn walk(topic: TopicId, messages: &[TopicMessage]) -> Result<ChainWalk, (u64, ChainFaultKind)> {
    let mut walk = ChainWalk::of(topic);
    let walked = messages.iter().try_for_each(|message| walk.step(message));
    walked.map(|()| walk).map_err(|fault| (fault.sequence.number(), fault.kind))
}

proptest! {
    #[test] // spec: LED-1
    fn a_walk_names_the_first_message_that_was_touched(
        texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 2..12),
        place in any::<prop::sample::Index>(),
        what in 0..5,
    ) {
        let (topic, mut messages) = chain(&texts);
        prop_assert!(walk(topic, &messages).is_ok());
        let at = place.index(messages.len());
        let number = at as u64 + 1;
        let sequence = |at: usize| Sequence::new(at as u64 + 1).expect("not zero");
        let expected = match what {
            0 => {
                messages[at].bytes.push(0);
                Some((number, ChainFaultKind::HashDiffers))
            }
            1 => {
                messages[at].submitter = AccountId::local(10).expect("in range");
                Some((number, ChainFaultKind::HashDiffers))
            }
            2 => {
                messages.remove(at);
                // A tail that was cut off leaves a chain that holds: the head of before tells.
                (at < messages.len()).then(|| (number, ChainFaultKind::OutOfSequence(sequence(at + 1))))
            }
            3 => {
                let other = (at + 1) % messages.len();
                messages.swap(at, other);
                let first = at.min(other);
                Some((first as u64 + 1, ChainFaultKind::OutOfSequence(messages[first].sequence)))
            }
            _ => {
                let mut bytes = *messages[at].running_hash.as_bytes();
                bytes[47] ^= 1;
                messages[at].running_hash = brainstem_ledger::RunningHash::from_bytes(bytes);
                Some((number, ChainFaultKind::HashDiffers))
            }
        };
        prop_assert_eq!(walk(topic, &messages).err(), expected);
    }
}

#[test] // spec: LED-4a
fn a_head_that_was_kept_elsewhere_tells_a_cut_tail_and_a_rewritten_chain() {
    let texts: Vec<Vec<u8>> = ["a", "b", "c", "d"].map(|text| text.as_bytes().to_vec()).to_vec();
    let (topic, messages) = chain(&texts);
    let kept = messages[2].head();
    let hold = |messages: &[TopicMessage], kept: &Head| {
        let walk = walk(topic, messages).expect("the chain itself holds");
        walk.hold_to(kept).map_err(|fault| (fault.sequence.number(), fault.kind))
    };
    assert_eq!(hold(&messages[..3], &kept), Ok(()));
    assert_eq!(hold(&messages[..2], &kept), Err((3, ChainFaultKind::Missing)));
    assert_eq!(hold(&[], &kept), Err((1, ChainFaultKind::Missing)));
    let (_, rewritten) = chain(&[texts[0].clone(), b"B".to_vec(), texts[2].clone()]);
    assert_eq!(hold(&rewritten, &kept), Err((3, ChainFaultKind::Rewritten)));
    assert_eq!(hold(&messages, &Head::start(topic)), Ok(()));
}
