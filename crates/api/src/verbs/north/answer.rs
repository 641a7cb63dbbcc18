//! The beat, as it is written.

use crate::beat_parts::BeatParts;
use crate::verbs::InboxCount;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The beat.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NorthAnswer {
    /// The task it was composed for.
    pub task: String,
    /// Where you landed.
    pub binding: Binding,
    /// Returns what it carries; nothing if a page has it.
    #[serde(flatten)]
    pub parts: Option<BeatParts>,
    /// How many claims the stores that could be counted hold; files that cannot be read are gaps. Null where it is not known.
    pub memory_exists: Option<usize>,
    /// Open letters of your project; null when they could not be counted, with a gap that says why.
    pub letters_open: Option<usize>,
    /// What waits in your boxes, where this project has mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail: Option<MailCount>,
    /// What waits in your inbox, where this home has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbox: Option<InboxCount>,
    /// The stores that were read.
    pub sources: BTreeMap<String, String>,
    /// When it was composed.
    pub composed_at: String,
    /// The beat as a page of Markdown, each text in a fence that it cannot close: data, not instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fenced: Option<String>,
    /// The page beside the document, for a client that asked for both.
    #[serde(skip)]
    pub beside: Option<String>,
}

/// Where a caller landed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Binding {
    /// The brain: name@id.
    pub brain: Option<String>,
    /// The name of its folder under the home.
    pub fingerprint: Option<String>,
    /// The project's root.
    pub root: Option<String>,
    /// full, medulla_only (no brain yet), unbound (no project) or degraded (a store was unreadable).
    pub trust_mode: String,
}

/// What waits in your boxes.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct MailCount {
    /// Unread messages.
    pub unread: usize,
    /// Those of them that are urgent; what git tracks is not, whatever it says.
    pub urgent: usize,
    /// Those of them that git tracks: they may have come with the repository, so their sender is not certain.
    #[serde(skip_serializing_if = "is_zero")]
    pub tracked_by_git: usize,
    /// Files with the ending of a message that cannot be read as one; mail list names each with the reason.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: usize,
    /// Messages that you, or another session of your agent, have taken and not finished; not among the unread.
    #[serde(skip_serializing_if = "is_zero")]
    pub taken: usize,
    /// When the first of them comes back to its box, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_until_ms: Option<i64>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<brainstem_post::mail::MailStanding> for MailCount {
    fn from(standing: brainstem_post::mail::MailStanding) -> Self {
        Self {
            unread: standing.unread,
            urgent: standing.urgent,
            tracked_by_git: standing.tracked,
            unreadable: standing.unreadable,
            taken: standing.taken,
            taken_until_ms: standing.taken_until.map(|until| until.ms()),
        }
    }
}

impl From<MailCount> for brainstem_post::mail::MailStanding {
    fn from(count: MailCount) -> Self {
        Self {
            unread: count.unread,
            urgent: count.urgent,
            tracked: count.tracked_by_git,
            unreadable: count.unreadable,
            taken: count.taken,
            taken_until: count.taken_until_ms.map(brainstem_base::Timestamp::from_ms),
        }
    }
}

impl NorthAnswer {
    /// What it carries; nothing where a page has it.
    pub(crate) fn carried(&self) -> &BeatParts {
        static NOTHING: std::sync::LazyLock<BeatParts> = std::sync::LazyLock::new(BeatParts::default);
        self.parts.as_ref().unwrap_or(&NOTHING)
    }
}
