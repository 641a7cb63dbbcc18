//! Which sessions are online, and what waits for each of them until they acknowledge it.

use super::status::SessionStatus;
use crate::name::MailboxName;
use brainstem_base::Timestamp;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A session that was not heard of for this long is no longer online.
pub const ONLINE_MS: i64 = 90_000;
/// How many messages wait for one session, and how many bytes of text; the oldest are dropped, and the next poll
/// reports how many.
pub const QUEUE_MAX: usize = 1000;
/// See [`QUEUE_MAX`].
pub const QUEUE_LEN_MAX: usize = 256 * 1024;
/// The longest text of one message, in bytes.
pub const NOTE_LEN_MAX: usize = 64 * 1024;
/// How many sessions are online at once. Above that, a session without waiting messages is dropped: of the newcomer's
/// own project first, and of these the one that was silent longest.
pub const ONLINE_MAX: usize = 512;
/// For how many forgotten sessions the number of missed messages is kept.
const MISSED_MAX: usize = 4096;

/// A project, as the channel tells it from others. Another folder that is made at the path of one is another project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Project {
    /// Its mail root.
    pub root: String,
    /// The folder of the mail root, where the file system tells one folder from another.
    pub folder: Option<String>,
}

impl From<&str> for Project {
    fn from(root: &str) -> Self {
        Self { root: root.to_owned(), folder: None }
    }
}

/// A session of a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The project.
    pub project: Project,
    /// The session.
    pub name: MailboxName,
}

/// What a session reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Which session.
    pub address: Address,
    /// The names under which it has seen broadcasts.
    pub reader: Vec<MailboxName>,
    /// The box in which a copy of a live message is read, by this session or by a later one of its agent.
    pub mailbox: MailboxName,
    /// Its tags.
    pub tags: Vec<MailboxName>,
    /// The slugs whose inboxes are its own.
    pub inboxes: Vec<MailboxName>,
    /// The folder it is in.
    pub worktree: Option<String>,
    /// The session that started it.
    pub parent: Option<MailboxName>,
}

/// The recipients of a live message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveTarget {
    /// One session.
    Session(MailboxName),
    /// Every session that carries a tag.
    Tag(MailboxName),
    /// Every other session.
    Everyone,
    /// Every session in a folder, or below it.
    Worktree(String),
    /// The session that started the sender.
    Parent,
}

/// How far a target reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetReach {
    /// The sender's project.
    #[default]
    Project,
    /// Every project of this home.
    Everywhere,
}

/// The content of a live message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveNote {
    /// The sender. `nobody_home` has none: it is about the box that a message was sent to.
    pub from: Option<String>,
    /// What it is: a type of mail, `status`, `mail`, `inbox`, `nobody_home` or `waits_for_reply`.
    pub kind: String,
    /// What it is about, in one line.
    pub subject: String,
    /// What it says.
    pub body: String,
    /// Whether it is urgent.
    pub urgent: bool,
    /// The mail file it is about: box and name. While one about it is unacknowledged, it is not sent again.
    pub about: Option<(MailboxName, String)>,
    /// The file is this reader's own copy: acknowledging the message marks it read.
    pub is_copy: bool,
    /// Git tracks the file: anyone that can write to the repository may have written it.
    pub is_tracked: bool,
}

/// A message that waits for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveMessage {
    /// Its number: later messages have higher ones, also after a restart.
    pub id: u64,
    /// When it was sent.
    pub at: Timestamp,
    /// Its content.
    pub note: LiveNote,
}

/// The result of a poll.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polled {
    /// The messages past the cursor, oldest first.
    pub messages: Vec<LiveMessage>,
    /// The cursor for the next poll.
    pub cursor: u64,
    /// Messages that were dropped for later ones since the last poll.
    pub missed: u64,
    /// The session named a number that was never handed out to it: of another daemon, or from before it was forgotten.
    pub is_gap: bool,
}

/// A session, as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// What it reports about itself.
    pub presence: Presence,
    /// What it does.
    pub status: SessionStatus,
    /// In its own words.
    pub note: String,
    /// When it was last heard of.
    pub last_seen: Timestamp,
}

/// The live channel.
#[derive(Clone, Debug)]
pub struct ChannelState {
    online: BTreeMap<Address, OnlineSession>,
    id_next: u64,
    /// How many live messages were dropped with a forgotten session: reported when it comes back.
    missed: BTreeMap<Address, u64>,
}

