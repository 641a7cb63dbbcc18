//! Who is online, and what waits for each of them until they acknowledge it.

use super::status::Status;
use crate::name::MailboxName;
use brainstem_base::Timestamp;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A session that has not been heard of for this long is no longer online.
pub const ONLINE_MS: i64 = 90_000;
/// How many messages wait for one session, and how many bytes of text; the oldest give way, and that is said.
pub const QUEUE_MAX: usize = 1000;
/// See [`QUEUE_MAX`].
pub const QUEUE_LEN_MAX: usize = 256 * 1024;
/// What one message may say, in bytes.
pub const NOTE_LEN_MAX: usize = 64 * 1024;
/// How many sessions are online at once. Of too many one gives way for whom nothing waits, of the newcomer's own
/// project first, and of these whoever was silent longest.
pub const ONLINE_MAX: usize = 512;
/// Of how many sessions that were forgotten it is known what they missed.
const MISSED_MAX: usize = 4096;

/// A project, as the channel tells it from others. Another folder that is made at the path of one is another project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Project {
    /// Its mail root.
    pub root: String,
    /// Which folder the mail root lies in, where the file system tells one folder from another.
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

/// What a session says about itself when it is heard of.
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
    /// The folder it stands in.
    pub worktree: Option<String>,
    /// The session that started it.
    pub parent: Option<MailboxName>,
}

/// Whom a live message is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One session.
    Session(MailboxName),
    /// Whoever carries a tag.
    Tag(MailboxName),
    /// Everybody else.
    Everyone,
    /// Whoever stands in a folder, or below it.
    Worktree(String),
    /// The session that started the sender.
    Parent,
}

/// How far a target reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The sender's project.
    #[default]
    Project,
    /// Every project of this home.
    Everywhere,
}

/// What a message says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The sender. `nobody_home` has none: it is about the box that the sender of a message wrote to.
    pub from: Option<String>,
    /// What it is: a type of mail, `status`, `mail`, `nobody_home` or `waits_for_reply`.
    pub kind: String,
    /// What it is about, in one line.
    pub subject: String,
    /// What it says.
    pub body: String,
    /// At once.
    pub urgent: bool,
    /// The mail file it is about: box and name. One that waits unacknowledged is not sent again.
    pub about: Option<(MailboxName, String)>,
    /// The file is this reader's own copy: acknowledging the message marks it read.
    pub is_copy: bool,
    /// Git tracks the file: whoever can write to the repository may have written it.
    pub is_tracked: bool,
}

/// A message that waits for somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveMessage {
    /// Its number: later ones have higher ones, also after a restart.
    pub id: u64,
    /// When it was sent.
    pub at: Timestamp,
    /// What it says.
    pub note: Note,
}

/// What a poll found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polled {
    /// The messages past the cursor, oldest first.
    pub messages: Vec<LiveMessage>,
    /// Where to go on.
    pub cursor: u64,
    /// Messages that gave way to later ones since the last poll.
    pub missed: u64,
    /// The session named a number that was never handed out to it: of another daemon, or from before it was forgotten.
    pub is_gap: bool,
}

/// A session, as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it says about itself.
    pub presence: Presence,
    /// What it does.
    pub status: Status,
    /// In its own words.
    pub note: String,
    /// When it was last heard of.
    pub last_seen: Timestamp,
}

/// The live channel.
#[derive(Clone, Debug)]
pub struct Channel {
    online: BTreeMap<Address, Online>,
    id_next: u64,
    /// How many live messages went with who was forgotten: they are told when they come again.
    missed: BTreeMap<Address, u64>,
}

#[derive(Clone, Debug)]
struct Online {
    presence: Presence,
    status: Status,
    note: String,
    last_seen: Timestamp,
    queue: VecDeque<LiveMessage>,
    /// The bytes of what waits.
    len: usize,
    missed: u64,
    /// The highest number that was handed out to it: whatever waits up to there, it was shown.
    handed: u64,
    /// It was told what had been waiting for it when it came.
    greeted: bool,
}

impl Channel {
    /// A channel that starts now. Its numbers start above those of any channel before it.
    pub fn new(now: Timestamp) -> Self {
        let id_next = u64::try_from(now.ms()).unwrap_or(0) * 1000 + 1;
        Self { online: BTreeMap::new(), id_next, missed: BTreeMap::new() }
    }

    /// Hears of a session. What it does not say this time, it keeps.
    pub fn hear(&mut self, presence: Presence, now: Timestamp) {
        if self.online.len() >= ONLINE_MAX && !self.online.contains_key(&presence.address) {
            self.forget_gone(now);
            let rank = |(who, known): &(&Address, &Online)| {
                (known.unsaved() > 0, who.project != presence.address.project, known.last_seen)
            };
            let first = self.online.iter().min_by_key(rank).map(|(who, _)| who.clone());
            if let Some(who) = first.filter(|_| self.online.len() >= ONLINE_MAX) {
                self.remove(&who);
            }
        }
        let missed = self.missed.remove(&presence.address).unwrap_or(0);
        let known = self.online.entry(presence.address.clone()).or_insert_with(|| Online {
            presence: presence.clone(),
            status: Status::Idle,
            note: String::new(),
            last_seen: now,
            queue: VecDeque::new(),
            len: 0,
            missed,
            handed: 0,
            greeted: false,
        });
        // Who was away for long comes anew.
        known.greeted &= known.is_online(now);
        let parent = presence.parent.clone().or_else(|| known.presence.parent.clone());
        known.presence = Presence { parent, ..presence };
        known.last_seen = known.last_seen.max(now);
    }

