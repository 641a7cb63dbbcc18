//! Reports and the pointers to the newest of them.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, to_json};
use brainstem_agents::ids::AgentReportId;
use brainstem_agents::vocabulary::ReportScope;
use brainstem_agents::{AgentReport, AgentReportHead};
use brainstem_base::AgentId;
use brainstem_sqlite::rusqlite::{self, params};

const COLUMNS: &str = "id, agent_id, scope, created_at, content, confidence, provenance, host_id, clock";

fn report(row: &Columns<'_>) -> rusqlite::Result<AgentReport> {
    Ok(AgentReport {
        id: row.id("id")?,
        agent: row.agent("agent_id")?,
        scope: row.word("scope", ReportScope::parse)?,
        created_at: row.time("created_at")?,
        content: row.json("content")?,
        confidence: row.plain("confidence")?,
        provenance: row.json("provenance")?,
        stamp: row.stamp()?,
    })
}

impl AgentReads<'_> {
    /// A report.
    pub fn report(&self, id: &AgentReportId) -> Result<Option<AgentReport>, AgentStoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM agent_reports WHERE id = ?1"), (id.as_str(),), report)
    }

    /// The newest report of an agent and scope.
    pub fn head_report(
        &self,
        agent: &AgentId,
        scope: ReportScope,
    ) -> Result<Option<AgentReport>, AgentStoreError> {
        let sql = "SELECT report_id FROM agent_report_heads WHERE agent_id = ?1 AND scope = ?2";
        let head = self.one(sql, (agent.as_str(), scope.as_str()), |row| row.id("report_id"))?;
        head.map_or(Ok(None), |head| self.report(&head))
    }

    /// The reports of an agent and scope, the newest first.
    pub fn reports(
        &self,
        agent: &AgentId,
        scope: ReportScope,
        count_max: usize,
    ) -> Result<Vec<AgentReport>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_reports WHERE agent_id = ?1 AND scope = ?2
             ORDER BY created_at DESC LIMIT ?3"
        );
        self.list(&sql, (agent.as_str(), scope.as_str(), number_to_sql(count_max as u64)), report)
    }
}

impl AgentWrites<'_> {
    /// Adds a report and makes it the newest of its agent and scope. The same report again changes nothing.
    pub fn add_report(&self, report: &AgentReport, by: WriteAuthority) -> Result<(), AgentStoreError> {
        report.check()?;
        self.check_authority(&report.agent, by)?;
        match self.report(&report.id)? {
            Some(known) if known == *report => return Ok(()),
            Some(_) => return Err(AgentStoreError::Rewritten(report.id.to_string())),
            None => {}
        }
        let sql =
            format!("INSERT INTO agent_reports ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
        let given = params![
            report.id.as_str(),
            report.agent.as_str(),
            report.scope.as_str(),
            report.created_at.ms(),
            report.content.as_str(),
            report.confidence,
            report.provenance.as_str(),
            report.stamp.host.as_str(),
            to_json(&report.stamp.clock),
        ];
        self.execute(&sql, given)?;
        self.move_head(report)
    }

    fn move_head(&self, report: &AgentReport) -> Done<()> {
        let head = AgentReportHead {
            agent: report.agent.clone(),
            scope: report.scope,
            report: report.id.clone(),
            updated_at: report.created_at,
            stamp: report.stamp.clone(),
        };
        let sql = "INSERT INTO agent_report_heads (id, agent_id, scope, report_id, updated_at, host_id, clock)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                   ON CONFLICT (id) DO UPDATE SET report_id = excluded.report_id, updated_at = excluded.updated_at,
                       host_id = excluded.host_id, clock = excluded.clock";
        let id = head.id();
        let given = params![
            id.as_str(),
            head.agent.as_str(),
            head.scope.as_str(),
            head.report.as_str(),
            head.updated_at.ms(),
            head.stamp.host.as_str(),
            to_json(&head.stamp.clock),
        ];
        self.execute(sql, given).map(drop)
    }
}
