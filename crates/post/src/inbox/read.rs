//! Reading: what waits, what was, what is about something, and the feed.

use super::address::OwnInbox;
use super::entities::id_in;
use super::error::InboxError;
use super::limits::{
    ID_START_MIN, LEASE_S_DEFAULT, LEASE_S_MAX, LIST_MAX, LOOK_AGAIN, SEARCH_BYTES_MAX, WATCH_PAUSE,
};
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_base::Timestamp;
use brainstem_inbox::mirror::{EventPage, FeedError, MirrorRow, RowQuery, RowState, RowTaker, UnreadCounts};
use brainstem_inbox::row::ThreadNote;
use brainstem_inbox::{AgentSlug, EntityDefinition, InboxDirectory, Mirror as _, RefId, RowId};
use brainstem_memory::{Caller, Gap};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Which messages of the caller's inbox.
#[derive(Clone, Debug)]
pub struct InboxQuery {
    /// Unread ones, or all.
    pub state: RowState,
    /// With this text.
    pub text: Option<String>,
    /// About this entity or agent.
    pub ref_id: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// Messages of an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxListing {
    /// The slug of the caller.
    pub me: AgentSlug,
    /// The messages.
    pub rows: Vec<MirrorRow>,
    /// How many wait in all.
    pub counts: UnreadCounts,
    /// Whether there are more that the limit left out.
    pub has_more: bool,
    /// Of a fetch: unread messages that other sessions hold, or earlier calls without a session name.
    pub held_by_others: u64,
    /// Of a list: outsiders that wait for the caller's decision.
    pub outsiders: usize,
}

impl InboxListing {
    /// That of a home without a ledger.
    fn empty(own: OwnInbox) -> Self {
        let (rows, counts) = (Vec::new(), UnreadCounts::default());
        Self { me: own.slug, rows, counts, has_more: false, held_by_others: 0, outsiders: 0 }
    }
}

/// Messages to take for a session.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// At most so many.
    pub limit: usize,
    /// How long the session has them, in seconds.
    pub lease_s: Option<u64>,
}

/// Everything that was said about an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceThread {
    /// The entity, if the reference is one.
    pub entity: Option<EntityDefinition>,
    /// Its notes and events, in their order.
    pub notes: Vec<ThreadNote>,
    /// The caller's own messages about it, the newest first.
    pub rows: Vec<MirrorRow>,
}

impl Post {
    /// Lists the caller's messages.
    pub fn list_inbox(&self, caller: &Caller, query: &InboxQuery) -> Result<InboxListing, InboxError> {
        if let Some(text) = &query.text {
            self.memory().floor().check("query", text)?;
            if text.trim().is_empty() || text.len() > SEARCH_BYTES_MAX {
                return Err(InboxError::query());
            }
        }
        let Some(opened) = self.open_inbox_to_show()? else {
            return Ok(InboxListing::empty(self.own_inbox_in(&InboxDirectory::default(), caller)));
        };
        let OwnInbox { slug: me, slugs: own } = self.own_inbox_in(&opened.directory, caller);
        let limit = query.limit.clamp(1, LIST_MAX);
        // A search finds what the caller sent, too.
        let or_from = if query.text.is_some() || query.ref_id.is_some() { own.clone() } else { Vec::new() };
        let mut rows = Vec::new();
        for ref_id in self.ids_of_reference(caller, &opened, query.ref_id.as_deref()) {
            let asked = RowQuery {
                to: own.clone(),
                or_from: or_from.clone(),
                state: query.state,
                ref_id,
                text: query.text.clone(),
                count_max: limit + 1,
            };
            rows.extend(opened.mirror.rows(&asked)?);
        }
        match query.state {
            RowState::Unread => {
                rows.sort_by_key(|row| (row.row.content.priority, row.row.created, row.row.id))
            }
            RowState::All => rows.sort_by_key(|row| (std::cmp::Reverse(row.row.created), row.row.id)),
        }
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let outsiders = opened.outsiders(&own, 1)?.iter().filter(|outsider| outsider.waits()).count();
        let counts = opened.mirror.unread(&own)?;
        Ok(InboxListing { me, rows, counts, has_more, held_by_others: 0, outsiders })
    }

