//! The watchdog at work: looks at the boxes of one mail root and tells who is online.
//!
//! A daemon calls [`Watcher::step`] a few times a second. File events make a look due at once; without them it
//! is due every second, and behind them every ten.

use super::hub::Hub;
use super::poll::ORCHESTRATOR;
use crate::mail::answered_among;
use brainstem_base::disk::{Changes, Watch};
use brainstem_base::{Disk, Timestamp};
use brainstem_mail::live::{Address, Channel, Effect, Note, Pace, Scope, Target, Unseen, Watchdog};
use brainstem_mail::name::MailboxName;
use brainstem_vault::mail::{Folder, Found, Links, MailRoot};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// How often a root is looked at that the system cannot watch, and how often behind the file events.
const RESCAN_MS: i64 = 1_000;
const RESCAN_WATCHED_MS: i64 = 10_000;
/// How often what was read is looked at for want of a response.
const RESPONSE_SCAN_MS: i64 = 60_000;

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

/// Watches one mail root.
pub struct Watcher {
    disk: Arc<dyn Disk>,
    root: MailRoot,
    project: String,
    pace: Pace,
    dogs: BTreeMap<MailboxName, Watchdog>,
    watches: BTreeMap<PathBuf, Box<dyn Watch>>,
    looked_at: Option<Timestamp>,
    /// What was read and needs a response, by box, as of `asked_at`.
    asked: BTreeMap<MailboxName, Vec<Found>>,
    asked_at: Option<Timestamp>,
    /// Each old message is read once.
    links: Links,
}

impl Watcher {
    /// Watches a root, with a pace.
    pub fn new(disk: Arc<dyn Disk>, root: MailRoot, pace: Pace) -> Self {
        let project = root.path().display().to_string();
        let links = Links::in_memory(disk.clone());
        Self {
            disk,
            root,
            project,
            pace,
            dogs: BTreeMap::new(),
            watches: BTreeMap::new(),
            looked_at: None,
            asked: BTreeMap::new(),
            asked_at: None,
            links,
        }
    }

    /// Looks, if there is a reason to, and answers the wakes that are due. What cannot be looked at is
    /// looked at next time.
    pub fn step(&mut self, hub: &Hub, now: Timestamp) -> Vec<Wake> {
        for (mailbox, file) in hub.take_acknowledged(&self.project) {
            if let Some(dog) = self.dogs.get_mut(&mailbox) {
                dog.acknowledge(&file);
            }
        }
        if !self.is_due(now) {
            return Vec::new();
        }
        self.looked_at = Some(now);
        if self.asked_at.is_none_or(|asked| now.ms_since(asked) >= RESPONSE_SCAN_MS) {
            self.asked_at = Some(now);
            self.asked.clear();
        }
        self.watch(None);
        let mut wakes = Vec::new();
        for mailbox in self.root.boxes().unwrap_or_default() {
            self.watch(Some(&mailbox));
            let Some(waiting) = self.waiting(&mailbox, now) else { continue };
            let (subjects, unseen): (BTreeMap<_, _>, Vec<_>) =
                waiting.into_iter().map(|(unseen, subject)| ((unseen.file.clone(), subject), unseen)).unzip();
            let readers = hub.with(|channel| {
                channel.forget_gone(now);
                channel.readers(&self.project, &mailbox, now)
            });
            let pace = self.pace;
            let dog = self.dogs.entry(mailbox.clone()).or_insert_with(|| Watchdog::new(pace));
            let effects = dog.look(now, &unseen, !readers.is_empty());
            hub.with(|channel| {
                for effect in effects {
                    wakes.extend(self.tell(channel, &mailbox, &readers, &subjects, effect, now));
                }
            });
        }
        wakes
    }

    fn is_due(&mut self, now: Timestamp) -> bool {
        let mut changed = false;
        for watch in self.watches.values_mut() {
            changed |= match watch.changes() {
                Changes::Names(names) => !names.is_empty(),
                Changes::Unknown => true,
            };
        }
        let is_late = self.dogs.values().filter_map(Watchdog::next_deadline).any(|deadline| deadline <= now);
        let rescan_ms =
            if self.watches.contains_key(self.root.path()) { RESCAN_WATCHED_MS } else { RESCAN_MS };
        let is_old = |looked| now.ms_since(looked) >= rescan_ms || looked > now;
        changed || is_late || self.looked_at.is_none_or(is_old)
    }

