//! The watchdog at work: it looks at the boxes of one mail root and notifies the sessions that are online.
//!
//! A daemon calls [`Watcher::step`] when files change, and also a few times a second. After a file event, a look at its box is
//! due at once; without events it is due every second, and with them every ten. A look reads only new unread messages: no
//! message is read twice, and the folders of read and archived messages are not listed.

use super::hub::Hub;
use super::poll::{ORCHESTRATOR, notice};
use super::project::project_of_root;
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

/// How often a folder is looked at if the system cannot watch it, and how often if it can.
const RESCAN_MS: i64 = 1_000;
const RESCAN_WATCHED_MS: i64 = 10_000;

/// Unread mail in a box. The daemon raises it as a wake, whether or not a session is online.
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
    /// The sessions that were notified, by name.
    pub notified: Vec<Address>,
}

/// The head of a message that arrived or went.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageEvent {
    /// The box.
    pub mailbox: MailboxName,
    /// The file.
    pub file: FileName,
    /// Its head.
    pub head: MessageHead,
    /// Git tracks it: anyone that can write to the repository may have written it.
    pub tracked: bool,
}

/// What a step of a watcher found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MailChanges {
    /// Messages that arrived in a box since the last look. The first look finds none.
    pub arrived: Vec<MessageEvent>,
    /// Messages that are no longer unread.
    pub gone: Vec<MessageEvent>,
    /// The wakes that were due.
    pub wakes: Vec<Wake>,
}

/// Watches one mail root.
pub struct Watcher {
    disk: Arc<dyn Disk>,
    root: MailRoot,
    project: Project,
    pace: Pace,
    watched: FolderWatch,
    boxes: BTreeMap<MailboxName, WatchedBox>,
    begun: bool,
}

/// A folder that may be watched by the system, and when it was last looked at.
#[derive(Default)]
struct FolderWatch {
    watch: Option<Box<dyn Watch>>,
    looked_at: Option<Timestamp>,
}

/// The state of one box between looks.
struct WatchedBox {
    watched: FolderWatch,
    dog: Watchdog,
    waiting: UnreadView,
    /// Questions that were read and have no known answer.
    asked: BTreeMap<FileName, MessageHead>,
    answered: HashSet<String>,
    /// Wakes that a session has acknowledged since the last look.
    acknowledged: Vec<String>,
    begun: bool,
}

impl FolderWatch {
    /// Whether a look is due. If it is, the folder is watched before the look begins.
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
        let is_old = |changes| now.ms_since(changes) >= rescan_ms || changes > now;
        let is_due = changed || self.looked_at.is_none_or(is_old);
        if is_due && self.watch.is_none() {
            self.watch = disk.watch(dir);
        }
        is_due
    }
}

impl Watcher {
    /// A watcher of a root, with the pace of its wakes.
    pub fn new(disk: Arc<dyn Disk>, root: MailRoot, pace: Pace) -> Self {
        let project = project_of_root(&root);
        let (watched, boxes) = (FolderWatch::default(), BTreeMap::new());
        Self { disk, root, project, pace, watched, boxes, begun: false }
    }

    /// The same watcher, for which the messages of its first look are new.
    pub(super) fn with_news(self) -> Self {
        Self { begun: true, ..self }
    }

    /// The project that is watched.
    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    /// Whether the folder that is watched is still at its path.
    pub(super) fn is_there(&self) -> bool {
        project_of_root(&self.root) == self.project
    }

    /// Looks at the boxes that are due. A box that cannot be looked at is due again at the next step. If another folder took
    /// the path, the step finds nothing: another watcher has that folder.
    pub fn step(&mut self, hub: &Hub, now: Timestamp) -> MailChanges {
        if !self.is_there() {
            return MailChanges::default();
        }
        for (mailbox, file) in hub.take_acknowledged(&self.project) {
            if let Some(watched_box) = self.boxes.get_mut(&mailbox) {
                watched_box.dog.acknowledge(&file);
                watched_box.acknowledged.push(file);
            }
        }
        if self.watched.is_due(&*self.disk, self.root.path(), now)
            && let Ok(names) = self.root.boxes()
        {
            self.watched.looked_at = Some(now);
            self.boxes.retain(|name, _| names.contains(name));
            for name in names {
                // Messages in a box that was made while the watcher ran arrived with it.
                let (begun, pace) = (self.begun, self.pace);
                self.boxes.entry(name).or_insert_with(|| WatchedBox::new(pace, begun));
            }
            self.begun = true;
        }
        let mut changes = MailChanges::default();
        for (name, watched_box) in &mut self.boxes {
            let due = watched_box.watched.is_due(&*self.disk, &self.root.path().join(name.as_str()), now);
            let is_late = watched_box.dog.next_deadline().is_some_and(|deadline| deadline <= now);
            if !due && !is_late {
                continue;
            }
            let Ok(mailbox) = self.root.listed(name) else { continue };
            let look = BoxLook { root: &self.root, project: &self.project, mailbox: &mailbox, hub, now };
            if watched_box.look(&look, &mut changes).is_ok() {
                watched_box.watched.looked_at = Some(now);
            }
        }
        changes
    }
}

/// What one look at one box works with.
struct BoxLook<'a> {
    root: &'a MailRoot,
    project: &'a Project,
    mailbox: &'a Mailbox<'a>,
    hub: &'a Hub,
    now: Timestamp,
}

