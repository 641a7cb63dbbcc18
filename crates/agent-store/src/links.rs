//! The edges between records of agents.

use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, to_json};
use brainstem_agents::AgentLink;
use brainstem_agents::ids::{AgentLinkId, AgentMessageId};
use brainstem_agents::vocabulary::LinkRelation;
use brainstem_sqlite::rusqlite::{self, params};

const COLUMNS: &str = "id, type, from_id, to_id, created_at, hidden, thread_id, message_id, host_id, clock";

fn link(row: &Columns<'_>) -> rusqlite::Result<AgentLink> {
    let link = AgentLink {
        relation: row.word("type", LinkRelation::parse)?,
        from_id: row.plain("from_id")?,
        to_id: row.plain("to_id")?,
        created_at: row.time("created_at")?,
        is_hidden: row.plain("hidden")?,
        thread: row.optional_id("thread_id")?,
        message: row.optional_id("message_id")?,
        stamp: row.stamp()?,
    };
    match row.id::<AgentLinkId>("id")? == link.id() {
        true => Ok(link),
        false => Err(row.damaged("id", "it does not follow from the edge")),
    }
}

impl AgentReads<'_> {
    /// The edges of a kind that go out from a record, the newest first.
    pub fn links_from(
        &self,
        relation: LinkRelation,
        from: &str,
        count_max: usize,
    ) -> Result<Vec<AgentLink>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_links WHERE type = ?1 AND from_id = ?2 AND hidden = 0
             ORDER BY created_at DESC LIMIT ?3"
        );
        self.list(&sql, (relation.as_str(), from, number_to_sql(count_max as u64)), link)
    }

    /// The edges of a kind that come in to a record, the newest first.
    pub fn links_to(
        &self,
        relation: LinkRelation,
        to: &str,
        count_max: usize,
    ) -> Result<Vec<AgentLink>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_links WHERE type = ?1 AND to_id = ?2 AND hidden = 0
             ORDER BY created_at DESC LIMIT ?3"
        );
        self.list(&sql, (relation.as_str(), to, number_to_sql(count_max as u64)), link)
    }
}

impl AgentWrites<'_> {
    /// Adds an edge, or takes one back if it is hidden. An edge that was taken back stays so.
    pub(crate) fn put_link(&self, link: &AgentLink) -> Done<()> {
        // There is one head: the edge to the former one goes.
        if link.relation == LinkRelation::AgentHead {
            let sql = "UPDATE agent_links SET hidden = 1
                       WHERE type = ?1 AND from_id = ?2 AND hidden = 0 AND to_id <> ?3";
            self.execute(sql, (link.relation.as_str(), &link.from_id, &link.to_id))?;
        }
        let sql = format!(
            "INSERT INTO agent_links ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (id) DO UPDATE SET hidden = max(hidden, excluded.hidden)"
        );
        let id = link.id();
        let given = params![
            id.as_str(),
            link.relation.as_str(),
            link.from_id,
            link.to_id,
            link.created_at.ms(),
            link.is_hidden,
            link.thread.as_ref().map(ToString::to_string),
            link.message.as_ref().map(AgentMessageId::as_str),
            link.stamp.host.as_str(),
            to_json(&link.stamp.clock),
        ];
        self.execute(&sql, given).map(drop)
    }
}
