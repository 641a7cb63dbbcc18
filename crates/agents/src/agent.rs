//! Agents themselves.

use crate::entity::{EntityFault, WriteStamp, check_line};
use crate::extension::ExtensionMap;
use crate::ids::{AgentKindName, StateSnapshotId};
use crate::limits::{CATEGORIES_MAX, DISPLAY_NAME_LEN_MAX};
use crate::stored::StoredForm;
use crate::vocabulary::{AgentInteractionMode, AgentLifecycle};
use brainstem_base::{AgentId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// An agent that is woken, acts and remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name, which is also the name that its mail is sent to.
    pub id: AgentId,
    /// What kind of agent it is: `reviewer`, `planner`.
    pub kind: AgentKindName,
    /// What people call it.
    pub display_name: String,
    /// Where it is in its life. The snapshots of its state decide it; this is what they said last.
    pub lifecycle: AgentLifecycle,
    /// What may start a run of it.
    pub mode: AgentInteractionMode,
    /// The categories that it may read and write; nothing else.
    pub allowed_category_ids: BTreeSet<String>,
    /// The snapshot of its state that this device wrote or took in last.
    pub current_state_id: StateSnapshotId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last, for people.
    pub updated_at: Timestamp,
    /// When it was destroyed.
    pub destroyed_at: Option<Timestamp>,
    /// How it runs.
    pub config: AgentConfig,
    /// Where this row was written.
    pub stamp: WriteStamp,
}

/// How an agent runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentConfig {
    /// The model that it thinks with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The prompt that it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// Fields that have no type yet.
    #[serde(default)]
    pub extension: ExtensionMap,
}

impl StoredForm for AgentConfig {
    const NAME: &'static str = "the configuration of an agent";
    const STEPS: &'static [fn(&mut Map<String, Value>)] = &[];
}

impl Agent {
    /// Refuses an agent that breaks a rule.
    pub fn check(&self) -> Result<(), EntityFault> {
        check_line("displayName", &self.display_name, DISPLAY_NAME_LEN_MAX)?;
        if self.allowed_category_ids.len() > CATEGORIES_MAX {
            return Err(EntityFault::new("allowedCategoryIds", "has too many categories"));
        }
        if self.destroyed_at.is_some() != (self.lifecycle == AgentLifecycle::Destroyed) {
            return Err(EntityFault::new("destroyedAt", "is there if and only if the agent was destroyed"));
        }
        Ok(())
    }
}
