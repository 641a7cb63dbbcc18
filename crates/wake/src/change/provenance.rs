//! Provenance for changes that are born as files: a message that a person dropped into a box, a claim that `git pull` brought.
//!
//! Such a change says no device and no count. The first process that sees it gives it both, on record, before any
//! subscription sees it; every later look at the same content finds the record, and so derives the same key. A run's own
//! writes are put on record before they are written, so that no watcher takes them for a person's.

use super::causation::Causation;
use super::unit::{ChangeUnit, PayloadId, PayloadType, UnitOrigin};
use brainstem_agents::HostId;
use brainstem_base::AgentId;
use std::collections::BTreeMap;

/// A file as a watcher sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileSighting {
    /// What it is.
    pub payload_type: PayloadType,
    /// Where it is: its path inside its store.
    pub path: PayloadId,
    /// The SHA-256 of its content.
    pub content: [u8; 32],
}

/// What is on record about a change that was born as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProvenance {
    /// The unit that its key is made from.
    pub unit: ChangeUnit,
    /// The agent whose run wrote it; `None` if no run did.
    pub agent: Option<AgentId>,
    /// The chain of runs behind it; `None` if no run did.
    pub causation: Option<Causation>,
}

/// The record of one device. The store keeps it, and adds to it under its lock.
///
/// A file that comes back to a content that it had before is the change that it was then: it wakes nothing again.
#[derive(Clone, Debug)]
pub struct ProvenanceBook {
    host: HostId,
    last_counter: u64,
    records: BTreeMap<FileSighting, FileProvenance>,
}

impl ProvenanceBook {
    /// The record of a device whose clock has counted so far.
    pub fn new(host: HostId, last_counter: u64) -> Self {
        Self { host, last_counter, records: BTreeMap::new() }
    }

    /// What is on record about a sighting. One that is new gets the next count, as a change that no run made.
    pub fn identify(&mut self, sighting: &FileSighting) -> &FileProvenance {
        self.record(sighting, None, None)
    }

    /// Puts on record what a run is about to write. A sighting that is on record stays what it is.
    pub fn announce(
        &mut self,
        sighting: &FileSighting,
        agent: &AgentId,
        causation: Causation,
    ) -> &FileProvenance {
        self.record(sighting, Some(agent), Some(causation))
    }

    fn record(
        &mut self,
        sighting: &FileSighting,
        agent: Option<&AgentId>,
        causation: Option<Causation>,
    ) -> &FileProvenance {
        let Self { host, last_counter, records } = self;
        records.entry(sighting.clone()).or_insert_with(|| {
            *last_counter += 1;
            let unit = ChangeUnit {
                origin: UnitOrigin::Local,
                host: host.clone(),
                counter: *last_counter,
                payload_type: sighting.payload_type.clone(),
                payload_id: sighting.path.clone(),
            };
            FileProvenance { unit, agent: agent.cloned(), causation }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::hash::sha256;

    fn sighting(path: &str, content: &str) -> FileSighting {
        FileSighting {
            payload_type: PayloadType::parse("mailMessage").expect("a type"),
            path: PayloadId::parse(path).expect("an id"),
            content: sha256(content.as_bytes()),
        }
    }

    fn book() -> ProvenanceBook {
        ProvenanceBook::new(HostId::parse("laptop").expect("a host"), 41)
    }

    #[test] // spec: B-17
    fn a_file_that_is_seen_again_has_the_key_of_the_first_look() {
        let mut book = book();
        let first = book.identify(&sighting("box/a.md", "hello")).clone();
        assert_eq!((first.unit.counter, first.agent.as_ref()), (42, None));
        let mut restarted = book.clone();
        for again in [&mut book, &mut restarted] {
            assert_eq!(again.identify(&sighting("box/a.md", "hello")), &first);
        }
        let others = [sighting("box/a.md", "hello, edited"), sighting("box/b.md", "hello")];
        let keys = others.map(|other| book.identify(&other).unit.key());
        assert!(keys[0] != keys[1] && !keys.contains(&first.unit.key()));
    }

    #[test] // spec: B-17, Z-14
    fn what_a_run_writes_is_its_own_effect_whichever_watcher_sees_it_first() {
        let mut book = book();
        let coach = AgentId::parse("coach").expect("an agent");
        let causation = Causation { root: None, depth: 1 };
        book.announce(&sighting("box/a.md", "done"), &coach, causation);
        let seen = book.identify(&sighting("box/a.md", "done"));
        assert_eq!((seen.agent.as_ref(), seen.causation), (Some(&coach), Some(causation)));
        // What a person wrote before stays the person's.
        let by_hand = book.identify(&sighting("box/c.md", "x")).clone();
        assert_eq!(book.announce(&sighting("box/c.md", "x"), &coach, causation), &by_hand);
    }
}
