//! The watchdog at work: looks at the boxes of one mail root and tells who is online.
//!
//! A daemon calls [`Watcher::step`] when files change, and a few times a second all the same. A file event makes a
//! look at its box due at once; without events it is due every second, and behind them every ten. A look costs
//! what is unread in the box: nothing is read twice, and what was read or archived is not gone through.

use super::hub::Hub;
use super::place::place_of;
use super::poll::{ORCHESTRATOR, notice};
use brainstem_base::disk::{Changes, Watch};
use brainstem_base::{Disk, Timestamp};
use brainstem_caller::addresses::box_of_alias;
use brainstem_mail::live::{
    Address, ChannelState, LiveNote, LiveTarget, OpenMessage, Pace, Project, TargetReach, Watchdog,
    WatchdogEffect,
};
use brainstem_mail::name::MailboxName;
use brainstem_mail::thread::FROM_SESSION;
use brainstem_mail::{FileName, MessageHead, Priority};
use brainstem_vault::StoreError;
use brainstem_vault::mail::{MailRoot, Mailbox, TrackedMessages, UnreadView};
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// How often a folder is looked at that the system cannot watch, and how often behind the file events.
const RESCAN_MS: i64 = 1_000;
const RESCAN_WATCHED_MS: i64 = 10_000;

/// Somebody's mail waits: for the daemon to raise as a wake, whether or not anybody is online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wake {
    /// The box.
    pub mailbox: MailboxName,
    /// The messages, oldest first.
    pub files: Vec<String>,
    /// One of them is urgent.
    pub urgent: bool,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The sessions that were told, by name.
    pub told: Vec<Address>,
}

/// A message that came or went, without what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The box.
    pub mailbox: MailboxName,
    /// The file.
    pub file: FileName,
    /// What it says about itself.
    pub head: MessageHead,
    /// Git tracks it: whoever can write to the repository may have written it.
    pub tracked: bool,
}

/// What a step found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// Messages that came into a box since the last look. The first look finds none.
    pub arrived: Vec<Seen>,
    /// Messages that are unread no longer.
    pub gone: Vec<Seen>,
    /// The wakes that were due.
    pub wakes: Vec<Wake>,
}

/// Watches one mail root.
pub struct Watcher {
    disk: Arc<dyn Disk>,
    root: MailRoot,
    project: Project,
    pace: Pace,
    watched: Watched,
    boxes: BTreeMap<MailboxName, Desk>,
    begun: bool,
}

/// A folder, and what the system says about it.
#[derive(Default)]
struct Watched {
    watch: Option<Box<dyn Watch>>,
    looked_at: Option<Timestamp>,
}

/// What is known of one box.
struct Desk {
    watched: Watched,
    dog: Watchdog,
    waiting: UnreadView,
    /// Questions that were read and not seen answered.
    asked: BTreeMap<FileName, MessageHead>,
    answered: HashSet<String>,
    /// Wakes that somebody has got since the last look.
    acknowledged: Vec<String>,
    begun: bool,
}

impl Watched {
    /// Whether a look is due; then the watch is sound from before it on.
    fn is_due(&mut self, disk: &dyn Disk, dir: &Path, now: Timestamp) -> bool {
        let changes = self.watch.as_mut().map(|watch| watch.changes());
        let changed = match &changes {
            Some(Changes::Names(names)) => !names.is_empty(),
            Some(Changes::Unknown) => {
                self.watch = None;
                true
            }
            None => false,
        };
        let rescan_ms = if self.watch.is_some() { RESCAN_WATCHED_MS } else { RESCAN_MS };
        let is_old = |looked| now.ms_since(looked) >= rescan_ms || looked > now;
        let is_due = changed || self.looked_at.is_none_or(is_old);
        if is_due && self.watch.is_none() {
            self.watch = disk.watch(dir);
        }
        is_due
    }
}

impl Watcher {
    /// Watches a root, with a pace.
    pub fn new(disk: Arc<dyn Disk>, root: MailRoot, pace: Pace) -> Self {
        let project = place_of(&root);
        let (watched, boxes) = (Watched::default(), BTreeMap::new());
        Self { disk, root, project, pace, watched, boxes, begun: false }
    }

    /// The same, to which what it finds at its first look is news.
    pub(super) fn with_news(self) -> Self {
        Self { begun: true, ..self }
    }

    /// The project that is watched.
    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    /// Whether the folder that is watched is still at its path.
    pub(super) fn is_there(&self) -> bool {
        place_of(&self.root) == self.project
    }

