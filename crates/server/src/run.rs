//! One call of a verb, run as its kind wants: the same for every door of this crate.
//!
//! A verb runs once on a thread that may block, and so does a job, which has a place of another kind and more time. A feed is
//! opened once. Each of its pages is a short call, and between two of them its caller waits without a thread and without a
//! place.

use crate::calls::{Calls, Room, bug};
use crate::limits::{LONG_CALL_TIME_MAX, RUNNING_CALLS_MAX};
use crate::told::{Named, Told, tell, write};
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

/// For how long another process is asked at a time, so that the end of the input is noticed.
const TURN_OF_OTHER_PROCESS: Duration = Duration::from_secs(5);

/// A call of a verb.
pub(crate) struct Call {
    /// The verb.
    pub(crate) entry: &'static Entry,
    /// Its fields.
    pub(crate) arguments: Object,
    /// The brain that the request names beside them, whose root is the caller's then.
    pub(crate) brain: Option<String>,
    /// Who calls, from where, and what the door offers.
    pub(crate) cx: Context,
    /// On whose behalf, and for how long.
    pub(crate) turn: Turn,
    /// How often the door will hold the answer until it is out.
    pub(crate) copies: usize,
    /// Cancelled when nobody waits for news any more.
    pub(crate) gone: CancellationToken,
}

impl Call {
    /// Waits for its turn and runs it. A call that nobody waits for any more is not begun; one that was begun runs to its
    /// end, or to where the verb itself looks whether to go on.
    pub(crate) async fn run(self, calls: &Calls) -> Result<Told, Fault> {
        match self.entry.kind() {
            Kind::Once | Kind::Job => self.run_to_end(calls).await,
            Kind::Feed => self.follow(calls).await,
        }
    }

    async fn run_to_end(self, calls: &Calls) -> Result<Told, Fault> {
        let Self { entry, arguments, brain, mut cx, turn, copies, gone: _ } = self;
        let room = calls.room();
        calls
            .work(entry.spec().id(), entry.spec().effect, share_of(entry), turn, move |answered| {
                let answers = room.as_deref().map(|room| &room.answers);
                let done = select(&cx.memory, brain.as_deref(), &mut cx.roots)
                    .and_then(|()| tell(entry, arguments, &cx, answers, copies));
                // Nobody may listen any more.
                let _ = answered.send(done);
                after(entry, &cx);
            })
            .await
    }

    /// Opens a feed, and answers with its first page that has something to say, or with the last one when the caller's
    /// patience ends.
    async fn follow(self, calls: &Calls) -> Result<Told, Fault> {
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
            // No call of this process goes on for ever.
            Patience::Follow => LONG_CALL_TIME_MAX,
        };
        if page.waits_on.is_none() || patience.is_zero() {
            return Ok(page.told);
        }
        // What wakes many at once turns none of them away: each was let in before, and comes in its turn.
        let _waiting = calls.waiters().enter(&turn.key)?;
        let (until, mut left) = (Instant::now() + patience, patience);
        while let Some(waits_on) = page.waits_on.take() {
            let (following, next) = (following.clone(), page.next);
            page = match waits_on {
                WaitsOn::Topic(topic) => {
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
                    // The thread waits with the other process, and holds up no call of this one.
                    let span = tracing::Span::current();
                    let asked = tokio::task::spawn_blocking(move || {
                        span.in_scope(|| following.page_of_other_process(next, at_most))
                    });
                    asked.await.map_err(|_| bug(spec.id(), "failed a check inside"))??
                }
            };
        }
        Ok(page.told)
    }
}

/// A feed whose caller is served.
struct Following {
    entry: &'static Entry,
    feed: OpenFeed,
    cx: Context,
    room: Option<Arc<Room>>,
    copies: usize,
}

/// A page of a feed, written out.
struct ToldPage {
    told: Told,
    next: Cursor,
    waits_on: Option<WaitsOn>,
}

impl Following {
    /// The page after a cursor, as it is now.
    fn page(&self, after: Cursor) -> Result<ToldPage, Fault> {
        self.told(self.feed.page(&self.cx, after)?)
    }

    /// The page after a cursor, for which another process waits.
    fn page_of_other_process(&self, after: Cursor, at_most: Duration) -> Result<ToldPage, Fault> {
        self.told(self.feed.page_of_other_process(&self.cx, after, at_most)?)
    }

    fn told(&self, page: OpenPage) -> Result<ToldPage, Fault> {
        let OpenPage { answer, next, notes: _, waits_on } = page;
        let answers = self.room.as_deref().map(|room| &room.answers);
        let told = write(self.entry, answer, Named::default(), &self.cx, answers, self.copies)?;
        Ok(ToldPage { told, next, waits_on })
    }
}

/// Makes the root of a brain that a request names the caller's.
pub(crate) fn select(memory: &Memory, brain: Option<&str>, roots: &mut RootHints) -> Result<(), Fault> {
    if let Some(word) = brain {
        roots.explicit = Some(memory.brain_named(word)?.root);
    }
    Ok(())
}

/// How much of its connection's order a verb takes: one where it runs beside others, all for a short write.
fn share_of(entry: &Entry) -> u32 {
    match (entry.kind(), entry.spec().effect) {
        (Kind::Job | Kind::Feed, _) | (Kind::Once, Effect::Read) => 1,
        (Kind::Once, Effect::Write | Effect::Destructive) => RUNNING_CALLS_MAX,
    }
}

/// Does what comes after an answer: the call is counted, and the daemon hears of what was written.
fn after(entry: &Entry, cx: &Context) {
    entry.count(cx);
    // What is said live is on no disk.
    let spec = entry.spec();
    if spec.effect != Effect::Read && spec.toolset != Toolset::Live {
        crate::poke::poke(&cx.memory);
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