#[derive(Clone, Debug)]
struct OnlineSession {
    presence: Presence,
    status: SessionStatus,
    note: String,
    last_seen: Timestamp,
    queue: VecDeque<LiveMessage>,
    /// The bytes of the waiting messages.
    len: usize,
    missed: u64,
    /// The highest number that was handed out to it: it was shown every message up to there.
    handed: u64,
    /// It was shown the messages that waited when it came.
    greeted: bool,
    /// Another folder is at the path of its project: what waits there is to be ended.
    is_replaced: bool,
}

impl ChannelState {
    /// A channel that starts now. Its numbers start above those of any earlier channel.
    pub fn new(now: Timestamp) -> Self {
        let id_next = u64::try_from(now.ms()).unwrap_or(0) * 1000 + 1;
        Self { online: BTreeMap::new(), id_next, missed: BTreeMap::new() }
    }

    /// Updates a session. A field that it does not report this time keeps its value.
    pub fn hear(&mut self, presence: Presence, now: Timestamp) {
        if self.online.len() >= ONLINE_MAX && !self.online.contains_key(&presence.address) {
            self.forget_gone(now);
            let rank = |(who, known): &(&Address, &OnlineSession)| {
                (known.unsaved() > 0, who.project != presence.address.project, known.last_seen)
            };
            let first = self.online.iter().min_by_key(rank).map(|(who, _)| who.clone());
            if let Some(who) = first.filter(|_| self.online.len() >= ONLINE_MAX) {
                self.remove(&who);
            }
        }
        let missed = self.missed.remove(&presence.address).unwrap_or(0);
        let known = self.online.entry(presence.address.clone()).or_insert_with(|| OnlineSession {
            presence: presence.clone(),
            status: SessionStatus::Idle,
            note: String::new(),
            last_seen: now,
            queue: VecDeque::new(),
            len: 0,
            missed,
            handed: 0,
            greeted: false,
            is_replaced: false,
        });
        // A session that was away for long is greeted again.
        known.greeted &= known.is_online(now);
        let parent = presence.parent.clone().or_else(|| known.presence.parent.clone());
        known.presence = Presence { parent, ..presence };
        known.last_seen = known.last_seen.max(now);
        known.is_replaced = false;
    }

    /// Notes the status of a session.
    pub fn report(&mut self, who: &Address, status: SessionStatus, note: &str) {
        if let Some(known) = self.online.get_mut(who) {
            known.status = status;
            known.note = note.to_owned();
        }
    }

    /// The sessions that are online, by project and name.
    pub fn online_sessions(&self, now: Timestamp) -> Vec<SessionView> {
        let online = self.online.values().filter(|known| known.is_online(now));
        let standing = |known: &OnlineSession| SessionView {
            presence: known.presence.clone(),
            status: known.status,
            note: known.note.clone(),
            last_seen: known.last_seen,
        };
        online.map(standing).collect()
    }

    /// The sessions that a target reaches now, without the sender itself.
    pub fn recipients(
        &self,
        from: &Address,
        target: &LiveTarget,
        scope: TargetReach,
        now: Timestamp,
    ) -> Vec<Address> {
        let parent = self.online.get(from).and_then(|known| known.presence.parent.clone());
        let is_meant = |known: &OnlineSession| match target {
            LiveTarget::Session(name) => known.presence.address.name == *name,
            LiveTarget::Tag(tag) => known.presence.tags.contains(tag),
            LiveTarget::Everyone => true,
            LiveTarget::Worktree(folder) => {
                known.presence.worktree.as_deref().is_some_and(|at| is_below(at, folder))
            }
            LiveTarget::Parent => parent.as_ref() == Some(&known.presence.address.name),
        };
        let is_near = |address: &Address| scope == TargetReach::Everywhere || address.project == from.project;
        self.online
            .iter()
            .filter(|(address, known)| {
                *address != from && is_near(address) && known.is_online(now) && is_meant(known)
            })
            .map(|(address, _)| address.clone())
            .collect()
    }

