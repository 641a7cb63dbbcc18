//! The port to the mirror: the table that readers ask, derived from the ledger.

use crate::cursor::MirrorCursor;
use crate::fold::Folded;
use crate::quarantine::Quarantined;
use crate::row::{HeldMessage, InboxRow, ProcessedMark, RowId, ThreadNote};
use crate::slug::AgentSlug;
use brainstem_base::Timestamp;
use brainstem_ledger::{BackendFault, ConsensusTime, TopicId};
use std::collections::BTreeMap;

/// A row as the mirror has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorRow {
    /// The row.
    pub row: InboxRow,
    /// When and by which session it was processed; `None` while it is unread.
    pub processed: Option<ProcessedMark>,
}

/// Which rows.
#[derive(Clone, Debug)]
pub struct RowQuery {
    /// Of these readers; empty for none.
    pub to: Vec<AgentSlug>,
    /// Of these senders beside: what a reader sent itself. Empty for none.
    pub or_from: Vec<AgentSlug>,
    /// Unread, processed, or both.
    pub state: RowState,
    /// About this.
    pub ref_id: Option<String>,
    /// With this text in the subject, the type, the sender, the payload or the context, in capitals or small letters.
    pub text: Option<String>,
    /// At most so many.
    pub count_max: usize,
}

/// Whether a row was processed. There is one predicate of "unread" for every surface: this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Not processed, the most urgent first, then the oldest.
    Unread,
    /// Processed or not, the newest first.
    All,
}

/// How many messages wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreadCounts {
    /// Unread rows.
    pub unread: u64,
    /// Unread rows of priority 1.
    pub urgent: u64,
}

/// That a session works on a row. Leases are local: a rebuild forgets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLease {
    /// The session.
    pub session: String,
    /// When it ends.
    pub until: Timestamp,
}

/// The session that takes rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTaker {
    /// Its id.
    pub session: String,
    /// Whether it is one session for certain. Callers of one agent that give no name share a session, so that none of them gets
    /// what another one has.
    pub is_named: bool,
}

/// What an event of the feed says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedEventKind {
    /// A row arrived.
    Arrived,
    /// A row was processed.
    Processed,
}

impl FeedEventKind {
    /// The word in tables and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arrived => "message",
            Self::Processed => "processed",
        }
    }
}

/// An event of an agent's feed; its body is asked for separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEvent {
    /// Its position, which only grows.
    pub position: u64,
    /// What happened.
    pub kind: FeedEventKind,
    /// The reader.
    pub to: AgentSlug,
    /// The row.
    pub row: RowId,
}

/// A page of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPage {
    /// The events, in their order.
    pub events: Vec<FeedEvent>,
    /// Where the next page starts.
    pub next_cursor: u64,
    /// Whether more events are there already.
    pub has_more: bool,
    /// The smallest cursor that is still good.
    pub oldest: u64,
    /// The position of the newest event of the whole feed.
    pub tail: u64,
}

/// Why a page of a feed cannot be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// Events behind the cursor are not kept any more, or the mirror was made anew or restored since the cursor was given.
    #[error(
        "the feed does not go on from {cursor}: the events behind it are not kept any more, or the inbox was made anew or restored since; it begins at {oldest}"
    )]
    Expired {
        /// The cursor that was given.
        cursor: u64,
        /// The smallest cursor that is good.
        oldest: u64,
    },
    /// No event has that position yet.
    #[error("no event has the position {cursor} yet; the newest is {tail}")]
    Ahead {
        /// The cursor that was given.
        cursor: u64,
        /// The newest position.
        tail: u64,
    },
    /// The mirror failed.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
}

/// The mirror could not be read or written. It can be deleted at any time and is made anew.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mirror of the inbox cannot be {what}: {why}")]
pub struct MirrorError {
    /// What was tried: `read` or `written`.
    pub what: &'static str,
    /// What went wrong.
    pub why: String,
    /// Whether the same call may succeed later.
    pub is_passing: bool,
    /// Which of the known faults it is.
    pub fault: BackendFault,
}

