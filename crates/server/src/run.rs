//! Runs one call of a verb as its kind requires, in the same way for every door of this crate.
//!
//! A verb runs once on a thread that may block. So does a job, which has another kind of place and more time. A feed is opened
//! once; each of its pages is a short call, and between two pages its caller waits without a thread and without a place.

use crate::calls::{Calls, Room, bug};
use crate::limits::{LONG_CALL_TIME_MAX, RUNNING_CALLS_MAX};
use crate::reply::{NamedInCall, VerbReply, run_and_write, write};
use crate::turn::Turn;
use brainstem_api::{
    Context, Cursor, Effect, Entry, Kind, Object, OpenFeed, OpenPage, Patience, Toolset, WaitsOn,
};
use brainstem_base::Fault;
use brainstem_memory::{Memory, RootHints};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long one request to another process waits, so that the end of the input is noticed.
const TURN_OF_OTHER_PROCESS: Duration = Duration::from_secs(5);

/// A call of a verb.
pub(crate) struct Call {
    /// The verb.
    pub(crate) entry: &'static Entry,
    /// Its fields.
    pub(crate) arguments: Object,
    /// The brain that the request names beside them. Its root becomes the caller's.
    pub(crate) brain: Option<String>,
    /// The caller, its place, and what the door offers.
    pub(crate) cx: Context,
    /// The share that it counts against, and its time.
    pub(crate) turn: Turn,
    /// How many copies of the answer the door holds until it is sent.
    pub(crate) copies: usize,
    /// Cancelled when the caller no longer waits for news.
    pub(crate) gone: CancellationToken,
}

impl Call {
    /// Waits for its turn and runs. If its caller no longer waits, the call does not begin. A call that has begun runs to its
    /// end, or to a point where the verb checks whether to go on.
    pub(crate) async fn run(self, calls: &Calls) -> Result<VerbReply, Fault> {
        match self.entry.kind() {
            Kind::Once | Kind::Job => self.run_to_end(calls).await,
            Kind::Feed => self.follow(calls).await,
        }
    }

    async fn run_to_end(self, calls: &Calls) -> Result<VerbReply, Fault> {
        let Self { entry, arguments, brain, mut cx, turn, copies, gone: _ } = self;
        let room = calls.room();
        calls
            .work(entry.spec().id(), entry.spec().effect, share_of(entry), turn, move |answered| {
                let answers = room.as_deref().map(|room| &room.answers);
                let done = select(&cx.memory, brain.as_deref(), &mut cx.roots)
                    .and_then(|()| run_and_write(entry, arguments, &cx, answers, copies));
                // The receiver may be gone.
                let _ = answered.send(done);
                after(entry, &cx);
            })
            .await
    }

    /// Opens a feed. Returns its first page with content, or the last page when the caller's patience ends.
    async fn follow(self, calls: &Calls) -> Result<VerbReply, Fault> {
        let Self { entry, arguments, brain, mut cx, turn, copies, gone } = self;
        let (spec, share) = (entry.spec(), share_of(entry));
        let room = calls.room();
        let (following, mut page) = calls
            .work(spec.id(), spec.effect, share, turn.clone(), move |answered| {
                let begun = select(&cx.memory, brain.as_deref(), &mut cx.roots).and_then(|()| {
                    let feed = entry.open(&arguments, &cx)?.ok_or_else(|| bug(spec.id(), "is no feed"))?;
                    let following = Following { entry, feed, cx: cx.clone(), room, copies };
                    let page = following.page(following.feed.begin.after)?;
                    Ok((Arc::new(following), page))
                });
                let _ = answered.send(begun);
                after(entry, &cx);
            })
            .await?;
        let patience = match following.feed.begin.patience {
            Patience::AtMost(wait) => wait,
            // A call of this process has a limit.
            Patience::Follow => LONG_CALL_TIME_MAX,
        };
        if page.waits_on.is_none() || patience.is_zero() {
            return Ok(page.reply);
        }
        // Many callers that wake at once are not refused: each was admitted before, and gets its turn.
        let _waiting = calls.waiters().enter(&turn.key)?;
        let (until, mut left) = (Instant::now() + patience, patience);
        while let Some(waits_on) = page.waits_on.take() {
            let (following, next) = (following.clone(), page.next);
            page = match waits_on {
                WaitsOn::FeedTopic(topic) => {
                    if !calls.waiters().news(&*topic, next, until, &gone).await {
                        break;
                    }
                    let ask = move |answered: tokio::sync::oneshot::Sender<_>| {
                        let _ = answered.send(following.page(next));
                    };
                    calls.work(spec.id(), spec.effect, share, turn.woken(), ask).await?
                }
                WaitsOn::OtherProcess => {
                    let at_most = left.min(TURN_OF_OTHER_PROCESS);
                    if at_most.is_zero() || gone.is_cancelled() {
                        break;
                    }
                    left -= at_most;
                    // The thread waits for the other process, and delays no call of this one.
                    let span = tracing::Span::current();
                    let asked = tokio::task::spawn_blocking(move || {
                        span.in_scope(|| following.page_of_other_process(next, at_most))
                    });
                    asked.await.map_err(|_| bug(spec.id(), "failed a check inside"))??
                }
            };
        }
        Ok(page.reply)
    }
}

/// An open feed with its caller.
struct Following {
    entry: &'static Entry,
    feed: OpenFeed,
    cx: Context,
    room: Option<Arc<Room>>,
    copies: usize,
}

/// A page of a feed as text.
struct FeedPageText {
    reply: VerbReply,
    next: Cursor,
    waits_on: Option<WaitsOn>,
}

impl Following {
    /// The page after a cursor, as it is now.
    fn page(&self, after: Cursor) -> Result<FeedPageText, Fault> {
        self.reply(self.feed.page(&self.cx, after)?)
    }

    /// The page after a cursor; another process waits for it.
    fn page_of_other_process(&self, after: Cursor, at_most: Duration) -> Result<FeedPageText, Fault> {
        self.reply(self.feed.page_of_other_process(&self.cx, after, at_most)?)
    }

    fn reply(&self, page: OpenPage) -> Result<FeedPageText, Fault> {
        let OpenPage { answer, next, notes: _, waits_on } = page;
        let answers = self.room.as_deref().map(|room| &room.answers);
        let reply = write(self.entry, answer, NamedInCall::default(), &self.cx, answers, self.copies)?;
        Ok(FeedPageText { reply, next, waits_on })
    }
}

/// Makes the root of the brain that a request names the caller's.
pub(crate) fn select(memory: &Memory, brain: Option<&str>, roots: &mut RootHints) -> Result<(), Fault> {
    if let Some(word) = brain {
        roots.explicit = Some(memory.brain_named(word)?.root);
    }
    Ok(())
}

/// The part of its connection's order that a verb takes: one if it runs beside others, all for a short write.
fn share_of(entry: &Entry) -> u32 {
    match (entry.kind(), entry.spec().effect) {
        (Kind::Job | Kind::Feed, _) | (Kind::Once, Effect::Read) => 1,
        (Kind::Once, Effect::Write | Effect::Destructive) => RUNNING_CALLS_MAX,
    }
}

/// Work after an answer: counts the call, and pokes the daemon if something was written.
fn after(entry: &Entry, cx: &Context) {
    entry.count(cx);
    // Live messages are on no disk.
    let spec = entry.spec();
    if spec.effect != Effect::Read && spec.toolset != Toolset::Live {
        crate::poke::poke(&cx.memory);
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
