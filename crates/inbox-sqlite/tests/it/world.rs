//! A ledger in memory, mirrors in files, and the ways in which messages get there.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::{Clock as _, Timestamp};
use brainstem_inbox::control::HomeTopics;
use brainstem_inbox::founding::{NewAgent, NewEntity, SeenEnds, found_agent, found_entity, found_home};
use brainstem_inbox::mirror::{MirrorRow, MirrorStep, RowQuery, RowState};
use brainstem_inbox::profile::AiAgent;
use brainstem_inbox::row::{HeldMessage, ThreadNote};
use brainstem_inbox::{
    Acknowledgement, AgentDefinition, AgentSlug, Capability, CatchUpError, DefinitionKind, EntityNote,
    Envelope, Folded, InboxDirectory, InboxPriority, MessageContent, MessageType, Mirror, MirrorCursor,
    Quarantined, RefId, RefType, catch_up, fold,
};
use brainstem_inbox_sqlite::SqliteMirror;
use brainstem_ledger::in_memory::InMemoryLedger;
use brainstem_ledger::{
    AccountId, Append, ChainWalk, ConsensusTime, Head, Ledger, ReadFrom, Receipt, Redact, Sequence, TopicId,
    TopicMessage,
};
use std::path::Path;
use std::sync::Arc;

pub(crate) struct World {
    pub(crate) ledger: Arc<InMemoryLedger>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) folder: tempfile::TempDir,
    directory: InboxDirectory,
}

/// A mirror with the directory of its process.
pub(crate) struct Reader {
    pub(crate) mirror: SqliteMirror,
    directory: InboxDirectory,
}

/// Everything of a mirror that must be the same after a rebuild.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<MirrorRow>,
    pub(crate) quarantined: Vec<Quarantined>,
    pub(crate) notes: Vec<ThreadNote>,
    pub(crate) cursors: Vec<MirrorCursor>,
    pub(crate) held: Vec<HeldMessage>,
    pub(crate) closed: Vec<(TopicId, ConsensusTime)>,
}

/// What a process read of a topic, and has not written into the mirror yet.
pub(crate) struct ReadPage {
    folded: Folded,
    cursor: MirrorCursor,
}

pub(crate) fn slug(text: &str) -> AgentSlug {
    AgentSlug::parse(text).unwrap()
}

pub(crate) fn content(subject: &str, priority: InboxPriority) -> MessageContent {
    MessageContent {
        kind: MessageType::parse("question").unwrap(),
        subject: subject.to_owned(),
        payload: Some(serde_json::json!({"text": subject})),
        context: None,
        reference: None,
        priority,
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::at(1_783_209_431_408));
        let ledger = Arc::new(InMemoryLedger::new(clock.clone()));
        let mut world = Self {
            ledger,
            clock,
            folder: tempfile::tempdir().unwrap(),
            directory: InboxDirectory::default(),
        };
        found_home(&*world.ledger, &mut world.directory, &SeenEnds::new()).unwrap();
        world
    }

    pub(crate) fn reader(&self, name: &str) -> Reader {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Reader { mirror: mirror(&folder, &self.clock), directory: InboxDirectory::default() }
    }

    pub(crate) fn agent(&mut self, name: &str) -> AgentDefinition {
        let new = NewAgent {
            slug: slug(name),
            name: name.to_owned(),
            agent: None,
            kind: DefinitionKind::Agent,
            ai_agent: Some(AiAgent {
                is_autonomous: true,
                model: "m".into(),
                capabilities: vec![Capability::CODE_GENERATION],
            }),
        };
        found_agent(&*self.ledger, &mut self.directory, &SeenEnds::new(), &new).unwrap().0
    }

    pub(crate) fn entity(&mut self, id: &str) -> TopicId {
        let new = NewEntity {
            id: RefId::parse(id).unwrap(),
            kind: RefType::Task,
            title: id.to_owned(),
            parent: None,
        };
        found_entity(&*self.ledger, &mut self.directory, &SeenEnds::new(), &new).unwrap().0.topic
    }

    pub(crate) fn append(
        &self,
        topic: TopicId,
        submitter: AccountId,
        bytes: Vec<u8>,
    ) -> (Receipt, TopicMessage) {
        let receipt = self.ledger.append(&Append { topic, submitter, key: None, bytes }).unwrap();
        let before = receipt.sequence.number() - 1;
        let from = Sequence::new(before).map_or(ReadFrom::Start, ReadFrom::After);
        let message = self.ledger.read(topic, from, 1).unwrap().messages.remove(0);
        (receipt, message)
    }

    pub(crate) fn send(&self, from: &AgentDefinition, to: &AgentDefinition, subject: &str) -> TopicMessage {
        let content = content(subject, InboxPriority::Normal);
        self.append(to.inbound, from.account, Envelope::message(from.operator(), &content, self.clock.now()))
            .1
    }

    pub(crate) fn send_all(&self, from: &AgentDefinition, subject: &str) -> TopicMessage {
        let content = content(subject, InboxPriority::High);
        let topic = self.directory.home().unwrap().broadcast;
        self.append(topic, from.account, Envelope::message(from.operator(), &content, self.clock.now())).1
    }

    /// Takes a message back; a repeat changes nothing.
    pub(crate) fn redact(&self, message: &TopicMessage) {
        let (topic, sequence, submitter) = (message.topic, message.sequence, message.submitter);
        self.ledger.redact(&Redact { topic, sequence, submitter, reason: "a slip".to_owned() }).unwrap();
    }

    pub(crate) fn home(&self) -> HomeTopics {
        self.directory.home().unwrap()
    }

    pub(crate) fn note(
        &self,
        topic: TopicId,
        from: &AgentDefinition,
        kind: &str,
        notify: &[&str],
    ) -> TopicMessage {
        let note = EntityNote {
            kind: MessageType::parse(kind).unwrap(),
            from: from.slug.clone(),
            note: "a note".into(),
            notify: notify.iter().map(|name| slug(name)).collect(),
            subject: String::new(),
            priority: InboxPriority::Low,
            payload: None,
        };
        self.append(topic, from.account, note.to_bytes(self.clock.now())).1
    }

    pub(crate) fn ack(
        &self,
        agent: &AgentDefinition,
        topic: TopicId,
        sequence: Sequence,
        session: &str,
    ) -> TopicMessage {
        let ack = Acknowledgement { topic, sequence, session: session.to_owned() };
        self.append(agent.acks, agent.account, ack.to_bytes()).1
    }
}

