//! The head of a whole ledger: a C2SP checkpoint, with the head of every topic as extension lines.

use crate::consensus_time::ConsensusTime;
use crate::entity_id::TopicId;
use crate::message::Head;
use crate::note::NoteSigner;
use crate::running_hash::RunningHash;
use crate::sequence::Sequence;
use crate::topic::{SubmitPolicy, Topic};
use crate::tree::TreeHash;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brainstem_base::hash::{hex, sha256};

/// How the names of the logs of this program begin; a digest of the public key follows, so that a name has one key.
const HOME_LOG: &str = "brainstem.local/ledger/";

/// The signer of a home with this secret. Its name, and so the origin of its checkpoints, follows from its key.
pub fn home_signer(secret: &[u8; 32]) -> NoteSigner {
    let unnamed = NoteSigner::new(HOME_LOG, secret).expect("a plain name");
    NoteSigner::new(&home_origin(unnamed.verifier().public()), secret).expect("a plain name")
}

/// The origin of the log with this public key.
fn home_origin(public: &[u8; 32]) -> String {
    format!("{HOME_LOG}{}", hex(&sha256(public)[..16]))
}

/// Whether a log of this name can have this key: the name of a log of this program has one key.
pub fn may_have_key(origin: &str, public: &[u8; 32]) -> bool {
    !origin.starts_with(HOME_LOG) || origin == home_origin(public)
}

/// What a head of the ledger says: how many messages it had, and the hash of the tree over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log, which is that of its key.
    pub origin: String,
    /// How many messages all topics had together.
    pub size: u64,
    /// The hash of the tree over them.
    pub root: TreeHash,
    /// The end of every topic; empty in the checkpoint of a receipt.
    pub topics: Vec<TopicMark>,
}

/// What a checkpoint says of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicMark {
    /// Its end.
    pub head: Head,
    /// A digest of what the topic is: when it was made, its submit policy and its memo.
    pub about: [u8; 32],
}

impl TopicMark {
    /// The mark of a topic that ends at `head`.
    pub fn new(topic: &Topic, head: Head) -> Self {
        let policy = match topic.policy {
            SubmitPolicy::Everyone => String::new(),
            SubmitPolicy::Only(account) => account.to_string(),
        };
        let about = format!("{}\n{}\n{policy}\n{}", topic.id, topic.created, topic.memo);
        Self { head, about: sha256(about.as_bytes()) }
    }

    fn to_line(self) -> String {
        let Head { topic, sequence, running_hash, consensus } = self.head;
        let time = consensus.map_or("-".to_owned(), |time| time.to_string());
        let hash = BASE64.encode(running_hash.as_bytes());
        let number = sequence.map_or(0, Sequence::number);
        format!("topic {topic} {number} {time} {hash} {}", hex(&self.about))
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        let ("topic", topic, number, time, hash, about) =
            (next()?, next()?, next()?, next()?, next()?, next()?)
        else {
            return None;
        };
        let topic: TopicId = topic.parse().ok()?;
        let sequence = Sequence::new(number.parse().ok()?);
        let consensus: Option<ConsensusTime> = match time {
            "-" => None,
            time => Some(time.parse().ok()?),
        };
        let running_hash = RunningHash::from_bytes(BASE64.decode(hash).ok()?.try_into().ok()?);
        let head = Head { topic, sequence, running_hash, consensus };
        let mark = Self { head, about: digest(about)? };
        (words.next().is_none() && mark.to_line() == line).then_some(mark)
    }
}

fn digest(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}

impl Checkpoint {
    /// The checkpoint as the text of a note.
    pub fn to_text(&self) -> String {
        let Self { origin, size, root, topics } = self;
        let mut text = format!("{origin}\n{size}\n{root}\n");
        for mark in topics {
            text.push_str(&mark.to_line());
            text.push('\n');
        }
        text
    }

    /// The same checkpoint without the topics, as a receipt carries it.
    pub fn without_topics(&self) -> Self {
        Self { topics: Vec::new(), ..self.clone() }
    }

    /// The checkpoint in the text of a note; `None` if it is none. Extension lines of others are passed over.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let number: u64 = size.parse().ok()?;
        if origin.is_empty() || number.to_string() != size {
            return None;
        }
        let mut topics = Vec::new();
        for line in lines {
            match line.starts_with("topic ") {
                true => topics.push(TopicMark::parse(line)?),
                false if line.is_empty() => return None,
                false => {}
            }
        }
        Some(Self { origin: origin.to_owned(), size: number, root: TreeHash::from_base64(root)?, topics })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let topic = Topic {
            id: TopicId::local(1_001).expect("in range"),
            memo: "one\nline".to_owned(),
            policy: SubmitPolicy::Everyone,
            created: ConsensusTime::new(5, 0).expect("in range"),
        };
        let head = Head {
            topic: topic.id,
            sequence: Sequence::new(3),
            running_hash: RunningHash::from_bytes([7; 48]),
            consensus: Some(ConsensusTime::new(6, 1).expect("in range")),
        };
        let empty = Topic { id: TopicId::local(1_002).expect("in range"), ..topic.clone() };
        let topics = vec![TopicMark::new(&topic, head), TopicMark::new(&empty, Head::start(empty.id))];
        Checkpoint { origin: "log.example/a".to_owned(), size: 3, root: TreeHash::of_leaf(b"x"), topics }
    }

    #[test] // spec: LED-4a, LED-4b
    fn a_checkpoint_is_written_and_read_back() {
        let checkpoint = checkpoint();
        let text = checkpoint.to_text();
        assert_eq!(Checkpoint::parse(&text), Some(checkpoint.clone()));
        assert_eq!(text.lines().count(), 5);
        let bare = checkpoint.without_topics();
        assert_eq!(Checkpoint::parse(&bare.to_text()), Some(bare));
        let extended = format!("{text}another extension\n");
        assert_eq!(Checkpoint::parse(&extended), Some(checkpoint));
    }

    #[test] // spec: LED-4b
    fn the_published_checkpoint_is_read_and_what_is_none_is_refused() {
        let published =
            "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
        let read = Checkpoint::parse(published).expect("a checkpoint");
        assert_eq!((read.origin.as_str(), read.size), ("example.com/behind-the-sofa", 20_852_163));
        assert_eq!(read.to_text(), published);
        let text = checkpoint().to_text();
        for broken in [
            "",
            "\n",
            "a\n1\n",
            &published.replace("20852163", "020852163"),
            &published.replace("20852163", "-1"),
            &published.replace("CsUY", "CsU"),
            published.trim_end(),
            &format!("{published}\n"),
            &text.replace("topic 0.0.1001 3", "topic 0.0.1001 03"),
            &text.replace("topic 0.0.1001 3", "topic 0.0.x 3"),
        ] {
            assert_eq!(Checkpoint::parse(broken), None, "{broken:?}");
        }
    }

    #[test] // spec: LED-4b
    fn a_changed_memo_changes_the_mark_of_its_topic() {
        let topic = Topic {
            id: TopicId::local(1_001).expect("in range"),
            memo: "a".to_owned(),
            policy: SubmitPolicy::Everyone,
            created: ConsensusTime::new(5, 0).expect("in range"),
        };
        let about = |topic: &Topic| TopicMark::new(topic, Head::start(topic.id)).about;
        assert_ne!(about(&topic), about(&Topic { memo: "b".to_owned(), ..topic.clone() }));
        let owner = crate::AccountId::local(9).expect("in range");
        assert_ne!(about(&topic), about(&Topic { policy: SubmitPolicy::Only(owner), ..topic.clone() }));
    }
}
