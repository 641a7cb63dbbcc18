//! Verifying a whole ledger: every message once, in the order of their times, with one walk for each topic.
//!
//! The verifier holds the end of every topic, the complete subtrees of the tree, and the numbers of redacted messages; it
//! grows with the topics and not with the messages. It gives two verdicts. Integrity: what is there is unchanged and in its place.
//! Completeness: nothing that was there is missing.

use crate::chain::{ChainFault, ChainFaultKind, ChainWalk};
use crate::checkpoint::Checkpoint;
use crate::consensus_time::ConsensusTime;
use crate::content_hash::ContentHash;
use crate::entity_id::TopicId;
use crate::frame::Frame;
use crate::limits::FAULTS_MAX;
use crate::message::{Head, TopicMessage};
use crate::redaction_record::RedactionRecord;
use crate::sequence::Sequence;
use crate::tree::{GrowingTree, TreeHash};
use std::collections::BTreeMap;
use std::fmt;

/// One thing that is wrong with a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// A message is wrong or missing.
    Message(ChainFault),
    /// Messages are missing from the order of all topics: as many, from this position (1, 2, 3…) on.
    Positions {
        /// The first position that is missing.
        first: u64,
        /// How many are.
        count: u64,
    },
    /// The log has fewer messages than when the kept head was made: it is an older copy, or its end was removed.
    OlderCopy {
        /// How many it has.
        has: u64,
        /// How many it had.
        kept: u64,
    },
    /// The first messages are others than when the kept head was made.
    OtherTree {
        /// How many messages the head is over.
        size: u64,
    },
    /// Messages are others than when the hashes beside them were made: those from the first position to the last.
    OtherTile {
        /// The first position.
        first: u64,
        /// The last position.
        last: u64,
    },
    /// The file is damaged beside the messages, as its backend says it: an index does not fit, or a page is none.
    File(String),
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(fault) => fault.fmt(f),
            Self::File(why) => write!(f, "the file of the ledger is damaged: {why}"),
            Self::Positions { first, count: 1 } => {
                write!(f, "the message at position {first} of the log is missing")
            }
            Self::Positions { first, count } => {
                write!(f, "{count} messages are missing from the log, from position {first} on")
            }
            Self::OlderCopy { has, kept } => write!(
                f,
                "the log has {has} messages and had {kept} when the head was made: it was restored from an older copy, or its end was removed"
            ),
            Self::OtherTree { size } => {
                write!(
                    f,
                    "the first {size} messages are others than when the head was made: the log was rewritten"
                )
            }
            Self::OtherTile { first, last } => {
                write!(
                    f,
                    "a message between positions {first} and {last} is another than when a head was made"
                )
            }
        }
    }
}

/// What a ledger is held to beside its own chains.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Heads of topics: of a checkpoint that was kept elsewhere, or of cursors that keep the hash they saw.
    pub heads: Vec<Head>,
    /// Trees of checkpoints: how many messages they are over, and their hash.
    pub trees: Vec<(u64, TreeHash)>,
}

impl Kept {
    /// Adds everything that a checkpoint says.
    pub fn add(&mut self, checkpoint: &Checkpoint) {
        self.heads.extend(checkpoint.topics.iter().map(|mark| mark.head));
        self.trees.push((checkpoint.size, checkpoint.root));
    }
}

/// The two verdicts, and what was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// How many topics were walked.
    pub topics: u64,
    /// How many messages were walked.
    pub messages: u64,
    /// How many of them were redacted.
    pub redacted: u64,
    /// What is changed or out of place: of each topic the first such message.
    pub integrity: Vec<LogFault>,
    /// What is missing: of each topic the first message that is.
    pub completeness: Vec<LogFault>,
    /// How many faults beyond the limit are not listed.
    pub left_out: u64,
    /// The hash of the tree over all messages; `None` if a message is missing or unreadable.
    pub root: Option<TreeHash>,
}

impl Verification {
    /// Whether nothing is changed, out of place or missing.
    pub fn holds(&self) -> bool {
        self.integrity.is_empty() && self.completeness.is_empty()
    }

    /// Adds a fault to the verdict that it belongs to.
    pub fn note(&mut self, fault: LogFault) {
        let verdict = match fault.is_missing() {
            true => &mut self.completeness,
            false => &mut self.integrity,
        };
        match verdict.len() < FAULTS_MAX {
            true => verdict.push(fault),
            false => self.left_out += 1,
        }
    }
}

