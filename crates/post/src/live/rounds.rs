//! The rounds of a daemon: it watches every mail root that it knows, and looks for new letters.

use super::hub::Hub;
use super::inbox_notice::INBOX_NOTICE;
use super::watcher::{MailChanges, MessageEvent, Wake, Watcher};
use crate::Post;
use crate::inbox::InboxListener;
use crate::letters::letter_id_of;
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, Timestamp};
use brainstem_inbox::{InboxPriority, InboxRow, RowId};
use brainstem_letters::{Letter, LetterId};
use brainstem_mail::live::{ChannelState, LiveNote, Pace, Project};
use brainstem_mail::name::MailboxName;
use brainstem_memory::Floor;
use brainstem_vault::mail::{MailRoot, folder_stamp, roots_on_record};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How many mail roots are watched.
const ROOTS_MAX: usize = 512;
/// How much of what was added to a file of letters is read.
const ADDED_LEN_MAX: u64 = 1024 * 1024;

/// An event in mail or letters. It contains a message's head, and never the text of a message or letter.
#[derive(Clone, Debug)]
pub enum PostNews {
    /// A message came into a box.
    Arrived(Project, MessageEvent),
    /// A message is no longer unread: it was read, taken, archived or removed.
    Gone(Project, MessageEvent),
    /// Unread mail raised a wake.
    Woke(Project, Wake),
    /// A letter was written into the spool.
    Written(LetterEvent),
    /// A letter was filed: into the box of the brain with this fingerprint, or the medulla's.
    Filed(Option<(String, String)>, LetterEvent),
}

/// What an event says about a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterEvent {
    /// Its id.
    pub id: LetterId,
    /// Its class.
    pub class: Option<String>,
    /// The kind of a misdelivery.
    pub kind: Option<String>,
    /// The agent that wrote it.
    pub agent: Option<String>,
    /// Only a repository says that this agent wrote it: this home has no record of it.
    pub unrecorded: bool,
}

/// The watchers of a daemon, and what they saw last.
#[derive(Default)]
pub struct Rounds {
    watchers: BTreeMap<PathBuf, Watcher>,
    on_record: BTreeMap<OsString, PathBuf>,
    /// The length of each file of letters at the last look.
    letters: HashMap<PathBuf, u64>,
    inbox: InboxListener,
    /// Why the inbox could not be looked at the last time.
    inbox_fault: Option<String>,
    begun: bool,
}

impl Rounds {
    /// Returns what happened since the last look. A `thorough` look also finds new mail roots and letters.
    pub fn look(&mut self, post: &Post, hub: &Hub, thorough: bool) -> Vec<PostNews> {
        let mut news = Vec::new();
        if thorough || !self.begun || self.has_unwatched_session(post, hub) {
            self.survey(post, hub);
            self.read_letters(post, &mut news);
        }
        for watcher in self.watchers.values_mut() {
            let MailChanges { arrived, gone, wakes } = watcher.step(hub, post.clock().now());
            let root = watcher.project();
            news.extend(gone.into_iter().map(|seen| PostNews::Gone(root.clone(), seen)));
            news.extend(arrived.into_iter().map(|seen| PostNews::Arrived(root.clone(), seen)));
            news.extend(wakes.into_iter().map(|wake| PostNews::Woke(root.clone(), wake)));
        }
        for project in hub.online_projects() {
            if is_replaced(post.disk(), &project) {
                hub.end_waits(&project);
            }
        }
        self.begun = true;
        news
    }

    /// Brings the inbox up to the ledger, and returns what arrived; or why it could not be looked at, if that is another reason than
    /// the last time. The sessions that are online and read for the agent of an inbox get a notice (INB-13).
    pub fn listen(&mut self, post: &Post, hub: &Hub) -> Result<Vec<InboxRow>, String> {
        let arrived = match self.inbox.look(post) {
            Ok(arrived) => arrived,
            Err(error) => {
                let why = error.to_string();
                let last = self.inbox_fault.replace(why.clone());
                return if last.as_ref() == Some(&why) { Ok(Vec::new()) } else { Err(why) };
            }
        };
        self.inbox_fault = None;
        if !arrived.is_empty() {
            let now = post.clock().now();
            hub.with(|channel| arrived.iter().for_each(|row| notify(channel, row, now)));
        }
        Ok(arrived)
    }

    /// Returns those of these rows, and of the rows that notices wait about, which the inbox has no longer: their messages were
    /// redacted. The notices are removed. Only a ledger that the last look found changed is asked.
    pub fn erased_rows(&self, post: &Post, hub: &Hub, mut asked: Vec<RowId>) -> HashSet<RowId> {
        let waiting = hub.with(|channel| channel.bodies_of_kind(INBOX_NOTICE));
        asked.extend(waiting.iter().filter_map(|id| id.parse::<RowId>().ok()));
        let erased = self.inbox.erased_rows(post, &asked);
        if !erased.is_empty() {
            let ids: HashSet<String> = erased.iter().map(ToString::to_string).collect();
            hub.with(|channel| {
                channel.withdraw(|note| note.kind == INBOX_NOTICE && ids.contains(&note.body));
            });
        }
        erased
    }

    /// Whether a session is online at a root that is not watched yet, or another folder is at the path of a watched root.
    fn has_unwatched_session(&self, post: &Post, hub: &Hub) -> bool {
        let online = hub.projects(post.clock().now()).into_iter().map(PathBuf::from);
        let mut unknown = online.filter(|path| !self.watchers.contains_key(path));
        let is_replaced = self.watchers.values().any(|watcher| !watcher.is_there());
        is_replaced || self.watchers.len() < ROOTS_MAX && unknown.any(|path| is_folder(post.disk(), &path))
    }

