//! `inbox events`.

use crate::field_kinds;
use crate::screen::{dim, name};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::{VerbId, field};
use brainstem_post::inbox::{EventPage, FeedEvent, INBOX_LIMIT_DEFAULT, INBOX_LIMIT_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Follow your inbox: what arrived and what was finished behind a cursor. Messages are read by their ids.
///
/// A cursor that is too old is refused with `inbox.cursor_expired`, one that was never given with `inbox.cursor_ahead`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxEvents {
    /// The `next_cursor` of the last answer; without it, from the oldest event on.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::whole_number()))]
    pub after: Option<u64>,
    /// At most this many; default 50.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-range" = crate::schema::range(1..=INBOX_LIMIT_MAX, INBOX_LIMIT_DEFAULT)))]
    pub limit: Option<i64>,
}

/// A page of the feed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxEventsAnswer {
    /// The events, in their order.
    pub events: Vec<InboxEvent>,
    /// Where the next page starts.
    pub next_cursor: u64,
    /// Whether more events are there already.
    pub has_more: bool,
    /// The smallest cursor that is still good.
    pub oldest: u64,
    /// The position of the newest event.
    pub tail: u64,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// An event of the feed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxEvent {
    /// Its position.
    pub position: u64,
    /// message (it arrived) or processed (it was finished).
    pub kind: String,
    /// The reader.
    pub to_agent: String,
    /// The message.
    pub id: String,
}

impl From<FeedEvent> for InboxEvent {
    fn from(event: FeedEvent) -> Self {
        Self {
            position: event.position,
            kind: event.kind.as_str().to_owned(),
            to_agent: event.to.to_string(),
            id: event.row.to_string(),
        }
    }
}

impl From<EventPage> for InboxEventsAnswer {
    fn from(page: EventPage) -> Self {
        Self {
            events: page.events.into_iter().map(InboxEvent::from).collect(),
            next_cursor: page.next_cursor,
            has_more: page.has_more,
            oldest: page.oldest,
            tail: page.tail,
            gaps: Vec::new(),
        }
    }
}

impl Verb for InboxEvents {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "Follow your inbox",
        when_to_use: "To see what arrived since a cursor, without the messages themselves.",
        examples: &["brainstem inbox events", "brainstem inbox events --after 1783209431408003 --json"],
        ..VerbSpec::of(VerbId::InboxEvents)
    };
    type Output = InboxEventsAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::Texts(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<InboxEventsAnswer, Fault> {
        let caller = cx.reader()?;
        cx.post().own_inbox(&caller)?;
        let limit = within("limit", self.limit, INBOX_LIMIT_DEFAULT, 1..=INBOX_LIMIT_MAX)?;
        Ok(cx.post().inbox_events(&caller, self.after, limit)?.into())
    }
}

impl Present for InboxEventsAnswer {
    fn present(&self, out: &mut Screen) {
        if self.events.is_empty() {
            out.line(["nothing new"]);
        }
        for event in &self.events {
            out.flow(0, 2, [dim(format!("{}  {}  ", event.position, event.kind)), name(event.id.as_str())]);
        }
        out.line([dim(format!("go on with {}", field("after").is(self.next_cursor)))]);
    }
}