impl WatchedBox {
    /// `begun` says whether the messages of the first look are new.
    fn new(pace: Pace, begun: bool) -> Self {
        Self {
            watched: FolderWatch::default(),
            dog: Watchdog::new(pace),
            waiting: UnreadView::default(),
            asked: BTreeMap::new(),
            answered: HashSet::new(),
            acknowledged: Vec::new(),
            begun,
        }
    }

    fn look(&mut self, look: &BoxLook<'_>, changes: &mut MailChanges) -> Result<(), StoreError> {
        let (mailbox, now) = (look.mailbox, look.now);
        let name = mailbox.name();
        let is_first = self.watched.looked_at.is_none();
        // If the leases cannot be looked at, the notices about the rest still go out.
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
        // Asked only if there are messages: git need not run for an empty box.
        let tracked = LazyCell::new(|| look.root.tracked());
        let seen = |(file, head)| MessageEvent {
            tracked: mailbox.is_tracked(&tracked, &file),
            mailbox: name.clone(),
            file,
            head,
        };
        if self.begun {
            changes.arrived.extend(changed.arrived.into_iter().map(seen));
        }
        changes.gone.extend(changed.gone.into_iter().map(seen));
        self.begun = true;
        self.find_answers(look);

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
        let readers = look.hub.with(|channel| channel.readers(look.project, name, now));
        let effects = self.dog.look(now, &unseen, !readers.is_empty());
        for file in self.acknowledged.drain(..) {
            self.dog.acknowledge(&file);
        }
        if name.is_broadcast() {
            // Each reader hears of a broadcast once: when it arrives, or when the reader comes online.
            unseen.iter().for_each(|unseen| self.dog.acknowledge(&unseen.file));
        }
        if effects.is_empty() {
            return Ok(());
        }
        look.hub.settle();
        look.hub.with(|channel| {
            for effect in effects {
                changes.wakes.extend(look.tell(channel, &readers, &heads, &tracked, effect));
            }
        });
        Ok(())
    }

    /// Finds out which of the questions that are due to be raised again have an answer.
    fn find_answers(&mut self, look: &BoxLook<'_>) {
        self.asked.retain(|file, head| {
            !self.dog.would_raise(look.now, file.as_str(), head.timestamp) || look.mailbox.is_at_work(file)
        });
        let open: Vec<(String, String)> = self
            .waiting
            .messages()
            .chain(&self.asked)
            .filter(|(file, head)| {
                head.needs_response
                    && !self.answered.contains(file.as_str())
                    && self.dog.would_raise(look.now, file.as_str(), head.timestamp)
            })
            .map(|(file, head)| (head.from.clone(), file.to_string()))
            .collect();
        let senders: HashSet<&str> = open.iter().map(|(from, _)| from.as_str()).collect();
        for from in senders {
            let Ok(sender) = MailboxName::parse(from) else { continue };
            let asked = open.iter().filter(|(of, _)| of == from).map(|(_, file)| file.as_str()).collect();
            for name in [Some(sender.clone()), box_of_alias(&sender)].into_iter().flatten() {
                let Ok(mailbox) = look.root.listed(&name) else { continue };
                self.answered.extend(mailbox.replies_to(look.mailbox.name(), &asked).unwrap_or_default());
            }
        }
        self.asked.retain(|file, _| !self.answered.contains(file.as_str()));
        let is_here: HashSet<&str> = self.waiting.messages().map(|(file, _)| file.as_str()).collect();
        self.answered.retain(|file| is_here.contains(file.as_str()));
    }
}

impl BoxLook<'_> {
    /// Queues the notices of an effect for the sessions that it concerns and that are online. Leaves out messages that were
    /// read since: the look is older than the channel's lock.
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
                let (mut notified, mut still): (Vec<Address>, Vec<String>) = (Vec::new(), Vec::new());
                for (file, head) in files.iter().filter_map(|file| heads.get(file)) {
                    let note = notice(file, head);
                    if !self.mailbox.waits_for(file, &[]) {
                        continue;
                    }
                    still.push(file.to_string());
                    let others = orchestrators.iter().filter(|who| note.urgent && !readers.contains(who));
                    for who in readers.iter().chain(others) {
                        // A session is not woken by its own message, or by a broadcast that it has seen.
                        let sender = head.extra(FROM_SESSION).unwrap_or(&head.from);
                        if who.name.as_str() == sender || !self.mailbox.waits_for(file, &channel.reader(who))
                        {
                            continue;
                        }
                        channel.push(who, note.clone(), self.now);
                        if !notified.contains(who) {
                            notified.push(who.clone());
                        }
                    }
                }
                let wake = Wake { mailbox: mailbox.clone(), files: still, urgent, attempt, notified };
                (!wake.files.is_empty()).then_some(wake)
            }
            WatchdogEffect::NobodyHome { file, from } => {
                if let (Ok(name), Some((file, head))) = (MailboxName::parse(&from), heads.get(&file)) {
                    let note = notice(file, head);
                    let note = LiveNote { from: None, kind: "nobody_home".to_owned(), ..note };
                    // The sessions that read the sender's box. If the sender is a connection, those of its agent.
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
        // No session sends from this address, so every session with the tag is a recipient.
        let nobody = Address { project: self.project.clone(), name: MailboxName::broadcast() };
        channel.recipients(&nobody, &LiveTarget::Tag(name), TargetReach::Project, self.now)
    }
}
