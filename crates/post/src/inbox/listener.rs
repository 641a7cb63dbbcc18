//! The listener of a daemon: it brings the mirror up to the ledger sooner than the next reader would, and names what arrived.

use super::error::InboxError;
use super::ledger_stamp::LedgerStamp;
use super::limits::LIST_MAX;
use crate::Post;
use brainstem_inbox::mirror::{FeedError, FeedEventKind};
use brainstem_inbox::{AgentSlug, InboxRow, Mirror as _, RowId, catch_up_while};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How long one look takes messages in; the next one goes on from there, and what else the daemon watches has its turn.
const LOOK_MAX: Duration = Duration::from_millis(200);
/// How long the files stay open after the last call.
const FILES_IDLE: Duration = Duration::from_secs(2);

/// What the listener knows between two looks.
#[derive(Default)]
pub struct InboxListener {
    /// The ledger that the mirror was brought up to.
    seen: Option<LedgerStamp>,
    /// The position in the feed behind the last message that was named; `None` if all of the feed is news.
    position: Option<u64>,
    /// The mirror was brought up to the ledger once, so that what comes is news.
    is_begun: bool,
    /// The last look found a ledger that changed, or may have.
    has_looked: bool,
}

impl InboxListener {
    /// Takes in what was appended since the last look, and returns the messages that arrived. The first look returns none: what is
    /// there already is for the next reader. Agents and entities that were made since are listened to (INB-8b).
    pub fn look(&mut self, post: &Post) -> Result<Vec<InboxRow>, InboxError> {
        post.close_idle_files(FILES_IDLE);
        self.has_looked = false;
        let (stamp, now) = (post.ledger_stamp(), post.clock().now());
        let Some(stamp) = stamp else {
            // Whatever a ledger that is made from now on has is news.
            *self = Self { is_begun: true, ..Self::default() };
            return Ok(Vec::new());
        };
        if self.seen == Some(stamp) {
            return Ok(Vec::new());
        }
        let until = Instant::now() + LOOK_MAX;
        let Some(mut opened) = post.open_inbox_behind()? else { return Ok(Vec::new()) };
        let goes_on = || Instant::now() < until;
        let caught = catch_up_while(&*opened.ledger, &*opened.mirror, &mut opened.directory, &goes_on)?;
        let readers: Vec<AgentSlug> = opened.directory.agents().map(|agent| agent.slug.clone()).collect();
        let mut arrived = Vec::new();
        loop {
            let page = match opened.mirror.events(&readers, self.position, LIST_MAX) {
                Ok(page) => page,
                // The mirror was made anew: what is in it again is no news.
                Err(FeedError::Expired { .. } | FeedError::Ahead { .. }) => {
                    self.is_begun = false;
                    opened.mirror.events(&[], None, 1)?
                }
                Err(error) => return Err(error.into()),
            };
            if !self.is_begun {
                (self.position, self.is_begun) = (Some(page.tail), caught.is_whole);
                break;
            }
            for event in page.events.iter().filter(|event| event.kind == FeedEventKind::Arrived) {
                // A message that was finished or redacted meanwhile waits for no reader.
                let row = opened.mirror.row(event.row)?.filter(|row| row.processed.is_none());
                arrived.extend(row.map(|row| row.row));
            }
            self.position = Some(page.next_cursor);
            if !page.has_more {
                break;
            }
        }
        // A ledger that may change again without another stamp is looked at again.
        self.seen = (caught.is_whole && stamp.is_settled(now)).then_some(stamp);
        self.has_looked = true;
        Ok(arrived)
    }

    /// Returns those of these rows that the mirror has no longer, if the last look found a ledger that changed.
    pub fn erased_rows(&self, post: &Post, asked: &[RowId]) -> HashSet<RowId> {
        if !self.has_looked || asked.is_empty() {
            return HashSet::new();
        }
        let mirror = post.mirror();
        asked.iter().copied().filter(|id| mirror.row(*id).is_ok_and(|row| row.is_none())).collect()
    }
}
