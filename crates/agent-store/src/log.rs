//! The messages of agents' logs, and what they say at length.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, to_json};
use brainstem_agents::compaction::PlannedSummary;
use brainstem_agents::ids::{AgentMessageId, AgentPayloadId};
use brainstem_agents::log::AppendedRecords;
use brainstem_agents::message::SummarySpan;
use brainstem_agents::vocabulary::AgentMessageKind;
use brainstem_agents::{AgentLink, AgentMessage, AgentMessagePayload, StoredForm as _, ThreadId};
use brainstem_base::AgentId;
use brainstem_sqlite::rusqlite::{self, params};

const MESSAGE: &str = "id, agent_id, thread_id, kind, created_at, prev_message_id, content_entry_id, trigger_source_id,
                       summary_start_message_id, summary_end_message_id, summary_depth, tokens_approx, metadata,
                       host_id, clock";

fn message(row: &Columns<'_>) -> rusqlite::Result<AgentMessage> {
    let span = (row.optional_id("summary_start_message_id")?, row.optional_id("summary_end_message_id")?);
    let summary = match span {
        (Some(start), Some(end)) => Some(SummarySpan { start, end, depth: row.plain("summary_depth")? }),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => {
            return Err(row.damaged("summary_end_message_id", "half a span"));
        }
    };
    let message = AgentMessage {
        id: row.id("id")?,
        thread: row.id("thread_id")?,
        kind: row.word("kind", AgentMessageKind::parse)?,
        created_at: row.time("created_at")?,
        prev: row.optional_id("prev_message_id")?,
        payload: row.optional_id("content_entry_id")?,
        trigger_source_id: row.plain("trigger_source_id")?,
        summary,
        tokens_approx: row.plain("tokens_approx")?,
        metadata: row.form("metadata")?,
        stamp: row.stamp()?,
    };
    match row.agent("agent_id")? == *message.agent() {
        true => Ok(message),
        false => Err(row.damaged("agent_id", "it is not the agent of the thread")),
    }
}

const PAYLOAD: &str = "id, agent_id, created_at, content, content_type, host_id, clock";

fn payload(row: &Columns<'_>) -> rusqlite::Result<AgentMessagePayload> {
    Ok(AgentMessagePayload {
        id: row.id("id")?,
        agent: row.agent("agent_id")?,
        created_at: row.time("created_at")?,
        content: row.json("content")?,
        content_type: row.plain("content_type")?,
        stamp: row.stamp()?,
    })
}

/// What a write of a message did.
enum MessageWrite {
    Added,
    Repeated,
}

impl AgentReads<'_> {
    /// A message.
    pub fn message(&self, id: &AgentMessageId) -> Result<Option<AgentMessage>, AgentStoreError> {
        self.one(&format!("SELECT {MESSAGE} FROM agent_messages WHERE id = ?1"), (id.as_str(),), message)
    }

    /// The newest messages of an agent, the newest first.
    pub fn recent_messages(
        &self,
        agent: &AgentId,
        count_max: usize,
    ) -> Result<Vec<AgentMessage>, AgentStoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM agent_messages WHERE agent_id = ?1 ORDER BY created_at DESC LIMIT ?2"
        );
        self.list(&sql, (agent.as_str(), number_to_sql(count_max as u64)), message)
    }

    /// The newest messages of a thread, the newest first.
    pub fn thread_messages(
        &self,
        thread: &ThreadId,
        count_max: usize,
    ) -> Result<Vec<AgentMessage>, AgentStoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM agent_messages WHERE thread_id = ?1 ORDER BY created_at DESC LIMIT ?2"
        );
        self.list(&sql, (thread.to_string(), number_to_sql(count_max as u64)), message)
    }

    /// What a message says at length.
    pub fn payload(&self, id: &AgentPayloadId) -> Result<Option<AgentMessagePayload>, AgentStoreError> {
        let sql = format!("SELECT {PAYLOAD} FROM agent_message_payloads WHERE id = ?1");
        self.one(&sql, (id.as_str(),), payload)
    }
}

impl AgentWrites<'_> {
    /// Adds what an append adds: the message, its payload and its links. The same append again changes nothing.
    pub fn append(&self, records: &AppendedRecords, by: WriteAuthority) -> Result<(), AgentStoreError> {
        let AppendedRecords { message, payload, links, head: _ } = records;
        self.check_authority(message.agent(), by)?;
        self.add_records(message, payload.as_ref(), links)
    }

    /// Adds a summary with its payload and its links. Nothing of what it covers is changed.
    pub fn add_summary(&self, summary: &PlannedSummary, by: WriteAuthority) -> Result<(), AgentStoreError> {
        let PlannedSummary { message, payload, links, latest_summary: _ } = summary;
        self.check_authority(message.agent(), by)?;
        self.add_records(message, Some(payload), links)
    }

    fn add_records(
        &self,
        message: &AgentMessage,
        payload: Option<&AgentMessagePayload>,
        links: &[AgentLink],
    ) -> Done<()> {
        if let Some(payload) = payload {
            self.put_payload(payload)?;
        }
        match self.put_message(message)? {
            // Its links were written with it. Written again they would move the head back.
            MessageWrite::Repeated => Ok(()),
            MessageWrite::Added => links.iter().try_for_each(|link| self.put_link(link)),
        }
    }

    fn put_payload(&self, payload: &AgentMessagePayload) -> Done<()> {
        payload.check()?;
        match self.payload(&payload.id)? {
            Some(known) if (&known.agent, &known.content) == (&payload.agent, &payload.content) => {
                return Ok(());
            }
            Some(_) => return Err(AgentStoreError::Rewritten(payload.id.to_string())),
            None => {}
        }
        let sql =
            format!("INSERT INTO agent_message_payloads ({PAYLOAD}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
        let given = params![
            payload.id.as_str(),
            payload.agent.as_str(),
            payload.created_at.ms(),
            payload.content.as_str(),
            payload.content_type,
            payload.stamp.host.as_str(),
            to_json(&payload.stamp.clock),
        ];
        self.execute(&sql, given).map(drop)
    }

    fn put_message(&self, message: &AgentMessage) -> Done<MessageWrite> {
        message.check()?;
        // Of a message that is there, nothing is changed: it is immutable.
        match self.message(&message.id)? {
            Some(known) if known.thread == message.thread && known.kind == message.kind => {
                return Ok(MessageWrite::Repeated);
            }
            Some(_) => return Err(AgentStoreError::Rewritten(message.id.to_string())),
            None => {}
        }
        if let Some(id) = &message.payload {
            let owner = self.payload(id)?.map(|payload| payload.agent);
            if owner.as_ref() != Some(message.agent()) {
                return Err(AgentStoreError::OrphanPayload(id.clone()));
            }
        }
        let sql = format!(
            "INSERT INTO agent_messages ({MESSAGE})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
        );
        let span = message.summary.as_ref();
        let given = params![
            message.id.as_str(),
            message.agent().as_str(),
            message.thread.to_string(),
            message.kind.as_str(),
            message.created_at.ms(),
            message.prev.as_ref().map(AgentMessageId::as_str),
            message.payload.as_ref().map(AgentPayloadId::as_str),
            message.trigger_source_id,
            span.map(|span| span.start.as_str()),
            span.map(|span| span.end.as_str()),
            span.map_or(0, |span| span.depth),
            message.tokens_approx,
            message.metadata.to_stored()?,
            message.stamp.host.as_str(),
            to_json(&message.stamp.clock),
        ];
        self.execute(&sql, given)?;
        Ok(MessageWrite::Added)
    }
}
