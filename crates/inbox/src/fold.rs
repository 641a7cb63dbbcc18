//! From a message to its rows: the one function that fills the mirror.
//!
//! What a message gives depends on its bytes and on the records of the control topics with a smaller consensus time. It
//! does not depend on other messages, on the order of reading, or on settings. The one exception is an outsider that closed
//! its connection: what it says later on that topic is held.

use crate::acknowledgement::Acknowledgement;
use crate::connection::ConnectionState;
use crate::control::AgentDefinition;
use crate::directory::{InboxDirectory, TopicRole};
use crate::envelope::{Envelope, MessageContent, shortened};
use crate::note::EntityNote;
use crate::operator::OperatorId;
use crate::quarantine::{QuarantineReason, Quarantined};
use crate::reference::{RefId, Reference};
use crate::row::{HeldMessage, InboxRow, ProcessedMark, RowId, ThreadNote};
use crate::slug::{AgentSlug, SYSTEM};
use brainstem_ledger::RedactionRecord;
use brainstem_ledger::limits::MESSAGE_BYTES_MAX;
use brainstem_ledger::{AccountId, ConsensusTime, Sequence, TopicId, TopicMessage};
use serde_json::json;

/// What messages give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Rows of inboxes.
    pub rows: Vec<InboxRow>,
    /// Rows that were processed.
    pub processed: Vec<ProcessedMark>,
    /// Notes of entities.
    pub notes: Vec<ThreadNote>,
    /// What outsiders said that is held.
    pub held: Vec<HeldMessage>,
    /// What was set aside.
    pub quarantined: Vec<Quarantined>,
    /// Connections that their outsiders closed.
    pub closed: Vec<(TopicId, ConsensusTime)>,
    /// Messages that were redacted: nothing that they gave is shown any more.
    pub redacted: Vec<(TopicId, Sequence)>,
}

/// How much of a held message is shown.
const EXCERPT_BYTES_MAX: usize = 200;

/// Adds what a message gives to `folded`. A message of a topic that the mirror does not follow gives nothing.
pub fn fold(directory: &mut InboxDirectory, message: &TopicMessage, folded: &mut Folded) {
    let Some(role) = directory.role(message.topic).cloned() else { return };
    if message.redacted.is_some() {
        return;
    }
    if let Some(record) = RedactionRecord::parse(&message.bytes) {
        folded.redacted.push((message.topic, record.sequence));
        return;
    }
    let given = match message.bytes.len() > MESSAGE_BYTES_MAX {
        true => Err((QuarantineReason::TooLarge, format!("it has {} bytes", message.bytes.len()))),
        false => match &role {
            TopicRole::Inbound(slug) => fold_inbound(directory, slug, message, folded),
            TopicRole::Acks(slug) => fold_ack(directory, slug, message, folded),
            TopicRole::Entity(id) => fold_entity(directory, id, message, folded),
            TopicRole::Broadcast => fold_broadcast(directory, message, folded),
            TopicRole::Connection(slug, account) => {
                fold_connection(directory, slug, *account, message, folded)
            }
        },
    };
    if let Err((reason, detail)) = given {
        folded.quarantined.push(quarantined(message, reason, detail));
    }
}

type Given = Result<(), (QuarantineReason, String)>;

fn quarantined(message: &TopicMessage, reason: QuarantineReason, detail: String) -> Quarantined {
    Quarantined { topic: message.topic, sequence: message.sequence, at: message.consensus, reason, detail }
}

fn envelope(message: &TopicMessage) -> Result<Envelope, (QuarantineReason, String)> {
    Envelope::from_bytes(&message.bytes).map_err(|fault| (QuarantineReason::Malformed, fault.to_string()))
}

fn misplaced(what: &str) -> (QuarantineReason, String) {
    (QuarantineReason::Misplaced, format!("{what} has no place on this topic"))
}

/// The account of an operator, which must be the submitter's.
fn submitter_of(
    message: &TopicMessage,
    operator: OperatorId,
) -> Result<AccountId, (QuarantineReason, String)> {
    match operator.account == message.submitter {
        true => Ok(operator.account),
        false => {
            let detail = format!("account {} submitted it as {operator}", message.submitter);
            Err((QuarantineReason::SenderMismatch, detail))
        }
    }
}

