//! A feed: a verb that answers page by page from a cursor on, and whose caller may wait for the next page.
//!
//! A feed never waits itself. A page that has nothing to say names what to wait on, and the door waits: for as long as the
//! caller likes, without a thread and without a place among the calls. Its fields are parsed once, however many pages are
//! asked for, and a page is asked for only when its topic has news.

use crate::{AnswerGaps, Context, Present, VerbSpec};
use brainstem_base::{Bell, Fault};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

/// A verb that answers from a cursor on. The implementing struct holds the fields, as with a [`Verb`](crate::Verb).
pub trait Feed: clap::Args + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// How the doors name and describe it.
    const SPEC: VerbSpec;

    /// The answer: an object on the wire.
    type Output: Serialize + JsonSchema + Present + Send + 'static;

    /// Returns the place for gaps in its answer. A feed whose effect is to read must name what could not be read.
    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        let _ = answer;
        AnswerGaps::Nowhere
    }

    /// Returns the cursor of the first page, and how long the caller waits for a page with news.
    fn begin(&self) -> Result<Begin, Fault>;

    /// What there is after a cursor now. Never waits.
    fn page(&self, cx: &Context, after: Cursor) -> Result<FeedPage<Self::Output>, Fault>;

    /// The next page of a feed that another process holds ([`WaitsOn::OtherProcess`]). That process waits for it, this long
    /// at most, and so does the thread that asks.
    fn page_of_other_process(
        &self,
        cx: &Context,
        after: Cursor,
        at_most: Duration,
    ) -> Result<FeedPage<Self::Output>, Fault> {
        let _ = at_most;
        self.page(cx, after)
    }
}

/// A place in a feed. 0 is before its first item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(pub u64);

/// How a caller begins with a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// The first page is what comes after this.
    pub after: Cursor,
    /// How long it waits.
    pub patience: Patience,
}

/// How long a caller waits for a page that has something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// This long for one page, which is the answer.
    AtMost(Duration),
    /// For page after page, until the caller ends it.
    Follow,
}

/// What a feed has to say after a cursor.
pub struct FeedPage<T> {
    /// The answer, which may have no items.
    pub answer: T,
    /// The cursor of the next page.
    pub next: Cursor,
    /// What the caller should know beside the items.
    pub notes: Vec<String>,
    /// What to wait on for news; `None` if this page has some.
    pub waits_on: Option<WaitsOn>,
}

/// The source of a feed's news.
#[derive(Clone)]
pub enum WaitsOn {
    /// Something in this process.
    FeedTopic(Arc<dyn FeedTopic>),
    /// Another process, which is asked for the next page and waits itself.
    OtherProcess,
}

/// Something in this process that a feed waits on.
pub trait FeedTopic: Send + Sync {
    /// The bell that rings when there may be something new. A waiter listens first and looks then, so that nothing comes in
    /// between unnoticed.
    fn bell(&self) -> &Bell;

    /// Whether there is something after a cursor. It is asked at every ring, so it does no more than look into memory.
    fn has_news(&self, after: Cursor) -> bool;

    /// Notes that the caller still waits.
    fn keep(&self) {}
}