    /// The readers of a box: its session, the sessions with the tag, or all.
    pub fn readers(&self, project: &Project, mailbox: &MailboxName, now: Timestamp) -> Vec<Address> {
        let reads = |known: &OnlineSession| mailbox.is_broadcast() || known.reads(mailbox);
        let here = self.online.iter().filter(|(address, _)| address.project == *project);
        here.filter(|(_, known)| known.is_online(now) && reads(known))
            .map(|(address, _)| address.clone())
            .collect()
    }

    /// The sessions that are online and whose inbox has this slug, of every project. A box does not tell: agents whose ids are written
    /// alike share a box, and no inbox.
    pub fn inbox_readers(&self, slug: &MailboxName, now: Timestamp) -> Vec<Address> {
        let online = self.online.iter().filter(|(_, known)| known.is_online(now));
        let own = online.filter(|(_, known)| known.presence.inboxes.contains(slug));
        own.map(|(address, _)| address.clone()).collect()
    }

    /// Queues a message for a session; `None` if it waits there already, or the session is not online.
    pub fn push(&mut self, to: &Address, note: LiveNote, now: Timestamp) -> Option<u64> {
        let known = self.online.get_mut(to)?;
        // If the whole message waits here, the notice that it is in the box too adds nothing.
        let is_same =
            |waiting: &LiveNote| waiting.kind == note.kind || waiting.is_copy && note.kind == "mail";
        if note.about.is_some()
            && known.queue.iter().any(|waiting| waiting.note.about == note.about && is_same(&waiting.note))
        {
            return None;
        }
        let id = self.id_next;
        self.id_next += 1;
        known.len += note.len();
        known.queue.push_back(LiveMessage { id, at: now, note });
        while known.queue.len() > QUEUE_MAX || known.len > QUEUE_LEN_MAX && known.queue.len() > 1 {
            known.take_first();
            known.missed += 1;
        }
        Some(id)
    }

    /// Whether a session has not yet been shown the messages that waited when it came; true only once.
    pub fn take_greeting(&mut self, who: &Address) -> bool {
        self.online.get_mut(who).is_some_and(|known| !std::mem::replace(&mut known.greeted, true))
    }

    /// Whether a message waits for a session past a cursor.
    pub fn has_news(&self, who: &Address, cursor: u64) -> bool {
        let waits = |known: &OnlineSession| known.queue.back().is_some_and(|last| last.id > cursor);
        self.online.get(who).is_some_and(|known| known.is_replaced || known.missed > 0 || waits(known))
    }

    /// Notes that another folder is at the path of a project; returns whether a session there did not know it yet. A session that waits
    /// there has news: the next look refuses it.
    pub fn note_replaced(&mut self, project: &Project) -> bool {
        let mut is_news = false;
        for (_, known) in self.online.iter_mut().filter(|(who, _)| who.project == *project) {
            is_news |= !std::mem::replace(&mut known.is_replaced, true);
        }
        is_news
    }

    /// Notes that a session is still here.
    pub fn keep(&mut self, who: &Address, now: Timestamp) {
        if let Some(known) = self.online.get_mut(who) {
            known.last_seen = known.last_seen.max(now);
        }
    }

    /// The projects of the sessions that are online.
    pub fn projects(&self) -> BTreeSet<Project> {
        self.online.keys().map(|who| who.project.clone()).collect()
    }

    /// The names under which a session has seen broadcasts.
    pub fn reader(&self, who: &Address) -> Vec<MailboxName> {
        self.online.get(who).map_or_else(|| vec![who.name.clone()], |known| known.presence.reader.clone())
    }

    /// The box in which a copy of a live message to a session is read.
    pub fn box_of(&self, who: &Address) -> MailboxName {
        self.online.get(who).map_or_else(|| who.name.clone(), |known| known.presence.mailbox.clone())
    }

    /// Whether a session reads a box: its own, or a tag's.
    pub fn reads(&self, who: &Address, mailbox: &MailboxName) -> bool {
        self.online.get(who).is_some_and(|known| known.reads(mailbox))
    }

    /// How many messages were ever queued: it grows with every one.
    pub fn count(&self) -> u64 {
        self.id_next
    }

    /// The highest number that was handed out to a session. It cannot have seen a later message.
    pub fn handed(&self, who: &Address) -> u64 {
        self.online.get(who).map_or(0, |known| known.handed)
    }

