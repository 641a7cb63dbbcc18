//! `inbox list`.

use super::message::{InboxCount, InboxMessage};
use super::send::ref_id;
use crate::field_kinds;
use crate::screen::{bold, dim};
use crate::verbs::row::counted;
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, calls, field};
use brainstem_post::inbox::{
    INBOX_LIMIT_DEFAULT, INBOX_LIMIT_MAX, InboxListing, InboxQuery, ReferenceNames, RowState,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// See your inbox: the open messages, the most urgent first.
///
/// The inbox is your address on the ledger: it is there in every project, its history cannot be changed without a trace, and a
/// message stays until you finish it with `inbox done`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxList {
    /// Finished messages too, the newest first.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub all: bool,
    /// Only what is about this entity or agent.
    #[arg(id = "ref_id", long = "ref", value_name = "ID")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::ref_id()))]
    pub ref_id: Option<String>,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(1..=INBOX_LIMIT_MAX, INBOX_LIMIT_DEFAULT)))]
    pub limit: Option<i64>,
}

/// The messages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxListAnswer {
    /// Your slug.
    pub me: String,
    /// The messages.
    pub messages: Vec<InboxMessage>,
    /// Open messages in all: those that no session of yours has finished.
    pub unread: u64,
    /// Open messages of priority 1.
    pub urgent: u64,
    /// Whether the limit left some out.
    pub has_more: bool,
    /// Open messages that other sessions of yours took, or earlier calls without a session name.
    #[serde(skip_serializing_if = "is_zero")]
    pub held_by_others: u64,
    /// Outsiders that wait for your decision: see the requests.
    #[serde(skip_serializing_if = "is_none_left")]
    pub outsiders: usize,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

impl InboxListAnswer {
    pub(super) fn new(listed: InboxListing, names: &ReferenceNames) -> Self {
        Self {
            me: listed.me.to_string(),
            messages: listed.rows.into_iter().map(|row| InboxMessage::new(row, names)).collect(),
            unread: listed.counts.unread,
            urgent: listed.counts.urgent,
            has_more: listed.has_more,
            held_by_others: listed.held_by_others,
            outsiders: listed.outsiders,
            gaps: Vec::new(),
        }
    }
}

impl Verb for InboxList {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        title: "See your inbox",
        when_to_use: "To see what waits for you in every project, without taking it.",
        examples: &[
            "brainstem inbox list",
            "brainstem inbox list --all --limit 20",
            "brainstem inbox list --ref TASK-7",
        ],
        ..VerbSpec::of(VerbId::InboxList)
    };
    type Output = InboxListAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<InboxListAnswer, Fault> {
        let (post, caller) = (cx.post(), cx.reader()?);
        let query = InboxQuery {
            state: if self.all { RowState::All } else { RowState::Unread },
            text: None,
            ref_id: ref_id(self.ref_id)?,
            limit: within("limit", self.limit, INBOX_LIMIT_DEFAULT, 1..=INBOX_LIMIT_MAX)?,
        };
        let listed = post.list_inbox(&caller, &query)?;
        Ok(InboxListAnswer::new(listed, &post.reference_names(&caller)?))
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_none_left(count: &usize) -> bool {
    *count == 0
}

impl Present for InboxListAnswer {
    fn present(&self, out: &mut Screen) {
        if self.messages.is_empty() && self.gaps.is_empty() {
            out.flow(0, 2, ["nothing here for ".into(), bold(self.me.as_str())]);
        }
        for message in &self.messages {
            message.present(out);
        }
        let counts = InboxCount { unread: self.unread, urgent: self.urgent };
        if !self.messages.is_empty() {
            out.line([dim(format!("{} for {}", counts.told(), self.me))]);
        }
        if self.held_by_others > 0 {
            let held = counted(usize::try_from(self.held_by_others).unwrap_or(usize::MAX), "open message");
            out.line([dim(format!("{held} taken already, by another session of yours or an earlier fetch"))]);
        }
        if self.outsiders > 0 {
            let requests = out.command(&calls::inbox_requests());
            let waiting = counted(self.outsiders, "outsider");
            let asks = if self.outsiders == 1 { "waits" } else { "wait" };
            out.line([dim(format!("{waiting} {asks} for your decision: {requests}"))]);
        }
        if self.has_more {
            out.line([dim(format!("there are more; raise {} to see them", field("limit")))]);
        }
    }
}