    /// The ids under which messages about a reference are kept: that of the caller's project, and the plain one, which messages
    /// of the whole home have. Outside a project the id is looked for in every project. `None` alone if no reference was given.
    fn ids_of_reference(
        &self,
        caller: &Caller,
        opened: &OpenedInbox,
        given: Option<&str>,
    ) -> Vec<Option<String>> {
        let Some(given) = given else { return vec![None] };
        if let Some(entity) = opened.directory.entity(given).filter(|entity| entity.id.as_str() != given) {
            return vec![Some(entity.id.to_string())];
        }
        let Ok(id) = RefId::parse(given) else { return vec![Some(given.to_owned())] };
        let mut whole = match self.project_mark(caller) {
            Some(project) => id_in(Some(&project), &id).into_iter().collect(),
            None => self.ids_in_projects(&id),
        };
        whole.push(id);
        whole.sort();
        whole.dedup();
        whole.into_iter().map(|id| Some(id.to_string())).collect()
    }

    /// One message of the caller's inbox, or one that it sent.
    pub fn inbox_message(&self, caller: &Caller, id: RowId) -> Result<MirrorRow, InboxError> {
        let opened = self.open_inbox_to_show()?.ok_or(InboxError::NotFound { id })?;
        let row = opened.mirror.row(id)?.ok_or(InboxError::NotFound { id })?;
        let own = self.own_inbox_in(&opened.directory, caller).slugs;
        let is_own = own.contains(&row.row.to) || own.iter().any(|slug| slug.as_str() == row.row.from);
        match is_own {
            true => Ok(row),
            false => Err(InboxError::NotYours { id, owner: row.row.to.to_string() }),
        }
    }

    /// The message that an id means: the whole id, or its first digits if no other message has them.
    pub fn inbox_id(&self, given: &str) -> Result<RowId, InboxError> {
        let given = given.trim().to_ascii_lowercase();
        if let Ok(id) = given.parse() {
            return Ok(id);
        }
        let is_start =
            given.len() >= ID_START_MIN && given.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if !is_start {
            let why = "is neither the id of a message nor at least its first 4 digits";
            return Err(InboxError::field("id", why, "INB-14"));
        }
        let found = match self.open_inbox_to_show()? {
            Some(opened) => opened.mirror.ids_with(&given, 2)?,
            None => Vec::new(),
        };
        match found[..] {
            [id] => Ok(id),
            [] => Err(InboxError::NoSuchStart { start: given }),
            [..] => Err(InboxError::field("id", "begins several messages; give more of it", "INB-14")),
        }
    }

    /// What waits for a caller, for the beat and the status; `None` if the home has no inbox yet. And what could not be counted.
    pub fn inbox_standing(&self, caller: &Caller) -> (Option<UnreadCounts>, Option<Gap>) {
        let counted = self.open_inbox_to_show().and_then(|opened| match opened {
            None => Ok(None),
            Some(opened) => {
                Ok(Some(opened.mirror.unread(&self.own_inbox_in(&opened.directory, caller).slugs)?))
            }
        });
        match counted {
            Ok(counts) => (counts, None),
            Err(error) => (None, Some(Gap::new("inbox", format!("the inbox cannot be counted: {error}")))),
        }
    }

    /// Takes the next unread messages for the caller's session. No other session gets them while the lease lasts. A caller without a
    /// session name does not get them again either: another process of its agent that gives no name is the same session.
    pub fn fetch_inbox(&self, caller: &Caller, request: &FetchRequest) -> Result<InboxListing, InboxError> {
        let lease_s = request.lease_s.unwrap_or(LEASE_S_DEFAULT);
        if !(1..=LEASE_S_MAX).contains(&lease_s) {
            return Err(InboxError::lease());
        }
        let Some(opened) = self.open_inbox_to_read()? else {
            return Ok(InboxListing::empty(self.own_inbox_in(&InboxDirectory::default(), caller)));
        };
        let (own, session) = (self.own_inbox_in(&opened.directory, caller), self.inbox_session(caller)?);
        let mail = &caller.principal.mail;
        let taker = RowTaker { session, is_named: mail.session.is_some() || mail.connection.is_some() };
        let now = self.clock().now();
        let lease_ms = i64::try_from(lease_s * 1_000).expect("at most a day");
        let until = Timestamp::from_ms(now.ms() + lease_ms);
        let limit = request.limit.clamp(1, LIST_MAX);
        let rows = opened.mirror.claim(&own.slugs, &taker, now, until, limit)?;
        let counts = opened.mirror.unread(&own.slugs)?;
        let mut held = opened.mirror.held_rows(&own.slugs, &taker, now)?;
        held.retain(|id| rows.iter().all(|row| row.row.id != *id));
        let left = counts.unread.saturating_sub(rows.len() as u64);
        // A page that is not full has everything that could be taken; the rest is with other sessions.
        let held_by_others = if rows.len() == limit { left.min(held.len() as u64) } else { left };
        let has_more = left > held_by_others;
        Ok(InboxListing { me: own.slug, rows, counts, has_more, held_by_others, outsiders: 0 })
    }