    /// Notes what a session does.
    pub fn report(&mut self, who: &Address, status: Status, note: &str) {
        if let Some(known) = self.online.get_mut(who) {
            known.status = status;
            known.note = note.to_owned();
        }
    }

    /// Who is online, by project and name.
    pub fn standings(&self, now: Timestamp) -> Vec<Standing> {
        let online = self.online.values().filter(|known| known.is_online(now));
        let standing = |known: &Online| Standing {
            presence: known.presence.clone(),
            status: known.status,
            note: known.note.clone(),
            last_seen: known.last_seen,
        };
        online.map(standing).collect()
    }

    /// Whom a target reaches now. Never the sender itself.
    pub fn recipients(&self, from: &Address, target: &Target, scope: Scope, now: Timestamp) -> Vec<Address> {
        let parent = self.online.get(from).and_then(|known| known.presence.parent.clone());
        let is_meant = |known: &Online| match target {
            Target::Session(name) => known.presence.address.name == *name,
            Target::Tag(tag) => known.presence.tags.contains(tag),
            Target::Everyone => true,
            Target::Worktree(folder) => {
                known.presence.worktree.as_deref().is_some_and(|at| is_below(at, folder))
            }
            Target::Parent => parent.as_ref() == Some(&known.presence.address.name),
        };
        let is_near = |address: &Address| scope == Scope::Everywhere || address.project == from.project;
        self.online
            .iter()
            .filter(|(address, known)| {
                *address != from && is_near(address) && known.is_online(now) && is_meant(known)
            })
            .map(|(address, _)| address.clone())
            .collect()
    }

    /// Who reads a box: its session, whoever carries the tag, or everybody.
    pub fn readers(&self, project: &Project, mailbox: &MailboxName, now: Timestamp) -> Vec<Address> {
        let reads = |known: &Online| mailbox.is_broadcast() || known.reads(mailbox);
        let here = self.online.iter().filter(|(address, _)| address.project == *project);
        here.filter(|(_, known)| known.is_online(now) && reads(known))
            .map(|(address, _)| address.clone())
            .collect()
    }

    /// Puts a message before somebody; `None` where it already waits there, or nobody is there.
    pub fn push(&mut self, to: &Address, note: Note, now: Timestamp) -> Option<u64> {
        let known = self.online.get_mut(to)?;
        // Of a message that waits here whole, the notice that it is in the box too is no news.
        let is_same = |waiting: &Note| waiting.kind == note.kind || waiting.is_copy && note.kind == "mail";
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

    /// Whether a session has yet to be told what was waiting for it when it came; asked once.
    pub fn greets(&mut self, who: &Address) -> bool {
        self.online.get_mut(who).is_some_and(|known| !std::mem::replace(&mut known.greeted, true))
    }

    /// Whether something waits for a session past a cursor.
    pub fn has_news(&self, who: &Address, cursor: u64) -> bool {
        let known = self.online.get(who);
        known.is_some_and(|known| known.missed > 0 || known.queue.back().is_some_and(|last| last.id > cursor))
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

    /// How many messages were ever put before somebody: it grows with every one.
    pub fn count(&self) -> u64 {
        self.id_next
    }

    /// The highest number that was handed out to a session. It can have seen nothing beyond.
    pub fn handed(&self, who: &Address) -> u64 {
        self.online.get(who).map_or(0, |known| known.handed)
    }

    /// What waits for a session past a cursor; past none, where it was given no such one. What lies up to the cursor
    /// stays until it is acknowledged.
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

    /// What a session says it has got, up to a number. One that was not handed out to it says nothing.
    pub fn got(&self, who: &Address, up_to: u64) -> Vec<LiveMessage> {
        let queue = self.online.get(who).filter(|known| up_to <= known.handed).map(|known| &known.queue);
        queue.into_iter().flatten().take_while(|message| message.id <= up_to).cloned().collect()
    }

    /// Takes away what a session has got, up to a number, and answers it.
    pub fn acknowledge(&mut self, who: &Address, up_to: u64) -> Vec<LiveMessage> {
        let known = self.online.get_mut(who).filter(|known| up_to <= known.handed);
        let Some(known) = known else { return Vec::new() };
        let count = known.queue.iter().take_while(|message| message.id <= up_to).count();
        (0..count).filter_map(|_| known.take_first()).collect()
    }

    /// Takes away what is over before it was got: its mail was read meanwhile.
    pub fn forget(&mut self, who: &Address, ids: &[u64]) {
        let Some(known) = self.online.get_mut(who) else { return };
        known.queue.retain(|message| !ids.contains(&message.id));
        known.len = known.queue.iter().map(|message| message.note.len()).sum();
    }

    /// Forgets who has been away for long, with what waited for them: it is mail where it mattered.
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

impl Note {
    fn len(&self) -> usize {
        self.subject.len() + self.body.len()
    }
}

impl Online {
    fn take_first(&mut self) -> Option<LiveMessage> {
        let first = self.queue.pop_front()?;
        self.len = self.len.saturating_sub(first.note.len());
        Some(first)
    }

    /// How many messages wait that were never shown and are no mail.
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
