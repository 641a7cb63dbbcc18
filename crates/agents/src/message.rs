//! The messages of an agent's log.
//!
//! A message is written once and never changed. What it says at length is a payload of its own, so that messages stay small
//! to read and to send.

use crate::canonical_json::CanonicalJson;
use crate::entity::{EntityFault, WriteStamp};
use crate::extension::ExtensionMap;
use crate::ids::{AgentMessageId, AgentPayloadId, OperationId, ThreadId};
use crate::limits::{CHANGED_MAX, PAYLOAD_BYTES_MAX};
use crate::state::MessagePointer;
use crate::stored::StoredForm;
use crate::vocabulary::AgentMessageKind;
use brainstem_base::{AgentId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message of an agent's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentMessage {
    /// Its id.
    pub id: AgentMessageId,
    /// The thread that it belongs to, which names its agent.
    pub thread: ThreadId,
    /// What it is.
    pub kind: AgentMessageKind,
    /// When it was written, for people.
    pub created_at: Timestamp,
    /// The message before it in the log of its agent.
    pub prev: Option<AgentMessageId>,
    /// What it says at length.
    pub payload: Option<AgentPayloadId>,
    /// What caused it: the id of a mail, a change, a timer.
    pub trigger_source_id: Option<String>,
    /// The messages that it is a summary of.
    pub summary: Option<SummarySpan>,
    /// About how many tokens a model needs for it.
    pub tokens_approx: u32,
    /// What programs have to know of it.
    pub metadata: AgentMessageMetadata,
    /// Where it was written.
    pub stamp: WriteStamp,
}

/// The messages that a summary is of: those from the last one back along the log to the first one, in its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummarySpan {
    /// The first message.
    pub start: AgentMessageId,
    /// The last message.
    pub end: AgentMessageId,
    /// 0 for a summary of messages, and one more for each level of summaries of summaries.
    pub depth: u32,
}

/// What programs have to know of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentMessageMetadata {
    /// The action that this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_ref_id: Option<AgentMessageId>,
    /// The effect that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// The prompt that a model was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// The version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The entities that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_entity_ids: Vec<String>,
    /// The tokens of what was changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_tokens: Vec<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The code of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The sentence of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Fields that have no type yet.
    #[serde(default)]
    pub extension: ExtensionMap,
}

impl StoredForm for AgentMessageMetadata {
    const NAME: &'static str = "the metadata of a message";
    const STEPS: &'static [fn(&mut Map<String, Value>)] = &[];
}

/// What a message says at length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentMessagePayload {
    /// Its id.
    pub id: AgentPayloadId,
    /// The agent whose message says it.
    pub agent: AgentId,
    /// When it was written, for people.
    pub created_at: Timestamp,
    /// What it says.
    pub content: CanonicalJson,
    /// What kind of content it is: `application/json` unless a writer says otherwise.
    pub content_type: String,
    /// Where it was written.
    pub stamp: WriteStamp,
}

/// The kind of content that a payload has by default.
pub const JSON_CONTENT_TYPE: &str = "application/json";

impl AgentMessage {
    /// The agent whose log it is in.
    pub fn agent(&self) -> &AgentId {
        self.thread.agent()
    }

    /// A pointer to it, for the state.
    pub fn pointer(&self) -> MessagePointer {
        MessagePointer {
            host: self.stamp.host.clone(),
            message: self.id.clone(),
            clock: self.stamp.clock.clone(),
        }
    }

    /// Refuses a message that breaks a rule.
    pub fn check(&self) -> Result<(), EntityFault> {
        if self.summary.is_some() != (self.kind == AgentMessageKind::Summary) {
            return Err(EntityFault::new("kind", "is `summary` if and only if the message has a span"));
        }
        if self.prev.as_ref() == Some(&self.id) {
            return Err(EntityFault::new("prevMessageId", "is the message itself"));
        }
        let AgentMessageMetadata { changed_entity_ids, changed_tokens, .. } = &self.metadata;
        if changed_entity_ids.len().max(changed_tokens.len()) > CHANGED_MAX {
            return Err(EntityFault::new("metadata", "names too many changes"));
        }
        Ok(())
    }
}

impl AgentMessagePayload {
    /// Refuses a payload that breaks a rule.
    pub fn check(&self) -> Result<(), EntityFault> {
        if self.content.as_str().len() > PAYLOAD_BYTES_MAX {
            return Err(EntityFault::new("content", "is too long"));
        }
        crate::entity::check_line("contentType", &self.content_type, 100)
    }
}
