//! Sending.

use super::address::InboxTarget;
use super::error::InboxError;
use super::limits::KEY_BYTES_MAX;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_base::AgentId;
use brainstem_inbox::{AgentSlug, Envelope, MessageContent, ProjectMark};
use brainstem_ledger::{
    Append, AppendKey, ConsensusTime, Ledger as _, LedgerError, ReadFrom, Receipt, Sequence, TopicId,
};
use brainstem_memory::Caller;

/// A message to send.
#[derive(Clone, Debug)]
pub struct InboxSend {
    /// A slug, an agent id, a role, or `ALL`.
    pub to: String,
    /// What it says.
    pub content: MessageContent,
    /// A repeat with the same key sends it once.
    pub key: Option<String>,
}

/// When the reader can see a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageVisibility {
    /// It is in the mirror.
    Now,
    /// The reader's next look finds it.
    NextCycle,
}

impl MessageVisibility {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::NextCycle => "next_cycle",
        }
    }
}

/// A message that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxSent {
    /// The sender.
    pub from: AgentSlug,
    /// The reader; `None` for every agent.
    pub to: Option<AgentSlug>,
    /// Those that have it in their inboxes: of a message to every agent, each that had topics when it was sent.
    pub readers: Vec<AgentSlug>,
    /// Its topic.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
    /// Its time.
    pub consensus: ConsensusTime,
    /// When its reader sees it.
    pub visible: MessageVisibility,
    /// It had been sent before, with the same key.
    pub is_repeat: bool,
}

impl Post {
    /// Sends a message to the inbox of an agent, a person, or all of them. When it returns, it is on the ledger.
    pub fn send_inbox(&self, caller: &Caller, request: &InboxSend) -> Result<InboxSent, InboxError> {
        self.send_inbox_with(caller, request, &[])
    }

    /// As [`send_inbox`](Self::send_inbox); a message to all of them reaches the agents that are connected, too, though they were
    /// never here.
    pub fn send_inbox_with(
        &self,
        caller: &Caller,
        request: &InboxSend,
        connected: &[AgentId],
    ) -> Result<InboxSent, InboxError> {
        if request.content.reference.is_some() {
            // It names an entity of the caller's project, and another project may be at its path by now.
            self.memory().check_own_project(caller)?;
        }
        self.send_about(caller, request, self.project_mark(caller).as_ref(), connected)
    }

    /// Sends. What the message is about is an entity of this project; without one, as its id says.
    pub(super) fn send_about(
        &self,
        caller: &Caller,
        request: &InboxSend,
        project: Option<&ProjectMark>,
        connected: &[AgentId],
    ) -> Result<InboxSent, InboxError> {
        self.check_content(&request.content)?;
        let floor = self.memory().floor();
        floor.check("to_agent", &request.to)?;
        floor.check("key", request.key.as_deref().unwrap_or_default())?;
        request.key.as_deref().map_or(Ok(()), check_key)?;
        let mut opened = self.open_inbox()?;
        // The recipient is found before anything is made for the sender: a slip sends nothing.
        let target = opened.target(self, caller, "to_agent", &request.to)?;
        let content = MessageContent {
            reference: opened.resolved(project, request.content.reference.clone())?,
            ..request.content.clone()
        };
        let sender = opened.sender(self, caller)?;
        let (topic, to) = match &target {
            InboxTarget::Reader(reader) => (reader.inbound, Some(reader.slug.clone())),
            InboxTarget::All => {
                opened.make_topics_of_all(self, connected)?;
                let home = opened.directory.home().expect("the sender has topics, so the home has");
                (home.broadcast, None)
            }
        };
        let bytes = Envelope::message(sender.operator(), &content, self.clock().now());
        let key = request.key.as_deref().map(|key| append_key(&sender.slug, key)).transpose()?;
        let append = Append { topic, submitter: sender.account, key, bytes };
        let receipt = opened.append_once(&append, &content)?;
        let visible = match content.priority.is_fast() {
            // The message is on the ledger: a mirror that cannot be written now is for the next catch-up.
            true => opened
                .write_straight(&receipt)
                .map_or(MessageVisibility::NextCycle, |()| MessageVisibility::Now),
            false => MessageVisibility::NextCycle,
        };
        let Receipt { sequence, consensus, is_repeat, .. } = receipt;
        let readers: Vec<AgentSlug> = match &to {
            Some(to) => vec![to.clone()],
            None => opened.directory.agents_before(consensus).map(|agent| agent.slug.clone()).collect(),
        };
        Ok(InboxSent { from: sender.slug, to, readers, topic, sequence, consensus, visible, is_repeat })
    }

    /// Refuses what is over its limit, and what must not be kept.
    pub(super) fn check_content(&self, content: &MessageContent) -> Result<(), InboxError> {
        content.check().map_err(|fault| InboxError::TooLarge { field: fault.field, why: fault.why })?;
        let floor = self.memory().floor();
        floor.check("subject", &content.subject)?;
        for (field, value) in [("payload", &content.payload), ("context", &content.context)] {
            let text = value.as_ref().map(ToString::to_string).unwrap_or_default();
            floor.check_whole(field, &text)?;
        }
        let reference = content.reference.as_ref().map(|reference| reference.id.as_str());
        Ok(floor.check("ref_id", reference.unwrap_or_default())?)
    }
}

/// Refuses a key that the ledger would not take.
fn check_key(key: &str) -> Result<(), InboxError> {
    let is_bad = key.trim().is_empty() || key.len() > KEY_BYTES_MAX || AppendKey::parse(key).is_err();
    if is_bad { Err(refused_key()) } else { Ok(()) }
}

/// The key of a sender's message on the ledger.
fn append_key(from: &AgentSlug, key: &str) -> Result<AppendKey, InboxError> {
    AppendKey::parse(&format!("send:{from}:{key}")).map_err(|_| refused_key())
}

fn refused_key() -> InboxError {
    let why = format!("is empty, has more than {KEY_BYTES_MAX} bytes, or has a control character");
    InboxError::field("key", why, "LED-4")
}

impl OpenedInbox {
    /// Appends a message. With a key that the same message had before, it returns where that one is: the two differ in the
    /// time of their sending alone.
    fn append_once(&self, append: &Append, content: &MessageContent) -> Result<Receipt, InboxError> {
        match self.ledger.append(append) {
            Ok(receipt) => Ok(receipt),
            Err(LedgerError::KeyReused { topic, sequence }) => {
                let before = Sequence::new(sequence.number() - 1);
                let from = before.map_or(ReadFrom::Start, ReadFrom::After);
                let first = self.ledger.read(topic, from, 1)?.messages.into_iter().next();
                let first = first.ok_or(InboxError::KeyReused)?;
                match Envelope::from_bytes(&first.bytes) {
                    Ok(Envelope::Message { content: said, .. })
                        if said == *content && first.submitter == append.submitter =>
                    {
                        Ok(Receipt { is_repeat: true, ..first.receipt() })
                    }
                    Ok(_) | Err(_) => Err(InboxError::KeyReused),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}
