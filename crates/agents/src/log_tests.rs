use super::*;
use crate::canonical::HashInput;
use crate::canonical_json::CanonicalJson;
use crate::ids::{AgentPayloadId, InteractiveSessionId};
use crate::message::{AgentMessageMetadata, JSON_CONTENT_TYPE};
use crate::vector_clock::VectorClock;
use crate::vector_clock::tests::host;
use brainstem_base::{AgentId, Timestamp};
use proptest::prelude::*;
use serde_json::json;

pub(crate) fn thread(name: &str) -> ThreadId {
    let agent = AgentId::parse("coach").expect("an id");
    ThreadId::of_session(agent, InteractiveSessionId::parse(name).expect("a word"))
}

/// A device that writes into a log.
pub(crate) struct Device {
    host: HostId,
    clock: VectorClock,
    pub(crate) messages: Vec<AgentMessage>,
}

impl Device {
    pub(crate) fn new(name: &str) -> Self {
        Self { host: host(name), clock: VectorClock::default(), messages: Vec::new() }
    }

    pub(crate) fn stamp(&mut self) -> WriteStamp {
        self.clock = self.clock.clone().after_write_of(&self.host);
        WriteStamp { host: self.host.clone(), clock: self.clock.clone() }
    }

    /// Appends a message behind the head that the device knows.
    pub(crate) fn append(&mut self, thread: &ThreadId, tokens: u32) -> AppendedRecords {
        let stamp = self.stamp();
        let id = format!("{}{}", self.host, stamp.clock.counter(&self.host));
        let payload = AgentMessagePayload {
            id: AgentPayloadId::from(HashInput::new("test.1").text(&id).digest()),
            agent: thread.agent().clone(),
            created_at: Timestamp::from_ms(0),
            content: CanonicalJson::of(&json!(id)).expect("canonical"),
            content_type: JSON_CONTENT_TYPE.to_owned(),
            stamp: stamp.clone(),
        };
        let message = AgentMessage {
            id: id.parse().expect("a word"),
            thread: thread.clone(),
            kind: AgentMessageKind::Observation,
            created_at: Timestamp::from_ms(0),
            prev: None,
            payload: None,
            trigger_source_id: None,
            summary: None,
            tokens_approx: tokens,
            metadata: AgentMessageMetadata::default(),
            stamp,
        };
        let head = LogView::of(&self.messages).head();
        let appended = plan_append(message, Some(payload), head.as_ref());
        self.messages.push(appended.message.clone());
        appended
    }

    /// Takes in what another device has.
    pub(crate) fn learn(&mut self, from: &Self) {
        self.clock = self.clock.clone().join(&from.clock);
        for message in &from.messages {
            if !self.messages.contains(message) {
                self.messages.push(message.clone());
            }
        }
    }
}

fn head(messages: &[AgentMessage]) -> String {
    LogView::of(messages).head().expect("some message").message.to_string()
}

#[test] // spec: D-02
fn an_append_adds_one_message_its_payload_its_links_and_the_head() {
    let mut device = Device::new("a");
    let first = device.append(&thread("t"), 1);
    let mut second = first.clone();
    for _ in 0..50 {
        second = device.append(&thread("t"), 1);
    }
    let said = |links: &[AgentLink]| {
        links
            .iter()
            .map(|link| format!("{} {} {}", link.relation, link.from_id, link.to_id))
            .collect::<Vec<_>>()
    };
    let payload = second.payload.clone().expect("it has one").id;
    assert_eq!(
        said(&second.links),
        [
            "agent_head coach a51".to_owned(),
            "message_prev a51 a50".to_owned(),
            format!("message_payload a51 {payload}"),
        ]
    );
    assert_eq!(first.links.len(), 2);
    assert_eq!(second.head.message.as_str(), "a51");
    // An append grows with neither the log nor what it says before.
    let size = |appended: &AppendedRecords| format!("{appended:?}").len();
    assert!(size(&second) < size(&first) + 600, "{} and {}", size(&first), size(&second));
}

#[test]
fn the_head_follows_the_newest_branch_and_every_order_of_arrival_gives_the_same_log() {
    let (mut a, mut b) = (Device::new("a"), Device::new("b"));
    a.append(&thread("t"), 1);
    b.learn(&a);
    a.append(&thread("t"), 1);
    b.append(&thread("t"), 1);
    // Concurrent branches: the larger device.
    let mut both = a.messages.clone();
    both.extend(b.messages.clone());
    assert_eq!(head(&both), "b1");
    // What knew both branches is the head.
    a.learn(&b);
    a.append(&thread("t"), 1);
    assert_eq!(head(&a.messages), "a3");
    let ids = |messages: &[AgentMessage]| -> Vec<String> {
        LogView::of(messages).uncovered(&thread("t")).iter().map(|message| message.id.to_string()).collect()
    };
    let ordered = ids(&a.messages);
    assert_eq!(ordered, ["a1", "a2", "b1", "a3"]);
    let mut shuffled = a.messages.clone();
    shuffled.reverse();
    shuffled.extend(a.messages.clone());
    assert_eq!((ids(&shuffled), head(&shuffled)), (ordered, head(&a.messages)));
}

#[test]
fn a_log_that_contradicts_itself_is_read_to_its_end() {
    let mut device = Device::new("a");
    for _ in 0..3 {
        device.append(&thread("t"), 1);
    }
    device.messages[0].prev = Some(device.messages[2].id.clone());
    let view = LogView::of(&device.messages);
    assert!(view.is_ancestor(&device.messages[2].id, &device.messages[0].id));
    assert!(!view.is_ancestor(&"x".parse().expect("a word"), &device.messages[0].id));
    assert_eq!(view.uncovered(&thread("t")).len(), 3);
}

proptest! {
    #[test]
    fn a_message_comes_behind_everything_that_its_writer_knew(steps in prop::collection::vec((0_usize..3, 0_usize..3), 1..16)) {
        let mut devices = ["a", "b", "c"].map(Device::new);
        for (by, from) in steps {
            if by == from {
                devices[by].append(&thread("t"), 1);
            } else {
                let taken = std::mem::replace(&mut devices[from], Device::new("z"));
                devices[by].learn(&taken);
                devices[from] = taken;
            }
        }
        let all: Vec<AgentMessage> = devices.iter().flat_map(|device| device.messages.clone()).collect();
        let view = LogView::of(&all);
        let ordered = view.uncovered(&thread("t"));
        for (at, message) in ordered.iter().enumerate() {
            prop_assert!(ordered[at..].iter().all(|later| !later.stamp.clock.is_before(&message.stamp.clock)));
            let prev_is_before = message.prev.as_ref().is_none_or(|prev| {
                ordered[..at].iter().any(|earlier| earlier.id == *prev)
            });
            prop_assert!(prev_is_before);
        }
    }
}