pub(crate) fn mirror(folder: &Path, clock: &Arc<ManualClock>) -> SqliteMirror {
    SqliteMirror::in_folder(folder, Arc::new(RealDisk), clock.clone())
}

impl Reader {
    pub(crate) fn catch_up(&mut self, world: &World) -> Result<u64, CatchUpError> {
        catch_up(&*world.ledger, &self.mirror, &mut self.directory)
    }

    /// The short way of a sender: what one message gives, before any catch-up came that far.
    pub(crate) fn write_fast(&mut self, world: &World, message: &TopicMessage) {
        self.directory.refresh(&*world.ledger, &SeenEnds::new()).unwrap();
        let mut folded = Folded::default();
        fold(&mut self.directory, message, &mut folded);
        let seen = MirrorCursor::of(&message.head()).unwrap();
        self.mirror.apply(&folded, MirrorStep::Straight(&seen)).unwrap();
    }

    /// Reads on in a topic as a catch-up does; `None` if there is nothing new.
    pub(crate) fn read_page(&mut self, world: &World, topic: TopicId) -> Option<ReadPage> {
        let seen = self.mirror.cursors().unwrap().remove(&topic);
        let mut walk = ChainWalk::after(seen.as_ref().map_or(Head::start(topic), MirrorCursor::head));
        let from = walk.head().sequence.map_or(ReadFrom::Start, ReadFrom::After);
        let messages = world.ledger.read(topic, from, 1_000).unwrap().messages;
        self.directory.refresh(&*world.ledger, &SeenEnds::new()).unwrap();
        let mut folded = Folded::default();
        for message in &messages {
            walk.step(message).unwrap();
            fold(&mut self.directory, message, &mut folded);
        }
        let cursor = MirrorCursor::of(walk.head()).filter(|_| !messages.is_empty())?;
        Some(ReadPage { folded, cursor })
    }

    pub(crate) fn apply_page(&self, page: &ReadPage) {
        self.mirror.apply(&page.folded, MirrorStep::UpTo(&page.cursor)).unwrap();
    }

    /// Unread rows, and urgent ones among them, as the mirror counts them.
    pub(crate) fn counts(&self, to: &[&str]) -> (u64, u64) {
        let to: Vec<AgentSlug> = to.iter().map(|name| slug(name)).collect();
        let counts = self.mirror.unread(&to).unwrap();
        (counts.unread, counts.urgent)
    }

    pub(crate) fn rows(&self, to: &[&str]) -> Vec<MirrorRow> {
        self.query(to, RowState::All)
    }

    pub(crate) fn unread(&self, to: &[&str]) -> Vec<MirrorRow> {
        self.query(to, RowState::Unread)
    }

    fn query(&self, to: &[&str], state: RowState) -> Vec<MirrorRow> {
        let to = to.iter().map(|name| slug(name)).collect();
        let query = RowQuery { to, or_from: Vec::new(), state, ref_id: None, text: None, count_max: 10_000 };
        self.mirror.rows(&query).unwrap()
    }

    pub(crate) fn all(&self, to: &[&str], entities: &[TopicId]) -> Rows {
        for name in to {
            let unread = self.unread(&[name]);
            let is_urgent = |row: &&MirrorRow| row.row.content.priority == InboxPriority::Urgent;
            let counted = (unread.len() as u64, unread.iter().filter(is_urgent).count() as u64);
            assert_eq!(self.counts(&[name]), counted, "the counts are those of the rows");
        }
        let slugs: Vec<AgentSlug> = to.iter().map(|name| slug(name)).collect();
        let notes = entities.iter().flat_map(|topic| self.mirror.notes(*topic, 10_000).unwrap()).collect();
        Rows {
            rows: self.rows(to),
            quarantined: self.mirror.quarantined(10_000).unwrap(),
            notes,
            cursors: self.mirror.cursors().unwrap().into_values().collect(),
            held: self.mirror.held(&slugs, 10_000).unwrap(),
            closed: self.mirror.closed().unwrap(),
        }
    }
}

pub(crate) fn subjects(rows: &[MirrorRow]) -> Vec<&str> {
    rows.iter().map(|row| row.row.content.subject.as_str()).collect()
}

pub(crate) fn in_ms(world: &World, ms: i64) -> Timestamp {
    Timestamp::from_ms(world.clock.now().ms() + ms)
}
