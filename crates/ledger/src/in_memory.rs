//! A ledger in memory: the plainest one that keeps the contract, for tests of what is built on a ledger.

use crate::consensus_time::ConsensusTime;
use crate::entity_id::TopicId;
use crate::error::LedgerError;
use crate::limits::{PAGE_BYTES_MAX, PAGE_MESSAGES_MAX};
use crate::message::{Append, Head, Receipt, TopicMessage};
use crate::port::{Ledger, Page, ReadFrom};
use crate::redaction::{Redact, record_key};
use crate::redaction_record::RedactionRecord;
use crate::topic::{NewTopic, Topic};
use brainstem_base::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A ledger that is gone with its process.
pub struct InMemoryLedger {
    clock: Arc<dyn Clock>,
    state: Mutex<MemoryLedgerState>,
}

#[derive(Default)]
struct MemoryLedgerState {
    topics: BTreeMap<TopicId, (NewTopic, Topic, Vec<TopicMessage>)>,
    last: Option<ConsensusTime>,
}

/// The number of the first topic; those below are Hedera's own accounts and files.
const FIRST_TOPIC: u64 = 1_001;

impl InMemoryLedger {
    /// An empty ledger.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    fn with<T>(&self, act: impl FnOnce(&mut MemoryLedgerState) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl MemoryLedgerState {
    /// Appends to a topic that is there.
    fn append(&mut self, append: &Append, now: Timestamp) -> Result<Receipt, LedgerError> {
        let (_, topic, messages) =
            self.topics.get_mut(&append.topic).ok_or(LedgerError::NoTopic(append.topic))?;
        let repeated = messages.iter().find(|message| append.key.is_some() && message.key == append.key);
        if let Some(message) = repeated {
            return match message.is_from(append) {
                true => Ok(Receipt { is_repeat: true, ..message.receipt() }),
                false => Err(LedgerError::KeyReused { topic: topic.id, sequence: message.sequence }),
            };
        }
        let head = messages.last().map_or(Head::start(topic.id), TopicMessage::head);
        let message = TopicMessage::following(&head, append, self.last, now);
        self.last = Some(message.consensus);
        let receipt = message.receipt();
        messages.push(message);
        Ok(receipt)
    }
}

impl Ledger for InMemoryLedger {
    fn create_topic(&self, new: &NewTopic) -> Result<Topic, LedgerError> {
        new.check()?;
        self.with(|state| {
            if let Some((made, topic, _)) = state.topics.values().find(|(made, ..)| made.key == new.key) {
                return match made == new {
                    true => Ok(topic.clone()),
                    false => Err(LedgerError::TopicKeyReused(topic.id)),
                };
            }
            let num = state.topics.keys().last().map_or(FIRST_TOPIC, |id| id.num() + 1);
            let id = TopicId::local(num).expect("fewer topics than numbers");
            let created = ConsensusTime::following(state.last, self.clock.now());
            state.last = Some(created);
            let topic = Topic { id, memo: new.memo.clone(), policy: new.policy, created };
            state.topics.insert(id, (new.clone(), topic.clone(), Vec::new()));
            Ok(topic)
        })
    }

    fn topic(&self, id: TopicId) -> Result<Option<Topic>, LedgerError> {
        Ok(self.with(|state| state.topics.get(&id).map(|(_, topic, _)| topic.clone())))
    }

    fn topics(&self, after: Option<TopicId>, count_max: usize) -> Result<Vec<Topic>, LedgerError> {
        let is_after = |id: &TopicId| after.is_none_or(|after| *id > after);
        let page = |state: &mut MemoryLedgerState| {
            let kept = state.topics.iter().filter(|(id, _)| is_after(id));
            kept.map(|(_, (_, topic, _))| topic.clone()).take(count_max).collect()
        };
        Ok(self.with(page))
    }

    fn append(&self, append: &Append) -> Result<Receipt, LedgerError> {
        append.check()?;
        self.with(|state| {
            let (_, topic, _) = state.topics.get(&append.topic).ok_or(LedgerError::NoTopic(append.topic))?;
            match topic.policy.allows(append.submitter) {
                true => state.append(append, self.clock.now()),
                false => Err(LedgerError::Forbidden { topic: topic.id, account: append.submitter }),
            }
        })
    }

    fn read(&self, topic: TopicId, from: ReadFrom, count_max: usize) -> Result<Page, LedgerError> {
        self.with(|state| {
            let (_, _, messages) = state.topics.get(&topic).ok_or(LedgerError::NoTopic(topic))?;
            let start = messages.partition_point(|message| match from {
                ReadFrom::Start => false,
                ReadFrom::After(sequence) => message.sequence <= sequence,
                ReadFrom::Time(time) => message.consensus < time,
            });
            let mut page = Page { messages: Vec::new(), has_more: false };
            let mut bytes = 0;
            for message in &messages[start..] {
                bytes += message.bytes.len();
                let is_full = page.messages.len() >= count_max.clamp(1, PAGE_MESSAGES_MAX);
                if is_full || (bytes > PAGE_BYTES_MAX && !page.messages.is_empty()) {
                    page.has_more = true;
                    break;
                }
                page.messages.push(message.clone());
            }
            Ok(page)
        })
    }

    fn head(&self, topic: TopicId) -> Result<Head, LedgerError> {
        self.with(|state| {
            let (_, _, messages) = state.topics.get(&topic).ok_or(LedgerError::NoTopic(topic))?;
            Ok(messages.last().map_or(Head::start(topic), TopicMessage::head))
        })
    }

    fn message_at(&self, time: ConsensusTime) -> Result<Option<TopicMessage>, LedgerError> {
        let find = |state: &mut MemoryLedgerState| {
            let mut all = state.topics.values().flat_map(|(_, _, messages)| messages);
            all.find(|message| message.consensus == time).cloned()
        };
        Ok(self.with(find))
    }

    fn redact(&self, redact: &Redact) -> Result<Receipt, LedgerError> {
        redact.check()?;
        let Redact { topic, sequence, .. } = *redact;
        self.with(|state| {
            let (_, _, messages) = state.topics.get_mut(&topic).ok_or(LedgerError::NoTopic(topic))?;
            let at = messages.iter().position(|message| message.sequence == sequence);
            let message = &mut messages[at.ok_or(LedgerError::NoMessage { topic, sequence })?];
            if RedactionRecord::parse(&message.bytes).is_some() {
                return Err(LedgerError::RecordStays { topic, sequence });
            }
            let content = message.content();
            if message.redacted.replace(content).is_some() {
                let key = Some(record_key(sequence));
                let record = messages.iter().find(|message| message.key == key);
                let record = record.ok_or(LedgerError::NoMessage { topic, sequence })?;
                return Ok(Receipt { is_repeat: true, ..record.receipt() });
            }
            message.bytes = Vec::new();
            state.append(&redact.to_append(content), self.clock.now())
        })
    }
}