    /// Looks where there is a reason to. What cannot be looked at is looked at next time, and what lies in another folder
    /// that took the path is another watcher's.
    pub fn step(&mut self, hub: &Hub, now: Timestamp) -> Looked {
        if !self.is_there() {
            return Looked::default();
        }
        for (mailbox, file) in hub.take_acknowledged(&self.project) {
            if let Some(desk) = self.boxes.get_mut(&mailbox) {
                desk.dog.acknowledge(&file);
                desk.acknowledged.push(file);
            }
        }
        if self.watched.is_due(&*self.disk, self.root.path(), now)
            && let Ok(names) = self.root.boxes()
        {
            self.watched.looked_at = Some(now);
            self.boxes.retain(|name, _| names.contains(name));
            for name in names {
                // What lies in a box that came while we watched has come with it.
                let (begun, pace) = (self.begun, self.pace);
                self.boxes.entry(name).or_insert_with(|| Desk::new(pace, begun));
            }
            self.begun = true;
        }
        let mut looked = Looked::default();
        for (name, desk) in &mut self.boxes {
            let due = desk.watched.is_due(&*self.disk, &self.root.path().join(name.as_str()), now);
            let is_late = desk.dog.next_deadline().is_some_and(|deadline| deadline <= now);
            if !due && !is_late {
                continue;
            }
            let Ok(mailbox) = self.root.listed(name) else { continue };
            let round = Round { root: &self.root, project: &self.project, mailbox: &mailbox, hub, now };
            if desk.look(&round, &mut looked).is_ok() {
                desk.watched.looked_at = Some(now);
            }
        }
        looked
    }
}

/// One look at one box.
struct Round<'a> {
    root: &'a MailRoot,
    project: &'a Project,
    mailbox: &'a Mailbox<'a>,
    hub: &'a Hub,
    now: Timestamp,
}

impl Desk {
    /// `begun` says whether what is there already is news.
    fn new(pace: Pace, begun: bool) -> Self {
        Self {
            watched: Watched::default(),
            dog: Watchdog::new(pace),
            waiting: UnreadView::default(),
            asked: BTreeMap::new(),
            answered: HashSet::new(),
            acknowledged: Vec::new(),
            begun,
        }
    }

    fn look(&mut self, round: &Round<'_>, looked: &mut Looked) -> Result<(), StoreError> {
        let (mailbox, now) = (round.mailbox, round.now);
        let name = mailbox.name();
        let is_first = self.watched.looked_at.is_none();
        // A part of the box that cannot be looked at keeps nobody from hearing of the rest.
        let _ = mailbox.give_back(now);
        let changed = mailbox.look_again(&mut self.waiting)?;
        if is_first {
            self.asked = mailbox.questions_read().unwrap_or_default().into_iter().collect();
        }
        for (file, _) in &changed.arrived {
            self.dog.forget(file.as_str());
        }
        for (file, head) in &changed.gone {
            if head.needs_response && mailbox.is_at_work(file) {
                self.asked.insert(file.clone(), head.clone());
            }
        }
        // A box without messages has none that git tracks.
        let tracked = LazyCell::new(|| round.root.tracked());
        let seen = |(file, head)| Seen {
            tracked: mailbox.is_tracked(&tracked, &file),
            mailbox: name.clone(),
            file,
            head,
        };
        if self.begun {
            looked.arrived.extend(changed.arrived.into_iter().map(seen));
        }
        looked.gone.extend(changed.gone.into_iter().map(seen));
        self.begun = true;
        self.find_answers(round);

        let unread = self.waiting.messages().filter(|(_, head)| !head.is_expired(now));
        let mut heads: BTreeMap<String, (FileName, MessageHead)> = BTreeMap::new();
        let mut unseen: Vec<OpenMessage> = Vec::new();
        for (is_unread, (file, head)) in
            unread.map(|one| (true, one)).chain(self.asked.iter().map(|one| (false, one)))
        {
            if heads.insert(file.to_string(), (file.clone(), head.clone())).is_none() {
                let priority = head.priority;
                let is_tracked = mailbox.is_tracked(&tracked, file);
                unseen.push(OpenMessage {
                    unread: is_unread,
                    unanswered: head.needs_response && !self.answered.contains(file.as_str()),
                    file: file.to_string(),
                    from: head.from.clone(),
                    priority: if is_tracked { priority.max(Priority::Normal) } else { priority },
                    timestamp: head.timestamp,
                });
            }
        }
        let readers = round.hub.with(|channel| channel.readers(round.project, name, now));
        let effects = self.dog.look(now, &unseen, !readers.is_empty());
        for file in self.acknowledged.drain(..) {
            self.dog.acknowledge(&file);
        }
        if name.is_broadcast() {
            // Each of its readers is told once: when it comes, or when they do.
            unseen.iter().for_each(|unseen| self.dog.acknowledge(&unseen.file));
        }
        if effects.is_empty() {
            return Ok(());
        }
        round.hub.settle();
        round.hub.with(|channel| {
            for effect in effects {
                looked.wakes.extend(round.tell(channel, &readers, &heads, &tracked, effect));
            }
        });
        Ok(())
    }