    /// Returns those of these rows that wait for no reader any more: they were finished, or their messages were redacted. None if
    /// the inbox cannot be read.
    pub(crate) fn settled_rows(&self, rows: impl Iterator<Item = RowId>) -> HashSet<RowId> {
        let rows: Vec<RowId> = rows.collect();
        let opened = if rows.is_empty() { None } else { self.open_inbox_to_show().ok().flatten() };
        let Some(opened) = opened else { return HashSet::new() };
        let waits = |row: MirrorRow| row.processed.is_none();
        rows.into_iter()
            .filter(|id| opened.mirror.row(*id).is_ok_and(|row| !row.is_some_and(waits)))
            .collect()
    }

    /// How many messages wait for the caller.
    pub fn inbox_counts(&self, caller: &Caller) -> Result<UnreadCounts, InboxError> {
        match self.open_inbox_to_show()? {
            None => Ok(UnreadCounts::default()),
            Some(opened) => Ok(opened.mirror.unread(&self.own_inbox_in(&opened.directory, caller).slugs)?),
        }
    }

    /// What was said about an entity, by its id or its topic, or about an agent.
    pub fn inbox_thread(
        &self,
        caller: &Caller,
        reference: &str,
        limit: usize,
    ) -> Result<ReferenceThread, InboxError> {
        let Some(opened) = self.open_inbox_to_show()? else { return Ok(ReferenceThread::default()) };
        let limit = limit.clamp(1, LIST_MAX);
        let entity = opened.directory.entity(reference).cloned();
        let notes = match &entity {
            Some(entity) => opened.mirror.notes(entity.topic, limit)?,
            None => Vec::new(),
        };
        let own = self.own_inbox_in(&opened.directory, caller).slugs;
        let asked = RowQuery {
            to: own.clone(),
            or_from: own,
            state: RowState::All,
            ref_id: Some(entity.as_ref().map_or(reference, |entity| entity.id.as_str()).to_owned()),
            text: None,
            count_max: limit,
        };
        Ok(ReferenceThread { notes, rows: opened.mirror.rows(&asked)?, entity })
    }

    /// As [`inbox_events`](Self::inbox_events), and waits for the first event, so long at most.
    pub fn wait_inbox_events(
        &self,
        caller: &Caller,
        after: Option<u64>,
        at_most: Duration,
    ) -> Result<EventPage, InboxError> {
        let until = Instant::now() + at_most;
        loop {
            let seen = self.ledger_stamp();
            let page = self.inbox_events(caller, after, LIST_MAX)?;
            if !page.events.is_empty() || Instant::now() >= until {
                return Ok(page);
            }
            let look_again = until.min(Instant::now() + LOOK_AGAIN);
            while Instant::now() < look_again && self.ledger_stamp() == seen {
                std::thread::sleep(WATCH_PAUSE.min(look_again.saturating_duration_since(Instant::now())));
            }
        }
    }

    /// The events of the caller's feed behind a cursor.
    pub fn inbox_events(
        &self,
        caller: &Caller,
        after: Option<u64>,
        limit: usize,
    ) -> Result<EventPage, InboxError> {
        // A caller that may change nothing reads the feed as far as it goes: a mirror in memory has positions of its own.
        let opened = match self.memory().only_looks() {
            true => self.open_mirror_as_it_is()?.map(|(opened, _)| opened),
            false => self.open_inbox_to_read()?,
        };
        match opened {
            Some(opened) => {
                let own = self.own_inbox_in(&opened.directory, caller).slugs;
                Ok(opened.mirror.events(&own, after, limit.clamp(1, LIST_MAX))?)
            }
            // Without an inbox no event has a position, so no answer gave this cursor.
            None if after.is_some_and(|after| after > 0) => {
                Err(FeedError::Ahead { cursor: after.unwrap_or_default(), tail: 0 }.into())
            }
            None => Ok(EventPage { events: Vec::new(), next_cursor: 0, has_more: false, oldest: 0, tail: 0 }),
        }
    }
}