    /// Updates the list of mail roots: those of the brains, of projects that callers were seen in, of sessions
    /// on record, and of sessions that are online.
    fn survey(&mut self, post: &Post, hub: &Hub) {
        let memory = post.memory();
        let home = memory.home();
        roots_on_record(post.disk(), home.path(), &mut self.on_record);
        let brains = home.roster().map(|roster| roster.brains).unwrap_or_default();
        let projects = brains.into_iter().map(|brain| brain.root).chain(home.noted_roots());
        let online = hub.projects(post.clock().now()).into_iter().map(PathBuf::from);
        let parts = || (memory.disk().clone(), memory.ids().clone(), memory.clock().clone());
        let of_project = |project: PathBuf| {
            let (disk, ids, clock) = parts();
            MailRoot::of_project(disk, ids, clock, &project).path().to_owned()
        };
        let all = projects.map(of_project).chain(self.on_record.values().cloned()).chain(online);
        let here: BTreeSet<PathBuf> = all
            .filter(|path| path.is_absolute())
            .filter(|path| is_folder(post.disk(), path))
            .take(ROOTS_MAX)
            .collect();
        self.watchers.retain(|path, watcher| here.contains(path) && watcher.is_there());
        for path in here {
            let (disk, ids, clock) = parts();
            let begun = self.begun;
            self.watchers.entry(path.clone()).or_insert_with(|| {
                let root = MailRoot::at(disk.clone(), ids, clock, path).noting_below(home.path());
                let watcher = Watcher::new(disk, root, Pace::default());
                // Messages in a root that is new to a running daemon arrived while it ran.
                if begun { watcher.with_news() } else { watcher }
            });
        }
    }

    fn read_letters(&mut self, post: &Post, news: &mut Vec<PostNews>) {
        let home = post.memory().home();
        let spool = home.spool().path().to_owned();
        for (_, letter) in self.added(post, &spool) {
            news.push(PostNews::Written(letter));
        }
        let brains = home.roster().map(|roster| roster.brains).unwrap_or_default();
        let boxes = brains.iter().map(|brain| {
            (home.letter_box(Some(&brain.root)), Some((brain.fingerprint.clone(), brain.origin())))
        });
        let mut own: Option<HashSet<LetterId>> = None;
        for (letter_box, whose) in boxes.chain([(home.letter_box(None), None)]) {
            for (of_line, mut letter) in self.added(post, letter_box.path()) {
                let own = own.get_or_insert_with(|| {
                    let lines = home.spool().read().map(|lines| lines.letters).unwrap_or_default();
                    lines.into_iter().map(|lettered| lettered.letter.id).collect()
                });
                letter.unrecorded = whose.is_some() && !own.contains(&of_line);
                news.push(PostNews::Filed(whose.clone(), letter));
            }
        }
    }

    /// The letters that were added to a file since the last look. A line without a newline waits for the next look. The first
    /// id is the hash of the whole line, which is never published.
    fn added(&mut self, post: &Post, path: &Path) -> Vec<(LetterId, LetterEvent)> {
        let len = post.disk().stat(path).map_or(0, |stat| stat.len);
        let known = self.letters.get(path).copied();
        let known = known.unwrap_or(if self.begun { 0 } else { len });
        let added = len.saturating_sub(known);
        self.letters.insert(path.to_owned(), len.min(known));
        if added == 0 {
            self.letters.insert(path.to_owned(), len);
            return Vec::new();
        }
        let Ok(bytes) = post.disk().read_end(path, added.min(ADDED_LEN_MAX)) else { return Vec::new() };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = (bytes.len() - whole) as u64;
        self.letters.insert(path.to_owned(), len.saturating_sub(rest));
        let lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .filter_map(|line| Some((line, Letter::parse(line).ok()?)))
            .map(|(line, letter)| (letter.id.clone(), letter_event(&post.memory().floor(), line, letter)))
            .collect()
    }
}

/// Queues the notice about a message of an inbox for the sessions whose inbox it is.
fn notify(channel: &mut ChannelState, row: &InboxRow, now: Timestamp) {
    let Ok(slug) = MailboxName::parse(row.to.as_str()) else { return };
    let note = LiveNote {
        from: Some(row.from.clone()),
        kind: INBOX_NOTICE.to_owned(),
        subject: row.content.subject.clone(),
        body: row.id.to_string(),
        urgent: row.content.priority == InboxPriority::Urgent,
        about: None,
        is_copy: false,
        is_tracked: false,
    };
    for reader in channel.inbox_readers(&slug, now) {
        channel.push(&reader, note.clone(), now);
    }
}

/// Whether another folder is at the path of a project now. One that is gone may come back.
fn is_replaced(disk: &dyn Disk, project: &Project) -> bool {
    let now = folder_stamp(disk, Path::new(&project.root));
    now.is_some() && project.folder.is_some() && now != project.folder
}

fn is_folder(disk: &dyn Disk, path: &Path) -> bool {
    disk.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir)
}

fn letter_event(floor: &Floor, line: &[u8], letter: Letter) -> LetterEvent {
    // The text is masked before it is cut: a part of a secret does not look like one.
    let short = |text: Option<String>| text.map(|text| floor.mask(&text).chars().take(80).collect());
    LetterEvent {
        id: letter_id_of(floor, line),
        class: short(letter.class),
        kind: short(letter.kind),
        agent: short(letter.agent),
        unrecorded: false,
    }
}