    /// Watches a box, or the root, for which a look is due when a box comes.
    fn watch(&mut self, mailbox: Option<&MailboxName>) {
        let dir =
            mailbox.map_or_else(|| self.root.path().to_owned(), |name| self.root.path().join(name.as_str()));
        if !self.watches.contains_key(&dir)
            && let Some(watch) = self.disk.watch(&dir)
        {
            self.watches.insert(dir, watch);
        }
    }

    /// What is unread in a box, and what was read and needs an answer, each with its subject.
    fn waiting(&mut self, name: &MailboxName, now: Timestamp) -> Option<Vec<(Unseen, String)>> {
        let mailbox = self.root.mailbox(name).ok()?;
        mailbox.give_back(now).ok()?;
        let unread = mailbox.list_if(Folder::Unread, &mut |_, message| !message.head.is_expired(now)).ok()?;
        // What was read is looked at seldom: it is only ever raised again.
        let read = match self.asked.get(name) {
            Some(read) => read.clone(),
            None => {
                let looked = self.links.look(&mailbox, Folder::Read).ok()?;
                let asked = looked.links.iter().filter(|(_, link)| link.needs_response);
                asked.filter_map(|(file, _)| mailbox.found_in(Folder::Read, file).ok()?).collect()
            }
        };
        let all: Vec<Found> = unread.found.into_iter().chain(read.iter().cloned()).collect();
        let open = all.iter().filter(|found| found.head.needs_response);
        let asked: Vec<(&str, &str)> =
            open.map(|found| (found.head.from.as_str(), found.file.as_str())).collect();
        let (answered, _) = answered_among(&self.root, &mut self.links, &asked);
        self.links.keep();
        self.asked.insert(name.clone(), read);
        let unseen = |found: Found| {
            let unseen = Unseen {
                unread: found.place.folder == Folder::Unread,
                unanswered: found.head.needs_response && !answered.contains(found.file.as_str()),
                file: found.file.to_string(),
                from: found.head.from,
                priority: found.head.priority,
                timestamp: found.head.timestamp,
            };
            (unseen, found.head.subject)
        };
        Some(all.into_iter().map(unseen).collect())
    }

    /// Tells whom an effect concerns, as far as they are online.
    fn tell(
        &self,
        channel: &mut Channel,
        mailbox: &MailboxName,
        readers: &[Address],
        subjects: &BTreeMap<String, String>,
        effect: Effect,
        now: Timestamp,
    ) -> Option<Wake> {
        let note = |kind: &str, file: &str, urgent: bool| Note {
            from: mailbox.to_string(),
            kind: kind.to_owned(),
            subject: subjects.get(file).cloned().unwrap_or_default(),
            body: format!("{mailbox}/{file}"),
            urgent,
            about: Some((mailbox.clone(), file.to_owned())),
            is_copy: false,
        };
        match effect {
            Effect::Wake { files, urgent, attempt } => {
                let mut told = readers.to_vec();
                if urgent {
                    told.extend(
                        self.orchestrators(channel, now).into_iter().filter(|who| !readers.contains(who)),
                    );
                }
                for who in &told {
                    for file in &files {
                        channel.push(who, note("mail", file, urgent), now);
                    }
                }
                Some(Wake { mailbox: mailbox.clone(), files, urgent, attempt, told })
            }
            Effect::NobodyHome { file, from } => {
                if let Ok(name) = MailboxName::parse(&from) {
                    let sender = Address { project: self.project.clone(), name };
                    channel.push(&sender, note("nobody_home", &file, false), now);
                }
                None
            }
            Effect::RaiseAgain { file, .. } => {
                for who in readers.iter().cloned().chain(self.orchestrators(channel, now)) {
                    channel.push(&who, note("waits_for_reply", &file, true), now);
                }
                None
            }
        }
    }

    fn orchestrators(&self, channel: &Channel, now: Timestamp) -> Vec<Address> {
        let name = MailboxName::parse(ORCHESTRATOR).expect("it is a name");
        // Nobody of this address sends: everybody who carries the tag is reached.
        let nobody = Address { project: self.project.clone(), name: MailboxName::broadcast() };
        channel.recipients(&nobody, &Target::Tag(name), Scope::Project, now)
    }
}