    /// Finds out which of the questions that are to be raised again have got their answer.
    fn find_answers(&mut self, round: &Round<'_>) {
        self.asked.retain(|file, head| {
            !self.dog.would_raise(round.now, file.as_str(), head.timestamp) || round.mailbox.is_at_work(file)
        });
        let open: Vec<(String, String)> = self
            .waiting
            .messages()
            .chain(&self.asked)
            .filter(|(file, head)| {
                head.needs_response
                    && !self.answered.contains(file.as_str())
                    && self.dog.would_raise(round.now, file.as_str(), head.timestamp)
            })
            .map(|(file, head)| (head.from.clone(), file.to_string()))
            .collect();
        let senders: HashSet<&str> = open.iter().map(|(from, _)| from.as_str()).collect();
        for from in senders {
            let Ok(sender) = MailboxName::parse(from) else { continue };
            let asked = open.iter().filter(|(of, _)| of == from).map(|(_, file)| file.as_str()).collect();
            for name in [Some(sender.clone()), box_of_alias(&sender)].into_iter().flatten() {
                let Ok(mailbox) = round.root.listed(&name) else { continue };
                self.answered.extend(mailbox.replies_to(round.mailbox.name(), &asked).unwrap_or_default());
            }
        }
        self.asked.retain(|file, _| !self.answered.contains(file.as_str()));
        let is_here: HashSet<&str> = self.waiting.messages().map(|(file, _)| file.as_str()).collect();
        self.answered.retain(|file| is_here.contains(file.as_str()));
    }
}

impl Round<'_> {
    /// Tells whom an effect concerns, as far as they are online. What was read a moment ago is told to nobody: the
    /// look is older than the channel's lock.
    fn tell(
        &self,
        channel: &mut ChannelState,
        readers: &[Address],
        heads: &BTreeMap<String, (FileName, MessageHead)>,
        tracked: &TrackedMessages,
        effect: WatchdogEffect,
    ) -> Option<Wake> {
        let mailbox = self.mailbox.name();
        let notice = |file: &FileName, head: &MessageHead| {
            notice(mailbox, file, head, self.mailbox.is_tracked(tracked, file))
        };
        match effect {
            WatchdogEffect::Wake { files, urgent, attempt } => {
                let orchestrators = self.orchestrators(channel);
                let (mut told, mut still): (Vec<Address>, Vec<String>) = (Vec::new(), Vec::new());
                for (file, head) in files.iter().filter_map(|file| heads.get(file)) {
                    let note = notice(file, head);
                    if !self.mailbox.waits_for(file, &[]) {
                        continue;
                    }
                    still.push(file.to_string());
                    let others = orchestrators.iter().filter(|who| note.urgent && !readers.contains(who));
                    for who in readers.iter().chain(others) {
                        // Nobody is woken by a message of their own, or by a broadcast they have seen.
                        let sender = head.extra(FROM_SESSION).unwrap_or(&head.from);
                        if who.name.as_str() == sender || !self.mailbox.waits_for(file, &channel.reader(who))
                        {
                            continue;
                        }
                        channel.push(who, note.clone(), self.now);
                        if !told.contains(who) {
                            told.push(who.clone());
                        }
                    }
                }
                let wake = Wake { mailbox: mailbox.clone(), files: still, urgent, attempt, told };
                (!wake.files.is_empty()).then_some(wake)
            }
            WatchdogEffect::NobodyHome { file, from } => {
                if let (Ok(name), Some((file, head))) = (MailboxName::parse(&from), heads.get(&file)) {
                    let note = notice(file, head);
                    let note = LiveNote { from: None, kind: "nobody_home".to_owned(), ..note };
                    // The sessions that read the sender's box: of a connection, those of its agent.
                    for sender in channel.readers(self.project, &name, self.now) {
                        channel.push(&sender, note.clone(), self.now);
                    }
                }
                None
            }
            WatchdogEffect::RaiseAgain { file, .. } => {
                let (file, head) = heads.get(&file)?;
                let note = notice(file, head);
                let note = LiveNote { kind: "waits_for_reply".to_owned(), urgent: !note.is_tracked, ..note };
                for who in readers.iter().cloned().chain(self.orchestrators(channel)) {
                    channel.push(&who, note.clone(), self.now);
                }
                None
            }
        }
    }

    fn orchestrators(&self, channel: &ChannelState) -> Vec<Address> {
        let name = MailboxName::parse(ORCHESTRATOR).expect("it is a name");
        // Nobody of this address sends: everybody who carries the tag is reached.
        let nobody = Address { project: self.project.clone(), name: MailboxName::broadcast() };
        channel.recipients(&nobody, &LiveTarget::Tag(name), TargetReach::Project, self.now)
    }
}
