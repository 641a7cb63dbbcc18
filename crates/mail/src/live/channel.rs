//! Who is online, and what waits for each of them until they acknowledge it.

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
/// How many sessions are online at once; whoever was silent longest gives way.
pub const ONLINE_MAX: usize = 512;

/// A session of a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The project's mail root.
    pub project: String,
    /// The session.
    pub name: MailboxName,
}

/// What a session does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Nothing.
    #[default]
    Idle,
    /// Its work.
    Working,
    /// It waits for a person or another session.
    WaitingForInput,
    /// It cannot go on.
    Blocked,
    /// It is done.
    Complete,
    /// It failed.
    Error,
}

impl Status {
    /// Every status.
    pub const ALL: &[Self] =
        &[Self::Idle, Self::Working, Self::WaitingForInput, Self::Blocked, Self::Complete, Self::Error];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::WaitingForInput => "waiting_for_input",
            Self::Blocked => "blocked",
            Self::Complete => "complete",
            Self::Error => "error",
        }
    }

    /// The status of that name.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.as_str() == text)
    }
}

/// What a session says about itself when it is heard of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Which session.
    pub address: Address,
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
    /// Who it is from.
    pub from: String,
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
    /// It was told what had been waiting for it when it came.
    greeted: bool,
}

impl Channel {
    /// A channel that starts now. Its numbers start above those of any channel before it.
    pub fn new(now: Timestamp) -> Self {
        Self { online: BTreeMap::new(), id_next: u64::try_from(now.ms()).unwrap_or(0) * 1000 + 1 }
    }