/// The agent of this home that sent a message; `None` if an outsider did.
fn sender<'d>(
    directory: &'d InboxDirectory,
    message: &TopicMessage,
    operator: OperatorId,
) -> Result<Option<&'d AgentDefinition>, (QuarantineReason, String)> {
    let account = submitter_of(message, operator)?;
    match directory.account_before(account, message.consensus) {
        Some(agent) if agent.operator() != operator => {
            let detail = format!("{operator} is not the operator {} of that account", agent.operator());
            Err((QuarantineReason::SenderMismatch, detail))
        }
        found => Ok(found),
    }
}

fn row(message: &TopicMessage, to: &AgentSlug, from: String, content: MessageContent) -> InboxRow {
    InboxRow {
        id: RowId::of(message.topic, message.sequence, to),
        to: to.clone(),
        from,
        content,
        created: message.consensus,
        topic: message.topic,
        sequence: message.sequence,
    }
}

fn fold_inbound(
    directory: &InboxDirectory,
    to: &AgentSlug,
    message: &TopicMessage,
    folded: &mut Folded,
) -> Given {
    match envelope(message)? {
        Envelope::Message { operator, content } => match sender(directory, message, operator)? {
            Some(agent) => folded.rows.push(row(message, to, agent.slug.to_string(), content)),
            None => hold(directory, to, message, &content.subject, IsRequest::No, folded)?,
        },
        Envelope::ConnectionRequest { operator, .. } => {
            // An agent of the home needs no connection, so its request is no row either.
            if sender(directory, message, operator)?.is_none() {
                hold(directory, to, message, &operator.to_string(), IsRequest::Yes, folded)?;
            }
        }
        Envelope::ConnectionCreated { operator, .. } => {
            let account = submitter_of(message, operator)?;
            if directory.agent(to).is_none_or(|agent| agent.account != account) {
                return Err(misplaced("another agent's connection_created"));
            }
        }
        Envelope::Register { .. } | Envelope::Delete { .. } | Envelope::Migrate { .. } => {
            return Err(misplaced("an entry of a registry"));
        }
        Envelope::ConnectionClosed { .. }
        | Envelope::CloseConnection { .. }
        | Envelope::Transaction { .. } => {
            return Err(misplaced("an operation of a connection"));
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IsRequest {
    Yes,
    No,
}

/// Holds what an outsider said, unless it was blocked.
fn hold(
    directory: &InboxDirectory,
    to: &AgentSlug,
    message: &TopicMessage,
    text: &str,
    is_request: IsRequest,
    folded: &mut Folded,
) -> Given {
    let account = message.submitter;
    if directory.connection_before(to, account, message.consensus) == ConnectionState::Blocked {
        return Err((QuarantineReason::Blocked, format!("{to} blocked account {account}")));
    }
    folded.held.push(HeldMessage {
        to: to.clone(),
        account,
        is_request: is_request == IsRequest::Yes,
        excerpt: shortened(text, EXCERPT_BYTES_MAX).to_owned(),
        at: message.consensus,
        topic: message.topic,
        sequence: message.sequence,
    });
    Ok(())
}

fn fold_ack(
    directory: &InboxDirectory,
    slug: &AgentSlug,
    message: &TopicMessage,
    folded: &mut Folded,
) -> Given {
    if directory.agent(slug).is_none_or(|agent| agent.account != message.submitter) {
        let detail = format!("account {} submitted it, and not {slug}", message.submitter);
        return Err((QuarantineReason::SenderMismatch, detail));
    }
    let ack = Acknowledgement::from_bytes(&message.bytes);
    let Acknowledgement { topic, sequence, session } =
        ack.map_err(|fault| (QuarantineReason::Malformed, fault.to_string()))?;
    folded.processed.push(ProcessedMark {
        row: RowId::of(topic, sequence, slug),
        at: message.consensus,
        session,
    });
    Ok(())
}

fn fold_entity(directory: &InboxDirectory, id: &RefId, message: &TopicMessage, folded: &mut Folded) -> Given {
    let note = EntityNote::from_bytes(&message.bytes);
    let note = note.map_err(|fault| (QuarantineReason::Malformed, fault.to_string()))?;
    let author = directory.agent_before(&note.from, message.consensus);
    if author.is_none_or(|author| author.account != message.submitter) {
        let detail = format!("account {} submitted it as {}", message.submitter, note.from);
        return Err((QuarantineReason::SenderMismatch, detail));
    }
    let kind = directory.entity(id.as_str()).map(|entity| entity.kind);
    let from = if note.kind.is_note() { note.from.to_string() } else { SYSTEM.to_owned() };
    let subject = match note.subject.is_empty() {
        true => MessageContent::plain(&note.note).subject,
        false => note.subject.clone(),
    };
    let content = MessageContent {
        kind: note.kind.clone(),
        subject,
        payload: Some(note.payload.clone().unwrap_or_else(|| json!({"note": note.note}))),
        context: None,
        reference: Some(Reference { id: id.clone(), kind }),
        priority: note.priority,
    };
    let is_known = |slug: &&AgentSlug| directory.agent_before(slug, message.consensus).is_some();
    let (known, unknown): (Vec<&AgentSlug>, Vec<&AgentSlug>) = note.notify.iter().partition(is_known);
    folded.rows.extend(known.into_iter().map(|to| row(message, to, from.clone(), content.clone())));
    let unknown: Vec<String> = unknown.into_iter().map(|slug| format!("`{slug}`")).collect();
    let (topic, sequence, at) = (message.topic, message.sequence, message.consensus);
    folded.notes.push(ThreadNote { topic, sequence, at, note });
    match unknown.is_empty() {
        true => Ok(()),
        false => Err((QuarantineReason::UnknownRecipient, format!("`notify` names {}", unknown.join(", ")))),
    }
}

fn fold_broadcast(directory: &InboxDirectory, message: &TopicMessage, folded: &mut Folded) -> Given {
    let Envelope::Message { operator, content } = envelope(message)? else {
        return Err(misplaced("anything but a message"));
    };
    let Some(agent) = sender(directory, message, operator)? else {
        return Err(misplaced("a message of an outsider"));
    };
    let from = agent.slug.to_string();
    let readers = directory.agents_before(message.consensus);
    folded.rows.extend(readers.map(|to| row(message, &to.slug, from.clone(), content.clone())));
    Ok(())
}

fn fold_connection(
    directory: &mut InboxDirectory,
    to: &AgentSlug,
    account: AccountId,
    message: &TopicMessage,
    folded: &mut Folded,
) -> Given {
    // What the agent itself says there is for the outsider.
    if directory.agent(to).is_some_and(|agent| agent.account == message.submitter) {
        return Ok(());
    }
    let envelope = envelope(message)?;
    if message.submitter != account {
        let detail = format!("account {} is not of this connection", message.submitter);
        return Err((QuarantineReason::SenderMismatch, detail));
    }
    match envelope {
        Envelope::Message { operator, content } => {
            submitter_of(message, operator)?;
            let state = directory.connection_before(to, account, message.consensus);
            let is_open = state == ConnectionState::Accepted
                && !directory.was_closed_before(message.topic, message.consensus);
            match is_open {
                true => folded.rows.push(row(message, to, account.to_string(), content)),
                false => hold(directory, to, message, &content.subject, IsRequest::No, folded)?,
            }
        }
        Envelope::CloseConnection { operator, .. } => {
            submitter_of(message, operator)?;
            directory.note_closed(message.topic, message.consensus);
            folded.closed.push((message.topic, message.consensus));
        }
        Envelope::Register { .. }
        | Envelope::Delete { .. }
        | Envelope::Migrate { .. }
        | Envelope::ConnectionRequest { .. }
        | Envelope::ConnectionCreated { .. }
        | Envelope::ConnectionClosed { .. }
        | Envelope::Transaction { .. } => return Err(misplaced("anything but a message or a close")),
    }
    Ok(())
}