impl LogFault {
    /// Whether something is missing; otherwise something is changed or out of place.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Message(fault) => {
                matches!(fault.kind, ChainFaultKind::Missing | ChainFaultKind::TopicMissing)
            }
            Self::Positions { .. } | Self::OlderCopy { .. } => true,
            Self::OtherTree { .. } | Self::OtherTile { .. } | Self::File(_) => false,
        }
    }
}

/// A verification that is going on.
#[derive(Debug)]
pub struct Verifier {
    found: Verification,
    topics: BTreeMap<TopicId, TopicUnderWalk>,
    trees: Vec<(u64, TreeHash)>,
    tree: Option<GrowingTree>,
    position: u64,
    last: Option<ConsensusTime>,
}

/// What is known of one topic in the middle of the walk.
#[derive(Debug)]
struct TopicUnderWalk {
    walk: ChainWalk,
    kept: Vec<Head>,
    /// The first numbers that were passed over and did not come yet.
    gap: Option<(Sequence, Sequence)>,
    redacted: BTreeMap<Sequence, (ContentHash, bool)>,
    is_faulty: bool,
    was_walked: bool,
}

impl TopicUnderWalk {
    fn new(topic: TopicId) -> Self {
        Self {
            walk: ChainWalk::of(topic),
            kept: Vec::new(),
            gap: None,
            redacted: BTreeMap::new(),
            is_faulty: false,
            was_walked: false,
        }
    }

    /// Compares the end of the walk with the end that the backend keeps, and with the heads that were kept elsewhere.
    fn end(self, topic: TopicId, end: Option<Head>, found: &mut Verification) {
        let mut note = |sequence, kind| found.note(LogFault::Message(ChainFault { topic, sequence, kind }));
        let walked = self.walk.head();
        let end = end.unwrap_or(Head::start(topic));
        let unrecorded = self.redacted.iter().find(|(_, (_, is_recorded))| !is_recorded);
        match unrecorded {
            _ if self.is_faulty => {}
            _ if walked.sequence > end.sequence => {
                note(end.sequence.map_or(Sequence::FIRST, Sequence::next), ChainFaultKind::BehindHead);
            }
            _ if walked.sequence == end.sequence && *walked != end => {
                note(end.sequence.unwrap_or(Sequence::FIRST), ChainFaultKind::Rewritten);
            }
            Some((sequence, _)) => note(*sequence, ChainFaultKind::ErasedWithoutRecord),
            None => {}
        }
        let last = self.kept.iter().map(|kept| kept.sequence).max().flatten().max(end.sequence);
        match self.gap {
            Some((from, _)) => note(from, ChainFaultKind::Missing),
            None if last > walked.sequence => {
                note(walked.sequence.map_or(Sequence::FIRST, Sequence::next), ChainFaultKind::Missing);
            }
            None => {}
        }
    }
}

impl Verifier {
    /// A verification of a ledger that is also held to `kept`.
    pub fn new(kept: &Kept) -> Self {
        let mut topics: BTreeMap<TopicId, TopicUnderWalk> = BTreeMap::new();
        for head in kept.heads.iter().filter(|head| head.sequence.is_some()) {
            topics.entry(head.topic).or_insert_with(|| TopicUnderWalk::new(head.topic)).kept.push(*head);
        }
        let mut trees = kept.trees.clone();
        trees.sort_by_key(|(size, _)| *size);
        let tree = Some(GrowingTree::default());
        Self { found: Verification::default(), topics, trees, tree, position: 0, last: None }
    }

    /// Takes the message at the next position of the log (1, 2, 3…). Returns its leaf of the tree.
    pub fn take(&mut self, position: u64, message: &TopicMessage) -> TreeHash {
        self.pass_to(position);
        let frame = Frame::of(message);
        let leaf = frame.leaf();
        if let Some(tree) = &mut self.tree {
            tree.push(leaf);
            self.hold_to_trees();
        }
        self.found.messages += 1;
        self.found.redacted += u64::from(message.redacted.is_some());
        if let Some(fault) = self.walk_on(&frame, message) {
            self.note_once(fault);
        }
        leaf
    }

    /// Takes the next position, at which a row cannot be read; its topic and number as far as they are known.
    pub fn take_unreadable(&mut self, position: u64, topic: TopicId, sequence: Sequence) {
        self.pass_to(position);
        self.tree = None;
        self.found.messages += 1;
        self.note_once(ChainFault { topic, sequence, kind: ChainFaultKind::Unreadable });
    }

