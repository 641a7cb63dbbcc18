//! Reports: what an agent says about a time, written once, and the pointer to the newest.

use crate::canonical::HashInput;
use crate::canonical_json::CanonicalJson;
use crate::entity::{EntityFault, WriteStamp};
use crate::ids::{AgentReportId, ReportHeadId};
use crate::limits::PAYLOAD_BYTES_MAX;
use crate::vocabulary::ReportScope;
use brainstem_base::{AgentId, Timestamp};

/// A report of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentReport {
    /// Its id.
    pub id: AgentReportId,
    /// The agent.
    pub agent: AgentId,
    /// Which time it is about.
    pub scope: ReportScope,
    /// When it was written.
    pub created_at: Timestamp,
    /// What it says.
    pub content: CanonicalJson,
    /// How sure the agent is, from 0 to 1.
    pub confidence: Option<f64>,
    /// What it was made from.
    pub provenance: CanonicalJson,
    /// Where it was written.
    pub stamp: WriteStamp,
}

/// The newest report of an agent and scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReportHead {
    /// The agent.
    pub agent: AgentId,
    /// The scope.
    pub scope: ReportScope,
    /// The report.
    pub report: AgentReportId,
    /// When the pointer was moved.
    pub updated_at: Timestamp,
    /// Where it was moved.
    pub stamp: WriteStamp,
}

impl AgentReport {
    /// Refuses a report that breaks a rule.
    pub fn check(&self) -> Result<(), EntityFault> {
        if self.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
            return Err(EntityFault::new("confidence", "is not between 0 and 1"));
        }
        if self.content.as_str().len() > PAYLOAD_BYTES_MAX {
            return Err(EntityFault::new("content", "is too long"));
        }
        if self.provenance.as_str().len() > PAYLOAD_BYTES_MAX {
            return Err(EntityFault::new("provenance", "is too long"));
        }
        Ok(())
    }
}

impl AgentReportHead {
    /// Its id: an agent has one pointer for each scope.
    pub fn id(&self) -> ReportHeadId {
        let input = HashInput::new("agent-report-head.1").text(self.agent.as_str());
        input.text(self.scope.as_str()).digest().into()
    }
}