    /// The messages that wait for a session past a cursor; from the start if the cursor was not handed out to it.
    /// Messages up to the cursor stay until they are acknowledged.
    pub fn poll(&mut self, who: &Address, cursor: u64, max: usize) -> Polled {
        let Some(known) = self.online.get_mut(who) else { return Polled::default() };
        let cursor = if cursor > known.handed { 0 } else { cursor };
        let messages: Vec<LiveMessage> =
            known.queue.iter().filter(|message| message.id > cursor).take(max).cloned().collect();
        known.handed = messages.last().map_or(known.handed, |last| known.handed.max(last.id));
        Polled {
            cursor: messages.last().map_or(cursor, |last| last.id),
            missed: std::mem::take(&mut known.missed),
            messages,
            is_gap: false,
        }
    }

    /// The messages up to a number that a session says it has got; empty for a number that was not handed out to it.
    pub fn got(&self, who: &Address, up_to: u64) -> Vec<LiveMessage> {
        let queue = self.online.get(who).filter(|known| up_to <= known.handed).map(|known| &known.queue);
        queue.into_iter().flatten().take_while(|message| message.id <= up_to).cloned().collect()
    }

    /// Removes the messages up to a number that a session has got, and returns them.
    pub fn acknowledge(&mut self, who: &Address, up_to: u64) -> Vec<LiveMessage> {
        let known = self.online.get_mut(who).filter(|known| up_to <= known.handed);
        let Some(known) = known else { return Vec::new() };
        let count = known.queue.iter().take_while(|message| message.id <= up_to).count();
        (0..count).filter_map(|_| known.take_first()).collect()
    }

    /// Removes messages that are no longer needed: their mail was read meanwhile.
    pub fn forget(&mut self, who: &Address, ids: &[u64]) {
        let Some(known) = self.online.get_mut(who) else { return };
        known.queue.retain(|message| !ids.contains(&message.id));
        known.len = known.queue.iter().map(|message| message.note.len()).sum();
    }

    /// The messages of all sessions that are of a kind, by what they say.
    pub fn bodies_of_kind(&self, kind: &str) -> Vec<String> {
        let notes = self.online.values().flat_map(|known| &known.queue).map(|message| &message.note);
        notes.filter(|note| note.kind == kind).map(|note| note.body.clone()).collect()
    }

    /// Removes the messages of all sessions that `is_over` returns true of.
    pub fn withdraw(&mut self, is_over: impl Fn(&LiveNote) -> bool) {
        for known in self.online.values_mut() {
            known.queue.retain(|message| !is_over(&message.note));
            known.len = known.queue.iter().map(|message| message.note.len()).sum();
        }
    }

    /// Forgets sessions that were away for long, with their waiting messages: important ones are mail too.
    pub fn forget_gone(&mut self, now: Timestamp) -> Vec<Address> {
        let gone: Vec<Address> = self
            .online
            .iter()
            .filter(|(_, known)| !known.is_online(now))
            .map(|(who, _)| who.clone())
            .collect();
        for who in &gone {
            self.remove(who);
        }
        gone
    }

    fn remove(&mut self, who: &Address) {
        let Some(known) = self.online.remove(who) else { return };
        let missed = known.missed + known.unsaved();
        if missed > 0 {
            if self.missed.len() >= MISSED_MAX {
                self.missed.pop_first();
            }
            self.missed.insert(who.clone(), missed);
        }
    }
}

impl LiveNote {
    fn len(&self) -> usize {
        self.subject.len() + self.body.len()
    }
}

impl OnlineSession {
    fn take_first(&mut self) -> Option<LiveMessage> {
        let first = self.queue.pop_front()?;
        self.len = self.len.saturating_sub(first.note.len());
        Some(first)
    }

    /// How many waiting messages were never shown and are not mail.
    fn unsaved(&self) -> u64 {
        let is_unsaved = |waiting: &&LiveMessage| waiting.id > self.handed && waiting.note.about.is_none();
        self.queue.iter().filter(is_unsaved).count() as u64
    }

    fn reads(&self, mailbox: &MailboxName) -> bool {
        self.presence.address.name == *mailbox || self.presence.tags.contains(mailbox)
    }

    fn is_online(&self, now: Timestamp) -> bool {
        now.ms_since(self.last_seen) < ONLINE_MS
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
#[path = "channel_tests.rs"]
mod tests;