    /// Hears of a session. What it does not say this time, it keeps.
    pub fn hear(&mut self, presence: Presence, now: Timestamp) {
        if self.online.len() >= ONLINE_MAX && !self.online.contains_key(&presence.address) {
            self.forget_gone(now);
            let silent = self.online.iter().min_by_key(|(_, known)| known.last_seen);
            if let Some(who) = silent.map(|(who, _)| who.clone()).filter(|_| self.online.len() >= ONLINE_MAX)
            {
                self.online.remove(&who);
            }
        }
        let known = self.online.entry(presence.address.clone()).or_insert_with(|| Online {
            presence: presence.clone(),
            status: Status::Idle,
            note: String::new(),
            last_seen: now,
            queue: VecDeque::new(),
            len: 0,
            missed: 0,
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
    pub fn readers(&self, project: &str, mailbox: &MailboxName, now: Timestamp) -> Vec<Address> {
        let reads = |known: &Online| mailbox.is_broadcast() || known.reads(mailbox);
        let here = self.online.iter().filter(|(address, _)| address.project == project);
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

    /// The projects of who is online.
    pub fn projects(&self) -> BTreeSet<String> {
        self.online.keys().map(|who| who.project.clone()).collect()
    }

    /// Whether a session reads a box: its own, or a tag's.
    pub fn reads(&self, who: &Address, mailbox: &MailboxName) -> bool {
        self.online.get(who).is_some_and(|known| known.reads(mailbox))
    }

    /// How many messages were ever put before somebody: it grows with every one.
    pub fn count(&self) -> u64 {
        self.id_next
    }

    /// What waits for a session past a cursor. What lies up to the cursor stays until it is acknowledged.
    pub fn poll(&mut self, who: &Address, cursor: u64, max: usize) -> Polled {
        let Some(known) = self.online.get_mut(who) else { return Polled { cursor, ..Polled::default() } };
        let messages: Vec<LiveMessage> =
            known.queue.iter().filter(|message| message.id > cursor).take(max).cloned().collect();
        Polled {
            cursor: messages.last().map_or(cursor, |last| last.id),
            missed: std::mem::take(&mut known.missed),
            messages,
        }
    }

    /// What a session says it has got, up to a number.
    pub fn got(&self, who: &Address, up_to: u64) -> Vec<LiveMessage> {
        let queue = self.online.get(who).map(|known| &known.queue);
        queue.into_iter().flatten().take_while(|message| message.id <= up_to).cloned().collect()
    }

    /// Takes away what a session has got, up to a number, and answers it.
    pub fn acknowledge(&mut self, who: &Address, up_to: u64) -> Vec<LiveMessage> {
        let Some(known) = self.online.get_mut(who) else { return Vec::new() };
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
            self.online.remove(who);
        }
        gone
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
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(1_783_209_431_000 + ms)
    }

    fn name(text: &str) -> MailboxName {
        MailboxName::parse(text).expect("a name")
    }

    fn who(text: &str) -> Address {
        let (project, session) = text.split_once(':').expect("project:session");
        Address { project: project.into(), name: name(session) }
    }

    /// `project:session+tag@/folder<parent`, as short as it gets.
    fn presence(text: &str) -> Presence {
        let (text, parent) =
            text.split_once('<').map_or((text, None), |(text, parent)| (text, Some(name(parent))));
        let (text, worktree) =
            text.split_once('@').map_or((text, None), |(text, at)| (text, Some(at.to_owned())));
        let mut names = text.split('+');
        let address = who(names.next().expect("an address"));
        Presence { address, tags: names.map(name).collect(), worktree, parent }
    }

    fn office() -> Channel {
        let mut channel = Channel::new(at(0));
        for text in [
            "p:orch+orchestrator@/src/p",
            "p:w1+worker@/src/wt1/sub<orch",
            "p:w2+worker@/src/wt2<orch",
            "q:w1+worker@/src/q",
        ] {
            channel.hear(presence(text), at(0));
        }
        channel
    }

    fn note(body: &str) -> Note {
        Note { from: "orch".into(), kind: "task".into(), body: body.into(), ..Note::default() }
    }

    #[test] // spec: MAIL-17
    fn a_target_names_whom_it_reaches() {
        let channel = office();
        let reached = |from: &str, target: Target, scope| -> Vec<String> {
            let found = channel.recipients(&who(from), &target, scope, at(1000));
            found.into_iter().map(|to| format!("{}:{}", to.project, to.name)).collect()
        };
        let near = Scope::Project;
        assert_eq!(reached("p:orch", Target::Session(name("w1")), near), ["p:w1"]);
        assert_eq!(reached("p:orch", Target::Tag(name("worker")), near), ["p:w1", "p:w2"]);
        assert_eq!(
            reached("p:orch", Target::Tag(name("worker")), Scope::Everywhere),
            ["p:w1", "p:w2", "q:w1"]
        );
        assert_eq!(reached("p:w1", Target::Tag(name("worker")), near), ["p:w2"], "never oneself");
        assert_eq!(reached("p:w1", Target::Everyone, near), ["p:orch", "p:w2"]);
        assert_eq!(reached("p:w1", Target::Parent, near), ["p:orch"]);
        assert_eq!(reached("p:orch", Target::Parent, near), [""; 0], "it has none");
        assert_eq!(reached("p:orch", Target::Worktree("/src/wt1/".into()), near), ["p:w1"]);
        assert_eq!(reached("p:orch", Target::Worktree("/src/wt".into()), near), [""; 0]);
        assert_eq!(reached("p:orch", Target::Session(name("nobody")), near), [""; 0]);
    }

    #[test] // spec: MAIL-17
    fn who_was_not_heard_of_is_not_reached() {
        let mut channel = office();
        channel.hear(presence("p:w2+worker"), at(ONLINE_MS - 1));
        let reached = channel.recipients(&who("p:orch"), &Target::Everyone, Scope::Project, at(ONLINE_MS));
        assert_eq!(reached, [who("p:w2")]);
        assert_eq!(channel.forget_gone(at(ONLINE_MS)).len(), 3);
        assert_eq!(channel.standings(at(ONLINE_MS)).len(), 1);
        let parent = &channel.standings(at(ONLINE_MS))[0].presence.parent;
        assert_eq!(parent, &Some(name("orch")), "what it does not say again, it keeps");
    }

    #[test] // spec: MAIL-17
    fn a_message_waits_until_it_is_acknowledged() {
        let mut channel = office();
        let first = channel.push(&who("p:w1"), note("one"), at(1)).expect("it is online");
        channel.push(&who("p:w1"), note("two"), at(2));
        let polled = channel.poll(&who("p:w1"), 0, 1);
        assert_eq!((polled.messages.len(), polled.cursor), (1, first));
        assert_eq!(channel.poll(&who("p:w1"), 0, 10).messages.len(), 2, "a lost answer loses nothing");
        assert_eq!(channel.poll(&who("p:w1"), first, 10).messages[0].note.body, "two");
        let got = channel.acknowledge(&who("p:w1"), first);
        assert_eq!((got.len(), got[0].note.body.as_str()), (1, "one"));
        assert_eq!(channel.poll(&who("p:w1"), 0, 10).messages.len(), 1);
        assert_eq!(channel.push(&who("p:nobody"), note("x"), at(3)), None);
        let later = Channel::new(at(10)).id_next;
        assert!(later > first + 1, "a cursor of before a restart passes over nothing");
    }

    #[test] // spec: MAIL-17
    fn a_full_queue_gives_way_and_says_so() {
        let mut channel = office();
        for n in 0..QUEUE_MAX + 3 {
            channel.push(&who("p:w1"), note(&n.to_string()), at(1));
        }
        let polled = channel.poll(&who("p:w1"), 0, QUEUE_MAX * 2);
        assert_eq!((polled.messages.len(), polled.missed), (QUEUE_MAX, 3));
        assert_eq!(channel.poll(&who("p:w1"), 0, 1).missed, 0, "it is said once");
    }

    #[test] // spec: MAIL-17
    fn what_waits_takes_a_bounded_amount_of_memory() {
        let mut channel = office();
        let long = "x".repeat(NOTE_LEN_MAX);
        for _ in 0..100 {
            channel.push(&who("p:w1"), note(&long), at(1));
        }
        let polled = channel.poll(&who("p:w1"), 0, QUEUE_MAX);
        let len: usize = polled.messages.iter().map(|message| message.note.body.len()).sum();
        assert!(len <= QUEUE_LEN_MAX && polled.missed == 100 - polled.messages.len() as u64, "{len}");
        channel.acknowledge(&who("p:w1"), u64::MAX);
        assert!(!channel.has_news(&who("p:w1"), 0));
        for n in 0..2 * ONLINE_MAX {
            channel.hear(presence(&format!("p:s{n}")), at(10 + n as i64));
        }
        assert_eq!(channel.standings(at(2000)).len(), ONLINE_MAX);
        assert!(!channel.greets(&who("p:w1")), "it gave way");
    }

    #[test] // spec: MAIL-18
    fn who_comes_is_greeted_once_and_again_after_an_absence() {
        let mut channel = office();
        assert!(channel.greets(&who("p:w1")));
        channel.hear(presence("p:w1+worker"), at(1000));
        assert!(!channel.greets(&who("p:w1")));
        channel.hear(presence("p:w1+worker"), at(1000 + ONLINE_MS));
        assert!(channel.greets(&who("p:w1")));
    }

    #[test] // spec: MAIL-18
    fn what_waits_about_a_file_is_not_sent_again() {
        let mut channel = office();
        let about = || Note { about: Some((name("w1"), "f.md".into())), ..note("mail") };
        assert!(channel.push(&who("p:w1"), about(), at(1)).is_some());
        assert_eq!(channel.push(&who("p:w1"), about(), at(2)), None);
        channel.acknowledge(&who("p:w1"), u64::MAX);
        assert!(channel.push(&who("p:w1"), about(), at(3)).is_some());
    }

    #[test] // spec: MAIL-17
    fn a_status_is_one_of_six() {
        assert_eq!(
            Status::ALL.iter().map(|status| Status::find(status.as_str())).collect::<Vec<_>>(),
            Status::ALL.iter().copied().map(Some).collect::<Vec<_>>()
        );
        assert_eq!(Status::find("busy"), None);
        let mut channel = office();
        channel.report(&who("p:w1"), Status::Blocked, "no key");
        let told = channel.standings(at(1)).into_iter().find(|one| one.presence.address == who("p:w1"));
        assert_eq!(told.map(|one| (one.status, one.note)), Some((Status::Blocked, "no key".into())));
    }
}
