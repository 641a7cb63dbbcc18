//! Walking a chain: is every message of a topic there, unchanged and in its place?

use crate::consensus_time::ConsensusTime;
use crate::entity_id::TopicId;
use crate::frame::Frame;
use crate::message::{Head, TopicMessage};
use crate::sequence::Sequence;
use std::fmt;

/// The first thing that is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFault {
    /// The topic.
    pub topic: TopicId,
    /// The number at which it shows.
    pub sequence: Sequence,
    /// What is wrong there.
    pub kind: ChainFaultKind,
}

/// What is wrong with a message of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainFaultKind {
    /// The message is of another topic.
    OtherTopic(TopicId),
    /// Another number is where this one belongs: messages were removed, doubled or swapped.
    OutOfSequence(Sequence),
    /// Its time does not come after the one before.
    TimeWentBack(ConsensusTime),
    /// The hash that is kept is not the hash of what is kept.
    HashDiffers,
    /// The topic ends before this message, which was in it before.
    Missing,
    /// The message is another one than it was before.
    Rewritten,
    /// It is behind the end that is kept of its topic, so no append made it.
    BehindHead,
    /// Its bytes are gone, and no redaction in the topic says so.
    ErasedWithoutRecord,
    /// A redaction in the topic says that its bytes are gone, and they are there.
    NotErased,
    /// Its row cannot be read as a message.
    Unreadable,
    /// The topic's memo, submit policy or time of making is another one than it was before.
    TopicChanged,
    /// The topic is missing, and was there before, without messages.
    TopicMissing,
}

impl fmt::Display for ChainFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topic, sequence, kind } = self;
        if *kind == ChainFaultKind::TopicMissing {
            return write!(f, "topic {topic} is missing, and was there before");
        }
        write!(f, "topic {topic}, message {sequence}: ")?;
        match kind {
            ChainFaultKind::OtherTopic(other) => write!(f, "it is a message of topic {other}"),
            ChainFaultKind::OutOfSequence(found) => {
                write!(f, "message {found} is in its place: messages were removed, doubled or swapped")
            }
            ChainFaultKind::TimeWentBack(time) => {
                write!(f, "its time {time} does not come after the one before")
            }
            ChainFaultKind::HashDiffers => {
                f.write_str("its running hash does not fit its content: one of them was changed")
            }
            ChainFaultKind::Missing => f.write_str("it is missing, and was there before"),
            ChainFaultKind::Rewritten => f.write_str("it is another message than it was before"),
            ChainFaultKind::BehindHead => {
                f.write_str("it lies behind the recorded end of the topic: it was put there past the program")
            }
            ChainFaultKind::ErasedWithoutRecord => {
                f.write_str("its content is gone, and no redaction in the topic says so")
            }
            ChainFaultKind::NotErased => f.write_str("it was redacted, and its content is there"),
            ChainFaultKind::Unreadable => f.write_str("its row is damaged"),
            ChainFaultKind::TopicMissing => Ok(()),
            ChainFaultKind::TopicChanged => {
                f.write_str("the topic's memo, submit policy or time of making is another one than before")
            }
        }
    }
}

/// A walk over one topic, message by message. It holds the end of what was walked and nothing else.
#[derive(Clone, Debug)]
pub struct ChainWalk {
    head: Head,
}

impl ChainWalk {
    /// A walk from the first message on.
    pub fn of(topic: TopicId) -> Self {
        Self { head: Head::start(topic) }
    }

    /// A walk that goes on behind a head which was verified before.
    pub fn after(head: Head) -> Self {
        Self { head }
    }

    /// The end of what was walked so far.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Takes the next message, or says what is wrong with it. After a fault the walk stays where it was.
    pub fn step(&mut self, message: &TopicMessage) -> Result<(), ChainFault> {
        self.step_frame(&Frame::of(message))
    }

    /// As [`step`](Self::step), for a message whose frame is known.
    pub fn step_frame(&mut self, message: &Frame) -> Result<(), ChainFault> {
        let expected = self.head.sequence.map_or(Sequence::FIRST, Sequence::next);
        let fault = |kind| ChainFault { topic: self.head.topic, sequence: expected, kind };
        if message.topic != self.head.topic {
            return Err(fault(ChainFaultKind::OtherTopic(message.topic)));
        }
        if message.sequence != expected {
            return Err(fault(ChainFaultKind::OutOfSequence(message.sequence)));
        }
        if self.head.running_hash.following(&message.link()) != message.running_hash {
            return Err(fault(ChainFaultKind::HashDiffers));
        }
        if self.head.consensus.is_some_and(|last| message.consensus <= last) {
            return Err(fault(ChainFaultKind::TimeWentBack(message.consensus)));
        }
        self.go_on_behind(message);
        Ok(())
    }

    /// Goes on behind this message, whatever was wrong with it: faults behind the first are found too.
    pub fn go_on_behind(&mut self, message: &Frame) {
        self.head = message.head();
    }

    /// Compares the walk with a head of the same topic that was kept elsewhere, at the moment the walk has reached that
    /// head's number or the end of the topic. A chain that was written anew from some message on, with hashes that fit,
    /// differs here.
    pub fn hold_to(&self, kept: &Head) -> Result<(), ChainFault> {
        let Some(kept_sequence) = kept.sequence else { return Ok(()) };
        let fault = |kind, sequence| Err(ChainFault { topic: kept.topic, sequence, kind });
        match self.head.sequence {
            Some(walked) if walked == kept_sequence => match self.head == *kept {
                true => Ok(()),
                false => fault(ChainFaultKind::Rewritten, kept_sequence),
            },
            Some(walked) if walked > kept_sequence => {
                fault(ChainFaultKind::OutOfSequence(walked), kept_sequence)
            }
            walked => fault(ChainFaultKind::Missing, walked.map_or(Sequence::FIRST, Sequence::next)),
        }
    }
}
