//! Edges between the records of an agent. They have a model of their own: no edge of another part of the program is one.

use crate::canonical::HashInput;
use crate::entity::WriteStamp;
use crate::ids::{AgentLinkId, AgentMessageId, ThreadId};
use crate::vocabulary::LinkRelation;
use brainstem_base::Timestamp;

/// An edge from one record of an agent to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLink {
    /// What it says. The column is `type`.
    pub relation: LinkRelation,
    /// The record that it goes from.
    pub from_id: String,
    /// The record that it goes to.
    pub to_id: String,
    /// When it was written, for people.
    pub created_at: Timestamp,
    /// Whether it was taken back. The row stays, so that other devices learn of it.
    pub is_hidden: bool,
    /// The thread that it was written in.
    pub thread: Option<ThreadId>,
    /// The message that it was written with.
    pub message: Option<AgentMessageId>,
    /// Where it was written.
    pub stamp: WriteStamp,
}

impl AgentLink {
    /// Its id: the same edge has the same id on every device.
    pub fn id(&self) -> AgentLinkId {
        let input = HashInput::new("agent-link.1").text(self.relation.as_str());
        input.text(&self.from_id).text(&self.to_id).digest().into()
    }
}