    /// Notes what was found beside the walk.
    pub fn note(&mut self, fault: LogFault) {
        self.found.note(fault);
    }

    /// Ends the walk. `heads` are the ends that the backend keeps of its topics.
    pub fn finish(mut self, heads: impl IntoIterator<Item = Head>) -> Verification {
        let mut ends: BTreeMap<TopicId, Head> = heads.into_iter().map(|head| (head.topic, head)).collect();
        let walked = std::mem::take(&mut self.topics);
        for (id, topic) in walked {
            self.found.topics += u64::from(topic.was_walked);
            topic.end(id, ends.remove(&id), &mut self.found);
        }
        for (id, end) in ends {
            TopicUnderWalk::new(id).end(id, Some(end), &mut self.found);
        }
        let has = self.position;
        for (kept, _) in self.trees.iter().filter(|(kept, _)| *kept > has) {
            self.found.note(LogFault::OlderCopy { has, kept: *kept });
        }
        self.found.root = self.tree.map(|tree| tree.root());
        self.found
    }

    /// Notes the positions between the last one and this one as missing.
    fn pass_to(&mut self, position: u64) {
        let expected = self.position + 1;
        if position != expected {
            let count = position.saturating_sub(expected);
            self.found.note(LogFault::Positions { first: expected, count });
            self.tree = None;
        }
        self.position = position;
    }

    /// Walks the topic of this message on, and returns what is wrong.
    fn walk_on(&mut self, frame: &Frame, message: &TopicMessage) -> Option<ChainFault> {
        let topic = self.topics.entry(frame.topic).or_insert_with(|| TopicUnderWalk::new(frame.topic));
        topic.was_walked = true;
        let mut fault = topic.walk.step_frame(frame).err();
        let is_in_line = fault.is_none();
        match fault {
            None => {}
            Some(ChainFault { sequence: expected, kind: ChainFaultKind::OutOfSequence(found), .. }) => {
                if found > expected {
                    // Removed, or swapped with a later one: whether its number comes later tells.
                    topic.gap.get_or_insert((expected, found));
                    topic.walk.go_on_behind(frame);
                    fault = None;
                } else if let Some((from, _)) = topic.gap.take_if(|(from, to)| found >= *from && found < *to)
                {
                    fault = fault.map(|fault| ChainFault { sequence: from, ..fault });
                }
            }
            Some(_) => topic.walk.go_on_behind(frame),
        }
        let at = |kind| Some(ChainFault { topic: frame.topic, sequence: frame.sequence, kind });
        if is_in_line {
            if self.last.is_some_and(|last| frame.consensus <= last) {
                fault = at(ChainFaultKind::TimeWentBack(frame.consensus));
            }
            self.last = self.last.max(Some(frame.consensus));
        }
        for kept in topic.kept.extract_if(.., |kept| kept.sequence == Some(frame.sequence)) {
            if kept != frame.head() && fault.is_none() {
                fault = at(ChainFaultKind::Rewritten);
            }
        }
        if let Some(content) = message.redacted {
            topic.redacted.insert(frame.sequence, (content, false));
        } else if let Some(record) = RedactionRecord::parse(&message.bytes) {
            match topic.redacted.get_mut(&record.sequence) {
                Some((content, is_recorded)) if *content == record.content => *is_recorded = true,
                _ if fault.is_none() && record.sequence < frame.sequence => {
                    let (sequence, kind) = (record.sequence, ChainFaultKind::NotErased);
                    fault = Some(ChainFault { topic: frame.topic, sequence, kind });
                }
                _ => {}
            }
        }
        fault
    }

    /// Notes the first fault of a topic; those behind it may follow from it.
    fn note_once(&mut self, fault: ChainFault) {
        let topic = self.topics.entry(fault.topic).or_insert_with(|| TopicUnderWalk::new(fault.topic));
        if !std::mem::replace(&mut topic.is_faulty, true) {
            self.found.note(LogFault::Message(fault));
        }
    }

    /// Compares the tree with those of the kept checkpoints of its size.
    fn hold_to_trees(&mut self) {
        let Some(tree) = &self.tree else { return };
        let size = tree.size();
        while let Some((_, kept)) = self.trees.first().filter(|(kept, _)| *kept <= size).copied() {
            let (kept_size, _) = self.trees.remove(0);
            let is_same = kept_size != size || kept == tree.root();
            if !is_same {
                self.found.note(LogFault::OtherTree { size });
            }
        }
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