/// By which way messages came into the mirror.
#[derive(Clone, Copy, Debug)]
pub enum MirrorStep<'a> {
    /// By a catch-up, which read the topic up to here.
    UpTo(&'a MirrorCursor),
    /// Straight from the sender, which appended this one message (INB-9).
    Straight(&'a MirrorCursor),
}

/// What the inbox keeps for its readers. All of it but the leases follows from the ledger.
pub trait Mirror: Send + Sync {
    /// How far each topic was read.
    fn cursors(&self) -> Result<BTreeMap<TopicId, MirrorCursor>, MirrorError>;

    /// The connections that their outsiders closed.
    fn closed(&self) -> Result<Vec<(TopicId, ConsensusTime)>, MirrorError>;

    /// The last message of each topic that came straight from its sender and that no cursor has passed. The ledger is held to
    /// them as to the cursors: a row of such a message is known by its number, and in a ledger that was restored from an older copy
    /// another message gets that number.
    fn straight_ends(&self) -> Result<Vec<MirrorCursor>, MirrorError>;

    /// Takes in what messages gave, and moves a cursor forwards, both or neither. What is there already stays as it is; of
    /// two marks for one row the one with the smaller time counts.
    ///
    /// What the mirror's cursor has passed is not taken in again: another process did that, and a redaction behind it may have
    /// taken it away since.
    fn apply(&self, folded: &Folded, step: MirrorStep<'_>) -> Result<(), MirrorError>;

    /// Forgets everything that follows from the ledger, so that the next catch-up folds it anew; cursors of the feed are old
    /// then. A mirror that cannot be used is replaced by an empty one. Leases stay where they can be read.
    fn forget(&self) -> Result<(), MirrorError>;

    /// A row.
    fn row(&self, id: RowId) -> Result<Option<MirrorRow>, MirrorError>;

    /// The rows whose ids begin with these hex digits, at most so many.
    fn ids_with(&self, start: &str, count_max: usize) -> Result<Vec<RowId>, MirrorError>;

    /// The rows that a query asks for.
    fn rows(&self, query: &RowQuery) -> Result<Vec<MirrorRow>, MirrorError>;

    /// How many messages of these readers are unread.
    fn unread(&self, to: &[AgentSlug]) -> Result<UnreadCounts, MirrorError>;

    /// Takes the first unread rows that no other session holds, for this session until a time. No row is handed to two
    /// sessions while a lease lasts, however many ask at once. A session with a name gets again what it holds.
    fn claim(
        &self,
        to: &[AgentSlug],
        taker: &RowTaker,
        now: Timestamp,
        until: Timestamp,
        count_max: usize,
    ) -> Result<Vec<MirrorRow>, MirrorError>;

    /// The unread rows of these readers that are leased to a session other than this one; to any session, if this one has no name.
    fn held_rows(
        &self,
        to: &[AgentSlug],
        taker: &RowTaker,
        now: Timestamp,
    ) -> Result<Vec<RowId>, MirrorError>;

    /// Takes this row for a session, or returns the lease of the session that has it.
    fn claim_row(
        &self,
        id: RowId,
        session: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Result<(), RowLease>, MirrorError>;

    /// The notes of an entity's topic, in their order, the last `count_max`.
    fn notes(&self, topic: TopicId, count_max: usize) -> Result<Vec<ThreadNote>, MirrorError>;

    /// What is held for these readers, the newest first: of each outsider at most so many messages and so many requests, so
    /// that no outsider hides another.
    fn held(&self, to: &[AgentSlug], each_max: usize) -> Result<Vec<HeldMessage>, MirrorError>;

    /// What was set aside, the newest first.
    fn quarantined(&self, count_max: usize) -> Result<Vec<Quarantined>, MirrorError>;

    /// The events of these readers behind a cursor; from the oldest on without one.
    fn events(&self, to: &[AgentSlug], after: Option<u64>, count_max: usize) -> Result<EventPage, FeedError>;
}
