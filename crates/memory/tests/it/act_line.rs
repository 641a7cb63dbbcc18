//! A line of an acts log as it stands on the disk, read without the program's own codec.

use brainstem_base::{AgentId, Timestamp, hash};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The fields of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Act {
    pub(crate) id: String,
    pub(crate) ts: String,
    pub(crate) agent: String,
    pub(crate) act: String,
    pub(crate) subject: String,
    #[serde(default)]
    pub(crate) data: Value,
    #[serde(default, rename = "foreign", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_foreign: bool,
}

impl Act {
    /// A line as this version writes it.
    pub(crate) fn once(act: &str, subject: &str, agent: &AgentId, now: Timestamp, data: Value) -> Self {
        Self {
            id: Self::id_of(act, subject),
            ts: now.to_rfc3339(),
            agent: agent.to_string(),
            act: act.to_owned(),
            subject: subject.to_owned(),
            data,
            is_foreign: false,
        }
    }

    /// The id of an act upon a subject.
    pub(crate) fn id_of(act: &str, subject: &str) -> String {
        hash::sha256_hex(format!("{act}\n{subject}").as_bytes(), 16)
    }
}
